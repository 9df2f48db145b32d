"""The lm-eval filter that removes the reasoning trace of a reply.

`trace.markers` has the table of markers. A reply whose trace never ends has no answer and counts as truncated. If the
chat template opens the trace, the reply has at most a closing tag (`trace.template`).
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

from lm_eval.api.filter import Filter

from hueval_metrics.answers import reading
from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.answers.trace.split import split_reasoning
from hueval_metrics.answers.trace.template import known, opened_by_shares
from hueval_metrics.records import Filtered

VERSION = 3  # part of every signature; increase it when an answer is cut differently

log = logging.getLogger(__name__)


def strip_reasoning(text: str, final_answer: bool = True, opened: bool = False) -> Filtered:
    r"""A reply without its reasoning trace; see `split_reasoning` for the arguments and the definition of a trace.

    >>> strip_reasoning("<think>1 vagy 2?</think>\n\nA válasz: 2").response
    'A válasz: 2'
    >>> strip_reasoning("<think>1 vagy 2? Lássuk")
    Filtered(response='', truncated=True, verdict=None, second=None)
    """
    split = split_reasoning(text, final_answer, opened)
    return Filtered(split.response, split.truncated)


class StripReasoning(Filter):
    """The lm-eval filter, used after `take_first`: one `Filtered` as a JSON string for each document.

    The raw reply stays in the logged samples (`resps`), where lm-eval keeps it beside the output of the filters.

    Args:
        final_answer: see `strip_reasoning`.
    """

    def __init__(self, final_answer: bool = True) -> None:
        self.final_answer = final_answer

    def apply(self, resps: Iterable[Any], docs: Iterable[Any]) -> list[str]:
        """Strip each reply. Never raises, as an exception in a filter loses the whole run.

        If `template.knowing` does not set whether the chat template opens the trace, it is inferred from these replies.

        Args:
            resps: one reply per document. A back end may return None for an empty reply, which counts as truncated.
            docs: the documents; not used.

        Returns:
            One JSON string per document, in order.
        """
        texts = [resp if isinstance(resp, str) else "" for resp in resps]
        opened = known()
        if opened is None:
            tags = Counter(map(first_tag, texts))
            opened = opened_by_shares(tags)
            if tags["close"] and tags[""]:
                _warn_if_ranks_decide()
        return [self.strip(text, opened).to_json() for text in texts]

    def strip(self, text: str, opened: bool) -> Filtered:
        """Strip one reply; see `strip_reasoning`."""
        return strip_reasoning(text, self.final_answer, opened)


def _warn_if_ranks_decide() -> None:
    """Warn, in the first process of several, that each process infers from its own replies only."""
    if os.environ.get("WORLD_SIZE", "1") != "1" and os.environ.get("RANK", "0") == "0":
        log.warning(
            "it is not known whether the chat template opens the reasoning trace, so each of %s processes infers it "
            "from its own replies: truncated_rate may differ from one process. `hueval score` uses all replies.",
            os.environ["WORLD_SIZE"],
        )


def handling(final_answer: bool = True) -> str:
    """How traces are handled and answers read, for the signature.

    >>> handling(), handling(final_answer=False)
    ('strip/3,read/1', 'strip/3,read/1,final_answer=False')
    """
    return f"strip/{VERSION},read/{reading.VERSION}" + ("" if final_answer else ",final_answer=False")
