"""Conversion of scripts, and the marks of written Cantonese."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from hueval_metrics.text.script import is_cantonese, simplified
from tests.helpers import json_lines, load_cases, shared, why


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("我們的談判已經走到了死胡同", "我们的谈判已经走到了死胡同"),
        ("裏面嘅衞生", "里面嘅卫生"),  # Hong Kong's letters for 裡 and 衛
        ("我们的谈判", "我们的谈判"),  # is already
        ("K11, 3点。", "K11, 3点。"),
        ("", ""),
        ("個\0個\ud800", "个\ufffd个\ufffd"),  # what OpenCC drops, or fails on
    ],
)
def test_simplified(text, expected):
    assert simplified(text) == expected
    assert simplified(expected) == expected


@pytest.mark.parametrize("case", load_cases("cantonese"), ids=why)
def test_is_cantonese(case):
    assert is_cantonese(case["text"]) is case["is_cantonese"]


def test_most_of_a_corpus_of_cantonese_is_known():
    import pycantonese

    spoken = ["".join(token.word for token in one.tokens) for one in pycantonese.hkcancor().utterances()]
    sentences = [text for text in (re.sub(r"[^\u3400-\u9fff]", "", text) for text in spoken) if len(text) >= 12]
    assert len(sentences) > 4000
    assert sum(map(is_cantonese, sentences)) / len(sentences) > 0.97
    assert sum(is_cantonese(simplified(text)) for text in sentences) / len(sentences) > 0.92


def test_no_sentence_of_mandarin_is_cantonese():
    import opencc

    found = [text for name in ("HuProverbRea", "HuMatchingFIB", "HuStandardFIB") for text in _mandarin(name)]
    sentences = {part for text in found for part in re.split(r"[。！？\n]", text) if len(part) > 5}
    assert len(sentences) > 9000
    traditional = opencc.OpenCC("s2hk")
    for sentence in sentences:
        assert not is_cantonese(sentence), sentence
        assert not is_cantonese(traditional.convert(sentence)), sentence


def _mandarin(name: str) -> Iterator[str]:
    path = next(shared("data", "openhueval").rglob(f"{name}*.jsonl"))
    for row in json_lines(path):
        yield from _texts(row, is_mandarin=False)


def _texts(value: Any, *, is_mandarin: bool) -> Iterator[str]:
    if isinstance(value, dict):
        for key, one in value.items():
            yield from _texts(one, is_mandarin=is_mandarin or key.endswith("_zh"))
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one, is_mandarin=is_mandarin)
    elif isinstance(value, str) and is_mandarin:
        yield value
