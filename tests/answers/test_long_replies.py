"""A runaway generation: the answer at the end of a reply of 100 kB is the one that counts."""

from __future__ import annotations

import pytest

from hueval_metrics.answers.blanks.parse import parse_blanks
from hueval_metrics.answers.confidence import stated_confidence
from hueval_metrics.answers.json_answer import find_answer
from hueval_metrics.answers.label import read_label
from hueval_metrics.answers.label_grammar import Labels
from hueval_metrics.answers.masked_name import read_masked_name
from lm_eval_tasks.openhueval.rubrics import husimpleqa, huwildbench
from tests.answers.test_choice import option
from tests.answers.test_letter_choice import read_letter

YES_OR_NO = Labels({"igen": ("helyes",), "nem": ("helytelen",)})
QUERY = "A vonatok tavasztól [MASK] közlekednek majd, mondta a miniszter."
MOUNTAINS = ("獅子山", "太平山", "大帽山", "鳳凰山")
FILLER = "\n" + "Ez itt csak szöveg, és így megy tovább. " * 3_000 + "\n"  # 120 kB


@pytest.mark.parametrize(
    ("read", "early", "late", "expected"),
    [
        (option, "Válasz: 1", "Válasz: 2", 2),
        (option, '{"answer": 1}', '{"answer": 2}', 2),
        (lambda reply: read_label(reply, YES_OR_NO).value, "Végső válasz: nem", "Végső válasz: igen", "igen"),
        (lambda reply: read_label(reply, YES_OR_NO).value, '{"label": "nem"}', '{"label": "igen"}', "igen"),
        (lambda reply: read_masked_name(reply, QUERY).value, "A válasz: Gödöllőre", "A válasz: Szegedre", "Szegedre"),
        (lambda reply: read_letter(reply, MOUNTAINS), "答案是A。", "答案是C。", "C"),
        (stated_confidence, "Confidence: 20", "Confidence: 80", (0.8, None)),
        (stated_confidence, '{"confidence_score": 20}', '{"confidence_score": 80}', (0.8, None)),
        (find_answer, '{"answer": ["#0#A"]}', '{"answer": ["#0#F"]}', ["#0#F"]),
        (lambda reply: parse_blanks(reply)[0].text, "#0# A", "#0# F", "F"),
        (lambda reply: husimpleqa.parse(reply).label, "INCORRECT", "Final evaluation: CORRECT", "CORRECT"),
        (lambda reply: huwildbench.parse(reply).score, "Score: 3 at first sight.", "Final score: 6", 6),
    ],
)
def test_the_end_decides(read, early, late, expected):
    assert read(f"{early}{FILLER}{late}") == expected
