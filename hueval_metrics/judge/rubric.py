"""What a rubric is: how a response is put before the judge, and how the judge's reply is read."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from hueval_metrics.records import InputError, Verdict
from hueval_metrics.registry import rubrics

LONG_REPLY = 2048  # tokens: what a judge that reasons, or is wordy, may write unless the rubric says otherwise


class Rubric(Protocol):
    """What the module of a rubric has.

    Its scale is `LABELS`, the one first whose share is the headline score, or `LOWEST` and `HIGHEST`, the ends of whole
    scores. Optional:

    - `LONG_REPLY`: the limit of tokens after a reply was cut off at `MAX_TOKENS`.
    - `lexical(doc, response) -> str | None`: the label by a comparison of words, None without a reference
      (`judge.lexical`).
    - `DELIMITERS`: regular expressions, without regard to case and with `^` and `$` at each line, for the delimiters of
      its requests (`judge.suspicion`). Bound every repetition, so that they take linear time.
    - `NO_ANSWER`: the label of a response that gives no answer.
    - `WORDS`: label → other words for it that a human rater may write; compared without case, white space, `_` and `-`.
    - `RATER`: language (`hu`, `en`) → a paragraph for human raters on what the labels or scores mean.

    Attributes:
        NAME: its own name.
        VERSION: changes whenever it asks otherwise, or may read the same reply otherwise.
        PROMPT: role of a message → its text, before the values are filled in.
        FORM: a sentence that asks for the form of a readable reply, told to a judge that missed it.
        SCHEMA: the JSON schema of a reply, for servers that can hold a model to one; None for a reply in plain words.
        REPLY_TOKENS: about how many tokens a reply has, for the estimate of its price.
        MAX_TOKENS: how many it may have: room for a few words too many, not for a judge that reasons first.
        parse: `(reply) -> Verdict`, or `(reply, doc) -> Verdict` where the document says how to read it; one without
            label and score, and with `error`, when there is none to be read. Pure, and never raises. With a document
            it may use what `render` shows the judge, and nothing else: the same request has the same verdict.
    """

    NAME: str
    VERSION: int
    PROMPT: Mapping[str, str]
    FORM: str
    SCHEMA: Mapping[str, Any] | None
    REPLY_TOKENS: int
    MAX_TOKENS: int
    parse: Callable[..., Verdict]

    def render(self, doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
        """The chat messages that put a response before the judge."""


def load_rubric(name: str) -> Rubric:
    """A rubric by its name, or by the dotted path of its module.

    Raises:
        ImportError: there is none of this name.
        InputError: the module lacks something.
    """
    rubric: Any = importlib.import_module(rubrics().get(name, name))
    if lacking := [part for part in (*Rubric.__annotations__, "render") if not hasattr(rubric, part)]:
        raise InputError(f"{rubric.__file__}: a rubric needs {', '.join(lacking)}. Add it")
    found: Rubric = rubric
    return found


def rubric_id(rubric: Rubric) -> str:
    """Name and version of a rubric, such as `toyqa/1`."""
    return f"{rubric.NAME}/{rubric.VERSION}"


def long_reply(rubric: Rubric) -> int:
    """How many tokens a reply may have at most."""
    return int(getattr(rubric, "LONG_REPLY", LONG_REPLY))


def reads_document(rubric: Rubric) -> bool:
    """Whether the document says how a reply is to be read."""
    return len(inspect.signature(rubric.parse).parameters) > 1
