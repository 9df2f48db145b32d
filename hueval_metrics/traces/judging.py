"""One step of a judge over all traces: requests in, verdicts out, in order; and what the steps will cost."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from hueval_metrics.errors import InputError
from hueval_metrics.judge.engine import judge_stream
from hueval_metrics.judge.ledger import check_budget, ledger
from hueval_metrics.judge.prices import Price, dollars, price_of
from hueval_metrics.judge.progress import short
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.shutdown import ended
from hueval_metrics.judge.tokens import ACCURACY, TOO_LONG
from hueval_metrics.one_line import one_line
from hueval_metrics.records import UNREADABLE, Verdict

Request = tuple[Mapping[str, Any], str]  # what a rubric renders: its document, and the text
Note = TypeVar("Note")
Ends = tuple[float, float]  # the lowest and the highest number

CONTEXT = 128_000  # tokens; of gpt-4o, and of most servers' models
# Reasons why a step has no value of a reply, besides `unreadable` and `too long`.
NO_DOCUMENT, NOT_ASKED, NO_REPLY = "no document", "not asked", "no reply"
UNANSWERED = (NO_REPLY, NOT_ASKED)  # the reasons that asking again may clear: see `reason_of`

log = logging.getLogger(__name__)


def reason_of(verdict: Verdict) -> str:
    """Why a verdict has no data: `unreadable`, `too long`, `not asked` or `no reply`.

    >>> reason_of(Verdict(error="unreadable: no score")), reason_of(Verdict(error="no such host (3 tries)"))
    ('unreadable', 'no reply')
    """
    known = (UNREADABLE, TOO_LONG, NOT_ASKED)
    return next((reason for reason in known if (verdict.error or "").startswith(reason)), NO_REPLY)


@dataclass(frozen=True)
class Planned:
    """What the requests of one rubric will take, before any is sent; each a lowest and a highest number.

    Attributes:
        rubric: dotted path of the rubric's module.
        calls: number of requests.
        prompt_tokens, reply_tokens: of all of them.
    """

    rubric: str
    calls: Ends
    prompt_tokens: Ends
    reply_tokens: Ends

    def usd(self, price: Price, is_batch: bool) -> Ends:
        """The dollars of the fewest and of the most calls."""
        low, high = (
            calls and calls * price.cost(sent / calls, received / calls, batch=is_batch)
            for calls, sent, received in zip(self.calls, self.prompt_tokens, self.reply_tokens, strict=True)
        )
        return low, high


@dataclass(frozen=True)
class Asking:
    """How the judge of all steps is asked.

    Attributes:
        settings: the judge.
    """

    settings: JudgeSettings

    @property
    def context(self) -> int:
        """The most tokens of a request and its reply together; one that needs more is not sent."""
        return self.settings.context or CONTEXT

    def ask(self, rubric: str, requests: Iterable[Request], total: int | None = None) -> Iterator[Verdict]:
        """The verdict on each request, in order.

        Args:
            rubric: dotted path of the rubric's module.
            requests: may be a generator; it is advanced in another thread.
            total: number of requests, where known.

        Yields:
            A verdict; one without `data` has `error`, of which `reason_of` gives the kind.
        """
        settings = replace(
            self.settings,
            context=self.context,
            later="the same command",
            noun="answer",
        )
        with closing(judge_stream(requests, rubric, settings, total)) as verdicts:
            yield from verdicts

    def flag_self_judging(self, models: Iterable[str]) -> None:
        """Warn where the judge is a model whose traces it reads: judges prefer their own answers."""
        if self.settings.model in models:
            log.warning(
                "the judge is the model whose traces it reads (%s): judges prefer their own answers.",
                one_line(self.settings.model, 60),
            )

    def plan(self, planned: Sequence[Planned]) -> list[str]:
        """What the steps will take at most: a line for each rubric, and one for all.

        Replies in the cache are counted as calls, since what a later step asks is not known yet.

        Raises:
            InputError: the user's file of prices is not usable.
        """
        settings, model = self.settings, one_line(self.settings.model, 60)
        price = price_of(settings.model, settings.prices, settings.base_urls)
        costs = [one.usd(price, settings.mode == "batch") for one in planned] if price else None
        lines = [
            f"{rubric_id(load_rubric(one.rubric))}: {_range(one.calls, _whole)} calls to {model}, "
            f"about {_range(one.prompt_tokens, short)} tokens in, {_range(one.reply_tokens, short)} out, "
            f"{_range(costs[place], dollars) if costs else 'price unknown'}"
            for place, one in enumerate(planned)
        ]
        text = f"In all {_range(_sum(one.calls for one in planned), _whole)} calls"
        if price and costs:
            origin = f"prices of {price.as_of}" if price.as_of else "your prices"
            text += f", {_range(_sum(costs), dollars)} ± {ACCURACY} % ({origin})"
        text += "; what is in the cache costs nothing."
        if (left := ledger().left_usd(settings)) is not None:
            text += f" Of the budget {dollars(left)} is left; asking stops before it is exceeded."
        return [*lines, text]


def ask_noted(
    asking: Asking, rubric: str, requests: Iterable[tuple[Note, Request]], total: int | None = None
) -> Iterator[tuple[Note, Verdict]]:
    """What was noted of each request, such as the index of its reply, and its verdict; see `Asking.ask`."""
    notes: deque[Note] = deque()

    def sent() -> Iterator[Request]:
        for note, request in requests:
            notes.append(note)
            yield request

    for verdict in asking.ask(rubric, sent(), total):
        yield notes.popleft(), verdict


def asking_of(settings: JudgeSettings, steps: Sequence[str]) -> Asking:
    """The judge of some steps, checked before anything is read.

    The votes of a panel are combined by label or score, which a list of thoughts has not: its first judge is asked.

    Args:
        settings: of the environment.
        steps: the steps that ask, for messages.

    Raises:
        InputError: no judge can be asked, or a budget cannot be kept.
    """
    needs = f"--steps {','.join(steps)}"
    way_out = "Or leave it at --steps free, which makes no API calls"
    if not settings.asks:
        raise InputError(
            f"HUEVAL_JUDGE={settings.mode}: {needs} needs a judge that reads the traces. Comparing words does not do, "
            f"and no answer is left to a later command. Unset HUEVAL_JUDGE, or set it to batch. {way_out}"
        )
    if not settings.is_configured:
        raise InputError(
            f"{needs} asks a judge, and none is configured. Set HUEVAL_JUDGE_API_KEY or OPENAI_API_KEY, or "
            f"HUEVAL_JUDGE_BASE_URL for a server of your own. {way_out}"
        )
    if settings.is_default_model and (why := ended(settings)):
        raise InputError(f"{needs}: {why}")
    if settings.panel or settings.repeats > 1:
        log.warning("%s asks %s alone, and once: no panel reads a trace.", needs, one_line(settings.model, 60))
    alone = replace(settings.at(settings.model), repeats=1)
    check_budget(alone)
    return Asking(alone)


def _sum(ends: Iterable[Ends]) -> Ends:
    pairs = [*ends]
    return sum(low for low, _ in pairs), sum(high for _, high in pairs)


def _range(ends: Ends, shown: Callable[[float], str]) -> str:
    low, high = map(shown, ends)
    return low if low == high else f"{low} to {high}"


def _whole(number: float) -> str:
    return f"{number:,.0f}"
