"""The generated rules and their unit tests, judged by promtool."""

from __future__ import annotations

import subprocess

import pytest

from tests.home import REPO
from tests.rules.trees import deploy
from tests.tools import require

GROUPS = tuple(sorted(path.stem for path in (REPO / "alerts").glob("*.yaml") if path.stem != "thresholds"))


def promtool(*words):
    """Run promtool and fail with what it says."""
    done = subprocess.run(
        [require("promtool"), *map(str, words)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.tools
def test_promtool_accepts_the_rules(tmp_path):
    """Both rule files are valid, and no rule stands there twice."""
    out = deploy(tmp_path)
    said = promtool("check", "rules", "--lint-fatal", out / "rules/recording.yaml", out / "rules/alerts.yaml")
    assert "duplicate" not in said


@pytest.mark.tools
@pytest.mark.parametrize("group", GROUPS)
def test_unit_tests_pass(tmp_path, group):
    """Every generated test of a group passes: the alert fires, stays quiet, survives, resolves, says what it should."""
    out = deploy(tmp_path)
    promtool("test", "rules", out / "rules/tests" / f"{group}.yaml")
