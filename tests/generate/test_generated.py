"""The committed tree is what the generator makes today: no drift, no orphan, no hand edit."""

from __future__ import annotations

from tests.generate.test_cli import obs


def test_generated_is_current():
    """`make accept` was run and its result committed; nothing extra lies around."""
    done = obs("generate", "--config", "examples/obs.yaml", "--out", "generated", "--check", "--exact")
    assert done.returncode == 0, done.stdout + done.stderr
