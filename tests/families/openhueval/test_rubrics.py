"""The rubrics: how replies are read, against literal cases and the scored examples."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lm_eval_tasks.openhueval.rubrics import huproverbrea_oe, husimpleqa, huwildbench
from tests.each import each
from tests.helpers import json_lines, load_cases, shared, why
from tests.linear import repeated, slower_than_linear

RUBRICS = {rubric.NAME: rubric for rubric in (husimpleqa, huproverbrea_oe, huwildbench)}
COUNTING = ("clear", "json", "nojson", "adversarial")
PIECES = [
    "{",
    "}",
    '"',
    "'",
    ":",
    "score",
    "Score:",
    "strengths",
    "7",
    "-3",
    "8/10",
    "9" * 5000,
    "NaN",
    "1e999",
    "null",
    "[",
]
PIECES += [
    "]",
    "YES",
    "no",
    "<think>",
    "</think>",
    "evaluation",
    "CORRECT",
    ".",
    ",",
    "\n",
    "\ud800",
    "They express",
    " the ",
]
TEXT = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=80),
    st.lists(st.sampled_from(PIECES), max_size=30).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=10).map(lambda pieces: '{"score": ' + "".join(pieces) + "}"),
)


def test_a_reply_without_a_label_is_an_error():  # the labels: tests/answers/test_labels.py
    for case in load_cases("labels"):
        assert (husimpleqa.parse(case["reply"]).error is None) == (case["label"] is not None), why(case)


@pytest.mark.parametrize("case", load_cases("labels_yes_no"), ids=why)
def test_huproverbrea_oe_label(case):
    verdict = huproverbrea_oe.parse(case["reply"])
    assert verdict.label == case["label"]
    assert (verdict.error is None) == (case["label"] is not None)


@pytest.mark.parametrize("case", load_cases("rubrics_scores"), ids=why)
def test_huwildbench_score(case):
    verdict = huwildbench.parse(case["reply"])
    assert verdict.score == case["score"]
    assert (verdict.error is None) == (case["score"] is not None)
    assert huwildbench.racka_score(case["reply"]) == case["racka"]


@each("name", ["husimpleqa", "huproverbrea_oe"])
def test_labels_agree_with_the_scored_examples(name):
    for row in json_lines(shared("parity", "judges", f"{name}_raw.jsonl")):
        label = RUBRICS[name].parse(row["raw"]).label
        assert (label and label.lower()) == row["sense"], row
        if name == "huproverbrea_oe":
            assert (huproverbrea_oe.reference_label(row["raw"]) or "unparsed").lower() == row["reference"], row


def test_scores_agree_with_the_scored_examples():
    for row in json_lines(shared("parity", "judges", "huwildbench_raw.jsonl")):
        assert huwildbench.parse(row["raw"]).score == row["sense"], row
        assert huwildbench.racka_score(row["raw"]) == row["racka_paper_rule"], row


@each("name", RUBRICS)
def test_fresh_replies_are_read_as_a_person_reads_them(name):
    rows = [row for row in json_lines(shared("parity", "fresh", f"judge_{name}.jsonl")) if row["kind"] in COUNTING]
    read = [(row, RUBRICS[name].parse(row["input"])) for row in rows]
    missed = [row["id"] for row, verdict in read if (verdict.label or verdict.score) != row["human_reading"]]
    assert len(missed) <= 0.03 * len(rows), missed
    wrong = [row["id"] for row, verdict in read if row["id"] in missed and not verdict.is_missing]
    assert wrong == []


@each("name", RUBRICS)
@each("depth", [900, 100_000])
def test_a_deeply_nested_reply_is_read_or_unreadable(name, depth):
    rubric, (key, *_) = RUBRICS[name], RUBRICS[name].SCHEMA["required"][::-1]
    nested = f'{{"{key}": ' * depth + '"YES"' + "}" * depth
    assert rubric.parse(nested).label in (None, "YES")
    own = '\n\nFinal: {"evaluation": "CORRECT", "decision": "YES", "score": 7}'
    assert (rubric.parse(nested + own).label or rubric.parse(nested + own).score) in (None, "CORRECT", "YES", 7)


@pytest.mark.parametrize("name", RUBRICS)
@given(reply=TEXT)
@example(reply="9" * 5000)
@example(reply='{"score": ' + "9" * 4000 + "}")
@example(reply='{"score": []}')
def test_parse_reads_any_text(name, reply):
    rubric = RUBRICS[name]
    verdict = rubric.parse(reply)
    assert (verdict.raw, verdict.rubric) == (reply, f"{name}/{rubric.VERSION}")
    assert verdict.judge is None
    if verdict.is_missing:
        assert (verdict.error or "").startswith("unreadable: ")
    elif name == "huwildbench":
        assert (verdict.label, verdict.error) == (None, None)
        assert verdict.score is not None
        assert 1 <= verdict.score <= 10
    else:
        assert (verdict.score, verdict.error) == (None, None)
        assert verdict.label in rubric.LABELS
    assert huwildbench.racka_score(reply) >= 0
    assert huproverbrea_oe.reference_label(reply) in ("YES", "NO", None)


@pytest.mark.slow
def test_huge_replies_are_read_in_linear_time():
    def read(reply):
        assert huwildbench.parse(reply).is_missing
        assert huwildbench.parse(reply + '\n{"score": "7"}').score == 7
        assert huwildbench.racka_score(reply) == 1

    assert not slower_than_linear(read, repeated(['{"score":', "score:", "score ", "score (", "{", "7 or "]))


@each("reply", ["", "   \n", "<think>", "Sajnálom, ebben nem segíthetek.", "{}", "<html>502</html>"])
def test_nothing_to_read_is_a_missing_verdict_that_says_so(reply):
    for rubric in RUBRICS.values():
        verdict = rubric.parse(reply)
        assert verdict.is_missing
        assert verdict.error
        if not reply.strip():
            assert verdict.error == "unreadable: empty reply"


def test_the_schema_of_each_rubric_allows_what_it_reads_and_nothing_else():
    for rubric in RUBRICS.values():
        properties = rubric.SCHEMA["properties"]
        assert rubric.SCHEMA["required"] == list(properties)
        (key,) = [key for key, of in properties.items() if "enum" in of]
        read = [rubric.parse(json.dumps(dict.fromkeys(properties, "x") | {key: v})) for v in properties[key]["enum"]]
        assert [verdict.error for verdict in read] == [None] * len(read)
        assert {verdict.label or verdict.score for verdict in read} == set(getattr(rubric, "LABELS", range(1, 11)))


def test_the_public_scorer_reads_what_the_schema_gives():
    """`acc_ref` looks for the letters of yes and no anywhere: the key must hold neither."""
    for label in huproverbrea_oe.LABELS:
        assert huproverbrea_oe.reference_label(json.dumps({"decision": label})) == label


@each("name", RUBRICS)
def test_the_form_is_one_sentence_and_no_verdict(name):
    form = RUBRICS[name].FORM
    assert form.startswith("Reply with ")
    assert form.count(".") == 1
    assert "\n" not in form
    assert RUBRICS[name].parse(form).is_missing
