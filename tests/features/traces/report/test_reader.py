"""The marks of a trace as the page packs them: offsets in what is left of it, as JavaScript counts."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.metrics.simple_qa import CORRECT, INCORRECT
from hueval_metrics.reports.page.packing import cut_middle
from hueval_metrics.runs.items import Item
from hueval_metrics.traces.report.reader import FINDINGS, Found, marks
from hueval_metrics.traces.report.rows import TraceRow

SIMPLE = {"dimensions": ["Completely Correct", "Simple Assertion", "Only Current Blank", "Contains Language Transfer"]}
MODIFIES = {"dimensions": ["Non Conclusion", "Complex Thought", "Modify Previous Blanks", "No Language Transfer"]}


def row(**values):
    return TraceRow.model_validate({"run": "m", "task": "toybench_words", "key": ["1"], "blocks": [[0, 9]]} | values)


def part(**values):
    return {"part": "#0#", "first": None, "changes": 0, "settled": None, "tokens_after": None, "right": False} | values


def sliced(text, end):
    """The start of a text of so many UTF-16 units."""
    return text.encode("utf-16-le", "surrogatepass")[: 2 * end].decode("utf-16-le", "surrogatepass")


@given(st.text(max_size=40), st.integers(2, 40), st.data())
def test_an_offset_stands_for_the_same_place_whatever_was_cut(text, longest, data):
    text = text.encode("utf-8", "ignore").decode()  # no half surrogates: two of them would become one character
    offset = data.draw(st.integers(0, len(text)))
    piece = cut_middle(text, longest)
    head, gone, tail = (text, 0, "") if isinstance(piece, str) else piece
    found = marks(row(life={"parts": [part(first=offset, settled=offset)]}), piece)["life"][0][1]
    if len(head) <= offset < len(head) + gone:
        assert found == -1
    else:
        assert sliced(head + tail, found) == text[:offset] if offset < len(head) or not gone else True
        assert (head + tail).removeprefix(sliced(head + tail, found)) == (
            text[offset:] if offset >= len(head) + gone else head[offset:] + tail
        )


@pytest.mark.parametrize(
    ("trace", "starts", "expected"),
    [
        ("abcdef", [0, 2, 4], [0, 2, 4]),
        ("a🤔c🤔e", [0, 2, 4], [0, 3, 6]),
        (("ab", 6, "ij"), [0, 1, 3, 5, 9], [0, 1, 2, 2, 3]),
        (("🤔b", 6, "🤔j"), [0, 1, 3, 8, 9], [0, 2, 3, 3, 5]),
    ],
    ids=["plain", "characters of two units", "two begin in what was cut out", "both"],
)
def test_starts_of_thoughts(trace, starts, expected):
    found = marks(row(thoughts={"starts": starts, "scores": [None] * len(starts)}), trace)
    assert found["thoughts"] == [expected, [None] * len(starts)]


def test_segments_and_life():
    segments = [{"start": 0, "end": 2, "category": "Introduction"}]
    segments.append({"start": 2, "end": 6, "category": "Reasoning"} | MODIFIES)
    life = {"approximate": True, "parts": [part(first=1, changes=3, settled=4, tokens_after=7, right_stood=0)]}
    found = marks(row(segments={"segments": segments}, life=life, tokens=12), "a🤔cdef")
    assert found == {
        "tokens": 12,
        "segments": [[0, 3, 0], [3, 7, 1, 3, 1, 1, 1]],
        "life": [["#0#", 1, 5, 0, 3, 7, False]],
        "approximate": True,
    }


@pytest.mark.parametrize(
    ("reply", "values", "expected"),
    [
        ("<think>hm</think>Igen", {"blocks": [[7, 9]]}, "hm"),
        ("ab<think>cd", {"blocks": [[0, 1], [9, 11]]}, "a\n\ncd"),
        ("Igen", {"blocks": []}, ""),
        ("Igen", {"blocks": [[0, 5]]}, None),
        ("Igen", {"blocks": [[3, 2]]}, None),
        ("Igen", {"blocks": [[0, 4]], "thoughts": {"starts": [0, 5], "scores": [1, 1]}}, None),
    ],
    ids=["one block", "two", "no trace", "of a longer reply", "backwards", "a thought behind its end"],
)
def test_the_trace_that_the_offsets_are_of(reply, values, expected):
    item = Item.of({"task": "toybench_words", "qid": "1", "prediction": reply})
    assert Found(row(**values)).trace_of(item) == expected


SCORED = {"thoughts": {"starts": [0, 4], "scores": [0, 2]}}
REASONING = {"start": 0, "end": 4, "category": "Reasoning"}
FOUND = [
    ("a correct thought, and wrong", SCORED | {"verdict": INCORRECT}, {"regret"}),
    ("a correct thought, and right", SCORED | {"verdict": CORRECT}, set()),
    ("a correct thought, not judged", SCORED, set()),
    (
        "the right answer stood there",
        {"life": {"parts": [part(changes=1)], "regret": True}},
        {"regret_rule", "changed"},
    ),
    ("no trace", {"blocks": [], "truncated": True}, {"no_trace", "cut"}),
    ("counts", {"free": {"switches": 1, "translations": 2, "looping": True}}, {"switches", "translations", "looping"}),
    ("classes", {"segments": {"segments": [REASONING | SIMPLE]}}, {"simple", "transfer"}),
    ("others", {"segments": {"segments": [REASONING | MODIFIES]}}, {"complex", "modifies"}),
    ("of a Review", {"segments": {"segments": [REASONING | SIMPLE | {"category": "Review"}]}}, set()),
]


@pytest.mark.parametrize(("values", "expected"), [case[1:] for case in FOUND], ids=[case[0] for case in FOUND])
def test_findings(values, expected):
    bits = Found(row(**values)).bits
    assert {name for place, name in enumerate(FINDINGS) if bits >> place & 1} == expected


def test_marks_are_json_without_texts_of_the_trace():
    values = SCORED | {"free": {"language": "hu", "switches": 2}, "life": {"parts": [part(first=3)]}}
    told = json.dumps(marks(row(**values), "Mátyás király"))
    assert "király" not in told
