"""Plain values to YAML and JSON text. The one module that dumps YAML.

Same value, same bytes: keys keep the order they were given, nothing is folded, no anchors. A string that any YAML
reader (1.1 or 1.2) could take for something else is quoted: KEDA refuses a trigger whose metadata is not all strings,
and an unquoted `1e3`, `0o7`, `on` or `12:30` is a number or a boolean to somebody.
"""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from typing import Any

import yaml

_BASE: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_NO_FOLDING = 2**31 - 1

_TAKEN_FOR_SOMETHING_ELSE = re.compile(
    r"""^(?:[-+]?(?:\d[\d_]*)?\.?\d[\d_]*(?:[eE][-+]?\d+)?   # 1  1.5  1e3  .5
        |[-+]?\d[\d_]*\.                                    # 1.
        |[-+]?0[xob][\da-fA-F_]+                            # 0x1f 0o7 0b1
        |\d+(?::[0-5]?\d)+(?:\.\d*)?                        # 12:30 (sexagesimal in YAML 1.1)
        |\d{4}-\d\d?-\d\d?.*                                # 2026-01-02
        |[-+]?\.(?:inf|nan)|~|null|true|false|yes|no|on|off|y|n|=|<<
        )$""",
    re.VERBOSE | re.IGNORECASE,
)


class _Dumper(_BASE):  # type: ignore[misc]  # libyaml's dumper has no stubs
    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002  # the base class's signature
        return True


def is_taken_for_something_else(text: str) -> bool:
    """Return whether some YAML reader takes the unquoted text for a number, a boolean, a date or nothing."""
    return _TAKEN_FOR_SOMETHING_ELSE.match(text) is not None


def _text(dumper: Any, text: str) -> Any:
    if (
        "\n" in text
        and not text.startswith((" ", "\n", "\t"))
        and all(line == line.rstrip() for line in text.split("\n"))
    ):
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
    style = '"' if _TAKEN_FOR_SOMETHING_ELSE.match(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def to_yaml(*documents: Any, header: str = "") -> bytes:
    """Return the documents as UTF-8 YAML, each comment line of `header` before them."""
    comments = "".join(f"# {line}".rstrip() + "\n" for line in header.splitlines())
    body = yaml.dump_all(
        documents,
        Dumper=_Dumper,
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
        width=_NO_FOLDING,
        explicit_start=len(documents) > 1,
    )
    return (comments + body).encode()


def to_json(value: Any, *, indent: int | None = 2) -> bytes:
    """Return the value as UTF-8 JSON with sorted keys and a final newline; `indent=None` for the shortest form.

    A dict's keys are strings; a float is finite.
    """
    text = _compact(value) if indent is None else _indented(value, "\n", " " * indent)
    return (text + "\n").encode()


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True, ensure_ascii=False, allow_nan=False)


def _indented(value: Any, line: str, step: str) -> str:
    """Return what json.dumps(indent=...) returns, in less time: the standard library goes through generators."""
    if isinstance(value, str):
        return encode_basestring(value)
    deeper = line + step
    if isinstance(value, dict) and value:
        entries = [
            f"{encode_basestring(key)}: {_indented(value[key], deeper, step)}" for key in sorted(value)
        ]
        return "{" + deeper + ("," + deeper).join(entries) + line + "}"
    if isinstance(value, list | tuple) and value:
        return (
            "[" + deeper + ("," + deeper).join([_indented(part, deeper, step) for part in value]) + line + "]"
        )
    return _compact(value)
