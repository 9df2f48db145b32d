"""`hueval doctor`: what is installed, which data can be reached, and what to do about the rest."""

from __future__ import annotations

import importlib.util
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hf_datasets.openhueval.availability import Availability, reachable_sources
from hueval_metrics.judge.settings import judge_settings, shown
from hueval_metrics.records import HuevalError
from hueval_metrics.reports.escape import plain
from hueval_metrics.text.one_line import printable

_CORE = ("hueval", "lm_eval", "rapidfuzz", "json_repair", "pydantic", "scipy", "matplotlib", "huggingface_hub")
_EXTRAS = {
    "hf": ("torch", "transformers", "accelerate"),
    "vllm": ("vllm",),
    "api": ("aiohttp", "tenacity"),
}


def diagnose() -> int:
    """Print the state of this installation.

    Returns:
        0 when every task has data that can be read without a network, else 1.
    """
    print("Installed")
    for package in _CORE:
        print(f"  {package:16} {_version(package)}")
    for extra, packages in _EXTRAS.items():
        states = ", ".join(f"{package} {_version(package)}" for package in packages)
        hint = "" if all(_version(p) != "-" for p in packages) else f'   (to add: pip install "hueval[{extra}]")'
        print(f"  extra {extra:10} {states}{hint}")
    print(f"  plain lm_eval    {_plain_lm_eval()}")
    print("\nData")
    missing = [name for name in _files() if not _print_sources(name)]
    print(f"\nJudge\n  {_judge()}")
    if missing:
        print(f"\nNot at hand: {', '.join(missing)}. Set HUEVAL_DATA_DIR to a folder that holds openhueval/*.jsonl,")
        print("or let the first run download them, or try the packaged sample with HUEVAL_SAMPLE=1.")
    return 1 if missing else 0


def _judge() -> str:
    """Who judges, and whether the server answers; the judged tasks need it, the others do not."""
    try:
        settings = judge_settings()
    except HuevalError as error:
        return str(error)
    if not settings.asks:
        return f"HUEVAL_JUDGE={settings.mode}: nobody is asked"
    if not settings.is_configured:
        return "none: set HUEVAL_JUDGE_API_KEY or HUEVAL_JUDGE_BASE_URL, or HUEVAL_JUDGE=lexical or defer"
    from hueval_metrics.judge.client.http import unreachable
    from hueval_metrics.judge.retirement import ends_of

    faults = unreachable(settings)
    states = (
        printable(
            f"{settings.name} at {shown(url)}: {f'cannot be asked ({faults[url]})' if url in faults else 'answers'}"
        )
        for url in settings.base_urls
    )
    ends = (f"{model} ends on {end}" for model, end in ends_of(settings).items())
    return "\n  ".join([*states, *ends])


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"


def _plain_lm_eval() -> str:
    spec = importlib.util.find_spec("lm_eval")
    mapped = spec and spec.origin and (Path(spec.origin).parent / "tasks" / "openhueval").is_dir()
    return "finds the tasks" if mapped else "does not find the tasks (editable install): use hueval run"


def _files() -> list[str]:
    """The files of OpenHuEval; `hueval data list` tells of the other data sets."""
    from hf_datasets.openhueval.published import BLOB_IDS

    return sorted(BLOB_IDS)


def _print_sources(name: str) -> bool:
    """Print the sources of one file; whether one of them serves without a network."""
    print(f"  {name}")
    sources = reachable_sources(name)
    for source in sources:
        state = {True: "yes", False: "no", None: "?"}[source.has_file]
        print(f"    {source.origin:9} {state:4} {plain(source.what)}")
    return any(_serves(source) for source in sources)


def _serves(source: Availability) -> bool:
    from hf_datasets.network import switched_on

    return bool(source.has_file) and (source.origin != "sample" or switched_on("HUEVAL_SAMPLE"))
