"""Reading statements: no text makes it raise, leave the trace or invent an answer."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from hueval_metrics.answers.statements.choice import choices
from hueval_metrics.answers.statements.read import of_options, of_words
from hueval_metrics.answers.statements.sentences import sentences
from hueval_metrics.judge.stated import stated_answers

OPTIONS = {"A": "rag", "B": "jel", "F": "képző", "I": "Dr. Nagy", "H": "egység."}
BLANKS = {0: "#0#", 1: "#1#", 2: "#2#"}
KNOWN = ("rag", "I. András", "1526")
PIECES = [
    *(
        "#0#",
        "#1#",
        "#2",
        "# 0 #",
        "#9#",
        "blank 0",
        "the first blank",
        "A",
        "F",
        "I",
        "F.képző",
        "képző (F)",
        "Dr. Nagy",
    ),
    *(
        "egység.",
        " is ",
        " : ",
        ": ",
        " = ",
        "→",
        " not ",
        " or ",
        " vagy ",
        " nem ",
        "?",
        ". ",
        "\n",
        "\n\n",
        " from ",
        " to ",
    ),
    *(
        '"',
        "```json",
        '{"answer": [',
        '"#0#F"',
        ", ",
        "]}",
        "option 1",
        "the second option",
        "correct",
        "answer: 2",
        "so ",
    ),
    *("1526", "I. András", "\x00", "\ud800", "İ", "\u202e", "**", "|", "(", ")", "I\u0307", "'", "\\"),
]
traces = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


@given(traces)
@example("#0#\n" + " " * 5_000 + "F")
@example("#0# is " + "x" * 5_000 + " F")
@example("... " * 2_000 + "#0# is F")
def test_options_inside_the_trace_and_of_the_question(trace):
    found = of_options(trace, BLANKS, OPTIONS, ["A rag #0# és #1#.", ""], ("#0#A", "#1#F"))
    assert all(0 <= one.start < len(trace) and one.value in OPTIONS and one.part in BLANKS.values() for one in found)
    assert [one.start for one in found] == sorted(one.start for one in found)


@given(traces)
def test_words_inside_the_trace_and_of_it(trace):
    found = of_words(trace, BLANKS, KNOWN, ["A rag #0# és #1#."], ("#0#A", "#1#F"))
    assert all(0 <= one.start < len(trace) and one.value and one.part in BLANKS.values() for one in found)
    assert all(one.value in trace.replace("İ", "I").lower() for one in found)


@given(traces)
def test_choices_inside_the_trace(trace):
    found = choices(trace, ("az egyik olvasat", "a másik olvasat"))
    assert all(0 <= one.start < len(trace) and one.value in ("1", "2") for one in found)


@given(traces, st.text(max_size=30), st.sampled_from(["hu", "zh", "ko", "ar", "th", "sr", "vi", None]))
def test_facts_inside_the_trace(trace, answer, language):
    found = stated_answers("Melyik rag?", ["rag", answer], trace, f"{answer} 1526", language)
    assert all(0 <= one.start < len(trace) for one in found.statements)


@given(st.text(), st.lists(st.tuples(st.integers(0, 80), st.integers(1, 9)), max_size=9))
def test_each_range_is_in_one_sentence(text, ranges):
    kept: list[tuple[int, int]] = []
    for start, length in sorted(ranges):
        if start + length <= len(text) and (not kept or kept[-1][1] <= start):
            kept.append((start, start + length))
    found = [*sentences(text, kept)]
    assert [place for _, _, first, last in found for place in range(first, last)] == [*range(len(kept))]
    assert all(start <= kept[place][0] < end for start, end, first, last in found for place in range(first, last))
    assert all(one[1] <= other[0] for one, other in pairwise(found))
