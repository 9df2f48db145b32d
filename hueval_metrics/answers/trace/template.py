"""Whether the chat template opens the reasoning trace; then a reply has only a closing tag, or none if it was cut.

It is a property of the run. If the prompt is known (`hueval run`, samples of lm-eval), the end of the prompt shows it;
otherwise (chat APIs, plain predictions) it is inferred from all replies together.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextvars import ContextVar

from hueval_metrics.answers.trace.markers import SENTENCES
from hueval_metrics.answers.trace.marks import marks

# The template opened the trace if at least this share of all replies close a trace that they did not open, and more do
# so than open their own. Stray tags of a model that does not reason are far rarer.
CLOSED_SHARE = 0.2

_PROMPT_END = 400  # characters; more than the longest opening with the text that a template puts around it

_known: ContextVar[bool | None] = ContextVar("template_opens", default=None)


def template_opens(prompt: str) -> bool | None:
    r"""Whether a generation prompt ends inside a trace.

    Args:
        prompt: the prompt as sent, including the chat template.

    Returns:
        None if it ends in neither an opening nor a closing marker.

    >>> template_opens("<|im_start|>assistant\n<think>\n"), template_opens("assistant\n<think>\n\n</think>\n\n")
    (True, False)
    """
    end = prompt[-_PROMPT_END:].rstrip()
    if (found := marks(end)) and found[-1].end == len(end):
        return found[-1].kind == "open"
    last_line = end.rpartition("\n")[2]
    return True if any(form.opening.fullmatch(last_line) for form in SENTENCES) else None


def of_all(facts: Iterable[bool | None]) -> bool | None:
    """The common value of `template_opens` over all prompts of a run; None if they differ or there is none."""
    different = set(facts)
    return different.pop() if len(different) == 1 else None


def opened_by_shares(first_tags: Counter[str]) -> bool:
    """Whether the template opened the trace, inferred from the first tag of each reply (`marks.first_tag`).

    >>> opened_by_shares(Counter({"close": 59, "open": 1, "": 40}))
    True
    """
    return first_tags["close"] > first_tags["open"] and first_tags["close"] >= CLOSED_SHARE * first_tags.total()


def known() -> bool | None:
    """The value that `knowing` set for the replies that are being filtered; None if unset."""
    return _known.get()


@contextlib.contextmanager
def knowing(fact: bool | None) -> Iterator[None]:
    """A context in which filters know whether the template opens the trace; lm-eval passes them no prompts."""
    token = _known.set(fact)
    try:
        yield
    finally:
        _known.reset(token)
