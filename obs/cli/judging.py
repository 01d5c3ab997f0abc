"""Options that the commands which judge live targets share, and the way from their findings to an exit code."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from obs.model.report import TargetResult


class FormatName(StrEnum):
    """What `--format` takes."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"
    JUNIT = "junit"


class FailOn(StrEnum):
    """What `--fail-on` takes."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class ProfileName(StrEnum):
    """What `--profile` takes."""

    PRODUCER = "producer"
    CONSUMER = "consumer"


RegistryOption = Annotated[
    Path | None, typer.Option("--registry", help="A metrics.registry.json to judge by instead.")
]
RulesOption = Annotated[
    Path | None, typer.Option("--rules", help="Budgets: the lint/cardinality.yaml of obs generate.")
]
SelectOption = Annotated[
    list[str] | None, typer.Option("--select", help="Only these: categories, codes or slugs; by comma.")
]
IgnoreOption = Annotated[list[str] | None, typer.Option("--ignore", help="Not these; as --select.")]
ProfileOption = Annotated[
    ProfileName, typer.Option("--profile", help="consumer: the drift of a newer minor is only noted.")
]
FormatOption = Annotated[FormatName, typer.Option("--format", help="How to tell; see docs/reports.md.")]
FailOnOption = Annotated[
    FailOn, typer.Option("--fail-on", help="The least severity that makes the exit code 1.")
]
ConfigOption = Annotated[
    Path | None, typer.Option("--config", "-c", help="An obs.yaml: its suppressions hold.")
]
BaselineOption = Annotated[
    Path | None, typer.Option("--baseline", help="Findings accepted today; only new ones count.")
]
TokenOption = Annotated[Path | None, typer.Option("--bearer-token-file", help="A file with a bearer token.")]
CertOption = Annotated[Path | None, typer.Option("--cert", help="A client certificate, PEM.")]
KeyOption = Annotated[Path | None, typer.Option("--key", help="Its private key, PEM.")]
AuthorityOption = Annotated[
    Path | None, typer.Option("--ca", help="The CAs that may sign the server's, PEM.")
]


def words(values: list[str] | None) -> tuple[str, ...]:
    """Return the words of a repeatable option whose values may also be separated by commas."""
    return tuple(word for value in values or [] for part in value.split(",") if (word := part.strip()))


def told(
    targets: Sequence[TargetResult],
    form: FormatName,
    fail_on: FailOn,
    config: Path | None,
    baseline: Path | None,
) -> int:
    """Print the judgement of targets and return the exit code, 0 or 1."""
    from obs.cli.gate import Gate, conclude
    from obs.cli.known import all_docs, known_words
    from obs.model.finding import Severity
    from obs.model.report import Report

    gate = Gate(form.value, Severity.from_word(fail_on.value), config, baseline)
    codes = {finding.code for target in targets for finding in target.findings}
    docs = tuple(doc for doc in all_docs() if doc.code in codes or form is FormatName.JUNIT)
    return int(conclude(Report(tuple(targets), docs), gate, known_words))
