"""The tasks of this package without lm-eval's task machinery: name → YAML, with its `!function` references resolved.

`hueval score` scores by the same YAML that lm-eval runs, and pays neither for lm-eval's index of 14,000 tasks nor for
`datasets`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import yaml

from hueval_metrics.records import InputError

TASKS_DIR = Path(__file__).parent
_SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, ten times as fast, where PyYAML has it


@dataclass(frozen=True)
class TaskSpec:
    """What scoring needs of a task.

    Attributes:
        name: the task's name in lm-eval.
        family: the folder it lives in; its documents come from `lm_eval_tasks.<family>.utils.documents`.
        config: the YAML, functions resolved.
    """

    name: str
    family: str
    config: Mapping[str, Any]

    @property
    def process_results(self) -> Callable[[Mapping[str, Any], Sequence[str]], dict[str, Any]]:
        """The function that scores one document."""
        function: Callable[[Mapping[str, Any], Sequence[str]], dict[str, Any]] = self.config["process_results"]
        return function

    @property
    def aggregations(self) -> dict[str, Callable[[Sequence[Any]], float | None]]:
        """Metric → the function that makes one number of all its per-document values."""
        return {entry["metric"]: entry["aggregation"] for entry in self.config["metric_list"]}

    @property
    def rubric(self) -> str | None:
        """The rubric by which a judge scores the answers; None for tasks scored by rule."""
        (pipeline,) = self.config["filter_list"]
        rubrics: list[str] = [entry["rubric"] for entry in pipeline["filter"] if "rubric" in entry]
        return rubrics[0] if rubrics else None

    @property
    def has_examples(self) -> bool:
        """Whether few-shot examples can be drawn from anything but the test questions themselves."""
        settings = self.config.get("fewshot_config") or {}
        return any([self.config.get("fewshot_split"), settings.get("split"), settings.get("samples")])

    @property
    def utils(self) -> ModuleType:
        """The family's module: `documents`, `prompt`, `target`."""
        return importlib.import_module(f"lm_eval_tasks.{self.family}.utils")


@cache
def task_files() -> dict[str, Path]:
    """The YAML file of every task, by task name."""
    configs = {path: _read(path, resolve=False) for path in sorted(TASKS_DIR.glob("*/*.yaml"))}
    return {config["task"]: path for path, config in configs.items() if "task" in config and "group" not in config}


@cache
def task_spec(name: str) -> TaskSpec:
    """One task by name.

    Raises:
        InputError: there is no such task; the message names the nearest ones.
    """
    files = task_files()
    if name not in files:
        near = get_close_matches(name, files, n=1, cutoff=0.5)
        hint = f"Did you mean {near[0]}?" if near else f"One of: {', '.join(sorted(files))}"
        raise InputError(f'unknown task "{name}". {hint}')
    return TaskSpec(name, files[name].parent.name, _read(files[name], resolve=True))


def _read(path: Path, *, resolve: bool) -> dict[str, Any]:
    class Loader(_SafeLoader):  # type: ignore[misc,valid-type]
        """Safe YAML plus lm-eval's `!function`."""

    def function(loader: yaml.SafeLoader, node: yaml.ScalarNode) -> Any:
        reference = loader.construct_scalar(node)
        return pkgutil.resolve_name(reference) if resolve else reference

    Loader.add_constructor("!function", function)
    config: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)
    return config
