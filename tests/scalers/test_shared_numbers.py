"""Numbers that scalers and alerts share are written twice and must be one."""

from __future__ import annotations

import re

from tests.home import REPO, sources


def test_the_fallback_alert_waits_as_long_as_the_fallback():
    """`fallback_failures` of alerts/thresholds.yaml is that of every profile in registry/scaling.yaml."""
    text = (REPO / "registry" / "scaling.yaml").read_text()
    numbers = {float(number) for number in re.findall(r"^\s+fallback_failures: (\d+)$", text, re.MULTILINE)}
    assert numbers == {sources().thresholds["fallback_failures"].value}
