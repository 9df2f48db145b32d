"""Reasoning filter: the answer without the trace that reasoning models write before it.

The markers are a table of their own (`trace.markers`). A trace that never ends leaves no answer and counts as
truncated. Where the chat template opens the trace, a reply shows its end at most (`trace.template`).
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

from lm_eval.api.filter import Filter

from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.answers.trace.split import split_reasoning
from hueval_metrics.answers.trace.template import known, opened_by_shares
from hueval_metrics.records import Filtered

VERSION = 2  # stands in every signature; rises when an answer is cut differently

log = logging.getLogger(__name__)


def strip_reasoning(text: str, final_answer: bool = True, opened: bool = False) -> Filtered:
    r"""A reply without its reasoning trace; the arguments, and what counts as trace, are those of `split_reasoning`.

    >>> strip_reasoning("<think>1 vagy 2?</think>\n\nA válasz: 2").response
    'A válasz: 2'
    >>> strip_reasoning("<think>1 vagy 2? Lássuk")
    Filtered(response='', truncated=True, verdict=None)
    """
    split = split_reasoning(text, final_answer, opened)
    return Filtered(split.response, split.truncated)


class StripReasoning(Filter):
    """The lm-eval filter: after `take_first`, one `Filtered` as a JSON string a document.

    The raw reply stays in the logged samples (`resps`): lm-eval keeps it beside what the filters return.

    Args:
        final_answer: see `strip_reasoning`.
    """

    def __init__(self, final_answer: bool = True) -> None:
        self.final_answer = final_answer

    def apply(self, resps: Iterable[Any], docs: Iterable[Any]) -> list[str]:
        """Strip each reply. Never raises, as an exception in a filter loses the whole run.

        Where it is not known whether the chat template opens the trace (`template.knowing`), it is inferred from these
        replies.

        Args:
            resps: one reply a document. A back end may give None for an empty one: nothing came, so it is truncated.
            docs: the documents; not used.

        Returns:
            One JSON string a document, in order.
        """
        texts = [resp if isinstance(resp, str) else "" for resp in resps]
        opened = known()
        if opened is None:
            tags = Counter(map(first_tag, texts))
            opened = opened_by_shares(tags)
            if tags["close"] and tags[""]:
                _say_where_ranks_decide()
        return [self.strip(text, opened).to_json() for text in texts]

    def strip(self, text: str, opened: bool) -> Filtered:
        """Strip one reply; see `strip_reasoning`."""
        return strip_reasoning(text, self.final_answer, opened)


def _say_where_ranks_decide() -> None:
    """Warn that each process of a run infers it from its own replies; once, in the first process."""
    if os.environ.get("WORLD_SIZE", "1") != "1" and os.environ.get("RANK", "0") == "0":
        log.warning(
            "whether the chat template opens the reasoning trace is not known here, and each of %s processes goes by "
            "its own replies: truncated_rate may differ from one process. `hueval score` goes by all replies.",
            os.environ["WORLD_SIZE"],
        )


def handling(final_answer: bool = True) -> str:
    """How traces are handled, as a part of a signature.

    >>> handling(), handling(final_answer=False)
    ('strip/2', 'strip/2,final_answer=False')
    """
    return f"strip/{VERSION}" + ("" if final_answer else ",final_answer=False")
