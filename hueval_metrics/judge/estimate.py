"""What a judging will take, said before the first call, and what it took, said after the last."""

from __future__ import annotations

from dataclasses import dataclass

from hueval_metrics.judge.prices import price_of
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


def summary(name: str, model: str, used: Usage, *, cached: int, seconds: float) -> str:
    """What a judging took, in one line.

    Args:
        name: what was judged, such as the rubric's name.
        model: the judge's model id.
        used: what was paid for.
        cached: how many verdicts came from the cache.
        seconds: from the first call to the last reply.

    >>> summary("toyqa", "gpt-4o", Usage(1093, 1_876_543, 21_312, 4.909), cached=200, seconds=65.4)
    'toyqa: 1,093 calls to gpt-4o, 1.88 M tokens in, 21.3 k out, $4.91; 200 cached, 65 s'
    """
    cost = "price unknown" if used.usd is None else dollars(used.usd)
    tokens = f"{_short(used.prompt_tokens, 3)} tokens in, {_short(used.completion_tokens, 3)} out"
    return f"{name}: {counted(used.calls, 'call')} to {model}, {tokens}, {cost}; {cached:,} cached, {duration(seconds)}"


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


@dataclass(frozen=True)
class Estimate:
    """What one judging will take, from the items that were looked at.

    Attributes:
        name: what is judged, such as the rubric's name.
        settings: the judge's model, and the user's prices; a batch is cheaper.
        verdicts: how many items were looked at.
        cached: how many of them are answered from the cache.
        calls: how many requests the others make; fewer where some are the same.
        prompt_tokens: of these requests together, by `tokens_in`.
        reply_tokens: of one reply, as the rubric says, without hidden reasoning.
        is_all: whether no item follows those looked at.
        total: how many items there are in all; None when unknown.
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

    @property
    def usd(self) -> float | None:
        """Dollars, about; None when the price is unknown. Raises InputError when the user's prices are not usable."""
        price = price_of(self.settings.model, self.settings.prices, self.settings.base_urls)
        if price is None:
            return None
        is_batch = self.settings.mode == "batch"
        return (
            self._scale * self.calls * price.cost(self.prompt_tokens / max(1, self.calls), self.reply_tokens, is_batch)
        )

    @property
    def _scale(self) -> float:
        return self.total / self.verdicts if self.total and self.verdicts and not self.is_all else 1.0

    def line(self, left_usd: float | None = None) -> str:
        """The estimate in one line.

        Args:
            left_usd: dollars that are left of the budget; None without one.
        """
        verdicts, cached, calls = (round(n * self._scale) for n in (self.verdicts, self.cached, self.calls))
        least = "at least " if not self.is_all and self.total is None else ""
        text = (
            f"{self.name}: {least}{counted(verdicts, 'verdict')}, {cached:,} from the cache, {counted(calls, 'call')}"
        )
        if not self.calls:
            return text
        sent, received = self.prompt_tokens * self._scale, self.reply_tokens * self.calls * self._scale
        text += f" to {self.settings.model}: about {_short(sent)} tokens in, {_short(received)} out"
        price, usd = price_of(self.settings.model, self.settings.prices, self.settings.base_urls), self.usd
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
                f". Of the budget {dollars(left_usd)} is left: judging stops before it is exceeded, and `hueval score` "
                "on the samples judges the rest later"
            )
        return text
