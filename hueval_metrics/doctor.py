"""`hueval doctor`: what is installed, which data can be reached, and what to do about the rest."""

from __future__ import annotations

import importlib.util
import shlex
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hf_datasets.locate import Availability, available
from hueval_metrics.errors import HuevalError
from hueval_metrics.judge.configured import judge_settings
from hueval_metrics.judge.settings import JudgeSettings, shown
from hueval_metrics.one_line import one_line, printable
from hueval_metrics.registry import known_tasks, task_spec
from hueval_metrics.reports.escape import plain

_CORE = ("hueval", "lm_eval", "rapidfuzz", "json_repair", "pydantic", "scipy", "matplotlib", "huggingface_hub")
_SHOWN = 8  # files of a data set; of more, only how many can be read is printed
_LISTED = 5  # models of a server that are named
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
    missing = _print_data()
    print(f"\nJudge\n  {_judge()}")
    if missing:
        print(f"\nNot available: {', '.join(missing)}. Set HUEVAL_DATA_DIR to a folder that holds them in a folder of")
        print("the data set's name, or let the first run download them, or try the packaged sample: HUEVAL_SAMPLE=1.")
    return 1 if missing else 0


def _judge() -> str:
    """Who judges, and whether the server answers; the judged tasks need it, the others do not."""
    try:
        settings = judge_settings()
    except HuevalError as error:
        return str(error)
    if not settings.asks:
        return f"HUEVAL_JUDGE={settings.mode}: makes no API calls"
    if not settings.is_configured:
        from hueval_metrics.judge.client.local_servers import LOCAL_PORTS, local_servers

        none = "none: set HUEVAL_JUDGE_API_KEY or HUEVAL_JUDGE_BASE_URL, or HUEVAL_JUDGE=lexical or defer"
        return "\n  ".join([none, *_local_judges(settings, local_servers(LOCAL_PORTS))])
    from hueval_metrics.judge.client.servers import looked_up
    from hueval_metrics.judge.shutdown import ends_of, note_listed

    states = []
    for part in settings.by_server:
        for base_url, offers in looked_up(part).items():
            note_listed({} if isinstance(offers, str) else offers)
            states.append(printable(f"{part.name} at {shown(base_url)}: {_state(part, offers)}"))
    ends = (f"{model} ends on {end}" for model, end in ends_of(settings).items())
    return "\n  ".join([*states, *ends])


def _state(settings: JudgeSettings, offers: Mapping[str, object] | str) -> str:
    """Whether a server can be asked, and whether it lists the judge's models.

    Args:
        settings: the judge or panel.
        offers: the models that the server lists, or why it cannot be reached.
    """
    if isinstance(offers, str):
        return f"cannot be asked ({offers})"
    missing = [one_line(model, 60) for model in settings.models if model not in offers]
    if not offers or not missing:
        return "answers, and lists it" if offers else "answers"
    return f"answers, but does not list {', '.join(missing)}; it lists {_named(list(offers))}. Set HUEVAL_JUDGE_MODEL"


def _local_judges(settings: JudgeSettings, found: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """The lines that set a server on this machine as the judge; a model that the user has named comes first."""
    for base_url, models in found.items():
        model = settings.model if settings.model in models else models[0]
        yield f"{base_url} answers on this machine and lists {_named(models)}. To judge with it:"
        yield f"  export HUEVAL_JUDGE_BASE_URL={base_url}"
        yield f"  export HUEVAL_JUDGE_MODEL={shlex.quote(model)}"


def _named(models: Sequence[str]) -> str:
    more = f" and {len(models) - _LISTED} more" if len(models) > _LISTED else ""
    return one_line(", ".join(models[:_LISTED]), 300) + more


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "-"


def _plain_lm_eval() -> str:
    spec = importlib.util.find_spec("lm_eval")
    mapped = spec and spec.origin and any((Path(spec.origin).parent / "tasks").glob("*/family.py"))
    return "finds the tasks" if mapped else "does not find the tasks (editable install): use hueval run"


def _print_data() -> list[str]:
    """Print the sources of every data set.

    Returns:
        What tasks need and what cannot be read without a network: names of files, or of a data set that lacks them all.
    """
    from hf_datasets.repo import dataset_repos

    needed = _needed()
    missing: list[str] = []
    for repo in dataset_repos():
        tables = {table: available(table) for table in repo.tables()}
        here = {table for table, sources in tables.items() if any(map(_serves, sources))}
        print(f"  {repo.title}: {len(here)} of {len(tables)} files can be read without a network")
        wanted = [table for table in tables if (repo.name, table.config.name, table.split.name) in needed]
        lacking = [table for table in wanted if table not in here]
        missing += [repo.title] if wanted and lacking == wanted else sorted(map(_short_name, lacking))
        for table, sources in tables.items() if wanted and len(tables) <= _SHOWN else ():
            _print_sources(_short_name(table), sources)
    return missing


def _needed() -> set[tuple[str, str, str]]:
    """Data set, config and split of the rows of every task, in each of its variants."""
    specs = map(task_spec, known_tasks())
    return {
        (spec.family.data_set, spec.data_config, str(split))
        for spec in specs
        for split in spec.family.variants.get("split", ("test",))
    }


def _short_name(table: object) -> str:
    return str(table).removesuffix(Path(str(table)).suffix)


def _print_sources(name: str, sources: Sequence[Availability]) -> None:
    print(f"    {name}")
    for source in sources:
        state = {True: "yes", False: "no", None: "?"}[source.has_file]
        print(f"      {source.origin:9} {state:4} {plain(source.what)}")


def _serves(source: Availability) -> bool:
    from hf_datasets.network import switched_on

    return bool(source.has_file) and (source.origin != "sample" or switched_on("HUEVAL_SAMPLE"))
