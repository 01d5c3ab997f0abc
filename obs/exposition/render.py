r"""Values to bytes: the other direction of the parser, for text 0.0.4 and OpenMetrics 1.0.

What is rendered parses back to the same values. The caller names families and samples as the format wants them
(a counter `x_total` is the family `x` in OpenMetrics); `SampleFamily.for_openmetrics` does that for counters.
Sources: the text format's document ("Text format details") and the OpenMetrics 1.0 ABNF.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from obs.exposition.scrape import Exemplar, Family, Format, MetricType, Series


@dataclass(frozen=True, slots=True)
class SampleFamily:
    """One family to render: what its comment lines say, and its samples in the order in which they are written."""

    name: str
    kind: MetricType
    help: str | None = None
    unit: str | None = None
    samples: tuple[Series, ...] = ()

    @classmethod
    def of(cls, family: Family) -> SampleFamily:
        """Return what a parsed family says, without positions."""
        return cls(family.name, family.kind, family.help, family.unit, tuple(family.series()))

    def for_openmetrics(self) -> SampleFamily:
        """Return the family under its OpenMetrics name: a counter loses `_total`, untyped becomes unknown.

        A counter whose name does not end in `_total` is `unknown` there, as no counter may have such a sample.
        """
        if self.kind is MetricType.UNTYPED:
            return replace(self, kind=MetricType.UNKNOWN)
        if self.kind is not MetricType.COUNTER:
            return self
        if not self.name.endswith("_total"):
            return replace(self, kind=MetricType.UNKNOWN)
        return replace(self, name=self.name.removesuffix("_total"))


def render(families: Iterable[SampleFamily], form: Format) -> bytes:
    """Return the body in `form`, UTF-8, ending in a line feed (in OpenMetrics with `# EOF`)."""
    lines = [line for family in families for line in _family(family, form)]
    if form is Format.OPENMETRICS:
        lines.append("# EOF")
    return "".join(f"{line}\n" for line in lines).encode("utf-8")


def render_value(value: float) -> str:
    """Return a number as both formats read it back: `NaN`, `+Inf`, `-Inf`, whole numbers without a fraction."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    # Above 2**53 repr is shorter than all digits; minus zero would lose its sign as an integer.
    if value == int(value) and abs(value) < 2**53 and str(value) != "-0.0":
        return str(int(value))
    return repr(value)


def _family(family: SampleFamily, form: Format) -> Iterator[str]:
    name = _quoted_if_needed(family.name)
    if family.help is not None:
        yield f"# HELP {name} {_help(family.help, form)}"
    if family.kind not in {MetricType.UNTYPED, MetricType.UNKNOWN} or family.help is not None:
        yield f"# TYPE {name} {family.kind.value}"
    if family.unit is not None and form is Format.OPENMETRICS:
        yield f"# UNIT {name} {family.unit}"
    for sample in family.samples:
        yield _sample(sample, form)


def _sample(sample: Series, form: Format) -> str:
    text = f"{_head(sample)} {render_value(sample.value)}"
    if sample.timestamp is not None:
        text += f" {_timestamp(sample.timestamp, form)}"
    if sample.exemplar is not None and form is Format.OPENMETRICS:
        text += f" # {_exemplar(sample.exemplar)}"
    return text


def _head(sample: Series) -> str:
    labels = [f'{_quoted_if_needed(key, label=True)}="{_escaped(value)}"' for key, value in sample.labels]
    if _is_legacy(sample.name):
        return f"{sample.name}{{{','.join(labels)}}}" if labels else sample.name
    return f"{{{','.join([_quoted(sample.name), *labels])}}}"


def _timestamp(stamp: float, form: Format) -> str:
    return str(int(stamp)) if form is Format.TEXT else render_value(stamp)


def _exemplar(exemplar: Exemplar) -> str:
    labels = ",".join(
        f'{_quoted_if_needed(key, label=True)}="{_escaped(value)}"' for key, value in exemplar.labels
    )
    text = f"{{{labels}}} {render_value(exemplar.value)}"
    return text if exemplar.timestamp is None else f"{text} {render_value(exemplar.timestamp)}"


def _is_legacy(name: str, *, label: bool = False) -> bool:
    bare = name.replace("_", "a") if label else name.replace("_", "a").replace(":", "a")
    return bare.isascii() and bare.isalnum() and not bare[0].isdigit()


def _quoted_if_needed(name: str, *, label: bool = False) -> str:
    return name if _is_legacy(name, label=label) else _quoted(name)


def _quoted(name: str) -> str:
    return f'"{_escaped(name)}"'


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _help(text: str, form: Format) -> str:
    escaped = text.replace("\\", "\\\\").replace("\n", "\\n")
    return escaped.replace('"', '\\"') if form is Format.OPENMETRICS else escaped
