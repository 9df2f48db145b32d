"""Replies to HuLU's prompts in the styles of today's models, written by hand and labelled before they were read."""

from __future__ import annotations

import pytest

from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.hooks import read_label
from tests.helpers import load_cases


@pytest.mark.parametrize("case", load_cases("label_replies"), ids=lambda case: f"{case['corpus']}-{case['answer']}")
def test_replies_that_give_one_answer(case):
    doc = {"task": case["corpus"], "prompt": 1, "label": None} | case["doc"]
    words = CORPORA[case["corpus"]].words
    read = {reply: words.get(read_label(doc, reply) or "") for reply in case["replies"]}
    assert {reply: word for reply, word in read.items() if word != case["answer"]} == {}
