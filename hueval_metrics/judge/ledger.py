"""Who spends what: every call is reserved at the most that it could cost, so that the bill never exceeds the budget.

The bound is meant to hold, not to be close: a token of the prompt is at least a byte of the request, which is longer
than the prompt, and a reply has at most `max_tokens`, hidden reasoning included. The likely number of tokens would fit
more calls into the end of a budget, but a budget would then be a wish. What the bound costs is little: near the end
fewer calls go on at a time, and less than one bound stays unspent.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Lock

from hueval_metrics.judge.estimate import BYTES_PER_TOKEN_HU, dollars
from hueval_metrics.judge.prices import VARIABLE, Price, price_of
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import InputError, Usage
from hueval_metrics.text.one_line import one_line

# Tokens that no byte of the request accounts for: a chat template's marks, and the system prompt that some add.
TEMPLATE_TOKENS = 256

_Payee = tuple[str, Path | None, tuple[str, ...]]  # the model, the user's prices, the servers


def check_budget(settings: JudgeSettings) -> None:
    """Make sure that a budget can be kept, before anything is asked.

    Raises:
        InputError: there is a budget and a judge's price is unknown, or the user's prices are not usable.
    """
    if settings.budget_usd is None and settings.prices is None:
        return
    for model in (settings.panel or (settings.model,)) if settings.asks else ():
        if price_of(model, settings.prices, settings.base_urls) is None and settings.budget_usd is not None:
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


def _count(tokens: object) -> int | None:
    return tokens if isinstance(tokens, int) and tokens >= 0 else None


@dataclass(slots=True)
class _Account:
    """A model's price, and how much of our bound its server billed at most, 1 for no more than that."""

    price: Price | None
    overrun: float = 1.0


@dataclass(slots=True, eq=False)
class Reservation:
    """Money reserved for one call; made and closed by a `Ledger`.

    Attributes:
        usd: the most that the call can cost; 0 when the price is unknown.
        bound_usd: the same before what the server's earlier bills taught.
        account: the model's.
        prompt_bytes: length of the request's body.
        batch: whether it is billed as one of a batch.
        is_open: whether it still counts; only the first `settle`, `release` or `forfeit` closes it.
    """

    usd: float
    bound_usd: float
    account: _Account
    prompt_bytes: int
    batch: bool
    is_open: bool = True


class Ledger:
    """What is reserved, spent and at risk; any thread may use it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._accounts: dict[_Payee, _Account] = {}
        self._outstanding = 0
        self._reserved = self._spent = self._at_risk = 0.0

    @property
    def outstanding(self) -> int:
        """How many calls are reserved and not closed: while there are any, money may come back."""
        return self._outstanding

    @property
    def spent_usd(self) -> float:
        """Dollars for replies that came, as far as prices are known."""
        return self._spent

    @property
    def at_risk_usd(self) -> float:
        """Dollars at most for calls that may have been billed without a reply, or whose tokens nobody counted."""
        return self._at_risk

    def left_usd(self, settings: JudgeSettings) -> float | None:
        """Dollars of the budget that are neither spent nor at risk; None without a budget."""
        if settings.budget_usd is None:
            return None
        return max(0.0, settings.budget_usd - self._spent - self._at_risk)

    def stop_reason(self, settings: JudgeSettings) -> str:
        """Why a call was not made, in one line, when `reserve` refused it and nothing is outstanding."""
        risk = f", up to {dollars(self._at_risk)} more may be" if self._at_risk else ""
        return (
            f"a further call could exceed the budget of {dollars(settings.budget_usd or 0)} "
            f"(HUEVAL_JUDGE_BUDGET_USD): {dollars(self._spent)} is spent{risk}"
        )

    def reserve(
        self, model: str, prompt_bytes: int, max_tokens: int, settings: JudgeSettings, *, batch: bool = False
    ) -> Reservation | None:
        """Reserve the most that a call can cost.

        Args:
            model: the judge's model id.
            prompt_bytes: length of the request's body, which a schema in it makes longer too.
            max_tokens: the most that the reply may have, as the request says.
            settings: with the budget and the user's prices.
            batch: whether it is billed as one of a batch.

        Returns:
            None when it could exceed the budget together with all that is spent, at risk and reserved; never without a
            budget.

        Raises:
            InputError: there is a budget and the price of the model is unknown.
        """
        payee = (model, settings.prices, settings.base_urls)
        account = self._accounts.get(payee) or self._open(payee)
        price, budget = account.price, settings.budget_usd
        if price is None and budget is not None:
            raise _unknown_price(model)
        prompt = prompt_bytes + TEMPLATE_TOKENS
        bound = price.cost(prompt, max_tokens, batch, written_tokens=prompt) if price else 0.0
        with self._lock:
            usd = bound * account.overrun
            if budget is not None and self._spent + self._at_risk + self._reserved + usd > budget:
                return None
            self._reserved += usd
            self._outstanding += 1
        return Reservation(usd, bound, account, prompt_bytes, batch)

    def settle(
        self,
        reservation: Reservation,
        prompt_tokens: int | None,
        completion_tokens: int | None,
        *,
        cached_tokens: int = 0,
        written_tokens: int = 0,
        reply_bytes: int = 0,
        seconds: float = 0.0,
    ) -> Usage:
        """Close a call whose reply came.

        Args:
            reservation: what was reserved for it; open.
            prompt_tokens: as the server counted them; None or nonsense for our estimate.
            completion_tokens: likewise, hidden reasoning included.
            cached_tokens: how many of the prompt's came from the provider's cache.
            written_tokens: how many of the prompt's were written into it.
            reply_bytes: length of the reply, for our estimate.
            seconds: how long the call took.

        Raises:
            ValueError: the reservation is closed already.
        """
        prompt, completion = _count(prompt_tokens), _count(completion_tokens)
        is_counted = prompt is not None and completion is not None
        if prompt is None:
            prompt = round(reservation.prompt_bytes / BYTES_PER_TOKEN_HU)
        if completion is None:
            completion = round(reply_bytes / BYTES_PER_TOKEN_HU)
        account, price = reservation.account, reservation.account.price
        usd = price.cost(prompt, completion, reservation.batch, cached_tokens, written_tokens) if price else None
        with self._lock:
            if not self._close(reservation):
                raise ValueError("the reservation is closed already")
            if usd is not None:
                self._spent += usd
                if not is_counted:  # the bill may be anything up to the bound
                    self._at_risk += max(0.0, reservation.usd - usd)
                elif usd > reservation.bound_usd > 0:  # a hidden prompt, or a length that is not kept: no second time
                    account.overrun = max(account.overrun, usd / reservation.bound_usd)
        return Usage(1, prompt, completion, usd, seconds)

    def release(self, reservation: Reservation) -> None:
        """Close a call that was not billed (429, a refused connection); nothing happens when it is closed already."""
        with self._lock:
            self._close(reservation)

    def forfeit(self, reservation: Reservation) -> None:
        """Close a call that may have been billed (time-out, drop, 5xx); nothing happens when it is closed already.

        All that was reserved for it counts against the budget from now on.
        """
        with self._lock:
            if self._close(reservation):
                self._at_risk += reservation.usd

    def _open(self, payee: _Payee) -> _Account:
        price = price_of(*payee)  # reads a file: outside the lock
        with self._lock:
            return self._accounts.setdefault(payee, _Account(price))

    def _close(self, reservation: Reservation) -> bool:
        """Whether a reservation was open until now; the lock is held."""
        if not reservation.is_open:
            return False
        reservation.is_open = False
        self._outstanding -= 1
        # Nothing outstanding is nothing reserved, without the dust that a million additions leave.
        self._reserved = self._reserved - reservation.usd if self._outstanding else 0.0
        return True
