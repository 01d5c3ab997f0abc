"""What a check of Prometheus rules is: its page, and a function from one or all files to flaws."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from obs.checks.rules.view import RuleFile
from obs.documents.load import Document, Path
from obs.model.check import CheckDoc
from obs.model.finding import Severity
from obs.promql.catalog import Catalog

CATEGORY = "rules"


@dataclass(frozen=True, slots=True)
class Facts:
    """What the checks may know besides the files.

    `catalog` says which series exist, those that the files record included; `prefix` is the registry's;
    `scrape_interval` is in seconds;
    `rule_labels` are what the ruleSelector of the Prometheus in use matches, None when nobody said.
    """

    catalog: Catalog
    prefix: str = "agent_"
    scrape_interval: int = 15
    rule_labels: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Flaw:
    """What is wrong at a path of a document; `severity` replaces the check's own; `related` is a second place."""

    path: Path
    message: str
    remedy: str
    subject: str = ""
    severity: Severity | None = None
    related: tuple[tuple[Document, Path], ...] = ()


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """A check of one file of rules."""

    doc: CheckDoc
    judge: Callable[[RuleFile, Facts], Iterator[Flaw]]


def page(
    code: str,
    slug: str,
    severity: Severity,
    summary: str,
    why: str,
    *,
    bad: str,
    good: str,
    remedy: str,
) -> CheckDoc:
    """Return the documentation of a check of this package."""
    return CheckDoc(code, slug, CATEGORY, severity, summary, " ".join(why.split()), bad, good, remedy)


def alert(expr: str, *more: str, name: str = "AgentExample") -> str:
    """Return a rule file with one alert, for an example; `more` are further lines of the rule."""
    lines = [f"- alert: {name}", f"  expr: {expr}", *(f"  {line}" for line in more)]
    return "groups:\n- name: example\n  rules:\n" + "".join(f"  {line}\n" for line in lines)


def record(name: str, expr: str, *more: str) -> str:
    """Return a rule file with one recording rule, for an example."""
    lines = [f"- record: {name}", f"  expr: {expr}", *(f"  {line}" for line in more)]
    return "groups:\n- name: example\n  rules:\n" + "".join(f"  {line}\n" for line in lines)
