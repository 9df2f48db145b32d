"""The translation in a reply: literal replies, and what holds for any."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.translated import read_translation
from tests.helpers import load_cases, why
from tests.linear import repeated, slower_than_linear

LINES = {
    "zh": ("请你将以下嘅粤语翻成普通话。直接输出译咗嘅句子,唔使解释或者其他批注。", "問題: {input}", "答案:"),
    "yue": ("请将以下普通话翻译为粤语白话文。直接输出翻译过的句子,不需要解释或其他注释。", "問題: {input}", "答案:"),
}
_PIECES = (
    "翻譯：",
    "原文：",
    "註：",
    "我哋去睇戲。",
    "我們去看電影。",
    "**",
    "「",
    "」",
    "\n",
    "\n\n",
    "```\n",
    "(",
    ")",
    "1. ",
    "答案:",
    "a: ",
)


@pytest.mark.parametrize("case", load_cases("translated"), ids=why)
def test_read_translation(case):
    language = case["language"]
    assert read_translation(case["reply"], case["source"], language, LINES[language]) == case["said"]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(_PIECES), max_size=12).map("".join)))
def test_nothing_is_invented(reply):
    said = read_translation(reply, "我哋去睇戲。", "zh", LINES["zh"])
    assert said == said.strip()
    rows = [row.strip() for row in reply.splitlines()]
    assert all(any(line.strip() in row for row in rows) for line in said.splitlines() if line.strip())


@given(st.text("我們去看電影，。！？ab12 ", min_size=1, max_size=40))
def test_a_plain_sentence_is_itself(sentence):
    assert read_translation(sentence, "我哋去睇戲。", "zh", LINES["zh"]) == sentence.strip()


@pytest.mark.slow
def test_a_long_reply_is_read_in_linear_time():
    def read(text):
        reply = f"我們去看電影。\n\n{text}"
        assert read_translation(reply, "我哋去睇戲。", "zh", LINES["zh"]) == "我們去看電影。"

    assert not slower_than_linear(read, repeated(["我哋", "「", "註：\n", "（註", "(a b", "原文：x 譯文", "問題: x\n"]))
