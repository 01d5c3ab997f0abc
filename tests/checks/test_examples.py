"""The examples of every check are its tests: the bad one trips it and nothing else, the good one nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from obs.checks.catalogue import ALL_CHECKS, Entry
from obs.checks.check import FormatCheck
from obs.checks.example import read_example
from obs.cli.main import app
from obs.exposition import DiagnosisKind
from tests.checks.judge import named_in, write_registry

EVERY = pytest.mark.parametrize("entry", ALL_CHECKS, ids=lambda entry: f"{entry.code}-{entry.slug}")


def lint_example(
    text: str, registry: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[int, list[str]]:
    """Type the command line of an example; return the exit code and the codes found."""
    monkeypatch.chdir(folder)
    example = read_example(text)
    for name, content in example.files.items():
        (folder / name).write_bytes(content)
    options = ["--registry", str(registry), "--format", "json", "--fail-on", "info"]
    result = CliRunner().invoke(app, [*example.arguments, *options], input=example.stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    report = json.loads(result.stdout)
    return result.exit_code, [
        finding["code"] for target in report["targets"] for finding in target["findings"]
    ]


@EVERY
def test_the_examples_are_tests(entry: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bad example trips its own check and no other; the good one trips none and exits 0."""
    doc = entry.doc
    registry = write_registry(tmp_path / "registry.json", named_in(doc.bad + doc.good))
    code, found = lint_example(doc.bad, registry, tmp_path, monkeypatch)
    assert set(found) == {entry.code}
    assert code in {1, 4}
    assert lint_example(doc.good, registry, tmp_path, monkeypatch) == (0, [])


@EVERY
def test_a_check_documents_itself(entry: Entry) -> None:
    """Its module says the same as the catalogue; summary, reason and remedy are sentences."""
    doc = entry.doc
    assert (doc.code, doc.slug, doc.category) == tuple(entry)
    for text in (doc.summary, doc.why, doc.remedy):
        assert text[0].isupper()
        assert text.endswith(".")
    assert doc.bad != doc.good


def test_every_check_has_its_file() -> None:
    """One file a check, none without a place in the catalogue."""
    folder = Path(__file__).parent.parent.parent / "obs" / "checks"
    files = {
        f"obs.checks.{category}.{path.stem}"
        for category in ("format", "contract", "cardinality", "style")
        for path in (folder / category).glob("*.py")
        if "DOC" in path.read_text() or "FormatCheck(" in path.read_text()
    }
    shared = {"obs.checks.contract.label_keys", "obs.checks.contract.value_rules"}
    assert files - shared == {entry.module for entry in ALL_CHECKS}


def test_every_diagnosis_has_a_code() -> None:
    """The parser says nothing that has no code, and with the severity that the page names."""
    documented = {
        entry.slug: entry.doc.severity for entry in ALL_CHECKS if isinstance(entry.load(), FormatCheck)
    }
    assert documented == {kind.value: kind.severity for kind in DiagnosisKind}
