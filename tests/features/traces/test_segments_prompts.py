"""The prompts of segments are the paper's, word for word."""

from __future__ import annotations

import re

import pytest

from hueval_metrics.traces.rubrics import segment_dimensions, segments_qwq, segments_r1
from tests.helpers import shared

# Lines that were corrected or completed, by how they begin in print.
CHANGED = {
    segments_r1: ('"prediction": ...', '"text": "First, the question', '"text": "Putting it all together'),
    segments_qwq: ("(2) I have this task to complete", "'text': \"In summary, my answers are"),
    segment_dimensions: ('"options": [...]', '"std_ans": [...]', '"model_ans": [...]', "'text': ...", "'Dimension"),
}


def words(text: str) -> str:
    return " ".join(text.replace('"', "'").split())


@pytest.mark.parametrize(
    ("rubric", "first", "last"),
    [
        (segments_r1, "Role:\nYou are a text segmentation", "Figure 33:"),
        (segments_qwq, "You are a semantic paragraph segmentation expert", "Figure 36: Prompt for QwQ reasoning"),
        (segment_dimensions, "Role\n\nYou are a text judgement", "Figure 38:"),
    ],
    ids=["r1", "qwq", "dimensions"],
)
def test_every_printed_line_is_in_the_prompt_in_order(rubric, first, last):
    paper = shared("papers", "openhueval.txt").read_text(encoding="utf-8")
    start = paper.index(first)
    printed = re.sub(r"^Figure \d+:.*$|^```$", "", paper[start : paper.index(last, start)], flags=re.MULTILINE)
    ours, at, lines = words(rubric.PROMPT.get("system") or rubric.PROMPT["user"]), 0, 0
    for line in printed.splitlines():
        line = re.sub(r"^- (?=\(?\d)|^ *- |\*\*", "", line.strip())
        line = re.sub(r"^(\d)\.(?=\w)", r"\1. ", line)
        if len(line) < 4 or line.startswith(CHANGED[rubric]):
            continue
        found = ours.find(words(line), at)
        assert found >= 0, line
        at, lines = found + 1, lines + 1
    assert lines > 30
