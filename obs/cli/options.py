"""Options that several commands share, so that the same word means the same everywhere."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class ProfileName(StrEnum):
    """What `--profile` takes."""

    PRODUCER = "producer"
    CONSUMER = "consumer"


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


Registry = Annotated[
    Path | None, typer.Option("--registry", help="A metrics.registry.json to judge by instead.")
]
Rules = Annotated[
    Path | None, typer.Option("--rules", help="Budgets: the lint/cardinality.yaml of `obs generate`.")
]
Select = Annotated[
    list[str] | None,
    typer.Option("--select", help="Only these: format, contract, cardinality, style, or codes; by comma."),
]
Ignore = Annotated[list[str] | None, typer.Option("--ignore", help="Not these; as --select.")]
Profile = Annotated[
    ProfileName, typer.Option("--profile", help="consumer: the drift of a newer minor is only noted.")
]
Format = Annotated[FormatName, typer.Option("--format", help="How to tell; docs/reports.md describes each.")]
Fail = Annotated[FailOn, typer.Option("--fail-on", help="The least severity that makes the exit code 1.")]
Config = Annotated[
    Path | None, typer.Option("--config", "-c", help="An obs.yaml: its suppressions are applied.")
]
Timeout = Annotated[float, typer.Option("--timeout", min=0.001, help="Seconds a URL may take.")]
BearerTokenFile = Annotated[
    Path | None, typer.Option("--bearer-token-file", help="A file with a bearer token for URLs.")
]
Certificate = Annotated[Path | None, typer.Option("--cert", help="A client certificate for URLs, PEM.")]
Key = Annotated[Path | None, typer.Option("--key", help="Its private key, PEM.")]
Authority = Annotated[
    Path | None, typer.Option("--ca", help="The CAs that may sign the server of a URL, PEM.")
]
MaxBytes = Annotated[int, typer.Option("--max-bytes", min=1, help="Largest body that is read.")]
MaxSeries = Annotated[int, typer.Option("--max-series", min=1, help="Most series that are read.")]


def words(values: list[str] | None) -> tuple[str, ...]:
    """Return the words of a repeatable option whose values may also be separated by commas."""
    return tuple(word for value in values or [] for part in value.split(",") if (word := part.strip()))
