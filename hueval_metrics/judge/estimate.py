"""What a judging will take, said before the first call, and what it took, said after the last."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hueval_metrics.judge.prices import Price, price_of
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage

# gpt-4o's tokenizer has 4.38 characters of English in a token and 2.66 of Hungarian (aihirfolyam.hu, May 2024, on a
# million words of each). 9.5 % of the characters of Hungarian text are no ASCII and have two bytes; counting these
# tells the languages apart: 1 / 2.66 = 1 / 4.38 + 0.095 * 1.55, by bytes 1 / 4.38 each and 1.33 for each second one.
BYTES_PER_TOKEN_EN = 4.38
TOKENS_PER_SECOND_BYTE = 1.33
BYTES_PER_TOKEN_HU = 2.9  # where nothing but a length is known
ACCURACY = 30  # percent, plus or minus: texts that are no prose, other tokenizers
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


def tokens_in(text: bytes) -> float:
    """About how many tokens a text in UTF-8 has, English and Hungarian mixed as it may be.

    >>> round(tokens_in(b"a" * 438))
    100
    """
    second_bytes = len(text) - len(text.decode("utf-8", "ignore"))
    return len(text) / BYTES_PER_TOKEN_EN + second_bytes * TOKENS_PER_SECOND_BYTE


def estimate(
    name: str,
    model: str,
    settings: JudgeSettings,
    *,
    verdicts: int,
    cached: int,
    calls: int,
    prompt_tokens: float,
    reply_tokens: int,
    is_all: bool = True,
    total: int | None = None,
) -> Estimate:
    """What a judging will take, from the items that were looked at.

    Args:
        name: what is judged, such as the rubric's name.
        model: the judge's model id.
        settings: with the user's prices; a batch is cheaper.
        verdicts: how many items were looked at.
        cached: how many of them are answered from the cache.
        calls: how many requests the others make; fewer where some are the same.
        prompt_tokens: of these requests together, by `tokens_in`.
        reply_tokens: of one reply, as the rubric says.
        is_all: whether no item follows those looked at.
        total: how many items there are in all; None when unknown.

    Raises:
        InputError: the user's prices are not usable.
    """
    price = price_of(model, settings.prices, settings.base_urls)
    scale = total / verdicts if total and verdicts and not is_all else 1.0
    usd = None
    if price is not None:
        usd = scale * calls * price.cost(prompt_tokens / max(1, calls), reply_tokens, settings.mode == "batch")
    return Estimate(
        name=name,
        model=model,
        verdicts=round(verdicts * scale),
        cached=round(cached * scale),
        calls=round(calls * scale),
        prompt_tokens=prompt_tokens * scale,
        completion_tokens=reply_tokens * calls * scale,
        usd=usd,
        price=price,
        looked_at=None if is_all else verdicts,
        is_least=not is_all and total is None,
    )


def summary(name: str, usage: Mapping[str, Usage], *, cached: int, seconds: float, at_risk_usd: float = 0.0) -> str:
    """What a judging took, in one line.

    Args:
        name: what was judged, such as the rubric's name.
        usage: what was paid for, by model.
        cached: how many verdicts came from the cache.
        seconds: from the first call to the last reply.
        at_risk_usd: dollars that may have been billed for calls without a reply.

    >>> summary("toyqa", {"gpt-4o": Usage(1093, 1_876_543, 21_312, 4.909)}, cached=200, seconds=65.4)
    'toyqa: 1,093 calls to gpt-4o, 1.88 M tokens in, 21.3 k out, $4.91; 200 cached, 65 s'
    """
    parts = []
    for model, used in usage.items():
        cost = "price unknown" if used.usd is None else dollars(used.usd)
        tokens = f"{_short(used.prompt_tokens, 3)} tokens in, {_short(used.completion_tokens, 3)} out"
        parts.append(f"{counted(used.calls, 'call')} to {model}, {tokens}, {cost}")
    parts.append(f"{cached:,} cached, {duration(seconds)}")
    if at_risk_usd:
        parts.append(f"up to {dollars(at_risk_usd)} more may have been billed for calls without a reply")
    return f"{name}: {'; '.join(parts)}"


def counted(number: int, noun: str) -> str:
    """A number of things.

    >>> counted(1, "call"), counted(1093, "call")
    ('1 call', '1,093 calls')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def dollars(usd: float) -> str:
    """A sum as a person reads it.

    >>> dollars(1234.567), dollars(0.004), dollars(0)
    ('$1,234.57', 'less than $0.01', '$0')
    """
    if 0 < usd < 0.01:
        return "less than $0.01"
    return f"${usd:,.2f}" if usd else "$0"


def duration(seconds: float) -> str:
    """A time as a person reads it.

    >>> duration(65.4), duration(754), duration(7500)
    ('65 s', '13 min', '2 h 5 min')
    """
    if seconds < 120:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _short(number: float, digits: int = 2) -> str:
    for size, unit in _UNITS:
        if number >= size * (1 - 0.5 * 10**-digits):  # what rounds up to 1000 of a unit is 1 of the next
            return f"{number / size:.{digits}g} {unit}" if number < 99.5 * size else f"{number / size:.0f} {unit}"
    return f"{number:.0f}"


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one judging will take.

    Attributes:
        name: what is judged.
        model: the judge's model id.
        verdicts: how many items there are.
        cached: how many of them are answered from the cache, which costs nothing.
        calls: how many requests will be made.
        prompt_tokens: tokens of all requests, about.
        completion_tokens: tokens of all replies, about, without hidden reasoning.
        usd: dollars, about; None when the price is unknown.
        price: of the model; None when it is unknown.
        looked_at: how many items the numbers are judged by; None when it was all of them.
        is_least: whether more may come, nobody knows how much.
    """

    name: str
    model: str
    verdicts: int
    cached: int
    calls: int
    prompt_tokens: float
    completion_tokens: float
    usd: float | None
    price: Price | None
    looked_at: int | None = None
    is_least: bool = False

    def line(self, left_usd: float | None = None) -> str:
        """The estimate in one line.

        Args:
            left_usd: dollars that are left of the budget; None without one.
        """
        least = "at least " if self.is_least else ""
        text = f"{self.name}: {least}{counted(self.verdicts, 'verdict')}, {self.cached:,} from the cache"
        text += f", {counted(self.calls, 'call')}"
        if not self.calls:
            return text
        text += f" to {self.model}: about {_short(self.prompt_tokens)} tokens in, {_short(self.completion_tokens)} out"
        if self.price is None or self.usd is None:
            text += ", price unknown"
        else:
            origin = f"prices of {self.price.as_of}" if self.price.as_of else "your prices"
            about = f" ± {ACCURACY} %" if self.usd else ""
            thought = " plus any hidden reasoning" if self.usd and self.price.reasons else ""
            text += f", {dollars(self.usd)}{about}{thought} ({origin})"
        if self.looked_at is not None:
            text += f", judged by the first {self.looked_at:,}"
        if left_usd is not None and self.usd is not None and left_usd < self.usd:
            text += (
                f". Of the budget {dollars(left_usd)} is left: judging stops before it is exceeded, and `hueval score` "
                "on the samples judges the rest later"
            )
        return text
