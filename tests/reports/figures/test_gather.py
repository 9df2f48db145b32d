import json

from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.reports.figures.build import figures
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.runs.items import Item

QA, FIB, WILD = "openhueval_husimpleqa", "openhueval_humatchingfib", "openhueval_huwildbench"


def taken_in(*rows):
    data = FigureData()
    for row in rows:
        data.add(0, Item.of(row))
    return data


def test_lengths_are_those_with_and_without_reasoning():
    found = taken_in({"task": QA, "prediction": "hm</think>Igen.", "response": "Igen."}, {"task": QA, "prediction": ""})
    assert list(found.of(0, QA).response_length) == [5, 0]
    assert list(found.of(0, QA).whole_length) == [15, 0]


def test_numbers_of_each_kind_of_item():
    found = taken_in(
        {"task": QA, "values": {"ece": [0.9, 1.0]}},
        {"task": QA, "values": {"ece": None}},
        {"task": WILD, "values": {"ece": [0.9, 1.0]}},  # which has no such metric
    )
    assert found.of(0, QA).confidences == {(0.9, True, None): 1}
    assert not found.of(0, WILD).confidences


def test_runs_and_tasks_are_kept_apart():
    data = FigureData()
    data.add(1, Item.of({"task": WILD, "prediction": "Igen."}))
    assert not data.of(0, WILD).response_length
    assert not data.of(1, QA).response_length
    assert data.of(1, WILD).response_length
    assert data.units() == [WILD]


def test_verdicts_are_summed_up_not_kept():
    usage = {"calls": 1, "prompt_tokens": 10, "completion_tokens": 2, "usd": 0.5}
    found = taken_in(*[{"task": QA, "verdict": {"label": "CORRECT", "judge": "j", "usage": usage}}] * 3)
    assert found.of(0, QA).judge.summary()["judge"]["j"]["usd"] == 1.5


def test_values_that_cannot_be_are_left_out():
    found = taken_in(
        {"task": QA, "values": {"ece": [7, 1.0]}},
        {"task": QA, "values": {"ece": [float("nan"), 1.0]}},
        {"task": QA, "values": {"ece": [0.5, "yes"]}},
    )
    assert not found.of(0, QA).confidences


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)
KEYS = ("prediction", "response", "values", "verdict", "blanks_correct", "blanks_total", "n_options")
rows = st.fixed_dictionaries({"task": st.sampled_from([QA, FIB, WILD])}, optional=dict.fromkeys(KEYS, json_values))


@given(st.lists(rows, max_size=5))
def test_rows_that_anyone_may_have_written_are_taken_in(some):
    data = taken_in(*json.loads(json.dumps(some)))
    assert [figure.name for figure in figures(data, [])] == []
