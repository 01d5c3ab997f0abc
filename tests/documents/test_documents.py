"""YAML and JSON: positions on the way in, safe bytes on the way out."""

from __future__ import annotations

import datetime
import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from obs.documents import schema
from obs.documents.dump import to_json, to_yaml
from obs.documents.load import load_all_yaml, load_yaml
from obs.errors import InvalidInputError


def test_every_value_knows_its_line_and_column():
    """Entries are marked at their key, list items at themselves."""
    document = load_yaml("a: 1\nb:\n  - x\n  - c: 2\n", "f.yaml")
    assert document.data == {"a": 1, "b": ["x", {"c": 2}]}
    assert document.where(("b", 1, "c")) == "f.yaml:4:5"
    assert document.where(("b", 1, "c", "nowhere")) == "f.yaml:4:5"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: 1\na: 2\n", "f.yaml:2:1: key `a` stands here a second time"),
        ("a: [1\n", "f.yaml:2:1: not YAML"),
        ('- expr: {job="x"} > 1\n', "quote the value of `expr`"),
        ("a: VALUE: 1\n", "quote the value of `a`"),
        ("a: 1\n---\nb: 2\n", "a second YAML document"),
        ("? [a]\n: 1\n", "a key must be a plain word"),
        ("a: 2026-13-45\n", "f.yaml:1:4: not YAML"),
        ("a: !!python/object:os.system x\n", "not YAML"),
        ("\tx: 1\n", "f.yaml:1:1: not YAML"),
    ],
)
def test_broken_yaml_is_refused_at_its_position(text, said):
    """Never a traceback, never a silently dropped key."""
    with pytest.raises(InvalidInputError) as caught:
        load_yaml(text, "f.yaml")
    assert said in str(caught.value)


def test_words_that_yaml_takes_for_booleans_stay_keys():
    """`on:` is the key "on"."""
    assert load_yaml("on: {no: 1}\n", "f").data == {"on": {"no": 1}}


def test_aliases_that_multiply_are_refused():
    """A few lines that expand to billions of values do not eat the memory."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 9)]
    with pytest.raises(InvalidInputError, match="aliases that multiply"):
        load_yaml("\n".join(lines), "f.yaml")


@given(st.text(max_size=200))
def test_any_text_is_yaml_or_is_refused(text):
    """Loading fails in one way only."""
    try:
        load_all_yaml(text, "f.yaml")
    except InvalidInputError as error:
        assert error.problems


TRAPS = [
    "1e3",
    "0o7",
    "0x1f",
    "on",
    "NO",
    "12:30",
    "~",
    "null",
    "1.",
    ".5",
    "2026-01-02",
    "1_000",
    "y",
    "",
    "=",
    ".inf",
]


@pytest.mark.parametrize("text", TRAPS)
def test_text_that_looks_like_a_number_is_quoted(text):
    """No reader, old or new, may take a string for something else."""
    out = to_yaml({"k": text}).decode()
    assert yaml.safe_load(out) == {"k": text}
    assert out in (f'k: "{text}"\n', f"k: '{text}'\n")


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_yaml_and_json_round_trip(value):
    """What is dumped is what is read."""
    assert yaml.safe_load(to_yaml(value)) == value
    assert json.loads(to_json(value)) == value


def test_shared_values_make_no_anchors():
    """`&id001` is noise to a person and an error to some readers."""
    shared = {"a": "b"}
    assert b"&" not in to_yaml([shared, shared])


SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": {"type": "string"},
        "mode": {"enum": ["claim", "shard"]},
        "max": {"type": "integer", "minimum": 1},
    },
}


def test_schema_problems_have_position_value_and_remedy():
    """A typo, a missing key, a wrong word and a wrong type are four problems."""
    text = "nmae: x\nmode: clam\nmax: many\n"
    found = [str(p) for p in schema.problems(load_yaml(text, "f.yaml"), SCHEMA)]
    assert found == [
        "f.yaml:1:1: `$`: key `name` is missing; add `name:`",
        "f.yaml:1:1: unknown key `nmae`; did you mean `name`?",
        "f.yaml:2:1: `$.mode`: `clam` is not one of `claim`, `shard`; did you mean `claim`?",
        "f.yaml:3:1: `$.max`: `many` is not a whole number",
    ]


def test_a_number_where_text_belongs_says_to_quote_it():
    """The commonest YAML mistake has its remedy in the message, with what was written: 2.10 is not 2.1."""
    found = schema.problems(load_yaml("name: 2.10\n", "f.yaml"), SCHEMA)
    assert 'put it in quotes: "2.10"' in str(found[0])


def test_dates_stay_dates():
    """A day in YAML is a day."""
    assert load_yaml("d: 2026-01-02\n", "f").data == {"d": datetime.date(2026, 1, 2)}
