"""The environment variables that are read anywhere here, and a warning for those that nothing reads."""

from __future__ import annotations

import logging
import os
from collections.abc import Collection, Mapping

VARIABLES: Mapping[str, str] = {  # name → meaning in Markdown, for the list in docs/reference/environment.md
    "HUEVAL_DATA_DIR": "Folder with a sub-folder for each data set: the authors' files, or conversions of them.",
    "HUEVAL_CACHE_DIR": "Downloads, kept answers of models and replies of judges; by default `~/.cache/hueval`.",
    "HUEVAL_SAMPLE": "`1`: the packaged sample instead of the benchmark. Every result says so.",
    "HUEVAL_OFFLINE": "`1`: never ask the network for data.",
    "HUEVAL_HUB_REPO": (
        "`ORG/NAME@REVISION`, a dataset repository on the Hub to read the data from; `DATASET=ORG/NAME@REVISION` for "
        "one data set; several with commas."
    ),
    "HUEVAL_UPSTREAM_URL": "A mirror of the folder that the authors' files are downloaded from.",
    "HUEVAL_LANG": (
        "`hu`: tables, and the sentences of `hueval compare` and `hueval traces`, in Hungarian; `en` by default, and "
        "never the locale's. Errors, logs, help and the reasons why runs are not compared are English; CSV and JSON do "
        "not change."
    ),
    "HUEVAL_QUIET": "`1`: no progress, neither a bar nor lines.",
    "HUEVAL_JUDGE": (
        "`openai` (default): any OpenAI-compatible server. `batch`: its Batch API, and the rest live. `lexical`: "
        "compares words, offline and approximate. `defer`: leaves the verdicts to a later `hueval score`."
    ),
    "HUEVAL_JUDGE_MODEL": (
        "The judge's model id, or several with commas: a panel. By default `gpt-4o-2024-11-20`, which ends on "
        "14 January 2027."
    ),
    "HUEVAL_JUDGE_BASE_URL": (
        "The server, such as `http://localhost:8000/v1`, or several with commas, which share the load; one that does "
        "not answer is left out and tried again."
    ),
    "HUEVAL_JUDGE_API_KEY": "The key that is sent to that server. `OPENAI_API_KEY` is sent to OpenAI alone.",
    "HUEVAL_JUDGE_HEADERS": 'Further headers as JSON, such as Azure\'s `{"api-key": "…"}`.',
    "HUEVAL_JUDGE_PANEL": (
        "`cyclic`: one judge of the panel an item, drawn by the item's hash and so the same for all models; by default "
        "all judges vote on each."
    ),
    "HUEVAL_JUDGE_SERVERS": (
        "A YAML file of judges with a server of their own, `MODEL: {base_url: …, key: NAME}`; NAME is the variable of "
        "the key, which is sent there alone."
    ),
    "HUEVAL_JUDGE_RECHECK": (
        "The share of verdicts that are asked for a second time, such as `0.05`, to count how many change; none counts "
        "in a score."
    ),
    "HUEVAL_JUDGE_REPEATS": "How often each judge is asked about each answer (1).",
    "HUEVAL_JUDGE_BUDGET_USD": "Dollars that the process never exceeds.",
    "HUEVAL_JUDGE_PRICES": (
        "A YAML file of prices, `MODEL: {input: 0, output: 0}` in dollars per million tokens; it precedes the built-in "
        "list."
    ),
    "HUEVAL_JUDGE_CONCURRENCY": "The most requests at a time (64). When it is set, the engine starts there.",
    "HUEVAL_JUDGE_RPM": "The most requests in a minute.",
    "HUEVAL_JUDGE_TPM": "The most tokens in a minute.",
    "HUEVAL_JUDGE_TIMEOUT_S": "Seconds for one request (60); 2.5 times as many where its reply may have 2,048 tokens.",
    "HUEVAL_JUDGE_SILENCE_S": (
        "Seconds without any reply of the judge after which asking stops (600; at least the time-out of a request; not "
        "with `batch`)."
    ),
    "HUEVAL_JUDGE_CONTEXT": "The most tokens of a request and its reply; longer ones are not sent (traces: 128000).",
    "HUEVAL_SITE_TOKEN": "The token of your account on a leaderboard, for `hueval submit`.",
    "HUEVAL_JUDGE_DEADLINE_S": "Seconds for judging one task (3600; 26 hours with `batch`).",
}
# Begins the names that a package of its own reads and checks: the leaderboard, and the tests.
ELSEWHERE = ("HUEVAL_SITE_", "HUEVAL_TEST_")
_PREFIX = "HUEVAL_"
_LETTERS = sorted(_PREFIX)

log = logging.getLogger(__name__)


def warn_of_unknown_variables() -> None:
    """Name each variable that looks like one of ours and is none; the first rank alone does, of several.

    What begins as `ELSEWHERE` is left to its package (`warn_of_unknown`).
    """
    for name in _unknown(VARIABLES):
        if not name.startswith(ELSEWHERE):
            _warn(name, VARIABLES)


def warn_of_unknown(prefix: str, names: Collection[str]) -> None:
    """The same for the variables of another package.

    Args:
        prefix: how all of them begin, one of `ELSEWHERE`.
        names: those that it reads, whole.
    """
    known = {*names, *VARIABLES}
    for name in _unknown(known):
        if name.startswith(prefix):
            _warn(name, known)


def _unknown(known: Collection[str]) -> list[str]:
    if os.environ.get("RANK", "0") != "0":
        return []
    return sorted(n for n in os.environ if n not in known and sorted(n[: len(_PREFIX)].upper()) == _LETTERS)  # HUVEAL_


def _warn(name: str, known: Collection[str]) -> None:
    from difflib import get_close_matches

    near = get_close_matches(name[len(_PREFIX) :].upper(), [one.removeprefix(_PREFIX) for one in known], n=1)
    hint = f"Did you mean {_PREFIX}{near[0]}?" if near else "docs/reference/environment.md lists the variables."
    log.warning("%s is set, and no such variable is known: it has no effect. %s", ascii(name)[1:-1], hint)
