"""The quick writer of YAML says the same as the careful one."""

from __future__ import annotations

import yaml
from hypothesis import given
from hypothesis import strategies as st

from obs.documents.dump import to_yaml
from obs.documents.longyaml import to_long_yaml

texts = st.one_of(
    st.text(max_size=12),
    st.sampled_from(
        ["", "no", "1e3", "0o7", "12:30", "- a", "a: b", "{x", "# c", '"', "\\", "ü", "\x85", "~", "a b"]
    ),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), texts, st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=20,
)


@given(values)
def test_both_writers_write_the_same_values(value):
    """Whatever is written is read back, by way of either writer."""
    assert yaml.safe_load(to_long_yaml(value, header="h")) == yaml.safe_load(to_yaml(value)) == value
