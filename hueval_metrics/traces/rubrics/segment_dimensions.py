"""The class of each Reasoning segment in four dimensions (arXiv:2503.21500, Figures 37 and 38)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict
from hueval_metrics.traces.segments import read

NAME = "segment_dimensions"
VERSION = 1
LABELS = ("CLASSIFIED",)
PROMPT = {
    "system": text_beside(__file__, f"{NAME}.system"),
    "user": (
        '{\n  "options": [{options}],\n  "std_ans": [{std_ans}],\n  "model_ans": [{model_ans}],\n'
        '  "segments": [{segments}\n  ]\n}'
    ),
}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA: Mapping[str, Any] | None = None  # a strict one would demand classes of every segment
REPLY_TOKENS = 9000
REPLY_SHARE = 1.2  # the texts, with their classes
MAX_TOKENS = LONG_REPLY = 16_384  # as of `segments_r1`: the form repeats the texts


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's messages. All values are JSON strings: nothing in them can end its part.

    Args:
        doc: with the lists of texts `options`, `std_ans` and `model_ans`, and `segments`: `text` and `category` each.
        response: not looked at; its answers are `model_ans`.
    """
    values = {name: _strings(doc[name]) for name in ("options", "std_ans", "model_ans")}
    segments = (
        f'\n    {{\n      "text": {json_string(one["text"])},\n      "category": {json_string(one["category"])}\n    }}'
        for one in doc["segments"]
    )
    user = fill(PROMPT["user"], {**values, "segments": ",".join(segments)})
    return [{"role": "system", "content": PROMPT["system"]}, {"role": "user", "content": user}]


def parse(reply: str, doc: Mapping[str, Any]) -> Verdict:
    """The classes in a reply, as `data`; see `read.classes_of`.

    >>> reply = '{"segments": [{"text": "So A.", "category": "Review"}]}'
    >>> parse(reply, {"segments": [{"text": "So A.", "category": "Review"}]}).data
    [None]
    """
    categories = [segment["category"] for segment in doc["segments"]]
    return read.verdict(partial(read.classes_of, reply, categories), LABELS[0], reply, f"{NAME}/{VERSION}")


def correction(verdict: Verdict) -> str:
    """What was wrong with a reply, and the form."""
    return read.correction(verdict, FORM)


def _strings(texts: Sequence[str]) -> str:
    return ", ".join(map(json_string, texts))
