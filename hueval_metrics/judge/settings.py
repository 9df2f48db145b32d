"""The judge's settings, from environment variables only: lm-eval writes model_args and metadata into its results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import SecretStr

from hueval_metrics.judge.errors import RETRY, RetryPolicy

MODES = ("openai", "batch", "lexical", "defer")
ASKING_MODES = ("openai", "batch")  # modes that send requests to a server
OPENAI_HOST = "api.openai.com"
OPENAI_URL = f"https://{OPENAI_HOST}/v1"
VERDICT = "verdict"
DEFAULT_MODEL = "gpt-4o-2024-11-20"
DEFAULT_CONCURRENCY = 64
SAMPLING_TEMPERATURE = 1.0  # of a judge that is asked several times; at 0 the replies would be equal


@dataclass(frozen=True)
class JudgeSettings:
    """The settings of one judging.

    Attributes:
        mode: `openai` (any OpenAI-compatible server), `batch` (its Batch API, the rest live), `lexical` (offline,
            approximate) or `defer` (judge later).
        model: the model id of the judge, or of the first judge of a panel.
        is_default_model: whether it is the default, not the user's choice.
        panel: the model ids of a panel, with `model`; empty for a single judge.
        repeats: how often each judge is asked about each response.
        base_urls: the base addresses of the servers, which share the load, without `/chat/completions`.
        api_key: the key that is sent to them; None for none. Neither `repr` nor `asdict` shows it.
        headers: further headers, such as Azure's `api-key`; their values are secrets like the key.
        is_configured: whether a judge is configured, or none is needed.
        concurrency: the most requests in flight at a time, at all servers together.
        is_concurrency_set: whether the user set it: then the engine starts with it, else it grows up to it.
        rpm, tpm: the most requests and tokens in a minute; None for no limit.
        timeout_s: time-out of a request in seconds, reading its response included.
        deadline_s: the most seconds for judging one task.
        silence_s: the most seconds without any reply of the judge; never less than the time-out of a request.
        budget_usd: dollars that this process never exceeds; None for no limit.
        prices: a YAML file of prices that precede those of genai-prices; None for none.
        context: the most tokens of a request and its reply together, by `tokens.tokens_in`: what needs more is not
            sent. None: not checked.
        seed, temperature: sent with every request.
        quiet: whether the progress bar is hidden.
        retry: when a failed attempt is repeated.
        asks_final: whether the judge is asked again where its refusal or its unreadable reply is in the cache.
        later: what asks for missing verdicts, for messages.
        final: when it asks for those that the judge is known not to give, for messages.
        noun: what the replies are called there.
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
    silence_s: float = 600.0
    budget_usd: float | None = None
    prices: Path | None = None
    context: int | None = None
    seed: int = 0
    temperature: float = 0.0
    quiet: bool = False
    retry: RetryPolicy = RETRY
    asks_final: bool = False
    later: str = "`hueval score` on the samples"
    final: str = "asked again only with --ask-final"
    noun: str = VERDICT

    @property
    def asks(self) -> bool:
        """Whether this judging sends requests to a server."""
        return self.mode in ASKING_MODES

    @property
    def name(self) -> str:
        """The judge in a signature: its model ids and how often each is asked, or `lexical` or `deferred`."""
        asked = "+".join(self.panel or (self.model,)) + (f"*{self.repeats}" if self.repeats > 1 else "")
        return {"lexical": "lexical", "defer": "deferred"}.get(self.mode, asked)

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """The texts that must never be shown: keys, further headers, and the values in the query of an address."""
        keys = ([self.api_key] if self.api_key else []) + [value for _, value in self.headers]
        queries = [pair for base_url in self.base_urls for pair in parse_qsl(urlsplit(base_url).query)]
        in_queries = [value for name, value in queries if name != "api-version"]  # a date may be part of a verdict
        return (*(key.get_secret_value() for key in keys), *in_queries)


def at_path(base_url: str, path: str) -> str:
    """An address below a base address; its query, such as Azure's `?api-version=…`, stays at the end.

    >>> at_path("https://h/d?key=abc", "/models")
    'https://h/d/models?key=abc'
    """
    url = urlsplit(base_url)
    return urlunsplit(url._replace(path=url.path + path))


def shown(base_url: str) -> str:
    """A base address for messages: without its query, which may contain a key.

    >>> shown("https://h/d?key=abc")
    'https://h/d'
    """
    return urlunsplit(urlsplit(base_url)._replace(query=""))
