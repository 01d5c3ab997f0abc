"""Variables in expressions: what is asked selects exactly what was chosen."""

from __future__ import annotations

import ast
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from obs.preview.board import Variable
from obs.preview.clock import Range
from obs.preview.expand import ALL, Choice, choose, expand, in_query_string

SPAN = Range(0.0, 10_800.0)


def _variable(*, multi: bool = True, all_value: str = "", include_all: bool = True) -> Variable:
    return Variable("v", "V", "query", "", multi, include_all, all_value, hidden=False, current=(ALL,))


def _expanded(expr: str, choice: Choice, every: float = 30.0, scrape: float = 15.0) -> str:
    return expand(expr, {"v": choice}, SPAN, every, scrape)


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("rate(x[$__rate_interval])", "rate(x[1m])"),
        ("rate(x[${__rate_interval}])", "rate(x[1m])"),
        ("increase(x[$__range])", "increase(x[3h])"),
        ("x / $__range_s", "x / 10800"),
        ("x[$__interval]", "x[30s]"),
        ("x + $unknown", "x + $unknown"),
        ("x =~ '^a$'", "x =~ '^a$'"),
    ],
)
def test_built_in_names_are_filled_in(expr, expected):
    """Names that nobody knows, and a lone dollar, stay."""
    assert _expanded(expr, choose(_variable(), (), None)) == expected


def test_a_rate_is_as_wide_as_a_wide_step():
    """A step wider than four scrapes widens the window, so that no point falls between two of them."""
    assert _expanded("[$__rate_interval]", choose(_variable(), (), None), every=300.0) == "[315s]"


label_values = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1), min_size=1
)


@given(options=label_values, data=st.data())
def test_a_matcher_selects_exactly_what_was_chosen(options, data):
    """Whatever characters a value has, the regular expression matches the chosen values and no other."""
    unique = tuple(dict.fromkeys(options))
    chosen = tuple(data.draw(st.lists(st.sampled_from(unique), min_size=1, unique=True)))
    text = _expanded("$v", choose(_variable(include_all=False), unique, chosen))
    pattern = re.compile(text.replace("\\\\", "\\").replace("\\/", "/"))
    assert {value for value in unique if pattern.fullmatch(value)} == set(chosen)


def test_all_is_the_variables_own_value():
    """`All` with an allValue is that value; without one it is every option."""
    assert _expanded('{x=~"$v"}', choose(_variable(all_value=".*"), ("a",), None)) == '{x=~".*"}'
    assert _expanded('{x=~"$v"}', choose(_variable(), ("a.b", "c"), None)) == '{x=~"(a\\\\.b|c)"}'


def test_a_single_variable_is_no_expression():
    """A variable with one value is put in as a string of PromQL."""
    choice = choose(_variable(multi=False, include_all=False), ('say "x\\y"',), None)
    assert ast.literal_eval(f'"{_expanded("$v", choice)}"') == 'say "x\\y"'


@pytest.mark.parametrize(
    ("wanted", "selected"),
    [
        (None, (ALL,)),
        (("a",), ("a",)),
        (("a", "b"), ("a", "b")),
        (("gone",), (ALL,)),
        ((), (ALL,)),
        (("All",), (ALL,)),
    ],
)
def test_a_choice_is_one_of_the_options(wanted, selected):
    """What is not there any more falls back to all."""
    assert choose(_variable(), ("a", "b"), wanted).selected == selected


def test_without_all_the_first_option_is_chosen():
    """A variable that must have one value takes the first."""
    only = _variable(multi=False, include_all=False)
    assert choose(only, ("b", "c"), None).selected == ("b",)
    assert choose(only, ("b", "c"), ("c", "b")).selected == ("c",)


def test_a_choice_as_a_query_string():
    """A link carries each value, escaped."""
    choice = choose(_variable(), ("a&b", "c"), ("a&b", "c"))
    assert in_query_string(choice) == _expanded("${v:queryparam}", choice) == "var-v=a%26b&var-v=c"
