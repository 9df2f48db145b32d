"""Reading a judge's label."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hueval_metrics.answers.verdicts.claims import Labels
from hueval_metrics.answers.verdicts.labels import read_label
from hueval_metrics.answers.verdicts.own_words import without_trace
from lm_eval_tasks.openhueval.rubrics import husimpleqa
from tests.helpers import load_cases, why
from tests.linear import slower_than_linear

GRADES = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
GRADE = Labels("evaluation", GRADES, {grade.casefold(): grade for grade in GRADES}, opposites={"CORRECT": "INCORRECT"})
DECISION = Labels("decision", ("YES", "NO"), {"yes": "YES", "no": "NO"}, likeness={"same": "YES", "different": "NO"})
PIECES = [
    *("{", "}", "[", "]", '"', "'", "\\", ":", ",", "/", "?", "\n", " ", "evaluation", "CORRECT", "incorrect", "not"),
]
PIECES += ["attempted", "or", "final", "wait", "answer is", "<think>", "</think>", "\\boxed{", "```json", "_", "**"]
PIECES += ["ıncorrect", "İNCORRECT", "ﬁnal", "\ud800", "9" * 5000, "\u0301"]
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
)


def huge(length):
    return {
        "open objects": '{"evaluation":' * (length // 13),
        "open braces": "{" * length,
        "empty objects": "{}" * (length // 2),
        "open lists": '{"evaluation": ' + "[" * length,
        "nested lists": '{"evaluation": ' + "[" * 900 + "]" * 900 + "}",
        "labels": "CORRECT " * (length // 8),
        "alternatives": "CORRECT/" * (length // 8),
        "hedges": "if " * (length // 3),
        "announcements": "final answer is " * (length // 16),
        "spaces": "wait" + " " * length,
        "marks of composition": "a" + "\u0315\u0300" * (length // 2),
        "key of marks": '{"' + "\u0315\u0300" * (length // 2) + '": 1}',
    }


@pytest.mark.parametrize("case", load_cases("labels"), ids=why)
def test_read_grade(case):
    assert husimpleqa.parse(case["reply"]).label == case["label"]


def test_a_trace_changes_nothing():
    trace = '<think>CORRECT? INCORRECT? {"evaluation": "NOT_ATTEMPTED"}</think>\n'
    for case in load_cases("labels"):
        label = husimpleqa.parse(trace + case["reply"]).label
        assert label == case["label"] or (label is None and "think" in case["reply"]), why(case)


@given(TEXT)
@example("ıNCORRECT, really")
@example("x İncorrect")
def test_any_text_gives_a_label_or_none(text):
    for labels in (GRADE, DECISION):
        reading = read_label(text, labels)
        assert reading.value in (*labels.names, None)
        assert reading.is_answered == (reading.value is not None)
        assert all(0 <= span.start <= span.end <= len(text) for span in reading.spans if span)


@given(st.sampled_from(GRADES), st.text(max_size=30))
def test_the_object_decides_whatever_the_reason_says(grade, reason):
    import json

    reply = json.dumps({"reason": f"{reason} INCORRECT", "evaluation": grade}, ensure_ascii=False)
    assert read_label(reply, GRADE).value == grade


@pytest.mark.slow
def test_huge_replies_are_read_in_linear_time():
    def read(reply):
        assert read_label(reply, GRADE).value in (*GRADES, None)
        assert read_label(reply + '\n\n{"evaluation": "INCORRECT"}', GRADE).value in ("INCORRECT", None)

    assert not slower_than_linear(read, huge)


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
