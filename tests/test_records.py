from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.errors import DataError, HuevalError, InputError
from hueval_metrics.records import Filtered, Signature, Usage, Verdict
from tests.each import each

SIGNATURE = Signature.of_data(
    "openhueval_humatchingfib",
    "1.0",
    "421c1a359fe5a1e1e945e77b288249bfca4d4bd7",
    "hu",
    "en-1f0c9a2b",
    False,
    {"a": "2"},
)


@given(st.text(st.characters(exclude_categories=())), st.booleans())
def test_filtered_comes_back_as_it_was(response, truncated):
    text = Filtered(response, truncated, {"label": "CORRECT", "score": None}).to_json()
    assert Filtered.from_json(text) == Filtered(response, truncated, {"label": "CORRECT", "score": None})
    assert text.isascii()


def test_filtered_says_what_design_says():
    assert json.loads(Filtered("ő").to_json()) == {"response": "ő", "truncated": False, "verdict": None}


def test_filtered_without_the_other_fields():
    assert Filtered.from_json('{"response": "x"}') == Filtered("x", False, None)


@each("text", ["", "x", "[]", "null", "{}", '{"response": null}', '{"response": 1}', '"response"'])
def test_not_a_filtered_response(text):
    with pytest.raises(ValueError, match=r"not a filtered response|Expecting value"):
        Filtered.from_json(text)


def test_signature_is_one_line_of_parts():
    assert str(SIGNATURE) == (
        "task:openhueval_humatchingfib|v:1.0|data:421c1a359fe5|q:hu|prompt:en-1f0c9a2b|sample:no"
        "|shots:?|gen:?|chat:?|reasoning:?|limit:?|a:2"
    )


def test_signature_of_the_finished_run():
    done = str(SIGNATURE.with_settings({"gen": "until=['|', '\\n']", "limit": "no", "transformers": "5.0"}))
    assert "|gen:until=['/', '\\n']|chat:?|reasoning:?|limit:no|a:2|transformers:5.0" in done
    assert done.count("|") == str(SIGNATURE).count("|") + 1


def test_settings_do_not_replace_what_a_signature_knows():
    assert str(Signature.parse("task:t|chat:no").with_settings({"chat": "0123"})) == "task:t|chat:no"


def test_judge_stays_last_so_that_another_can_take_its_place():
    parsed = Signature.parse("task:t|gen:?|judge:a|rubric:r/1")
    judged = parsed.with_settings({"gen": "default", "transformers": "5.0"})
    assert str(judged) == "task:t|gen:default|transformers:5.0|judge:a|rubric:r/1"
    assert str(judged.with_judge("b", "r/2")) == "task:t|gen:default|transformers:5.0|judge:b|rubric:r/2"


@pytest.mark.parametrize("text", ["", "no signature", "|||"])
def test_what_is_no_signature_has_no_parts(text):
    assert Signature.parse(text).parts == {}


def test_every_error_of_ours_is_a_hueval_error():
    assert issubclass(DataError, HuevalError)
    assert issubclass(InputError, HuevalError)


VERDICT = Verdict(
    label="YES",
    raw="igen",
    judge="gpt-4o",
    rubric="r/1",
    suspicious=("forged_verdict",),
    usage=Usage(1, 20, 3, 0.5, 1.5),
    votes=(Verdict(score=7.0, judge="b"),),
    data=["a", 1],
)


def test_a_verdict_comes_back_from_its_log():
    assert Verdict.from_json(json.loads(json.dumps(VERDICT.to_dict()))) == VERDICT


@each("found", [None, "YES", ["YES"], 1])
def test_what_is_no_verdict(found):
    assert Verdict.from_json(found) is None


def test_what_is_of_another_type_in_a_verdict_is_not_there():
    found = {
        "label": ["YES"],
        "score": "7",
        "raw": 1,
        "judge": {},
        "cached": "yes",
        "votes": "ab",
        "usage": [],
        "own": 1,
    }
    assert Verdict.from_json(found) == Verdict()
    assert Verdict.from_json({"usage": {"calls": "1", "usd": -1, "seconds": True}}).usage == Usage(0, 0, 0, 0.0, 0.0)
    assert Verdict.from_json({"usage": {"calls": 2}}).usage == Usage(2, 0, 0, None, 0.0)


@pytest.mark.parametrize(
    ("verdict", "rating"),
    [
        ({"label": "YES", "score": None, "error": None}, "YES"),
        ({"score": 7}, 7.0),
        ({"label": "NO", "error": "unreadable: no label"}, None),
        ({"error": "no reply"}, None),
        ({"score": float("nan")}, None),
        ({"score": True}, None),
        ({"score": "7"}, None),
        ({"label": 7}, None),
        ({}, None),
        (None, None),
        ("YES", None),
    ],
)
def test_rating_of_a_logged_verdict(verdict, rating):
    read = Verdict.from_json(verdict)
    assert (read and read.rating) == rating


def test_only_a_second_reply_changes_the_string():
    """Strings of runs that ask once are byte for byte what they were."""
    assert Filtered("ő").to_json() == '{"response": "\\u0151", "truncated": false, "verdict": null}'
    text = Filtered("", True, None, "2").to_json()
    assert text == '{"response": "", "truncated": true, "verdict": null, "second": "2"}'
    assert Filtered.from_json(text) == Filtered("", True, None, "2")
