"""How the judge is reached, from the environment alone: lm-eval writes model_args and metadata into its results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from pydantic import SecretStr

from hueval_metrics.judge.client.exceptions import RETRY, RetryPolicy

MODES = ("openai", "batch", "lexical", "defer")
ASKING_MODES = ("openai", "batch")  # those that send anything to a server
OPENAI_HOST = "api.openai.com"
OPENAI_URL = f"https://{OPENAI_HOST}/v1"
DEFAULT_MODEL = "gpt-4o-2024-11-20"
DEFAULT_CONCURRENCY = 64
SAMPLING_TEMPERATURE = 1.0  # of a judge that is asked several times: at 0 it would only repeat itself


@dataclass(frozen=True)
class JudgeSettings:
    """The settings of one judging.

    Attributes:
        mode: `openai` (any OpenAI-compatible server), `batch` (its Batch API, the remainder live), `lexical` (offline,
            approximate) or `defer` (judge later).
        model: the model id of the judge; of a panel, the first.
        is_default_model: whether it is the default, not the user's choice.
        panel: the model ids of a panel, `model` among them; empty for a single judge.
        repeats: how often each judge is asked about each response.
        base_urls: where the servers' APIs begin; they share the load. `/chat/completions` is added to the path.
        api_key: what is sent to them; None when nothing is. Neither `repr` nor `asdict` shows it.
        headers: further headers, such as Azure's `api-key`; their values are secrets like the key.
        is_configured: whether a judge is configured, or none is needed.
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
    from hueval_metrics.judge.variables import read_variables

    return read_variables()
