"""The interface of a rubric: the request for a verdict on a response, and the parser of the judge's reply."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol

from hueval_metrics.errors import InputError
from hueval_metrics.judge.tokens import tokens_in
from hueval_metrics.records import Verdict
from hueval_metrics.registry import rubrics

LONG_REPLY = 2048  # tokens: default limit for a judge that reasons or is wordy


class Rubric(Protocol):
    """The attributes of a rubric's module.

    Its scale is `LABELS`, the one first whose share is the headline score, or `LOWEST` and `HIGHEST`, the ends of whole
    scores. Optional:

    - `LONG_REPLY`: the limit of tokens after a reply was cut off at `MAX_TOKENS`.
    - `REPLY_SHARE`: length of a reply as a share of what fills the `PROMPT`, where it grows with that; for the estimate
      instead of `REPLY_TOKENS`.
    - `correction(verdict) -> str`: what to write instead of `FORM` after a reply that gave this verdict with an
      error, such as where the error lies. Pure, and never raises.
    - `lexical(doc, response) -> str | None`: the label by a comparison of words, None without a reference
      (`judge.lexical`).
    - `DELIMITERS`: regular expressions, without regard to case and with `^` and `$` at each line, for the delimiters of
      its requests (`judge.suspicion`). Bound every repetition, so that they take linear time.
    - `LETTERS`: letter → the label that it stands for, where a judge may reply with one.
    - `NO_ANSWER`: the label of a response that gives no answer.
    - `WORDS`: label → other words for it that a human rater may write; compared without case, white space, `_` and `-`.
    - `SAME_REQUESTS_SINCE`: the first version with the same requests as today: verdicts by that one and later ones are
      taken over from earlier results, their replies parsed again. Without it only those by `VERSION` are.
    - `RATER`: language → a paragraph for human raters on what the labels or scores mean.

    Attributes:
        NAME: its own name.
        VERSION: increased with every change of the request, or of the parser.
        PROMPT: role of a message → its template.
        FORM: a sentence that asks for a readable reply, added when a reply could not be parsed.
        SCHEMA: the JSON schema of a reply, for servers with structured output; None for a reply in plain text.
        REPLY_TOKENS: approximate length of a reply, for the estimate of its price.
        MAX_TOKENS: limit of a reply: room for a few words too many, not for a judge that reasons first.
        parse: `(reply) -> Verdict`, or `(reply, doc) -> Verdict` if the document is needed to read it. An unreadable
            reply gives a verdict with `error` and neither label nor score. Pure, and never raises. It may only use the
            fields of the document that `render` shows the judge: the same request has the same verdict.
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
        """The chat messages that ask the judge for a verdict on a response."""


def load_rubric(name: str) -> Rubric:
    """A rubric by its name, or by the dotted path of its module.

    Raises:
        ImportError: there is no such rubric.
        InputError: the module lacks an attribute.
    """
    rubric: Any = importlib.import_module(rubrics().get(name, name))
    if lacking := [part for part in (*Rubric.__annotations__, "render") if not hasattr(rubric, part)]:
        raise InputError(f"{rubric.__file__}: a rubric needs {', '.join(lacking)}. Add it")
    found: Rubric = rubric
    return found


def rubric_id(rubric: Rubric) -> str:
    """Name and version of a rubric, such as `toyqa/1`."""
    return f"{rubric.NAME}/{rubric.VERSION}"


def same_requests(rubric: Rubric) -> set[str]:
    """Names and versions of a rubric, older than today's, with the same requests."""
    since = getattr(rubric, "SAME_REQUESTS_SINCE", rubric.VERSION)
    return {f"{rubric.NAME}/{version}" for version in range(since, rubric.VERSION)}


def task_beside(rubric: str, task: str) -> str:
    """How messages name a task beside its rubric: as it is; empty where the rubric has the task's name.

    >>> task_beside("some.rubrics.toyqa", "toy_toyqa"), task_beside("toyqa", "capitals")
    ('', 'capitals')
    """
    return "" if task.endswith(rubric.rpartition(".")[2]) else task


def is_of_another(verdict: object, rubric: str) -> bool:
    """Whether a verdict, as read from a log, counts under another rubric than the named one, in whichever version.

    Each rubric defines labels such as `CORRECT` in its own way, so such a verdict says nothing here. One that names no
    rubric is taken as it is.

    >>> is_of_another({"label": "YES", "rubric": "quiz/2"}, "toyqa")
    True
    >>> is_of_another({"label": "YES", "rubric": "toyqa/1"}, "toyqa"), is_of_another({"label": "YES"}, "toyqa")
    (False, False)
    """
    read = Verdict.from_json(verdict)
    return read is not None and read.is_given and read.rubric.partition("/")[0] not in ("", rubric)


def long_reply(rubric: Rubric) -> int:
    """The highest limit of a reply's tokens."""
    return int(getattr(rubric, "LONG_REPLY", LONG_REPLY))


def reply_tokens(rubric: Rubric, requests: Collection[bytes]) -> int:
    """The approximate length of a reply to one of some requests, for the estimate of their price."""
    share = getattr(rubric, "REPLY_SHARE", None)
    if share is None or not requests:
        return rubric.REPLY_TOKENS
    prompt = sum(tokens_in(text.encode()) for text in rubric.PROMPT.values())
    return round(share * max(0.0, sum(map(tokens_in, requests)) / len(requests) - prompt))


def reads_document(rubric: Rubric) -> bool:
    """Whether `parse` needs the document."""
    return len(inspect.signature(rubric.parse).parameters) > 1
