"""The budget: the most that a call can cost is reserved before it is made, so that the bill never exceeds the budget.

The reserved amount is an upper bound, not an estimate: a token of the prompt is at least one byte of the request, which
is longer than the prompt, and a reply has at most `max_tokens`, hidden reasoning included. That costs little: near the
end of the budget fewer calls run at a time, and less than one bound stays unspent. A server that bills more than the
bound raises the bound of all its calls, those in flight included.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from hueval_metrics.errors import InputError
from hueval_metrics.judge.completion import Completion
from hueval_metrics.judge.prices import VARIABLE, Price, dollars, price_of
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.judge.tokens import BYTES_PER_TOKEN_HU
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Usage

# Prompt tokens beyond the bytes of the request: the special tokens of a chat template, and a default system prompt.
TEMPLATE_TOKENS = 256

_Payee = tuple[str, Path | None, tuple[str, ...]]  # the model, the user's prices, the servers


def check_budget(settings: JudgeSettings) -> None:
    """Check before the first call that a budget can be kept.

    Raises:
        InputError: there is a budget and a judge's price is unknown, or the user's prices are not usable.
    """
    if settings.budget_usd is None and settings.prices is None:
        return
    for part in settings.by_server if settings.asks else ():
        for model in part.models:
            if price_of(model, part.prices, part.base_urls) is None and part.budget_usd is not None:
                raise _unknown_price(model)


@cache
def ledger() -> Ledger:
    """The ledger of this process."""
    return Ledger()


def _unknown_price(model: str) -> InputError:
    name = one_line(model, 60)
    return InputError(
        f"HUEVAL_JUDGE_BUDGET_USD: the price of {name} is unknown, so no budget can be kept. Set {VARIABLE} to a YAML "
        f'file with dollars per million tokens: "{name}": {{input: …, output: …}}, 0 for a server of your own'
    )


@dataclass(slots=True)
class _Account:
    """The calls to one model at the same servers.

    Attributes:
        price: None when it is unknown.
        overrun: the highest ratio of a bill to its bound so far, at least 1.
        reserved_usd: the sum of `bound_usd` of the open reservations.
    """

    price: Price | None
    overrun: float = 1.0
    reserved_usd: float = 0.0


@dataclass(slots=True, eq=False)
class Reservation:
    """Dollars reserved for one call; made and closed by a `Ledger`.

    Attributes:
        bound_usd: the most that the call can cost by its length; 0 when the price is unknown.
        account: the account of its model.
        prompt_bytes: length of the request's body.
        batch: whether it is billed at the price of a batch.
        is_open: whether it still counts; only the first `settle`, `release` or `forfeit` closes it.
    """

    bound_usd: float
    account: _Account
    prompt_bytes: int
    batch: bool
    is_open: bool = True

    @property
    def usd(self) -> float:
        """The reserved dollars: the bound, times the overrun that the server's bills have shown by now."""
        return self.bound_usd * self.account.overrun


class Ledger:
    """The reserved, spent and possibly billed dollars of this process; thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._accounts: dict[_Payee, _Account] = {}
        self._outstanding = 0
        self._spent = self._at_risk = 0.0

    @property
    def outstanding(self) -> int:
        """The number of open reservations; closing one may free a part of the budget."""
        return self._outstanding

    @property
    def spent_usd(self) -> float:
        """Dollars for replies that came, where the price is known."""
        return self._spent

    @property
    def at_risk_usd(self) -> float:
        """The most dollars that calls without a reply, or without a token count, may have been billed."""
        return self._at_risk

    def left_usd(self, settings: JudgeSettings) -> float | None:
        """Dollars of the budget that are neither spent nor at risk; None without a budget."""
        if settings.budget_usd is None:
            return None
        return max(0.0, settings.budget_usd - self._spent - self._at_risk)

    def stop_reason(self, settings: JudgeSettings) -> str:
        """Why `reserve` refused a call while nothing was outstanding, in one line."""
        risk = f", up to {dollars(self._at_risk)} more may be" if self._at_risk else ""
        return (
            f"a further call could exceed the budget of {dollars(settings.budget_usd or 0)} "
            f"(HUEVAL_JUDGE_BUDGET_USD): {dollars(self._spent)} is spent{risk}"
        )

    def reserve(
        self, model: str, prompt_bytes: int, max_tokens: int, settings: JudgeSettings, *, batch: bool = False
    ) -> Reservation | None:
        """Reserve the most dollars that a call can cost.

        Args:
            model: the judge's model id.
            prompt_bytes: length of the request's body.
            max_tokens: the longest reply that the request allows.
            settings: with the budget and the user's prices.
            batch: whether it is billed at the price of a batch.

        Returns:
            None when the call could exceed the budget, together with all that is spent, at risk and reserved.

        Raises:
            InputError: there is a budget and the price of the model is unknown.
        """
        payee = (model, settings.prices, settings.base_urls)
        account = self._accounts.get(payee) or self._open(payee)
        price, budget = account.price, settings.budget_usd
        if price is None and budget is not None:
            raise _unknown_price(model)
        prompt = prompt_bytes + TEMPLATE_TOKENS
        # What is written into the provider's cache may cost more than plain input, or less.
        bound = max(price.cost(prompt, max_tokens, batch, written_tokens=n) for n in (0, prompt)) if price else 0.0
        with self._lock:
            if budget is not None:
                reserved = sum(each.reserved_usd * each.overrun for each in self._accounts.values())
                if self._spent + self._at_risk + reserved + bound * account.overrun > budget:
                    return None
            account.reserved_usd += bound
            self._outstanding += 1
        return Reservation(bound, account, prompt_bytes, batch)

    def settle(self, reservation: Reservation, found: Completion, seconds: float = 0.0) -> Usage:
        """Close the reservation of a call whose reply came; tokens that the server did not count are estimated.

        Args:
            reservation: an open reservation.
            found: the reply, with its tokens.
            seconds: how long the call took.

        Raises:
            ValueError: the reservation is closed already.
        """
        prompt, completion = found.prompt_tokens, found.completion_tokens
        if prompt is None:
            prompt = round(reservation.prompt_bytes / BYTES_PER_TOKEN_HU)
        if completion is None:
            completion = round(len(found.content) / BYTES_PER_TOKEN_HU)
        account, price, usd = reservation.account, reservation.account.price, None
        if price is not None:
            usd = price.cost(prompt, completion, reservation.batch, found.cached_tokens, found.written_tokens)
        with self._lock:
            if not self._close(reservation):
                raise ValueError("the reservation is closed already")
            if usd is not None:
                self._spent += usd
                if found.prompt_tokens is None or found.completion_tokens is None:  # the bill is at most the bound
                    self._at_risk += max(0.0, reservation.usd - usd)
                elif usd > reservation.bound_usd > 0:  # a hidden prompt, or a reply longer than `max_tokens`
                    account.overrun = max(account.overrun, usd / reservation.bound_usd)
        return Usage(1, prompt, completion, usd, seconds)

    def release(self, reservation: Reservation) -> None:
        """Close the reservation of a call that was not billed (429, a refused connection), unless it is closed."""
        with self._lock:
            self._close(reservation)

    def forfeit(self, reservation: Reservation) -> None:
        """Close the reservation of a call that may have been billed (time-out, lost connection), unless it is closed.

        The reserved dollars count against the budget from now on.
        """
        with self._lock:
            if self._close(reservation):
                self._at_risk += reservation.usd

    def _open(self, payee: _Payee) -> _Account:
        price = price_of(*payee)  # reads a file: outside the lock
        with self._lock:
            return self._accounts.setdefault(payee, _Account(price))

    def _close(self, reservation: Reservation) -> bool:
        """Close a reservation under the lock; returns whether it was open."""
        if not reservation.is_open:
            return False
        reservation.is_open = False
        self._outstanding -= 1
        reservation.account.reserved_usd -= reservation.bound_usd
        if not self._outstanding:  # remove the rounding error of many additions
            for account in self._accounts.values():
                account.reserved_usd = 0.0
        return True
