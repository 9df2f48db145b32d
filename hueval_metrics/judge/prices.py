"""Prices of a judge's tokens: those of the user's file first, then those of the package genai-prices."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from hueval_metrics.errors import InputError
from hueval_metrics.judge.settings import shown
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_yaml

if TYPE_CHECKING:
    from genai_prices.types import ModelPrice, TieredPrices

PER_TOKENS = 1e6
VARIABLE = "HUEVAL_JUDGE_PRICES"
_DATE = re.compile(r"[-@](20\d\d-\d\d-\d\d|20\d{6}|latest)$")
_EXAMPLE = "expected dollars per million tokens, such as my-judge: {input: 2.5, output: 10}"


_Rate = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
_Text = Annotated[str, BeforeValidator(str)]  # YAML has dates


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens of one model.

    Attributes:
        input: of a prompt.
        output: of a reply, hidden reasoning included.
        cached_input: of prompt tokens from the provider's cache; None for no discount.
        written_input: of prompt tokens written into that cache; None where they cost no more.
        above: in calls with a longer prompt than this, all tokens cost `above_input` and `above_output`.
        batch: the price in a batch relative to a live call, above 0 and up to 1.
        reasons: whether the model may bill hidden tokens besides the reply.
        as_of: the date of the price, `YYYY-MM-DD`, or the name of its table; empty when unknown.
        source: where the price was published.
    """

    __pydantic_config__ = ConfigDict(extra="forbid")

    input: _Rate
    output: _Rate
    cached_input: _Rate | None = None
    written_input: _Rate | None = None
    above: _Rate = math.inf
    above_input: _Rate = 0.0
    above_output: _Rate = 0.0
    batch: Annotated[float, Field(strict=True, gt=0, le=1)] = 1.0
    reasons: bool = False
    as_of: _Text = ""
    source: _Text = ""

    def cost(
        self,
        prompt_tokens: float,
        completion_tokens: float,
        batch: bool = False,
        cached_tokens: float = 0,
        written_tokens: float = 0,
    ) -> float:
        """The dollars of one call.

        Args:
            prompt_tokens: tokens of the prompt, those of the provider's cache included.
            completion_tokens: tokens of the reply, hidden reasoning included.
            batch: whether it is a call in a batch; the discounts of batch and cache do not add up.
            cached_tokens: prompt tokens from the provider's cache.
            written_tokens: prompt tokens written into that cache.

        >>> Price(2.5, 10, batch=0.5).cost(1_000_000, 1000, batch=True)
        1.255
        """
        if prompt_tokens > self.above:
            dollars = self.above_input * prompt_tokens + self.above_output * completion_tokens
        else:
            dollars = self.input * prompt_tokens + self.output * completion_tokens
            if self.cached_input is not None and not batch:
                dollars -= (self.input - self.cached_input) * min(cached_tokens, prompt_tokens)
            if self.written_input is not None:
                dollars += (self.written_input - self.input) * min(written_tokens, prompt_tokens)
        return dollars * (self.batch if batch else 1.0) / PER_TOKENS


def price_of(model: str, prices: Path | None, base_urls: Sequence[str] = ()) -> Price | None:
    """The price of a model; None when it is unknown.

    Args:
        model: the model id at the server. In the user's file it is looked up as it is, then without the date at its
            end, then without the provider at its beginning.
        prices: the user's file of prices, which takes precedence; None for genai-prices only.
        base_urls: the servers, by which genai-prices knows the provider; else the model's name decides.

    Raises:
        InputError: the user's file cannot be read, or is not a table of prices.

    >>> price_of("openai/gpt-4o-mini-2024-07-18", None).input
    0.15
    """
    own = _table(prices) if prices else {}
    for name in _names(model):
        if name in own:
            return own[name]
    return _published(model.strip().casefold(), tuple(map(shown, base_urls)))


def _names(model: str) -> Iterator[str]:
    """The names of a model in the user's file, the most specific first."""
    name = model.strip().casefold()
    while name:
        yield name
        yield _DATE.sub("", name)
        _, _, name = name.partition("/")


@cache
def _published(model: str, base_urls: tuple[str, ...]) -> Price | None:
    """The price in genai-prices; None for an unknown model, and for one that bills more than tokens."""
    from genai_prices import __version__, calc_price  # 0.25 s of CPU

    model = model.removeprefix("models/")  # the prefix in Google's list of models
    # "litellm": the name begins with its provider, as in proxies.
    by_name: dict[str, Any] = {"provider_id": "litellm"} if "/" in model else {}
    hours = [datetime.now(UTC) + timedelta(hours=hour) for hour in range(24)]  # some prices depend on the time of day
    for place in [*({"provider_api_url": base_url} for base_url in base_urls), by_name]:
        try:
            live = [calc_price({}, model, genai_request_timestamp=hour, **place).model_price for hour in hours]
            batch = calc_price({}, model, price_context={"processing": "batch"}, **place).model_price
        except (LookupError, ValueError):
            continue
        return _converted(max(live, key=lambda price: _steps(price.input_mtok)), batch, f"genai-prices {__version__}")
    return None


def _converted(live: ModelPrice, batch: ModelPrice, as_of: str) -> Price | None:
    """A price of genai-prices as floats: its own arithmetic takes 0.3 ms, more than the rest of a call."""
    if None in (live.input_mtok, live.output_mtok) or live.requests_kcount or live.output_reasoning_mtok:
        return None
    (sent, above_sent, above_in), (received, above_received, above_out) = map(
        _steps, (live.input_mtok, live.output_mtok)
    )
    written, above_written, _ = _steps(live.cache_write_mtok)
    pairs = ((batch.input_mtok, sent), (batch.output_mtok, received))
    return Price(
        input=sent,
        output=received,
        cached_input=_steps(live.cache_read_mtok)[0] if live.cache_read_mtok is not None else None,
        written_input=written or None,
        above=min(above_in, above_out),
        above_input=max(above_sent, above_written),
        above_output=above_received,
        batch=max([_steps(price)[0] / rate for price, rate in pairs if rate], default=1.0),
        reasons=True,  # genai-prices does not know which models do
        as_of=as_of,
    )


def _steps(price: Decimal | TieredPrices | None) -> tuple[float, float, float]:
    """The base rate, the rate of the most expensive tier, and the prompt length at which the first tier begins."""
    if price is None or isinstance(price, Decimal):
        return float(price or 0), float(price or 0), math.inf
    rates = [float(price.base), *(float(tier.price) for tier in price.tiers)]
    return rates[0], max(rates), min([math.inf, *(tier.start for tier in price.tiers)])


def _table(path: Path) -> dict[str, Price]:
    """The prices in a YAML file: models, a block of models with common fields, or a list of such blocks."""
    where = path.name
    try:
        data = parse_yaml(read_text(path))
    except OSError as error:
        raise InputError(f"{VARIABLE}: cannot read {path} ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{VARIABLE}: {path} is not UTF-8 text, {_EXAMPLE}") from None
    except ValueError as error:
        raise InputError(f"{VARIABLE}: {where} is not YAML ({one_line(error, 100)}), {_EXAMPLE}") from None
    if isinstance(data, Mapping):
        data = [data if "models" in data else {"models": data}]
    if not isinstance(data, list) or not data:
        raise InputError(f"{VARIABLE}: {where} has no table of prices, {_EXAMPLE}")
    table = {}
    for block in data:
        if not isinstance(block, Mapping) or not isinstance(block.get("models"), Mapping):
            raise InputError(f'{VARIABLE}: {where} has a block without "models", {_EXAMPLE}')
        common = {key: value for key, value in block.items() if key != "models"}
        for model, entry in block["models"].items():
            table[str(model).casefold()] = _price(common, entry, f'{VARIABLE}: {where}, "{one_line(model, 60)}"')
    return table


def _price(common: Mapping[str, Any], entry: object, where: str) -> Price:
    """The price in one entry of a table, with the common fields of its block."""
    if not isinstance(entry, Mapping):
        raise InputError(f"{where}: {_EXAMPLE}")
    given = {**common, **entry}
    try:
        price = _adapter().validate_python({str(key): value for key, value in given.items()})
    except ValidationError as error:
        first = max(error.errors(include_url=False), key=lambda fault: fault["type"].startswith("unexpected"))
        name, value = one_line(first["loc"][0], 40), one_line(first["input"], 40)
        said = {"missing": f"{name} is missing", "unexpected_keyword_argument": f'"{name}" is unknown'}
        fault = said.get(first["type"], f'{name} is "{value}"') + f", {_EXAMPLE}"
        if name == "batch":
            fault = f"batch is {value}, expected the share of a live call's price, such as 0.5"
        raise InputError(f"{where}: {fault}") from None
    if "above" in given and (missing := sorted({"above_input", "above_output"} - given.keys())):
        raise InputError(f"{where}: {missing[0]} is missing, {_EXAMPLE}")
    return price


@cache
def _adapter() -> TypeAdapter[Price]:
    return TypeAdapter(Price)


def dollars(usd: float) -> str:
    """An amount of dollars for a message.

    >>> dollars(1234.567), dollars(0.004), dollars(0)
    ('$1,234.57', 'less than $0.01', '$0')
    """
    if 0 < usd < 0.01:
        return "less than $0.01"
    return f"${usd:,.2f}" if usd else "$0"
