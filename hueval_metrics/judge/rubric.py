"""What a rubric is: how a response is put before the judge, and how the judge's reply is read."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol

from hueval_metrics.records import Verdict
from hueval_metrics.registry import rubrics


class Rubric(Protocol):
    """What a module in `hueval_metrics.judge.rubrics` has.

    Attributes:
        NAME: its own name.
        VERSION: changes whenever it asks otherwise, or may read the same reply otherwise.
        FORM: a sentence that asks for the form of a readable reply, told to a judge that missed it.
        SCHEMA: the JSON schema of a reply, for servers that can hold a model to one; None for a reply in plain words.
        REPLY_TOKENS: about how many tokens a reply has, for the estimate of its price.
        MAX_TOKENS: how many it may have: room for a few words too many, not for a judge that reasons first.
    """

    NAME: str
    VERSION: int
    FORM: str
    SCHEMA: Mapping[str, Any] | None
    REPLY_TOKENS: int
    MAX_TOKENS: int

    def render(self, doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
        """The chat messages that put a response before the judge."""

    def parse(self, reply: str) -> Verdict:
        """The verdict in a reply; one without label and score, and with `error`, when there is none to be read."""


def load_rubric(name: str) -> Rubric:
    """A rubric by name.

    Raises:
        ImportError: there is none of this name.
    """
    rubric: Any = importlib.import_module(rubrics().get(name, f"hueval_metrics.judge.rubrics.{name}"))
    found: Rubric = rubric
    return found


def rubric_id(rubric: Rubric) -> str:
    """Name and version of a rubric, such as `husimpleqa/1`."""
    return f"{rubric.NAME}/{rubric.VERSION}"
