"""Reading a judge's label, and the JSON objects in a text."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hueval_metrics.answers.json_objects import json_objects, outside, under_key
from hueval_metrics.answers.verdicts.labels import LabelReader, without_trace
from lm_eval_tasks.openhueval.rubrics import husimpleqa
from tests.helpers import load_cases, why

GRADES = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
GRADE = LabelReader("evaluation", GRADES)
DECISION = LabelReader("decision", ("YES", "NO"), {"Y": "YES", "N": "NO", "IGEN": "YES", "NEM": "NO"})
PIECES = [
    *("{", "}", "[", "]", '"', "'", "\\", ":", ",", "/", "?", "\n", " ", "evaluation", "CORRECT", "incorrect", "not"),
]
PIECES += ["attempted", "or", "final", "wait", "answer is", "<think>", "</think>", "\\boxed{", "```json", "_", "**"]
PIECES += ["ıncorrect", "İNCORRECT", "ﬁnal", "\ud800", "9" * 5000, "\u0301"]
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
)
HUGE = {
    "open objects": '{"evaluation":' * 20_000,
    "open braces": "{" * 100_000,
    "empty objects": "{}" * 50_000,
    "open lists": '{"evaluation": ' + "[" * 100_000,
    "nested lists": '{"evaluation": ' + "[" * 900 + "]" * 900 + "}",
    "labels": "CORRECT " * 20_000,
    "alternatives": "CORRECT/" * 20_000,
    "hedges": "if " * 30_000,
    "announcements": "final answer is " * 10_000,
    "spaces": "wait" + " " * 100_000,
    "marks of composition": "a" + "\u0315\u0300" * 50_000,
    "key of marks": '{"' + "\u0315\u0300" * 20_000 + '": 1}',
}


@pytest.mark.parametrize("case", load_cases("labels"), ids=why)
def test_read_grade(case):
    assert husimpleqa.parse(case["reply"]).label == case["label"]


@pytest.mark.parametrize("case", load_cases("labels"), ids=why)
def test_a_trace_changes_nothing(case):
    trace = '<think>CORRECT? INCORRECT? {"evaluation": "NOT_ATTEMPTED"}</think>\n'
    assert husimpleqa.parse(trace + case["reply"]).label in (
        (case["label"], None) if "think" in case["reply"] else (case["label"],)
    )


@given(TEXT)
@example("ıNCORRECT, really")
@example("x İncorrect")
def test_any_text_gives_a_label_or_none(text):
    assert GRADE.read(text) in (*GRADES, None)
    assert DECISION.read(text) in ("YES", "NO", None)
    for start, end, data in json_objects(text):
        assert text[start] == "{"
        assert text[end - 1] == "}"
        assert isinstance(data, dict)
    assert len(outside(text, json_objects(text))) <= len(text)


@given(st.sampled_from(GRADES), st.text(max_size=30))
def test_the_object_decides_whatever_the_reason_says(grade, reason):
    import json

    reply = json.dumps({"reason": f"{reason} INCORRECT", "evaluation": grade}, ensure_ascii=False)
    assert GRADE.read(reply) == grade


@pytest.mark.parametrize("name", HUGE)
def test_huge_replies_are_read_to_the_end(name):
    """Quadratic time would take minutes on these texts."""
    assert GRADE.read(HUGE[name]) in (*GRADES, None)
    assert GRADE.read(HUGE[name] + '\n\n{"evaluation": "INCORRECT"}') in ("INCORRECT", None)


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("<think>a</think>b", "b"),
        ("a</think>b", "b"),
        ("<think>a", ""),
        ('{"reason": "<think>"}', '{"reason": "<think>"}'),
        ('```json\n{"reason": "</think>"}\n```', '{"reason": "</think>"}'),
        ('{"a": 1}</think>{"a": 2}', '{"a": 2}'),
        ("so \\boxed{YES}", "so \\boxed{YES}"),
        ("**Final Answer**\nYES", "**Final Answer**\nYES"),
    ],
)
def test_without_trace(reply, text):
    assert without_trace(reply) == text


def test_the_outermost_key_counts():
    assert under_key({"a": {"evaluation": 1}, "Evaluation": 2}, ["evaluation"]) == [2]
    assert under_key({"a": [{"evaluation": 1}, {"b": {"evaluation": 2}}]}, ["evaluation"]) == [1]
    assert under_key({"predicted_evaluation": 1}, ["evaluation"]) == []
