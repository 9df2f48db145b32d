"""Segments, as ranges of numbered paragraphs, so that a judge can rewrite nothing; with the definitions of Table 8."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict
from hueval_metrics.traces.segments import read
from hueval_metrics.traces.segments.classes import CATEGORIES
from hueval_metrics.traces.segments.paragraphs import paragraphs

NAME = "segments_numbered"
VERSION = 1
LABELS = ("SEGMENTED",)
PROMPT = {"system": text_beside(__file__, f"{NAME}.system"), "user": "{paragraphs}"}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA = read.schema("segments", CATEGORIES, {"from": "integer", "to": "integer"})
REPLY_TOKENS = 400
REPLY_SHARE = 0.05  # ranges in place of texts
MAX_TOKENS = 2048
LONG_REPLY = 8192  # of the ranges of 300 segments


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's messages. Paragraphs are JSON strings: nothing in one can end it.

    Args:
        doc: with `trace`.
        response: not looked at; it is the trace too.
    """
    trace = doc["trace"]
    starts = paragraphs(trace)
    texts = (trace[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True))
    lines = "\n".join(f"{number}: {json_string(text)}" for number, text in enumerate(texts, 1))
    user = fill(PROMPT["user"], {"paragraphs": lines})
    return [{"role": "system", "content": PROMPT["system"]}, {"role": "user", "content": user}]


def parse(reply: str, doc: Mapping[str, Any]) -> Verdict:
    """The segments in a reply, as `data`; see `read.ranges_of`.

    >>> reply = '{"segments": [{"from": 1, "to": 2, "category": "Reasoning"}]}'
    >>> parse(reply, {"trace": "So A.\\n\\nOr B?"}).data, parse(reply, {"trace": "A\\nB\\nC"}).error
    ([[0, 12, 'Reasoning', 'Reasoning']], 'unreadable: lost text: paragraphs 3 to 3 are in no segment')
    """
    return read.verdict(partial(read.ranges_of, reply, doc["trace"]), LABELS[0], reply, f"{NAME}/{VERSION}")


def correction(verdict: Verdict) -> str:
    """Where the ranges do not follow one another, and the form."""
    return read.correction(verdict, FORM)
