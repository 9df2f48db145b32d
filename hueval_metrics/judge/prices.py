"""What a judge's tokens cost: a dated table (`prices.yaml`), and the user's own prices before it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from hueval_metrics.records import InputError
from hueval_metrics.text.one_line import one_line

PER_TOKENS = 1e6
VARIABLE = "HUEVAL_JUDGE_PRICES"
# Who may stand before a model's name, and how much dearer it may be there: deployments in one region cost a tenth more
# than global ones, and the name does not tell which it is.
_PROVIDERS = {
    "anthropic": 1.0,
    "azure": 1.1,
    "deepseek": 1.0,
    "gemini": 1.0,
    "google": 1.0,
    "models": 1.0,
    "openai": 1.0,
    "openrouter": 1.0,
    "vertex_ai": 1.1,
}
_DATE = re.compile(r"[-@](20\d\d-\d\d-\d\d|20\d{6}|latest)$")
_RATES = ("input", "output", "cached_input", "above_input", "above_output")
_EXAMPLE = "expected dollars per million tokens, such as my-judge: {input: 2.5, output: 10}"


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars per million tokens of one model.

    Attributes:
        input: of a prompt.
        output: of a reply, hidden reasoning included.
        cached_input: of the part of a prompt that the provider has in its own cache; None for no discount.
        above: of a prompt with more tokens than this, all tokens of the call cost `above_input` and `above_output`.
        batch: what a call in a batch costs of a live one, above 0 and up to 1.
        reasons: whether the model bills hidden tokens besides the reply.
        as_of: the day on which the price was seen, `YYYY-MM-DD`; empty when nobody says.
        source: where, in words.
    """

    input: float
    output: float
    cached_input: float | None = None
    above: float = math.inf
    above_input: float = 0.0
    above_output: float = 0.0
    batch: float = 1.0
    reasons: bool = False
    as_of: str = ""
    source: str = ""

    def cost(
        self, prompt_tokens: float, completion_tokens: float, batch: bool = False, cached_tokens: float = 0
    ) -> float:
        """The dollars of one call.

        Args:
            prompt_tokens: tokens of the prompt, those from the provider's cache included.
            completion_tokens: tokens of the reply, hidden reasoning included.
            batch: whether it is one of a batch; the discounts of batch and cache do not add up.
            cached_tokens: how many of the prompt's came from the provider's cache.

        >>> Price(2.5, 10, batch=0.5).cost(1_000_000, 1000, batch=True)
        1.255
        """
        if prompt_tokens > self.above:
            dollars = self.above_input * prompt_tokens + self.above_output * completion_tokens
        else:
            dollars = self.input * prompt_tokens + self.output * completion_tokens
            if self.cached_input is not None and not batch:
                dollars -= (self.input - self.cached_input) * min(cached_tokens, prompt_tokens)
        return dollars * (self.batch if batch else 1.0) / PER_TOKENS


def price_of(model: str, prices: Path | None) -> Price | None:
    """The price of a model; None when nobody names one.

    The name may have a provider before it and a date behind it; nothing else is left out of it, since "-mini" or
    "-pro" make another price.

    Args:
        model: the model id, as the server knows it.
        prices: the user's own prices, which go first; None for ours alone.

    Raises:
        InputError: the user's file cannot be read or is no table of prices.

    >>> price_of("openai/gpt-4o-mini-2024-07-18", None).input
    0.15
    """
    own = _table(_text(prices), prices.name) if prices else {}
    for name, _ in _names(model):
        if name in own:
            return own[name]
    for name, factor in _names(model):
        if (price := _ours().get(name)) is not None:
            return price if factor == 1 else _dearer(price, factor)
    return None


def _names(model: str) -> Iterator[tuple[str, float]]:
    """The names under which a model may stand in a table, the most particular first, and how much dearer it may be."""
    name, factor = model.strip().casefold(), 1.0
    while True:
        for spelling in (name, name.replace(".", "-")):  # claude-3.5-haiku on OpenRouter
            yield spelling, factor
            yield _DATE.sub("", spelling), factor
        provider, slash, name = name.partition("/")
        if not slash or provider not in _PROVIDERS:
            return
        factor *= _PROVIDERS[provider]


def _dearer(price: Price, factor: float) -> Price:
    rates = {name: getattr(price, name) for name in _RATES}
    return replace(price, **{name: rate and rate * factor for name, rate in rates.items()})


@cache
def _ours() -> dict[str, Price]:
    return _table(files("hueval_metrics.judge").joinpath("prices.yaml").read_text(encoding="utf-8"), "prices.yaml")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{VARIABLE}: cannot read {path} ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{VARIABLE}: {path} is not UTF-8 text, {_EXAMPLE}") from None


def _table(text: str, where: str) -> dict[str, Price]:
    """The prices in a YAML text: a list of dated blocks, one such block, or models alone."""
    import yaml

    try:
        data = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # ValueError: a date such as 2025-13-01
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
    """The price in one entry of a table."""
    if not isinstance(entry, Mapping):
        raise InputError(f"{where}: {_EXAMPLE}")
    given = {**common, **entry}
    if unknown := [str(key) for key in given if key not in Price.__dataclass_fields__]:
        raise InputError(f'{where}: "{one_line(unknown[0], 40)}" is unknown, {_EXAMPLE}')
    if missing := [name for name in _needed(given) if name not in given]:
        raise InputError(f"{where}: {missing[0]} is missing, {_EXAMPLE}")
    for name in (*_RATES, "above", "batch"):
        value = given.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise InputError(f'{where}: {name} is "{one_line(value, 40)}", {_EXAMPLE}')
    if not 0 < given.get("batch", 1) <= 1:
        raise InputError(f"{where}: batch is {given['batch']}, expected the share of a live call's price, such as 0.5")
    return Price(**{**given, "as_of": str(given.get("as_of", "")), "source": str(given.get("source", ""))})


def _needed(given: Mapping[str, Any]) -> tuple[str, ...]:
    return ("input", "output", "above_input", "above_output") if "above" in given else ("input", "output")
