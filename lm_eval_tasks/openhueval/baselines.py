"""Replies that know nothing: what a baseline answers to an OpenHuEval document without looking at its gold answers."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hueval_metrics.text.write_json import json_text

_MARK = re.compile(r"#\d+#")
_LETTER = re.compile(r"[A-Z]{1,2}(?=\.)")
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = re.compile(r"[^.?!…\s][^.?!…\n]*[.?!…]*")
_UNSURE = 50  # percent: a guess claims neither to know nor not to


def first(doc: Mapping[str, Any], rng: random.Random) -> str:
    """Always the first thing on offer: the first option, the first word or sentence of the text."""
    return _reply(doc, lambda choices: choices[0])


def at_random(doc: Mapping[str, Any], rng: random.Random) -> str:
    """Uniformly any of the things on offer: options, or words or sentences of the text."""
    return _reply(doc, rng.choice)


def _reply(doc: Mapping[str, Any], choose: Callable[[Sequence[str]], str]) -> str:
    if doc["task"] == "huproverbrea_2cq":
        return choose(("1", "2"))
    if doc["task"] == "humatchingfib":
        return _fill(doc["answer"], "answer", _letters(doc["options"]), choose)
    if doc["task"] == "hustandardfib":
        text = " ".join([doc["instruction"], *doc["questions"]])
        return _fill(doc["answers"], "answers", _WORD.findall(text), choose)
    if doc["task"] == "husimpleqa":
        word = choose(_WORD.findall(doc["question"]) or [doc["question"]])
        return json_text({"answer": word, "confidence_score": _UNSURE})
    text = doc["context"] if doc["task"] == "huproverbrea_oe" else doc["query"]
    return choose(_SENTENCE.findall(text) or [text])


def _letters(options: Sequence[str]) -> list[str]:
    return [match.group() for match in map(_LETTER.match, options) if match]


def _fill(gold: Sequence[str], key: str, choices: Sequence[str], choose: Callable[[Sequence[str]], str]) -> str:
    """A reply in the form asked for; of gold only the marks are used, since two questions print none of their own."""
    marks = [match.group() if (match := _MARK.match(answer)) else "" for answer in gold]
    return json_text({key: [mark + choose(choices) for mark in marks]})
