"""The families and their tasks: found beside this package, and through other distributions' entry points.

A family is a folder of `lm_eval_tasks` with a `family.py` that has a `FAMILY` (`declare.Family`), or an entry point
`hueval.families` that names one. A declaration that cannot be used costs a line in the log, and its family only.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from hueval_metrics.beside import ASKED, EXTRACTED, beside
from hueval_metrics.declare import Family, Task
from hueval_metrics.errors import InputError
from hueval_metrics.metric import Metric
from hueval_metrics.one_line import one_line
from hueval_metrics.text.foreign import own_yaml

TASKS_DIR = Path(__file__).parents[1] / "lm_eval_tasks"
ENTRY_POINTS = "hueval.families"
CALIBRATED = "_calibrated"  # ends the name of a judged metric that is corrected to another judge or to people

_NO_VARIANTS = frozenset({"task", "version", "provenance", "config_source"})  # of a YAML's metadata

log = logging.getLogger(__name__)


@cache
def families() -> Mapping[str, Family]:
    """Name → family: those with replies in Hungarian first, by name; those of other distributions after ours."""
    found: dict[str, Family] = {}
    for where, load in _candidates():
        try:
            family = load()
            if not isinstance(family, Family):
                raise InputError(f"expected a declare.Family, found {type(family).__name__}")
            _check(family, found)
        except Exception as error:  # whatever a declaration raises, the other families go on
            reason = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {one_line(error)}"
            log.warning("%s: left out, with its tasks (%s). Fix the declaration.", where, reason)
        else:
            found[family.name] = family
    return dict(sorted(found.items(), key=lambda pair: "hu" not in pair[1].languages))


def _candidates() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Where a family is declared, and what loads it."""
    for folder in sorted(TASKS_DIR.iterdir()):
        if any((folder / name).is_file() for name in ("__init__.py", "family.py")):
            yield str(folder / "family.py"), partial(_load_file, folder / "family.py")
    for point in sorted(entry_points(group=ENTRY_POINTS), key=lambda point: point.name):
        yield f"entry point {ENTRY_POINTS}: {point.name} = {point.value}", point.load


def _load_file(file: Path) -> Any:
    for name in ("family.py", "__init__.py"):  # without the second no wheel has the folder
        if not file.with_name(name).is_file():
            raise InputError(f"a family's folder needs {name}")
    return importlib.import_module(f"{TASKS_DIR.name}.{file.parent.name}.family").FAMILY


def _check(family: Family, others: Mapping[str, Family]) -> None:
    """Raise InputError where a declaration contradicts itself or another."""
    for task in family.tasks:
        if not task.startswith(family.prefixes):
            raise InputError(f"{task} begins with none of the prefixes {', '.join(family.prefixes)}")
    elsewhere = ":" in family.data or "." in family.data
    if elsewhere and (data := TASKS_DIR.with_name("hf_datasets") / family.name).is_dir():
        raise InputError(f"there is another data set {family.name}, in {data}")
    for other in others.values():
        if family.name == other.name:
            raise InputError(f"there is another family {family.name}, in {other.folder}")
        for prefix in family.prefixes:
            if any(prefix.startswith(taken) or taken.startswith(prefix) for taken in other.prefixes):
                raise InputError(f"the prefix {prefix} is taken by {other.name}, in {other.folder}")
    for name, path in _rubrics(family):
        for other in (*others.values(), family):
            if any(name == taken and path != rubric for taken, rubric in _rubrics(other)):
                raise InputError(f"there is another rubric {name}, of {other.name}, in {other.folder}")


def _rubrics(family: Family) -> Iterator[tuple[str, str]]:
    """Name and dotted path of each rubric of a family."""
    return ((task.rubric.rpartition(".")[2], task.rubric) for task in family.tasks.values() if task.rubric)


def task_folders() -> list[Path]:
    """The folders in which lm-eval finds the tasks of all families."""
    return [TASKS_DIR, *(found.folder for found in families().values() if TASKS_DIR not in found.folder.parents)]


@cache
def known_tasks() -> Mapping[str, Family]:
    """Full name of a task → its family; the tasks of a family in the order of its declaration."""
    return {name: found for found in families().values() for name in found.tasks}


def declared(name: str) -> Task:
    """The declaration of one task.

    Raises:
        InputError: there is no such task; the message names the nearest one.
    """
    if name not in known_tasks():
        near = get_close_matches(name, known_tasks(), n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]}?" if near else f"One of: {', '.join(sorted(known_tasks()))}"
        raise InputError(f'unknown task "{one_line(name, 80)}". {hint}')
    return known_tasks()[name].tasks[name]


@cache
def key_fields(task: str) -> tuple[str, ...]:
    """The fields that identify an item: the declared key (`declare.Task.key`), `qid` for a task that is not ours."""
    return declared(task).key if task in known_tasks() else ("qid",)


def title(task: str) -> str | None:
    """A task as its paper calls it; None where it is not ours."""
    return declared(task).title if task in known_tasks() else None


def strata(task: str) -> Mapping[str, Mapping[str, str]]:
    """Code of each stratum of a task's family → its titles by language; nothing where its items are not divided."""
    found = known_tasks()[task].strata if task in known_tasks() else None
    return found.titles if found else {}


def metric(task: str, name: str) -> Metric | None:
    """A metric of a task, with or without `CALIBRATED` behind its name; None where the task is not ours or lacks it."""
    return compared(declared(task)).get(name.removesuffix(CALIBRATED)) if task in known_tasks() else None


def compared(task: Task) -> Mapping[str, Metric]:
    """The metrics of a task, and those beside them that some runs have (`beside.beside`)."""
    return {**task.metrics, **beside(task, ASKED), **beside(task, EXTRACTED)}


def prefixes() -> tuple[str, ...]:
    """How the names of our tasks begin."""
    return tuple(prefix for found in families().values() for prefix in found.prefixes)


def warn_of_near_misses(settings: Mapping[str, Any], variants: Iterable[str]) -> None:
    """Warn of keys of `--metadata` that are nearly known ones.

    Any unknown key is an error nowhere, as lm-eval merges the arguments of its models into them.
    """
    known = [*variants, "data_dir"]
    for key in sorted(settings.keys() - set(known) - _NO_VARIANTS):
        if near := get_close_matches(key, known, n=1, cutoff=0.8):
            log.warning('--metadata: unknown key "%s" is ignored. Did you mean "%s"?', key, near[0])


@cache
def resolve(path: str) -> Any:
    """What a dotted path of a declaration names: `package.module.name` or a module."""
    return pkgutil.resolve_name(path)


def rubric_name(task: Task) -> str | None:
    """The name of a task's rubric, the last part of its path; names are unique over families."""
    return task.rubric and task.rubric.rpartition(".")[2]


@cache
def rubrics() -> Mapping[str, str]:
    """Name of a rubric → dotted path of its module."""
    return dict(sorted(pair for found in families().values() for pair in _rubrics(found)))


@dataclass(frozen=True)
class TaskSpec:
    """One task: its declaration, and its YAML with `!function` references resolved.

    `hueval score` scores by the same YAML that lm-eval runs, and pays neither for lm-eval's index of 14,000 tasks nor
    for `datasets`.

    Attributes:
        name: the task's name in lm-eval.
        family: its family.
        declared: what its family declares of it.
        config: the YAML, `include`s merged, functions resolved.
    """

    name: str
    family: Family
    declared: Task
    config: Mapping[str, Any]

    def process_results(self, doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
        """Score one document by the function that the YAML names.

        Args:
            doc: the document.
            results: one filtered JSON string; of a task without generation a (log-likelihood, greedy) a choice.

        Returns:
            Metric → value, of just the metrics that are declared.

        Raises:
            InputError: the function returns other metrics than those.
            Exception: whatever it raises.
        """
        hook = self.config["process_results"]
        values: dict[str, Any] = hook(doc, results)
        if values.keys() != self.metrics.keys():
            raise InputError(self._unlike(values))
        return values

    @property
    def hook(self) -> str:
        """Where the function of `process_results` is, for messages."""
        hook = self.config["process_results"]
        return f"{getattr(sys.modules.get(hook.__module__), '__file__', hook.__module__)}: {hook.__qualname__}"

    def _unlike(self, values: Mapping[str, Any]) -> str:
        """The line on metrics that only one of hook and declaration has."""
        file = self.family.folder / "family.py"
        if missing := sorted(self.metrics.keys() - values.keys()):
            names = ", ".join(missing)
            return f"{file}: {self.name} declares {names}, which {self.hook} does not return. Return it or drop it"
        undeclared = ", ".join(sorted(values.keys() - self.metrics.keys()))
        return f"{self.hook} returns {undeclared}, which {file} does not declare for {self.name}. Declare it there"

    @property
    def trace_filter(self) -> tuple[Any, dict[str, Any]]:
        """The filter class by which a generating task takes reasoning traces off, and its settings."""
        _, strip, *_ = self.config["filter_list"][0]["filter"]  # after take_first
        return strip["function"], {key: value for key, value in strip.items() if key != "function"}

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Column → metric."""
        return self.declared.metrics

    @property
    def rubric(self) -> str | None:
        """The name of the rubric by which a judge scores the answers; None for tasks scored by rule."""
        return rubric_name(self.declared)

    @property
    def short_name(self) -> str:
        """The name without its family's prefix."""
        return self.family.short_name(self.name)

    @property
    def data_config(self) -> str:
        """The config of the data set that has the task's rows."""
        return self.declared.config or self.short_name

    @property
    def generates(self) -> bool:
        """Whether a model's text is scored; else log-likelihoods of choices."""
        return self.declared.output_type == "generate_until"

    @property
    def has_examples(self) -> bool:
        """Whether few-shot examples can be drawn from anything but the test questions themselves."""
        settings = self.config.get("fewshot_config") or {}
        split = settings.get("split") or self.config.get("fewshot_split")
        is_another = split is not None and split != self.config.get("test_split")
        return is_another or bool(settings.get("process_docs") or settings.get("samples"))

    @property
    def version(self) -> str:
        """`metadata.version` of the YAML."""
        return str((self.config.get("metadata") or {}).get("version", "?"))

    def variants(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """The value of every variant of family and task: as given, as in the YAML's `metadata`, or the first declared.

        Args:
            settings: key of `--metadata` → value; other keys are ignored.

        Raises:
            InputError: a value is not one of those that the task has.
        """
        given = {**(self.config.get("metadata") or {}), **settings}
        chosen = {}
        for key, values in {**self.family.variants, **self.declared.variants}.items():
            on_offer = {str(value): value for value in values}
            asked = str(given.get(key, values[0]))
            if asked not in on_offer:
                elsewhere = f" for {self.name}" if asked in map(str, self.family.variants.get(key, ())) else ""
                raise InputError(
                    f'--metadata {key}: "{one_line(asked, 40)}" is not on offer{elsewhere}. '
                    f"One of: {', '.join(on_offer)}"
                )
            chosen[key] = on_offer[asked]
        return chosen

    def prompt(self, doc: Mapping[str, Any]) -> str | None:
        """The user message; None where the YAML leaves it to a template of lm-eval's."""
        return self._text("doc_to_text", doc)

    def target(self, doc: Mapping[str, Any]) -> str | None:
        """The gold answer; None likewise."""
        return self._text("doc_to_target", doc)

    def _text(self, key: str, doc: Mapping[str, Any]) -> str | None:
        made = self.config.get(key)
        if callable(made):
            return str(made(doc))
        return str(doc[made]) if isinstance(made, str) and made in doc else None

    def key_of(self, doc: Mapping[str, Any]) -> tuple[Any, ...]:
        """What names an item: the values of the declared fields, None for those that a document lacks."""
        return tuple(doc.get(name) for name in self.declared.key)

    def unique_of(self, doc: Mapping[str, Any]) -> tuple[Any, ...]:
        """The values that no two documents share (`declare.Task.unique`), None for those that a document lacks."""
        return tuple(doc.get(name) for name in self.declared.unique)

    def stratum_of(self, doc: Mapping[str, Any]) -> str | None:
        """The code of an item's stratum; None where there is none."""
        strata = self.family.strata
        return None if strata is None else strata.code(str(doc.get(strata.field)))


@cache
def task_spec(name: str) -> TaskSpec:
    """One task by name.

    Raises:
        InputError: there is no such task, or its YAML and its declaration contradict one another.
    """
    task = declared(name)
    owner = known_tasks()[name]
    file = _yaml_of(name, owner)
    config = read_yaml(file, resolve=True)
    listed = [entry["metric"] for entry in config.get("metric_list", ())]
    if unlike := sorted(set(listed) ^ set(task.metrics)):
        raise InputError(
            f"{file}: its metric_list and {owner.folder / 'family.py'} do not have the same metrics "
            f"({', '.join(unlike)}). Declare each in both"
        )
    if lack := _lack(config, task):
        raise InputError(f"{file}: {lack}")
    return TaskSpec(name, owner, task, config)


def _lack(config: Mapping[str, Any], task: Task) -> str | None:
    """What a task's YAML lacks that every run and every score needs; None where it has all."""
    output_type = config.get("output_type", "generate_until")
    if output_type != task.output_type:
        return f"output_type is {output_type}, and family.py declares {task.output_type}. Make them the same"
    if not callable(config.get("process_results")):
        return "no process_results. Name the function that scores a document"
    if task.output_type == "generate_until" and not config.get("filter_list"):
        return "no filter_list. A generating task has one: take_first, then the filter of reasoning traces"
    if not isinstance((config.get("metadata") or {}).get("provenance"), dict):
        return "metadata has no provenance. Add `provenance: {}`, which a run fills in"
    return None


def _yaml_of(name: str, owner: Family) -> Path:
    if usual := _yamls(owner.folder).get(name):
        return usual
    for file in sorted(owner.folder.rglob("*.yaml")):
        if read_yaml(file, resolve=False).get("task") == name:
            return file
    raise InputError(f"{owner.folder}: no YAML has the task {name}, which family.py declares. Add {name}.yaml")


@cache
def _yamls(folder: Path) -> Mapping[str, Path]:
    """Name without suffix → YAML file below a folder; of several with one name the one nearest to the top."""
    found: dict[str, Path] = {}
    for file in sorted(folder.rglob("*.yaml"), key=lambda path: (len(path.parts), path)):
        found.setdefault(file.stem, file)
    return found


def read_yaml(path: Path, *, resolve: bool) -> dict[str, Any]:
    """A task's or group's YAML, `include`s merged; its functions by name, unless they are to be resolved."""
    config: dict[str, Any] = own_yaml(path, pkgutil.resolve_name if resolve else str)
    for name in reversed(_listed(config.pop("include", []))):  # as in lm-eval: a key of the file replaces, none merges
        config = {**read_yaml(path.parent / name, resolve=resolve), **config}
    return config


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
