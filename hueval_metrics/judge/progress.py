"""What a user sees of a judging: the estimated cost before the first call, a progress bar, and the cost at the end."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from hueval_metrics.judge.ledger import Ledger
from hueval_metrics.judge.prices import Price, dollars, price_of
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.tokens import ACCURACY
from hueval_metrics.progress import Progress, duration
from hueval_metrics.records import Usage

_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def summary(name: str, model: str, used: Usage, *, cached: int, seconds: float) -> str:
    """What a judging cost, in one line.

    Args:
        name: what was judged, such as the rubric's name.
        model: the judge's model id.
        used: the paid calls and tokens.
        cached: how many verdicts came from the cache.
        seconds: from the first call to the last reply.

    >>> summary("toyqa", "gpt-4o", Usage(1093, 1_876_543, 21_312, 4.909), cached=200, seconds=65.4)
    'toyqa: 1,093 calls to gpt-4o, 1.88 M tokens in, 21.3 k out, $4.91; 200 cached, 65 s'
    """
    cost = "price unknown" if used.usd is None else dollars(used.usd)
    tokens = f"{short(used.prompt_tokens, 3)} tokens in, {short(used.completion_tokens, 3)} out"
    return f"{name}: {counted(used.calls, 'call')} to {model}, {tokens}, {cost}; {cached:,} cached, {duration(seconds)}"


def of_rank() -> str:
    """Which part of a run this process judges, to follow a name; empty where it judges all of it."""
    world = os.environ.get("WORLD_SIZE") or "1"
    return "" if world == "1" else f" (rank {os.environ.get('RANK', os.environ.get('LOCAL_RANK', '?'))} of {world})"


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "call"), counted(1093, "call")
    ('1 call', '1,093 calls')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def counts_of(faults: Mapping[str, int]) -> str:
    """How many attempts ended in which way, the most frequent first.

    >>> counts_of({"time-out": 3, "HTTP 429": 1200})
    '1,200 × HTTP 429, 3 × time-out'
    """
    return ", ".join(f"{n:,} × {kind}" for kind, n in sorted(faults.items(), key=lambda fault: -fault[1]))


def short(number: float, digits: int = 2) -> str:
    """A number of tokens for a message, to some significant digits.

    >>> short(1_876_543), short(21_312, 3), short(640)
    ('1.9 M', '21.3 k', '640')
    """
    for size, unit in _UNITS:
        if number >= size * (1 - 0.5 * 10**-digits):  # what rounds up to 1000 of a unit is 1 of the next
            return f"{number / size:.{digits}g} {unit}" if number < 99.5 * size else f"{number / size:.0f} {unit}"
    return f"{number:.0f}"


@dataclass(frozen=True)
class Estimate:
    """The estimated cost of a judging, extrapolated from the items that were read so far.

    Attributes:
        name: what is judged, such as the rubric's name.
        settings: with the judge's model, the mode and the user's prices.
        verdicts: number of items read.
        cached: how many of them are answered from the cache.
        calls: number of requests for the others; equal requests count once.
        prompt_tokens: of all these requests, by `tokens_in`.
        reply_tokens: of one reply, by the rubric, without hidden reasoning.
        is_all: whether all items have been read.
        total: number of all items; None when unknown.
    """

    name: str
    settings: JudgeSettings
    verdicts: int
    cached: int
    calls: int
    prompt_tokens: float
    reply_tokens: int
    is_all: bool = True
    total: int | None = None

    @cached_property
    def _price(self) -> Price | None:
        return price_of(self.settings.model, self.settings.prices, self.settings.base_urls)

    @property
    def usd(self) -> float | None:
        """The estimated dollars; None when the price is unknown. Raises InputError for an invalid file of prices."""
        if self._price is None:
            return None
        prompt_tokens = self.prompt_tokens / max(1, self.calls)
        per_call = self._price.cost(prompt_tokens, self.reply_tokens, batch=self.settings.mode == "batch")
        return self._scale * self.calls * per_call

    @property
    def _scale(self) -> float:
        return self.total / self.verdicts if self.total and self.verdicts and not self.is_all else 1.0

    def line(self, left_usd: float | None = None) -> str:
        """The estimate in one line.

        Args:
            left_usd: the rest of the budget in dollars; None without a budget.
        """
        counts = (self.verdicts, self.cached, self.calls, self.verdicts - self.cached - self.calls)
        verdicts, cached, calls, duplicates = (round(n * self._scale) for n in counts)
        least = "at least " if not self.is_all and self.total is None else ""
        text = (
            f"{self.name}: {least}{counted(verdicts, self.settings.noun)}, {cached:,} from the cache, "
            f"{counted(duplicates, 'duplicate') + ', ' if duplicates else ''}{counted(calls, 'call')}"
        )
        if not self.calls:
            return text
        sent, received = self.prompt_tokens * self._scale, self.reply_tokens * self.calls * self._scale
        text += f" to {self.settings.model}: about {short(sent)} tokens in, {short(received)} out"
        price, usd = self._price, self.usd
        if price is None or usd is None:
            text += ", price unknown"
        else:
            origin = f"prices of {price.as_of}" if price.as_of else "your prices"
            about = f" ± {ACCURACY} %" if usd else ""
            thought = " plus any hidden reasoning" if usd and price.reasons else ""
            text += f", {dollars(usd)}{about}{thought} ({origin})"
        if not self.is_all:
            text += f", judged by the first {self.verdicts:,}"
        if left_usd is not None and usd is not None and left_usd < usd:
            text += (
                f". Of the budget {dollars(left_usd)} is left: judging stops before it is exceeded, and "
                f"{self.settings.later} judges the rest later"
            )
        return text


class JudgeProgress:
    """The progress of a judging: done, rate, time left, errors and dollars. Closed by its `with` block.

    Args:
        total: number of verdicts; None when unknown.
        name: what is judged, such as the rubric's name.
        settings: with `quiet`, to show nothing, and the budget.
        ledger: with the spent dollars.

    Attributes:
        faults: how many attempts ended in which way; see `JudgeClient.faults`.
    """

    def __init__(self, total: int | None, name: str, settings: JudgeSettings, ledger: Ledger) -> None:
        self._errors, self._reported = 0, ""
        self.faults: Mapping[str, int] = {}
        self._settings, self._ledger = settings, ledger
        self._shown = Progress(f"Judging {name}", total, "verdicts", note=self._note, is_shown=not settings.quiet)

    def __enter__(self) -> JudgeProgress:
        self._shown.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._shown.__exit__(*error)

    def done(self, count: int = 1, *, is_error: bool = False) -> None:
        """Count verdicts; `is_error` counts one error among them."""
        self._errors += is_error
        self._shown.done(count)

    def report(self, text: str) -> None:
        """Show a text beside the numbers, in place of the last one."""
        self._reported = text

    def _note(self) -> str:
        budget = self._settings.budget_usd
        limit = "" if budget is None else f" of ${budget:.2f}"
        spent = f", ${self._ledger.spent_usd:.2f}{limit}" if self._ledger.spent_usd or limit else ""
        notes = [f"{counted(self._errors, 'error')}{spent}", counts_of(self.faults), self._reported]
        return ", ".join(filter(None, notes))
