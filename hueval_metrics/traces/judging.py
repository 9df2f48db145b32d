"""One step of a judge over all traces: requests in, verdicts out, in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from hueval_metrics.judge.engine import judge_stream
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import UNREADABLE, Verdict

Request = tuple[Mapping[str, Any], str]  # what a rubric renders: its document, and the text


def reason_of(verdict: Verdict) -> str:
    """Why a verdict has no data: `unreadable`, `too long`, `not asked` or `no reply`.

    >>> reason_of(Verdict(error="unreadable: no score")), reason_of(Verdict(error="no such host (3 tries)"))
    ('unreadable', 'no reply')
    """
    known = (UNREADABLE, "too long", "not asked")
    return next((reason for reason in known if (verdict.error or "").startswith(reason)), "no reply")


@dataclass(frozen=True)
class Planned:
    """What the requests of one rubric will take, before any is sent; each a lowest and a highest number.

    Attributes:
        rubric: dotted path of the rubric's module.
        calls: number of requests.
        prompt_tokens, reply_tokens: of all of them.
    """

    rubric: str
    calls: tuple[float, float]
    prompt_tokens: tuple[float, float]
    reply_tokens: tuple[float, float]


@dataclass(frozen=True)
class Asking:
    """How the judge of all steps is asked.

    Attributes:
        settings: the judge.
        context: the most tokens of a request; one that is longer is not sent.
    """

    settings: JudgeSettings
    context: int = 128_000

    def ask(self, rubric: str, requests: Iterable[Request], total: int | None = None) -> Iterator[Verdict]:
        """The verdict on each request, in order.

        Args:
            rubric: dotted path of the rubric's module.
            requests: may be a generator; it is advanced in another thread.
            total: number of requests, where known.

        Yields:
            A verdict; one without `data` has `error`: the reply could not be read, none came, or the request is longer
            than the judge's context.
        """
        with closing(judge_stream(requests, rubric, self.settings, total)) as verdicts:
            yield from verdicts
