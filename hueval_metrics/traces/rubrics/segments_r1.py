"""Segments, as the paper has them made for DeepSeek-R1 (arXiv:2503.21500, Figures 32 and 33): the trace is copied."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict
from hueval_metrics.traces.segments import read
from hueval_metrics.traces.segments.classes import CATEGORIES

NAME = "segments_r1"
VERSION = 1
LABELS = ("SEGMENTED",)
PROMPT = {"system": text_beside(__file__, f"{NAME}.system"), "user": '{\n  "prediction": {trace}\n}'}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA = read.schema("segments", CATEGORIES, {"text": "string"})
REPLY_TOKENS = 8000
REPLY_SHARE = 1.1  # the texts, with keys and categories
MAX_TOKENS = LONG_REPLY = 16_384  # the longest reply of the paper's judge


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's messages. The trace is a JSON string: nothing in it can end its part.

    Args:
        doc: with `trace`.
        response: not looked at; it is the trace too.
    """
    user = fill(PROMPT["user"], {"trace": json_string(doc["trace"])})
    return [{"role": "system", "content": PROMPT["system"]}, {"role": "user", "content": user}]


def parse(reply: str, doc: Mapping[str, Any]) -> Verdict:
    """The segments in a reply, as `data`; see `read.segments_of`.

    >>> reply = '{"segments": [{"text": "So A.", "category": "Reasoning"}]}'
    >>> parse(reply, {"trace": "So A.\\n"}).data, parse(reply, {"trace": "So A. Or B?"}).error
    ([[0, 6, 'Reasoning', 'Reasoning']], 'unreadable: lost text: after segment 1 the text goes on with "Or B?"')
    """
    return read.verdict(partial(read.segments_of, reply, doc["trace"]), LABELS[0], reply, f"{NAME}/{VERSION}")


def correction(verdict: Verdict) -> str:
    """Where the texts of a reply part from the trace, and the form."""
    return read.correction(verdict, FORM)
