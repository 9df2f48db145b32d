"""One document: every key, literal values, and answers of every wrong form."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.records import Filtered
from hueval_metrics.registry import task_spec
from lm_eval_tasks.kolassimpleqa.family import METRICS
from lm_eval_tasks.kolassimpleqa.hooks import rated, score
from tests.each import each
from tests.families.kolassimpleqa.judged_rows import LABELS, document, verdict
from tests.helpers import load_cases, why

DOC = document("q", "t")
REVERSE = document("q-reverse", "t", reverse=True)
SURE = '{"answer": "Egerben van a vár", "confidence_score": 80}'


def scored(said, response: str = SURE, doc: dict = DOC, truncated: bool = False) -> dict:
    return score(doc, [Filtered(response, truncated, said).to_json()])


@each("name", task_spec("kolassimpleqa_hu_general").family.tasks)
def test_every_task_declares_what_the_hook_returns(name):
    assert list(task_spec(name).process_results(DOC, [Filtered(SURE).to_json()])) == list(METRICS)


def test_every_key():
    assert scored(verdict("A", suspicious=[])) == {
        "correct": 1.0,
        "incorrect": 0.0,
        "not_attempted": 0.0,
        "correct_given_attempted": (1, 1),
        "f_score": (2, 2),
        "ece": (0.8, 1.0),
        "ece_attempted": (0.8, 1.0),
        "brier": (0.8, 1.0),
        "n_confidence": (0.8, 1.0),
        "bidirectional": ("t", False, 1.0),
        "n_pairs": ("t", False, 1.0),
        "n_unpaired": ("t", False, 1.0),
        "judge_coverage": 1.0,
        "language_rate": 1.0,
        "truncated_rate": 0.0,
        "suspicious_rate": 0.0,
        "correct_ref": 1.0,
        "incorrect_ref": 0.0,
        "not_attempted_ref": 0.0,
        "f_score_ref": (2, 2),
        "correct_forward": 1.0,
        "correct_reverse": None,
        "incorrect_forward": 0.0,
        "incorrect_reverse": None,
        "not_attempted_forward": 0.0,
        "not_attempted_reverse": None,
        "correct_given_attempted_forward": (1, 1),
        "correct_given_attempted_reverse": None,
        "f_score_forward": (2, 2),
        "f_score_reverse": None,
    }


@pytest.mark.parametrize(
    ("letter", "shares", "cga", "f", "pair", "attempted"),
    [
        ("A", (1.0, 0.0, 0.0), (1, 1), (2, 2), (0.8, 1.0), (0.8, 1.0)),
        ("B", (0.0, 1.0, 0.0), (0, 1), (0, 2), (0.8, 0.0), (0.8, 0.0)),
        ("C", (0.0, 0.0, 1.0), (0, 0), (0, 1), (0.8, 0.0), None),  # wrong, unless only attempted ones count
    ],
)
def test_labels(letter, shares, cga, f, pair, attempted):
    values = scored(verdict(letter), doc=REVERSE)
    assert (values["correct"], values["incorrect"], values["not_attempted"]) == shares
    assert (values["correct_given_attempted"], values["f_score"]) == (cga, f)
    assert (values["ece"], values["ece_attempted"], values["brier"]) == (pair, attempted, pair)
    assert values["bidirectional"] == ("t", True, shares[0])
    assert (values["f_score_forward"], values["f_score_reverse"]) == (None, f)


@pytest.mark.parametrize(
    ("why", "said"),
    [
        ("nobody was asked", None),
        ("no reply", {"label": None, "score": None, "error": "no reply in 60 s"}),
        ("no label of this rubric", {"label": "YES"}),
        ("a list", {"label": ["CORRECT"]}),
        ("a score", {"score": 1}),
    ],
)
def test_without_a_verdict(why, said):
    values = scored(said)
    rates = {"judge_coverage": 0.0, "language_rate": 1.0, "truncated_rate": 0.0, "suspicious_rate": None}
    assert {name: value for name, value in values.items() if value is not None} == {
        name: value for name, value in rates.items() if value is not None
    }


@pytest.mark.parametrize(
    ("raw", "label", "reference"),
    [
        ("A", "CORRECT", "correct_ref"),
        ("b", "INCORRECT", "incorrect_ref"),
        ("CORRECT", "CORRECT", "not_attempted_ref"),  # the first letter is a c
        ("As an AI, B", "INCORRECT", "correct_ref"),
        ("Grade: A", "CORRECT", "not_attempted_ref"),
        ("I cannot say", None, "not_attempted_ref"),  # unreadable to us, and not attempted to the public scorer
        (None, "CORRECT", "correct_ref"),  # the lexical judge writes nothing
    ],
)
def test_the_reference_reads_the_first_letter_of_the_reply(raw, label, reference):
    error = None if label else "unreadable: no label"
    values = scored({"label": label, "raw": raw, "judge": "j", "rubric": "kolassimpleqa/1", "error": error})
    ref = {name: values[name] for name in ("correct_ref", "incorrect_ref", "not_attempted_ref")}
    assert ref == {name: float(name == reference) for name in ref}
    assert (
        values["f_score_ref"]
        == {"correct_ref": (2, 2), "incorrect_ref": (0, 2), "not_attempted_ref": (0, 1)}[reference]
    )
    assert values["judge_coverage"] == float(label is not None)


@pytest.mark.parametrize("case", load_cases("kolassimpleqa_answers"), ids=why)
def test_an_answer_of_any_form(case):
    stripped = strip_reasoning(case["response"])
    values = scored(
        verdict("A"), stripped.response, document("q", task=case.get("task", "hu_general")), stripped.truncated
    )
    pair = values["ece"]
    assert (pair and pair[0]) == case["confidence"]
    assert values["language_rate"] == case["language_rate"]
    assert values["truncated_rate"] == case.get("truncated_rate", 0.0)
    assert values["n_confidence"] == pair


@each("letter", LABELS)
@each("response", [SURE, "Eger, 80%", '{"confidence_score": 1}', '{"confidence_score": 0.4}', "", "?"])
@each("doc", [DOC, REVERSE], ids=["forward", "reverse"])
def test_values_with_another_label_are_those_of_a_document_that_was_judged_so(letter, response, doc):
    truth = scored(verdict(letter), response, doc)
    for other in LABELS:
        found = rated(scored(verdict(other), response, doc), LABELS[letter])
        assert found == {name: truth[name] for name in found}
        assert {"f_score", "ece", "bidirectional", "f_score_reverse"} <= found.keys()


@given(st.text(st.characters(exclude_categories=())), st.sampled_from([*LABELS, None]))
def test_any_response(response, letter):
    values = scored(letter and verdict(letter), response)
    assert list(values) == list(METRICS)
    json.dumps(values)
    assert values["judge_coverage"] == float(letter is not None)
