"""`obs sidecar`: its help, and the way into it that imports nothing it does not need.

This module is imported before typer: a process that lives beside each agent must not carry a command-line library for
the rest of its life. The flags, their help and their defaults come from one table (`obs.adapters.sidecar.settings`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from textwrap import fill

SUMMARY = "Scrape targets for ever, judge what they expose, and serve the verdict as metrics."

EXAMPLE = "obs sidecar --target http://127.0.0.1:9090/metrics --listen :9464"


def sidecar(arguments: Sequence[str]) -> None:
    """Run the sidecar until it is told to stop; the process ends here unless an ObsError says why it cannot start."""
    if {"-h", "--help"} & set(arguments):
        sys.stdout.write(usage())
        return
    from obs.adapters.sidecar.run import finish, main

    finish(main(arguments, os.environ))


def usage() -> str:
    """Return the help."""
    from obs.adapters.sidecar.settings import SETTINGS

    lines = [
        "Usage: obs sidecar --target URL [--target URL]... [--listen ADDRESS] [--config FILE]",
        "",
        f"  {SUMMARY}",
        "",
        fill(
            "  Every flag is also a variable (--max-bytes is OBS_MAX_BYTES) and a key of the file (max_bytes). "
            "The order is default < file < environment < flag. SIGHUP reads the file again, SIGTERM ends.",
            100,
            subsequent_indent="  ",
        ),
        "",
        f"  Example: {EXAMPLE}",
        "",
        "Options:",
        *(_option(f"{s.flag} {s.value}", s.help, s.default, many=s.many) for s in SETTINGS),
        _option("-c, --config FILE", "A file of these settings, YAML or JSON.", None),
        _option("-h, --help", "Show this message and exit.", None),
    ]
    return "\n".join(lines) + "\n"


def _option(flag: str, help_text: str, default: str | None, *, many: bool = False) -> str:
    notes = ["repeatable"] if many else []
    if default is not None:
        notes.append(f"default: {default}")
    text = help_text + (f" [{'; '.join(notes)}]" if notes else "")
    return fill(text, 100, initial_indent=f"  {flag:<28} ", subsequent_indent=" " * 31)
