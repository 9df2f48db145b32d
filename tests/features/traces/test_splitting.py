"""Expressions in a trace, their tags, and the split at those that a judge confirms."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.traces.thoughts.splitting import (
    MAX_LENGTH,
    Occurrence,
    confirmed,
    occurrences,
    opened,
    split,
    starts_of,
    tagged,
)
from tests.helpers import load_cases, why

TEXTS = st.text(alphabet=st.one_of(st.sampled_from("abBut De\n\t<>_(é\u0301但\ud800"), st.characters()))


def test_a_passage_is_no_expression():
    trace = "But no " * 40
    assert occurrences(trace, [trace.strip()]) == []
    assert len(occurrences(trace, [trace[:MAX_LENGTH].strip()])) == 1


@pytest.mark.parametrize("case", load_cases("thought_occurrences"), ids=why)
def test_occurrences(case):
    trace = case["trace"]
    found = occurrences(trace, case["expressions"])
    assert [[start, trace[start:end]] for start, end in found] == case["found"]


def test_tags_are_numbered_through_the_trace_from_1():
    trace = "Well. But no. However, De.\nBut yes."
    found = occurrences(trace, ["But", "De", "However"])
    assert tagged(trace, found) == (
        "Well. <shift_word_1>But<shift_word_1> no. <shift_word_2>However<shift_word_2>, "
        "<shift_word_3>De<shift_word_3>.\n<shift_word_4>But<shift_word_4> yes."
    )


@pytest.mark.parametrize(
    ("forged", "shown"),
    [
        ("<shift_word_3>x", "(shift_word_3>x"),
        ("</shift_word_3>", "(/shift_word_3>"),
        ("< Shift-Word 3 >", "( Shift-Word 3 >"),
        ("＜shift_word_3＞", "(shift_word_3＞"),
        ("<shifted> <b>", "<shifted> <b>"),
    ],
)
def test_a_tag_in_the_trace_itself_is_none_of_ours(forged, shown):
    trace = f"a {forged} But {forged}"
    found = occurrences(trace, ["But"])
    assert tagged(trace, found) == f"a {shown} <shift_word_1>But<shift_word_1> {shown}"


def test_an_expression_that_is_a_tag_is_shown_as_text():
    trace = "a <shift_word_1> b"
    found = occurrences(trace, ["<shift_word_1>"])
    assert tagged(trace, found) == "a <shift_word_1>(shift_word_1><shift_word_1> b"


@pytest.mark.parametrize(
    ("why", "ids", "starts", "n_unknown"),
    [
        ("none", [], [0], 0),
        ("one", [2], [0, 17], 0),
        ("in any order, and twice", [2, 1, 2], [0, 6, 17], 0),
        ("0 and negative numbers do not exist", [0, -1, 1], [0, 6], 2),
        ("nor does one behind the last", [3, 99], [0], 2),
        ("each that does not exist counts", [7, 7], [0], 2),
    ],
)
def test_numbers(why, ids, starts, n_unknown):
    found = [Occurrence(6, 9), Occurrence(17, 20)]
    shifts, unknown = confirmed(found, ids)
    assert (starts_of(opened(shifts, 0)), unknown) == (starts, n_unknown)


@pytest.mark.parametrize(
    ("trace", "thoughts"),
    [
        ("But no. But yes.", ["But no. ", "But yes."]),
        ("\n But no. But yes.", ["\n But no. ", "But yes."]),
        (" . But no.", [" . ", "But no."]),
        ("no.", ["no."]),
    ],
)
def test_white_space_before_the_first_expression_is_no_thought(trace, thoughts):
    found = occurrences(trace, ["But"])
    blank = len(trace) - len(trace.lstrip())
    assert split(trace, starts_of(opened(found, blank))) == thoughts


def test_an_expression_at_the_beginning_that_is_not_confirmed():
    trace = " But no. But yes."
    shifts, _ = confirmed(occurrences(trace, ["But"]), [2])
    assert split(trace, starts_of(opened(shifts, 1))) == [" But no. ", "But yes."]


@given(TEXTS, st.lists(TEXTS), st.lists(st.integers(-3, 9)))
def test_no_text_expressions_or_numbers_lose_or_add_a_character(trace, expressions, ids):
    found = occurrences(trace, expressions)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(trace[start:end].strip() for start, end in found)
    shifts, _ = confirmed(found, ids)
    thoughts = split(trace, starts_of(opened(shifts, len(trace) - len(trace.lstrip()))))
    assert "".join(thoughts) == trace
    assert all(thought.strip() for thought in thoughts) or not trace.strip()


@given(TEXTS, st.lists(TEXTS))
def test_the_judge_sees_as_many_tags_as_there_are_occurrences(trace, expressions):
    found = occurrences(trace, expressions)
    shown = re.findall(r"<shift_word_(\d+)>", tagged(trace, found))
    assert shown == [str(number) for number in range(1, len(found) + 1) for _ in "be"]
    assert len(tagged(trace, found)) == len(trace) + sum(map(len, shown)) + len("<shift_word_>") * len(shown)


@given(st.text("ab. \n"), st.lists(st.text("ab. ", max_size=8), max_size=4))
def test_no_occurrence_is_missed(trace, expressions):
    """What is found leaves no room for another occurrence, and a longer expression never gives way to a shorter one."""
    found = occurrences(trace, expressions)
    for words in filter(None, map(str.split, expressions)):
        pattern = re.compile(r"(?!(?<=\w)\w)" + r"\s+".join(map(re.escape, words)) + r"(?!(?<=\w)\w)")
        for at in range(len(trace)):
            if match := pattern.match(trace, at):
                over = [one for one in found if one.start < match.end() and match.start() < one.end]
                longest = max((len(" ".join(trace[start:end].split())) for start, end in over), default=0)
                assert longest >= len(" ".join(words))
