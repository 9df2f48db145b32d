"""The judge's settings, from environment variables only: lm-eval writes model_args and metadata into its results."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import SecretStr

from hueval_metrics.judge.errors import RETRY, RetryPolicy
from hueval_metrics.records import CYCLIC

MODES = ("openai", "batch", "lexical", "defer")
ASKING_MODES = ("openai", "batch")  # modes that send requests to a server
OPENAI_HOST = "api.openai.com"
OPENAI_URL = f"https://{OPENAI_HOST}/v1"
VERDICT = "verdict"
DEFAULT_MODEL = "gpt-4o-2024-11-20"
DEFAULT_CONCURRENCY = 64
SAMPLING_TEMPERATURE = 1.0  # of a judge that is asked several times; at 0 the replies would be equal


@dataclass(frozen=True)
class JudgeServer:
    """The own server of one judge (HUEVAL_JUDGE_SERVERS).

    Attributes:
        model: the judge's model id.
        base_url: its base address.
        api_key: the key that is sent there and nowhere else; None for none.
    """

    model: str
    base_url: str
    api_key: SecretStr | None = None


@dataclass(frozen=True)
class JudgeSettings:
    """The settings of one judging.

    Attributes:
        mode: `openai` (any OpenAI-compatible server), `batch` (its Batch API, the rest live), `lexical` (offline,
            approximate) or `defer` (judge later).
        model: the model id of the judge, or of the first judge of a panel.
        is_default_model: whether it is the default, not the user's choice.
        panel: the model ids of a panel, with `model`; empty for a single judge.
        is_cyclic: whether one judge of the panel is asked about each item, drawn by the item's hash, instead of all.
        servers: the judges that have a server of their own; the others are asked at `base_urls`.
        repeats: how often each judge is asked about each response.
        recheck: the share of verdicts that is asked for a second time; None for none.
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
    is_cyclic: bool = False
    servers: tuple[JudgeServer, ...] = ()
    repeats: int = 1
    recheck: float | None = None
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
        """The judge in a signature: its model ids and how often each is asked, or `lexical` or `deferred`.

        >>> JudgeSettings(model="b", panel=("b", "a"), is_cyclic=True).name
        'a+b/cyclic'
        """
        asked = "+".join(self.models) + (f"*{self.repeats}" if self.repeats > 1 else "")
        if self.panel and self.is_cyclic:
            asked = f"{'+'.join(sorted(self.panel))}{CYCLIC}"  # the order decides nothing
        return {"lexical": "lexical", "defer": "deferred"}.get(self.mode, asked)

    @property
    def models(self) -> tuple[str, ...]:
        """The model ids of all judges."""
        return self.panel or (self.model,)

    @property
    def is_panel(self) -> bool:
        """Whether a verdict is combined of votes; one vote only in a cyclic panel."""
        return bool(self.panel) or self.repeats > 1

    @property
    def by_server(self) -> list[JudgeSettings]:
        """The judges that share `base_urls`, if any, then each judge with its own server."""
        own = {server.model for server in self.servers}
        shared = tuple(model for model in self.models if model not in own)
        panel = shared if len(shared) > 1 else ()
        parts = [replace(self, model=shared[0], panel=panel, is_cyclic=False, servers=())] if shared else []
        return [*parts, *(self.at(model) for model in self.models if model in own)]

    def at(self, model: str) -> JudgeSettings:
        """One judge alone, at its own server where it has one: that gets its own key, and no other key or header."""
        alone = replace(self, model=model, panel=(), servers=())
        for own in self.servers:
            if own.model == model:
                alone = replace(alone, base_urls=(own.base_url,), api_key=own.api_key, headers=())
                return replace(alone, is_configured=True, is_default_model=False)
        return alone

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
