"""Whether the chat template opens the reasoning trace: then a reply shows its end at most, and a cut one no tag at all.

It is a fact of the run, read off the end of the prompt where the prompt is known (`hueval run`, samples of lm-eval).
Where it is not (chat APIs, plain predictions), it is inferred from all replies together.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextvars import ContextVar

from hueval_metrics.answers.trace.markers import SENTENCES
from hueval_metrics.answers.trace.marks import marks

# Replies that close a trace they did not open: from this share of all on, and where they are more than those that open
# their own, the template opened it. A stray tag of a model that does not reason stays far below.
CLOSED_SHARE = 0.2

_PROMPT_END = 400  # characters; the longest opening, and what a template may put around it

_known: ContextVar[bool | None] = ContextVar("template_opens", default=None)


def template_opens(prompt: str) -> bool | None:
    r"""Whether a generation prompt ends inside a trace.

    Args:
        prompt: as it is sent, chat template included.

    Returns:
        None where it ends in neither an opening nor a closing marker.

    >>> template_opens("<|im_start|>assistant\n<think>\n"), template_opens("assistant\n<think>\n\n</think>\n\n")
    (True, False)
    """
    end = prompt[-_PROMPT_END:].rstrip()
    if (found := marks(end)) and found[-1].end == len(end):
        return found[-1].kind == "open"
    last_line = end.rpartition("\n")[2]
    return True if any(form.opening.fullmatch(last_line) for form in SENTENCES) else None


def of_all(facts: Iterable[bool | None]) -> bool | None:
    """What is known of a run, given what is known of each of its prompts; None where they differ."""
    different = set(facts)
    return different.pop() if len(different) == 1 else None


def opened_by_shares(first_tags: Counter[str]) -> bool:
    """Whether the template opened the trace, going by what the first tag of each reply does (`marks.first_tag`).

    >>> opened_by_shares(Counter({"close": 59, "open": 1, "": 40}))
    True
    """
    return first_tags["close"] > first_tags["open"] and first_tags["close"] >= CLOSED_SHARE * first_tags.total()


def known() -> bool | None:
    """What `knowing` says of the replies that are filtered now; None for nothing."""
    return _known.get()


@contextlib.contextmanager
def knowing(fact: bool | None) -> Iterator[None]:
    """While inside, filters know whether the template opens the trace; lm-eval hands them no prompts."""
    token = _known.set(fact)
    try:
        yield
    finally:
        _known.reset(token)
