"""How the judge is reached, from the environment alone: lm-eval writes model_args and metadata into its results."""

from __future__ import annotations

import json
import math
import os
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, urlsplit, urlunsplit

from pydantic import SecretStr

from hf_datasets.network import switched_on
from hueval_metrics.judge.client.retry import RETRY, RetryPolicy
from hueval_metrics.records import InputError
from hueval_metrics.text.one_line import one_line

MODES = ("openai", "batch", "lexical", "defer")
ASKING_MODES = ("openai", "batch")  # those that send anything to a server
OPENAI_HOST = "api.openai.com"
OPENAI_URL = f"https://{OPENAI_HOST}/v1"
DEFAULT_MODEL = "gpt-4o-2024-11-20"
DEFAULT_CONCURRENCY = 64
SAMPLING_TEMPERATURE = 1.0  # of a judge that is asked several times: at 0 it would only repeat itself
_ENDPOINT = "/chat/completions"
_MAX_CONCURRENCY = 4096
_MAX_REPEATS = 99
_BATCH_DEADLINE_S = 26 * 3600.0  # a batch may take a day; what is left is asked live
_TOKEN = frozenset("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz")  # RFC 9110, the letters of a header's name


@dataclass(frozen=True)
class JudgeSettings:
    """The settings of one judging.

    Attributes:
        mode: `openai` (any OpenAI-compatible server), `batch` (its Batch API, the remainder live), `lexical` (offline,
            approximate) or `defer` (judge later).
        model: the model id of the judge; of a panel, the first.
        is_default_model: whether nobody has chosen it.
        panel: the model ids of a panel, `model` among them; empty for a single judge.
        repeats: how often each judge is asked about each response.
        base_urls: where the servers' APIs begin; they share the load. `/chat/completions` is added to the path.
        api_key: what is sent to them; None when nothing is. Neither `repr` nor `asdict` shows it.
        headers: further headers, such as Azure's `api-key`; their values are secrets like the key.
        is_configured: whether there is somebody to ask, or nobody needs to be asked.
        concurrency: how many requests may be under way at a time, on all servers together.
        is_concurrency_set: whether the user chose it: then it is where the engine starts, else what it may grow to.
        rpm, tpm: requests and tokens a minute that are never exceeded; None for no limit.
        timeout_s: how long one request may take, its answer included.
        deadline_s: how long the judging of one task may take.
        budget_usd: dollars that this process never exceeds; None for no limit.
        prices: a YAML file of prices that goes before our table; None for ours alone.
        seed, temperature: sent with every request.
        quiet: whether to leave out the progress bar.
        retry: when a failed attempt is repeated.
    """

    mode: str = "openai"
    model: str = DEFAULT_MODEL
    is_default_model: bool = False
    panel: tuple[str, ...] = ()
    repeats: int = 1
    base_urls: tuple[str, ...] = (OPENAI_URL,)
    api_key: SecretStr | None = None
    headers: tuple[tuple[str, SecretStr], ...] = ()
    is_configured: bool = True
    concurrency: int = DEFAULT_CONCURRENCY
    is_concurrency_set: bool = False
    rpm: float | None = None
    tpm: float | None = None
    timeout_s: float = 60.0
    deadline_s: float = 3600.0
    budget_usd: float | None = None
    prices: Path | None = None
    seed: int = 0
    temperature: float = 0.0
    quiet: bool = False
    retry: RetryPolicy = RETRY

    @property
    def asks(self) -> bool:
        """Whether this judging sends anything to a server."""
        return self.mode in ASKING_MODES

    @property
    def name(self) -> str:
        """What a signature calls the judge: its model id or ids, how often each was asked, `lexical` or `deferred`."""
        asked = "+".join(self.panel or (self.model,)) + (f"*{self.repeats}" if self.repeats > 1 else "")
        return {"lexical": "lexical", "defer": "deferred"}.get(self.mode, asked)

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """All that must never be shown: keys, further headers, and what stands in the query of an address."""
        keys = ([self.api_key] if self.api_key else []) + [value for _, value in self.headers]
        queries = [pair for base_url in self.base_urls for pair in parse_qsl(urlsplit(base_url).query)]
        in_queries = [value for name, value in queries if name != "api-version"]  # a date may stand in a verdict
        return (*(key.get_secret_value() for key in keys), *in_queries)


def at_path(base_url: str, path: str) -> str:
    """An address below a base address, whose query, such as Azure's `?api-version=…`, stays at the end.

    >>> at_path("https://h/d?key=abc", "/models")
    'https://h/d/models?key=abc'
    """
    url = urlsplit(base_url)
    return urlunsplit(url._replace(path=url.path + path))


def shown(base_url: str) -> str:
    """A base address as messages name it: without its query, which may hold a key.

    >>> shown("https://h/d?key=abc")
    'https://h/d'
    """
    return urlunsplit(urlsplit(base_url)._replace(query=""))


def judge_settings() -> JudgeSettings:
    """The settings that the environment gives; an empty variable counts as unset.

    Under accelerate or torchrun (`WORLD_SIZE`) every rank judges its own share: concurrency, rates and budget are
    those of the whole run, and each rank gets its part of them.

    Raises:
        InputError: a value is not usable. The line names the variable, the value and what was expected.
        DataError: likewise, for HUEVAL_QUIET.
    """
    mode = _text("HUEVAL_JUDGE", "openai").casefold()
    if mode not in MODES:
        raise InputError(f'HUEVAL_JUDGE: "{one_line(mode, 40)}" is not on offer. One of: {", ".join(MODES)}')
    if mode == "batch" and find_spec("openai") is None:
        raise InputError(
            'HUEVAL_JUDGE: "batch" needs the package openai, which is not installed: pip install "hueval[batch]"'
        )
    chosen = _list("HUEVAL_JUDGE_MODEL")
    models = chosen or [DEFAULT_MODEL]
    if len(set(models)) < len(models):
        raise InputError("HUEVAL_JUDGE_MODEL: a judge is named twice. To ask one several times, HUEVAL_JUDGE_REPEATS")
    base_urls = tuple(dict.fromkeys(map(_base_url, _list("HUEVAL_JUDGE_BASE_URL")))) or (OPENAI_URL,)
    urls = [urlsplit(base_url) for base_url in base_urls]
    headers = _headers()
    api_key = _key("HUEVAL_JUDGE_API_KEY")
    if api_key is None and all(url.hostname == OPENAI_HOST and url.scheme == "https" for url in urls):
        api_key = _key("OPENAI_API_KEY")
    share = 1 / _world_size()
    concurrency = _whole("HUEVAL_JUDGE_CONCURRENCY", _MAX_CONCURRENCY)
    rpm, tpm, budget = (_optional(f"HUEVAL_JUDGE_{name}") for name in ("RPM", "TPM", "BUDGET_USD"))
    return JudgeSettings(
        mode=mode,
        model=models[0],
        is_default_model=not chosen,
        panel=tuple(models) if len(models) > 1 else (),
        repeats=_whole("HUEVAL_JUDGE_REPEATS", _MAX_REPEATS) or 1,
        base_urls=base_urls,
        api_key=api_key,
        headers=headers,
        # OpenAI answers nobody without a key; a server of one's own often wants none.
        is_configured=mode not in ASKING_MODES
        or api_key is not None
        or bool(headers)
        or any(url.hostname != OPENAI_HOST for url in urls),
        concurrency=max(1, int((concurrency or DEFAULT_CONCURRENCY) * share)),
        is_concurrency_set=concurrency is not None,
        rpm=rpm and rpm * share,
        tpm=tpm and tpm * share,
        timeout_s=_number("HUEVAL_JUDGE_TIMEOUT_S", 60.0),
        deadline_s=_number("HUEVAL_JUDGE_DEADLINE_S", _BATCH_DEADLINE_S if mode == "batch" else 3600.0),
        budget_usd=budget and budget * share,
        prices=Path(_text("HUEVAL_JUDGE_PRICES", "")) if _text("HUEVAL_JUDGE_PRICES", "") else None,
        quiet=switched_on("HUEVAL_QUIET"),
    )


def require_judge(
    task: str, settings: JudgeSettings | None = None, *, may_be_known: bool = False, today: date | None = None
) -> None:
    """Make sure that a judged task can be judged, before the model is asked anything.

    Args:
        task: the task's name, for the message.
        settings: who judges; None for what the environment says.
        may_be_known: whether the verdicts may be in the cache, which a judge that was chosen and has ended still fills.
        today: the day on which it is asked; None for the present one.

    Raises:
        InputError: no judge is configured, it has ended, or a setting is not usable.
    """
    from hueval_metrics.judge.retirement import ended

    settings = settings or judge_settings()
    if not settings.is_configured:
        raise InputError(
            f"{task} is scored by a judge, and none is configured. Set HUEVAL_JUDGE_API_KEY or OPENAI_API_KEY, or "
            "HUEVAL_JUDGE_BASE_URL for a server of your own; or set HUEVAL_JUDGE=lexical (offline, approximate); or "
            "set HUEVAL_JUDGE=defer and judge later with `hueval score`; or leave the judged tasks out with "
            "--tasks hueval-rule"
        )
    if settings.asks and (settings.is_default_model or not may_be_known) and (why := ended(settings, today)):
        raise InputError(f"{task}: {why}")


def _text(name: str, default: str) -> str:
    return os.environ.get(name, "").strip() or default


def _list(name: str) -> list[str]:
    return [part.strip() for part in _text(name, "").split(",") if part.strip()]


def _world_size() -> int:
    size = _text("WORLD_SIZE", "1")
    return max(1, int(size)) if size.isdecimal() else 1


def _whole(name: str, most: int) -> int | None:
    if not _text(name, ""):
        return None
    return int(_number(name, math.nan, whole=True, most=most))


def _optional(name: str) -> float | None:
    return _number(name, math.nan, unit="a number") if _text(name, "") else None


def _number(
    name: str, default: float, *, whole: bool = False, most: float = math.inf, unit: str = "a number of seconds"
) -> float:
    value = _text(name, str(default))
    try:
        number = float(int(value) if whole else value)
    except ValueError:
        number = math.nan
    if not (0 < number <= most and math.isfinite(number)):
        limit = f" up to {most:g}" if math.isfinite(most) else ""
        expected = f"a whole number from 1{limit}" if whole else f"{unit} above 0"
        raise InputError(f'{name}: "{one_line(value, 40)}" is not usable, expected {expected}')
    return number


def _key(name: str) -> SecretStr | None:
    """A key fit for a header; a broken one is named, never shown."""
    value = os.environ.get(name, "").strip()
    if not value.isascii() or not value.isprintable() or " " in value:
        raise InputError(f"{name}: the value has a space, a line break or a letter that no key has. Copy the key again")
    return SecretStr(value) if value else None


def _headers() -> tuple[tuple[str, SecretStr], ...]:
    """Further headers, from a JSON object; a broken one is never shown, as its values are secrets."""
    name = "HUEVAL_JUDGE_HEADERS"
    value = _text(name, "")
    try:
        headers = json.loads(value or "{}")
        is_usable = isinstance(headers, dict) and all(
            key and set(key.lower()) <= _TOKEN and isinstance(text, str) and text.isascii() and text.isprintable()
            for key, text in headers.items()
        )
    except (ValueError, RecursionError):
        is_usable = False
    if not is_usable:
        raise InputError(f'{name}: the value is not usable, expected a JSON object such as {{"api-key": "…"}}')
    return tuple((key, SecretStr(text)) for key, text in headers.items())


def _base_url(value: str) -> str:
    """The base address without a slash at its end."""
    name = "HUEVAL_JUDGE_BASE_URL"
    expected = "expected an address such as http://localhost:8000/v1"
    try:
        url = urlsplit(value)
        has_login, host, _ = "@" in url.netloc, url.hostname, url.port  # `port` raises for one that is no number
    except ValueError:
        raise InputError(f"{name}: the value is not an address, {expected}") from None
    if has_login:
        raise InputError(f"{name}: the address holds a user name or password. Put the key into HUEVAL_JUDGE_API_KEY")
    if url.scheme not in ("http", "https") or not host or not value.isprintable() or " " in value:
        raise InputError(f'{name}: "{one_line(value.partition("?")[0], 80)}" is not usable, {expected}')
    path = url.path.rstrip("/").removesuffix(_ENDPOINT).rstrip("/")  # the whole address is often pasted
    return urlunsplit(SplitResult(url.scheme, url.netloc, path, url.query, ""))
