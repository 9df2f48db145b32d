"""The environment variables of the judge, validated here and nowhere else.

Imported only where they are read: pydantic-settings takes 0.1 s.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from pydantic import BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from hf_datasets.network import switched_on
from hueval_metrics.errors import InputError
from hueval_metrics.judge.settings import (
    ASKING_MODES,
    DEFAULT_MODEL,
    MODES,
    OPENAI_HOST,
    OPENAI_URL,
    JudgeServer,
    JudgeSettings,
)
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_yaml

_ENDPOINT = "/chat/completions"
_MAX_CONCURRENCY = 4096
_MAX_REPEATS = 99
_BELOW_1 = math.nextafter(1, 0)
_MAX_CONTEXT = 100_000_000
_DEADLINE_S = {"batch": 26 * 3600.0}  # a batch may take a day; the rest is asked live after it
_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")  # RFC 9110: the characters of a header's name


def _mode(value: str) -> str:
    mode = value.casefold()
    if mode not in MODES:
        raise ValueError(f'"{one_line(mode, 40)}" is not on offer. One of: {", ".join(MODES)}')
    if mode == "batch" and find_spec("openai") is None:
        raise ValueError('"batch" needs the package openai, which is not installed: pip install "hueval[batch]"')
    return mode


def _list(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())


def _models(value: str) -> tuple[str, ...]:
    models = _list(value)
    if len(set(models)) < len(models):
        raise ValueError("a judge is named twice. To ask one several times, HUEVAL_JUDGE_REPEATS")
    return models


def _number(expected: str, read: Callable[[str], float] = float, most: float = math.inf) -> BeforeValidator:
    def check(value: str) -> float:
        try:
            number = read(value)
        except ValueError:
            number = math.nan
        if not (0 < number <= most and math.isfinite(number)):
            raise ValueError(f'"{one_line(value, 40)}" is not usable, expected {expected}')
        return number

    return BeforeValidator(check)


def _whole(most: int) -> BeforeValidator:
    return _number(f"a whole number from 1 up to {most}", int, most)


def _key(value: str, name: str = "") -> str:
    """A key that is valid in a header; the error for an invalid one does not show it."""
    if not value.isascii() or not value.isprintable() or " " in value:
        raise ValueError(f"{name}the value has a space, a line break or a letter that no key has. Copy the key again")
    return value


def _headers(value: str) -> tuple[tuple[str, str], ...]:
    """Further headers, from a JSON object; the error does not show it, as the values are secrets."""
    try:
        headers = json.loads(value)
        is_usable = isinstance(headers, dict) and all(
            key and set(key.lower()) <= _TOKEN and isinstance(text, str) and text.isascii() and text.isprintable()
            for key, text in headers.items()
        )
    except (ValueError, RecursionError):
        is_usable = False
    if not is_usable:
        raise ValueError('the value is not usable, expected a JSON object such as {"api-key": "…"}')
    return tuple(headers.items())


def _panel(value: str) -> bool:
    if value.casefold() != "cyclic":
        raise ValueError(f'"{one_line(value, 40)}" is not on offer, expected cyclic. Unset it to have all judges vote')
    return True


def _servers(value: str) -> tuple[JudgeServer, ...]:
    """The judges with their own servers, from a YAML file; no message shows what may be a key."""
    path, example = Path(value), "expected MODEL: {base_url: https://…/v1, key: NAME_OF_A_VARIABLE}"
    try:
        data = parse_yaml(read_text(path))
    except OSError as error:
        raise ValueError(f"cannot read {path} ({error.strerror})") from None
    except ValueError:
        raise ValueError(f"{path.name} is not YAML in UTF-8, {example}") from None
    if not isinstance(data, Mapping) or not data:
        raise ValueError(f"{path.name} names no judge, {example}")
    return tuple(_server(str(model), entry, f'{path.name}, "{one_line(model, 60)}"') for model, entry in data.items())


def _server(model: str, entry: object, where: str) -> JudgeServer:
    if not isinstance(entry, Mapping) or "base_url" not in entry or entry.keys() - {"base_url", "key"}:
        raise ValueError(f"{where}: expected base_url and, where the server needs one, key: the name of a variable")
    try:
        base_url, name = _base_url(str(entry["base_url"])), entry.get("key")
        key = None if name is None else os.environ.get(str(name), "").strip()
        if key == "":
            raise ValueError(
                "key is not the name of a variable that is set. Write the name, not the key, and export it"
            )
        return JudgeServer(model, base_url, SecretStr(_key(key)) if key else None)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None


def _base_urls(value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_base_url, _list(value))))


def _base_url(value: str) -> str:
    """The base address without a trailing slash."""
    expected = "expected an address such as http://localhost:8000/v1"
    try:
        url = urlsplit(value)
        has_login, host, _ = "@" in url.netloc, url.hostname, url.port  # `port` raises for one that is no number
    except ValueError:
        raise ValueError(f"the value is not an address, {expected}") from None
    if has_login:
        raise ValueError("the address holds a user name or password. Put the key into HUEVAL_JUDGE_API_KEY")
    if url.scheme not in ("http", "https") or not host or not value.isprintable() or " " in value:
        raise ValueError(f'"{one_line(value.partition("?")[0], 80)}" is not usable, {expected}')
    path = url.path.rstrip("/").removesuffix(_ENDPOINT).rstrip("/")  # users often paste the whole address
    return urlunsplit(SplitResult(url.scheme, url.netloc, path, url.query, ""))


def _world_size(value: str) -> int:
    return max(1, int(value)) if value.isdecimal() else 1


_Rate = Annotated[float | None, _number("a number above 0")]
_Seconds = Annotated[float | None, _number("a number of seconds above 0")]


class JudgeVariables(BaseSettings):
    """The variables; an empty or blank one counts as unset."""

    model_config = SettingsConfigDict(
        alias_generator=lambda name: (
            f"HUEVAL_JUDGE_{name.upper()}"
        ),  # HUEVAL_JUDGE_HEADERS, HUEVAL_JUDGE_CONCURRENCY, …
        case_sensitive=True,
        extra="ignore",
        validate_default=False,
        hide_input_in_errors=True,
    )

    mode: Annotated[str, BeforeValidator(_mode)] = Field(default="openai", validation_alias="HUEVAL_JUDGE")
    model: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_models)] = ()
    base_url: Annotated[tuple[str, ...], NoDecode, BeforeValidator(_base_urls)] = (OPENAI_URL,)
    api_key: Annotated[SecretStr | None, BeforeValidator(_key)] = None
    openai_api_key: SecretStr | None = Field(
        default=None, validation_alias="OPENAI_API_KEY"
    )  # checked where it is used
    headers: Annotated[tuple[tuple[str, SecretStr], ...], NoDecode, BeforeValidator(_headers)] = ()
    concurrency: Annotated[int | None, _whole(_MAX_CONCURRENCY)] = None
    panel: Annotated[bool, BeforeValidator(_panel)] = False
    servers: Annotated[tuple[JudgeServer, ...], NoDecode, BeforeValidator(_servers)] = ()
    repeats: Annotated[int, _whole(_MAX_REPEATS)] = 1
    recheck: Annotated[float | None, _number("a share above 0 and below 1, such as 0.05", most=_BELOW_1)] = None
    rpm: _Rate = None
    tpm: _Rate = None
    budget_usd: _Rate = None
    timeout_s: _Seconds = None
    deadline_s: _Seconds = None
    silence_s: _Seconds = None
    context: Annotated[int | None, _whole(_MAX_CONTEXT)] = None
    prices: Path | None = None
    world_size: Annotated[int, BeforeValidator(_world_size)] = Field(default=1, validation_alias="WORLD_SIZE")

    @model_validator(mode="before")
    @classmethod
    def _without_blanks(cls, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value.strip() for name, value in values.items() if value.strip()}

    def _check_panel(self) -> None:
        """Raises ValueError for settings that exclude each other."""
        if self.panel and self.mode in ASKING_MODES and len(self.model) < 2:
            raise ValueError("HUEVAL_JUDGE_PANEL=cyclic: expected two judges or more, such as HUEVAL_JUDGE_MODEL=a,b,c")
        if self.panel and self.repeats > 1:
            raise ValueError("HUEVAL_JUDGE_PANEL=cyclic asks one judge an item, once. Unset HUEVAL_JUDGE_REPEATS")
        if self.recheck and self.mode in ("lexical", "batch"):
            why = "it compares words" if self.mode == "lexical" else "a batch answers each request once"
            raise ValueError(f"HUEVAL_JUDGE_RECHECK: HUEVAL_JUDGE={self.mode} cannot be asked again, {why}. Unset one")

    def settings(self) -> JudgeSettings:
        """The settings of this rank, with its part of the limits of the whole run."""
        self._check_panel()
        base_urls = self.base_url
        urls, api_key = [urlsplit(base_url) for base_url in base_urls], self.api_key
        if api_key is None and all(url.hostname == OPENAI_HOST and url.scheme == "https" for url in urls):
            api_key = self.openai_api_key
            _key(api_key.get_secret_value() if api_key else "", "OPENAI_API_KEY: ")
        default, share = JudgeSettings(), 1 / self.world_size
        own = {server.model for server in self.servers}
        return JudgeSettings(
            mode=self.mode,
            model=(self.model or (DEFAULT_MODEL,))[0],
            is_default_model=not self.model,
            panel=self.model if len(self.model) > 1 else (),
            is_cyclic=self.panel,
            servers=self.servers,
            repeats=self.repeats,
            recheck=self.recheck,
            base_urls=base_urls,
            api_key=api_key,
            headers=self.headers,
            # OpenAI requires a key, other servers often do not.
            is_configured=self.mode not in ASKING_MODES
            or api_key is not None
            or bool(self.headers)
            or any(url.hostname != OPENAI_HOST for url in urls)
            or (bool(self.model) and own.issuperset(self.model)),
            concurrency=max(1, int((self.concurrency or default.concurrency) * share)),
            is_concurrency_set=self.concurrency is not None,
            rpm=self.rpm and self.rpm * share,
            tpm=self.tpm and self.tpm * share,
            timeout_s=self.timeout_s or default.timeout_s,
            deadline_s=self.deadline_s or _DEADLINE_S.get(self.mode, default.deadline_s),
            silence_s=self.silence_s or default.silence_s,
            budget_usd=self.budget_usd and self.budget_usd * share,
            prices=self.prices,
            context=self.context,
            quiet=switched_on("HUEVAL_QUIET"),
        )


def read_variables() -> JudgeSettings:
    """See `configured.judge_settings`."""
    try:
        return JudgeVariables().settings()
    except ValidationError as error:
        # Only the variable and our own text: the value may be a key.
        first = error.errors(include_input=False, include_url=False)[0]
        raise InputError(f"{first['loc'][0]}: {first['msg'].removeprefix('Value error, ')}") from None
    except ValueError as error:
        raise InputError(error) from None
