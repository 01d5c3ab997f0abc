"""Laws of the whole tree, read from its files as a stranger would."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache

import pytest
import yaml

from obs.emit.tree import render
from obs.model.metric import Status
from tests.generate.test_cli import obs
from tests.home import REPO, sources


@cache
def tree():
    """Path -> text of the tree for the example configuration."""
    return {artifact.path: artifact.content.decode() for artifact in render(sources())}


def names(*statuses):
    """The metrics of the given statuses."""
    return {metric.name for metric in sources().registry.with_status(*statuses)}


def metrics_in(text):
    """Registry metrics that an expression names, histogram parts as their histogram."""
    words = set(re.findall(r"\bagent_\w+", text))
    return {
        re.sub(r"_(bucket|sum|count)$", "", word) if word not in sources().registry.by_name else word
        for word in words
    }


def expressions(node):
    """Every `expr` and `query` under a JSON or YAML value that holds PromQL."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("expr", "query") and isinstance(value, str):
                yield value
            else:
                yield from expressions(value)
    elif isinstance(node, list):
        for item in node:
            yield from expressions(item)


def panels(board):
    """Every panel, those in collapsed rows too."""
    for panel in board["panels"]:
        yield panel
        yield from panel.get("panels", [])


def boards():
    """The dashboards."""
    return [
        json.loads(text) for path, text in tree().items() if re.fullmatch(r"dashboards/[^/]+\.json", path)
    ]


def of_files(prefix):
    """Every expression in the YAML files under a path."""
    found = []
    for path, text in tree().items():
        if path.startswith(prefix) and path.endswith(".yaml"):
            for document in yaml.safe_load_all(text):
                found += expressions(document)
    return found


def test_every_stable_metric_is_on_a_board():
    """Nothing an agent exposes is invisible."""
    shown = set()
    for board in boards():
        for panel in panels(board):
            for expression in expressions(panel.get("targets", [])):
                shown |= metrics_in(expression)
    assert names(Status.STABLE) <= shown


def test_provisional_metrics_are_in_no_rule_and_no_scaler():
    """What is not emitted decides nothing."""
    for prefix in ("rules/", "scalers/"):
        found = of_files(prefix)
        assert found, f"no expression under {prefix}"
        for expression in found:
            assert not metrics_in(expression) & names(Status.PROVISIONAL), expression


def test_legacy_metrics_stand_only_beside_their_replacement():
    """On a board that shows a legacy metric its replacement is shown too; rules and scalers name none alone."""
    by_name = sources().registry.by_name
    for board in boards():
        shown = set().union(
            *(metrics_in(e) for panel in panels(board) for e in expressions(panel.get("targets", [])))
        )
        for name in shown & names(Status.LEGACY):
            assert by_name[name].semantics.replaced_by in shown, (board["uid"], name)
    for expression in of_files("rules/") + of_files("scalers/"):
        named = metrics_in(expression)
        for name in named & names(Status.LEGACY):
            assert by_name[name].semantics.replaced_by in named, expression


def test_every_artifact_names_its_registry():
    """The sha256 of the registry is in every file, so that a mismatch can be seen."""
    sha256 = sources().registry.sha256
    assert [path for path, text in tree().items() if sha256 not in text] == []


def test_the_kustomization_lists_every_object_and_nothing_else():
    """`kubectl apply -k` sees all of it, but for the namespace checker, which stands in for the component."""
    listed = yaml.safe_load(tree()["kustomization.yaml"])["resources"]
    objects = {
        path
        for path, text in tree().items()
        if path.endswith(".yaml")
        and path not in {"kustomization.yaml", "sidecar/namespace.yaml"}
        and all(isinstance(d, dict) and "kind" in d and "metadata" in d for d in yaml.safe_load_all(text))
    }
    assert set(listed) == objects


@pytest.fixture
def copied(tmp_path):
    """A copy of the data folders, to break."""
    for name in ("registry", "dashboards", "alerts", "examples"):
        shutil.copytree(REPO / name, tmp_path / "src" / name)
    return tmp_path / "src"


def test_the_packaged_folders_can_be_taken_from_elsewhere(copied, tmp_path):
    """`--sources` with an unchanged copy makes the same bytes."""
    done = obs("generate", "--sources", copied, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert {p: (tmp_path / "out" / p).read_text() for p in tree()} == tree()


@pytest.mark.parametrize("folder", ["dashboards", "alerts"])
def test_a_typo_in_a_source_is_an_error_at_its_line_never_an_artifact(copied, tmp_path, folder):
    """A misspelt metric name in a board or an alert: exit 2, file and line, did you mean."""
    path = next(
        path for path in sorted((copied / folder).glob("*.yaml")) if "agent_runs_total" in path.read_text()
    )
    text = path.read_text()
    line = text[: text.index("agent_runs_total")].count("\n") + 1
    path.write_text(text.replace("agent_runs_total", "agent_rums_total", 1))
    done = obs("generate", "--sources", copied, "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert f"{folder}/{path.name}:" in done.stderr
    assert "did you mean `agent_runs_total`?" in done.stderr
    found = int(re.search(rf"{folder}/{path.name}:(\d+):", done.stderr)[1])
    assert abs(found - line) <= 5
    assert not (tmp_path / "out").exists()
