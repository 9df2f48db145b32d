"""The form of an answer that a second turn asks for (`declare.Task.form`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.form import Form, one_of
from lm_eval_tasks.hkmmlu.documents import letters


def letter(doc: Mapping[str, Any]) -> Form:
    """The letter of a choice."""
    return one_of(letters(doc))
