"""Replies to fill-in questions of the packaged sample: each blank is read as a person reads it, or not at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import hf_datasets
from hueval_metrics.answers.blanks.blank import split_mark
from hueval_metrics.answers.blanks.options import option_texts, read_option
from hueval_metrics.answers.blanks.words import read_words
from hueval_metrics.answers.reasoning import strip_reasoning
from lm_eval_tasks.openhueval.family import FAMILY
from lm_eval_tasks.openhueval.hooks import matching_reading, standard_reading
from lm_eval_tasks.openhueval.metrics.fib import aligned
from tests.helpers import json_lines, load_cases, why

SAMPLE = Path(hf_datasets.__file__).parent / "openhueval" / "sample"
MATCHING = load_cases("matching_blanks")
STANDARD = load_cases("standard_blanks")
Said = list[str | None]


@cache
def docs(file: str) -> Mapping[str, dict[str, Any]]:
    """The first part of the qid → the row."""
    return {row["qid"][:8]: row for row in json_lines(SAMPLE / file)}


def letters(case: Mapping[str, Any]) -> Said:
    """The letter that is read for each blank of a question of HuMatchingFIB."""
    doc = docs("HuMatchingFIB.jsonl")[case["sample"]]
    reading = matching_reading(doc, strip_reasoning(case["response"]).response)
    texts = aligned(reading.value, [split_mark(mark) for mark in doc["answer"]], doc["question"])
    options = option_texts(doc["options"])
    read = [read_option(text, options, FAMILY.key) if text else () for text in texts]
    return [min(found, default=None) if len(found) < 2 else json.dumps(sorted(found)) for found in read]


def words(case: Mapping[str, Any]) -> Said:
    """The words that are read for each blank of a question of HuStandardFIB."""
    doc = docs("HuStandardFIB.jsonl")[case["sample"]]
    reading = standard_reading(doc, strip_reasoning(case["response"]).response)
    texts = aligned(reading.value, [split_mark(mark) for mark in doc["answers"]], "\n".join(doc["questions"]))
    spans = reading.spans or [None] * len(texts)
    return [read_words(text) or text if text and span else None for text, span in zip(texts, spans, strict=True)]


def said(case: Mapping[str, Any], read: Said) -> Said:
    """What a person reads: a letter or words a blank, `-` or null for none; null for no answer at all."""
    found = case["said"] or [None] * len(read)
    return [None if each in ("-", None) else each for each in found]


@pytest.mark.parametrize("case", MATCHING, ids=why)
def test_letters(case):
    assert letters(case) == said(case, letters(case))


@pytest.mark.parametrize("case", STANDARD, ids=why)
def test_words(case):
    assert words(case) == said(case, words(case))
