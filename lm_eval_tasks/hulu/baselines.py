"""Answers that know nothing of the texts: what a baseline says to a document of HuLU."""

from __future__ import annotations

import random as _random
from collections.abc import Mapping
from typing import Any

from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.hurc import candidates

# The commonest label of train, counted in the official files (hf_datasets/hulu/README.md).
COMMONEST = {
    "hucola": "1",
    "hucopa": "2",
    "hurte": "1",
    "husst": "positive",
    "huwnli": "0",
    "hucb": "neutral",
}


def first(doc: Mapping[str, Any], rng: _random.Random) -> str:
    """The word for the first label."""
    return _words(doc)[0]


def random(doc: Mapping[str, Any], rng: _random.Random) -> str:
    """The word for any label."""
    return rng.choice(_words(doc))


def majority(doc: Mapping[str, Any], rng: _random.Random) -> str:
    """The word for the commonest label of train."""
    return CORPORA[doc["task"]].words[COMMONEST[doc["task"]]]


def majority_choice(doc: Mapping[str, Any], rng: _random.Random) -> int:
    """The index of the commonest label of train."""
    return CORPORA[doc["task"]].labels.index(COMMONEST[doc["task"]])


def first_name(doc: Mapping[str, Any], rng: _random.Random) -> str:
    """HuRC: the first name of the article."""
    return candidates(doc)[0]


def random_name(doc: Mapping[str, Any], rng: _random.Random) -> str:
    """HuRC: any name of the article."""
    return rng.choice(candidates(doc))


def _words(doc: Mapping[str, Any]) -> list[str]:
    return list(CORPORA[doc["task"]].words.values())
