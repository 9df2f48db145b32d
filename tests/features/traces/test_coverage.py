from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hueval_metrics.traces.segments.coverage import Parting, bounds_of
from tests.helpers import load_cases, why


@pytest.mark.parametrize("case", load_cases("trace_coverage"), ids=why)
def test_bounds(case):
    found = bounds_of(case["trace"], case["texts"])
    if "bounds" in case:
        assert found == case["bounds"]
    else:
        assert isinstance(found, Parting)
        assert [found.segment, found.expected, found.came] == case["parts"]


@pytest.mark.parametrize(
    ("parting", "text"),
    [
        (Parting(2, "Two.", ""), 'after segment 1 the text goes on with "Two."'),
        (Parting(2, "", "More."), 'segment 2 goes on after the end of the text, with "More."'),
        (Parting(1, "A\n\nB", "A\nB"), 'segment 1 has "A\\nB" where the text has "A\\n\\nB"'),
    ],
)
def test_what_the_judge_is_told(parting, text):
    assert str(parting) == text


def test_a_message_stays_short():
    found = bounds_of("x" * 10**6, ["y" * 10**6])
    assert isinstance(found, Parting) and len(str(found)) < 250


# Words of letters, blanks and commands, with white space between them: a judge cuts between words.
WORDS = st.lists(st.text(st.characters(), max_size=8) | st.sampled_from(["\\boxed{A}", "\\n", '"A"', "#0#", "ő\u0301"]))


def escaped(text: str, times: int) -> str:
    for _ in range(times):
        text = json.dumps(text)[1:-1]
    return text


@given(WORDS, st.data(), st.integers(0, 2))
@example(["\\", "n"], None, 2)
def test_pieces_of_the_trace_are_found_however_often_they_are_escaped(words, data, times):
    trace = " ".join(words)
    joints = [match.start() for match in re.finditer(r"(?<=\S) (?=\S)", trace)]
    cuts = sorted(data.draw(st.sets(st.sampled_from(joints)))) if data and joints else []
    pieces = [trace[start:end] for start, end in zip([0, *cuts], [*cuts, None], strict=True)]
    found = bounds_of(trace, [escaped(piece.strip(), times) for piece in pieces])
    if not trace.strip():
        assert isinstance(found, Parting)
    elif isinstance(found, list):
        # An escaped line break of the trace itself is white space where it is at a joint.
        assert re.search(r"\\[nrtfu]", trace) or found == [0, *(cut + 1 for cut in cuts), len(trace)]
    else:
        assert times and "\\" in trace  # a backslash at the end of a piece: it is asked again, and nothing is lost


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=5))
def test_what_is_accepted_joins_to_the_trace(trace, texts):
    found = bounds_of(trace, texts)
    if isinstance(found, list):
        assert found[0] == 0 and found[-1] == len(trace) and found == sorted(found)
        assert "".join(trace[start:end] for start, end in pairwise(found)) == trace


@given(st.text(st.characters(categories=["L", "N", "P"]), min_size=1), st.integers(0), st.characters(categories=["L"]))
def test_no_changed_letter_is_accepted(trace, place, letter):
    place %= len(trace)
    changed = trace[:place] + letter + trace[place + 1 :]
    if changed != trace and "\\" not in trace:
        assert isinstance(bounds_of(trace, [changed]), Parting)
