"""Reading registry/scaling.yaml: all mistakes at once, each at its line."""

from __future__ import annotations

import pytest

from obs.documents.load import load_yaml
from obs.errors import SpecInvalidError
from obs.specs.scaling import read_scaling


def test_a_table_with_mistakes_is_refused_with_all_of_them() -> None:
    """A missing row, a missing knob, a typo and a wrong value each have their line."""
    text = """\
profiles:
  claim:
    short: {activation: -1, scale_down_widow: 1m}
    medium: {}
"""
    with pytest.raises(SpecInvalidError) as caught:
        read_scaling(load_yaml(text, "scaling.yaml"))
    told = [str(problem) for problem in caught.value.problems]
    assert any("unknown key `scale_down_widow`; did you mean `scale_down_window`?" in line for line in told)
    assert any("`activation: -1` is not a number" in line for line in told)
    assert any("`profiles.claim.long` is missing" in line for line in told)
    assert any("`profiles.claim.medium` has no `cooldown`" in line for line in told)
    assert all(line.startswith("scaling.yaml:") for line in told)
