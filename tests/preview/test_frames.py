"""Answers of Prometheus, as the page draws them."""

from __future__ import annotations

from obs.preview.board import Target
from obs.preview.clock import Range
from obs.preview.frames import Answer, frame, read_answer, series_name, table

SPAN = Range(100.0, 160.0)


def _target(legend: str = "", *, ref: str = "A", instant: bool = False) -> Target:
    return Target(ref, "x", legend, instant, table=False)


def test_values_stand_on_their_steps():
    """A missing point, NaN and infinity are gaps; the rest is where its time says."""
    answer = read_answer(
        {
            "status": "success",
            "data": {
                "resultType": "matrix",
                "result": [
                    {"metric": {"a": "1"}, "values": [[100, "1"], [120, "NaN"], [140, "2.5"], [160, "+Inf"]]}
                ],
            },
        }
    )
    made = frame(_target("{{a}}"), answer, SPAN, 20.0)
    assert made["series"] == [{"name": "1", "labels": {"a": "1"}, "values": [1.0, None, 2.5, None]}]


def test_an_instant_answer_has_one_value():
    """A vector and a scalar are one point a series."""
    vector = {"resultType": "vector", "result": [{"metric": {}, "value": [160, "7"]}]}
    scalar = {"resultType": "scalar", "result": [160, "8"]}
    for data, value in ((vector, 7.0), (scalar, 8.0)):
        made = frame(_target(instant=True), read_answer({"status": "success", "data": data}), SPAN, 1.0)
        assert [one["values"] for one in made["series"]] == [[value]]


def test_prometheus_words_are_kept():
    """An error is said as Prometheus said it, and anything else is an error too."""
    assert read_answer({"status": "error", "error": "parse error"}).error == "parse error"
    assert read_answer(["what"]).error
    assert read_answer({"error": "no answer: refused"}).error == "no answer: refused"


def test_names_of_series():
    """A format is filled with labels; without one the name is Prometheus' own spelling."""
    labels = {"__name__": "up", "job": "a", "pod": "p"}
    assert series_name(_target("{{job}}/{{ pod }}/{{none}}"), labels) == "a/p/"
    assert series_name(_target(), labels) == 'up{job="a", pod="p"}'
    assert series_name(_target("__auto"), {"__name__": "up"}) == "up"
    assert series_name(_target(), {}) == "Value"


def test_too_many_series_are_counted_not_drawn():
    """A question with more than a thousand series says how many are left out."""
    many = Answer(tuple(({"n": str(n)}, ((100.0, 1.0),)) for n in range(1_200)))
    made = frame(_target(), many, SPAN, 20.0)
    assert (len(made["series"]), made["left_out"]) == (1_000, 200)


def _row(value: float, **labels: str) -> tuple[dict[str, str], tuple[tuple[float, float], ...]]:
    return labels, ((160.0, value),)


def test_tables_are_merged_hidden_and_renamed():
    """Rows with the same labels are one row; columns are left out, renamed and put in order."""
    answers = [Answer((_row(1, pod="a"), _row(0, pod="b"))), Answer((_row(0.5, pod="a"), _row(9, pod="c")))]
    steps = [
        {"id": "merge"},
        {
            "id": "organize",
            "options": {
                "excludeByName": {"Time": True},
                "indexByName": {"Value #B": 0},
                "renameByName": {"Value #A": "up", "Value #B": "load"},
            },
        },
        {"id": "somethingNew"},
    ]
    made = table([_target(ref="A"), _target(ref="B")], answers, steps)
    assert made.columns == ("load", "pod", "up")
    assert made.rows == ((0.5, "a", 1.0), (None, "b", 0.0), (9.0, "c", None))


def test_a_table_of_one_question_has_its_value():
    """One question needs no letter, and the name of the metric is no column."""
    made = table([_target()], [Answer((_row(3, __name__="up", pod="a"),))], [])
    assert (made.columns, made.rows) == (("pod", "Value"), (("a", 3.0),))
