"""The forms of answers that a second turn asks for (`declare.Task.form`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.form import Form, list_of_blanks, one_of


def two_choice(doc: Mapping[str, Any]) -> Form:
    """HuProverbRea-2CQ: the number of an option."""
    return one_of(("1", "2"))


def matching(doc: Mapping[str, Any]) -> Form:
    """HuMatchingFIB: the blanks with option letters."""
    return list_of_blanks("answer")


def standard(doc: Mapping[str, Any]) -> Form:
    """HuStandardFIB: the blanks with words."""
    return list_of_blanks("answers")
