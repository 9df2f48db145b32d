from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.lexical import judge_lexically
from hueval_metrics.records import Verdict
from tests.each import each


@pytest.mark.parametrize(
    ("why", "reference", "response", "label"),
    [
        ("the same", "Mohács", "Mohács", "CORRECT"),
        ("a case ending", "Mohács", "A csata Mohácsnál volt.", "CORRECT"),
        ("an ending that changes the vowel", "alma", "almát", "CORRECT"),
        ("inside the JSON", "1526", '{"answer": "1526-ban", "confidence_score": 90}', "CORRECT"),
        ("JSON in a fence", "dzs", 'Íme:\n```json\n{"answer": "a dzs", "confidence_score": 80}\n```', "CORRECT"),
        ("a number as JSON number", "1526", '{"answer": 1526, "confidence_score": 90}', "CORRECT"),
        ("words in another order", "Kölcsey Ferenc", "Ferenc Kölcsey", "CORRECT"),
        ("NFD and capitals", "Gödöllő", "GO\u0308DO\u0308LLO\u030b", "CORRECT"),
        ("a slip in a long word", "Kölcsey Ferenc", "Kölcsei Ferenc", "CORRECT"),
        ("another year", "1526", "1562", "INCORRECT"),
        ("a number inside a longer one", "152", "1526", "INCORRECT"),
        ("half of the name", "Kölcsey Ferenc", "Liszt Ferenc", "INCORRECT"),
        ("the answer counts, not its reason", "1526", '{"answer": "1541", "reason": "1526"}', "INCORRECT"),
        ("inside another word", "Pest", "Budapest", "INCORRECT"),
        ("empty", "1526", "", "NOT_ATTEMPTED"),
        ("empty answer", "1526", '{"answer": "", "confidence_score": 0}', "NOT_ATTEMPTED"),
        ("null", "1526", '{"answer": null, "confidence_score": 0}', "NOT_ATTEMPTED"),
        ("does not know", "1526", "Sajnos ezt nem tudom.", "NOT_ATTEMPTED"),
        ("no information", "1526", "Nincs információm erről.", "NOT_ATTEMPTED"),
        ("does not know, in English", "1526", '{"answer": "I don\'t know"}', "NOT_ATTEMPTED"),
        ("doubts, and is right", "1526", "Nem tudom biztosan, talán 1526.", "CORRECT"),
    ],
)
def test_simple_qa(why, reference, response, label):
    assert judge_lexically({"answer": reference}, response, "husimpleqa").label == label, why


@pytest.mark.parametrize(
    ("response", "label"),
    [
        ("Szerintem a szóbeszédnek mégiscsak van valami alapja.", "YES"),
        ("Ki korán kel, aranyat lel.", "NO"),
        ("", "NO"),
    ],
)
def test_proverb(response, label):
    doc = {"reference": "Szerintem a szóbeszédnek valami alapja mégiscsak van."}
    verdict = judge_lexically(doc, response, "huproverbrea_oe")
    assert (verdict.label, verdict.judge, verdict.rubric) == (label, "lexical", "huproverbrea_oe/lexical-1")


def test_wild_bench_cannot_be_scored():
    verdict = judge_lexically({"question": "Írj verset!"}, "Íme a vers.", "huwildbench")
    assert verdict.is_missing
    assert verdict.error == "lexical cannot score HuWildBench"


@each("answer", [None, "", "…", []])
def test_no_reference_no_verdict(answer):
    verdict = judge_lexically({"answer": answer}, "1526", "husimpleqa")
    assert verdict.is_missing
    assert verdict.error


def test_one_of_several_references_is_enough():
    assert judge_lexically({"answer": ["Buda", "Pest"]}, "Pesten", "husimpleqa").label == "CORRECT"


@given(st.text(), st.text())
def test_any_text_gives_a_verdict_and_always_the_same(reference, response):
    verdict = judge_lexically({"answer": reference}, response, "husimpleqa")
    assert isinstance(verdict, Verdict)
    assert verdict == judge_lexically({"answer": reference}, response, "husimpleqa")


def test_a_runaway_response():
    response = "Mohács mellett " * 13_000 + "\u0301" * 5000
    assert judge_lexically({"answer": "Gödöllő"}, response, "husimpleqa").label == "INCORRECT"
