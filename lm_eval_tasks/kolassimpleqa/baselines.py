"""Replies that know nothing: what a baseline answers to a question without looking at its reference."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from hueval_metrics.text.write_json import json_text

_WORD = re.compile(r"[^\W\d_]{2,}")
_UNSURE = 50  # percent: a guess claims neither to know nor not to


def first(doc: Mapping[str, Any], rng: random.Random) -> str:
    """Always the first word of the question."""
    return _reply(_words(doc)[0])


def at_random(doc: Mapping[str, Any], rng: random.Random) -> str:
    """Any word of the question."""
    return _reply(rng.choice(_words(doc)))


def _words(doc: Mapping[str, Any]) -> list[str]:
    return _WORD.findall(doc["question"]) or [doc["question"]]


def _reply(word: str) -> str:
    return json_text({"answer": word, "confidence_score": _UNSURE})
