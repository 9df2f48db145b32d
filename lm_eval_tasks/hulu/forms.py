"""The form of an answer that a second turn asks for (`declare.Task.form`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.form import Form, one_of
from lm_eval_tasks.hulu.corpora import CORPORA


def label(doc: Mapping[str, Any]) -> Form:
    """One of the words for the labels of a corpus."""
    return one_of(tuple(CORPORA[doc["task"]].words.values()))
