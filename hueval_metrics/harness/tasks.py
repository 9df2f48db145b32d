"""lm-eval's task manager with our tasks preset, and without its 14,000 others when only ours are asked for."""

from __future__ import annotations

import contextlib
import re
import traceback
from collections.abc import Iterator, Sequence
from copy import copy
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import lm_eval.tasks
from lm_eval.api.task import ConfigurableTask
from lm_eval.tasks import TaskManager
from lm_eval.tasks._factory import TaskFactory
from lm_eval.tasks._index import Kind

from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.harness.compatibility import task_index
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import TASKS_DIR, known_tasks, task_folders, task_spec

FAILED = "hueval_failed"  # key of a document whose scoring failed → why, until the results of all ranks are there
_MIN_PART = 4  # letters; a shorter part of a name says too little of which name was meant


class HuevalTaskManager(TaskManager):
    """lm-eval's TaskManager over our tasks and the user's; over the built-in ones too if a wanted name needs them.

    Args:
        wanted: the task names and globs of the call. Indexing the built-in tasks costs lm-eval some seconds.
        include_path: the user's own task folders.
        everything: whether to index the built-in tasks in any case.

    Raises:
        InputError: a name looks like one of ours, and no built-in task has it.
    """

    def __init__(self, wanted: Sequence[str], include_path: Any = None, *, everything: bool = False) -> None:
        paths = [Path(path) for path in _listed(include_path)]
        ours = task_folders()
        super().__init__(include_path=[*ours, *paths], include_defaults=False)
        unknown = [name for name in wanted if not self.match_tasks([name])]
        if unknown or everything:
            for name in unknown:
                self._refuse_misspelt(name)
            # A wheel also maps our folders into lm-eval's own; named twice, each task would warn of an override.
            if any(Path(lm_eval.tasks.__file__).parent.glob("*/family.py")):
                ours.remove(TASKS_DIR)
            super().__init__(include_path=[*ours, *paths], include_defaults=True)

    def _refuse_misspelt(self, name: str) -> None:
        near = None if set(name) & set("*?[") else _nearest(name, self.all_tasks)  # a glob may match built-in tasks
        if near and not _is_named_in(Path(lm_eval.tasks.__file__).parent, name):
            raise _unknown(name, near)

    def with_metadata(self, metadata: dict[str, Any] | None) -> TaskManager:
        """The same index, for tasks that are built with run-time metadata."""
        manager = copy(self)
        manager.metadata = metadata
        manager._factory = TaskFactory(meta=metadata)
        return manager


@contextlib.contextmanager
def hooks_checked() -> Iterator[None]:
    """While inside, a `process_results` of ours that raises, or returns other metrics than are declared, is noted.

    lm-eval calls it when all is generated, and would end in its traceback, without the results of any task. The
    document says why (`FAILED`), since lm-eval collects documents from all ranks; `output.failed` reads it.
    """
    original, printed = ConfigurableTask.process_results, set[str]()

    def checked(task: ConfigurableTask, doc: dict[str, Any], results: Sequence[Any]) -> Any:
        name = str(task.config.task)
        if name not in known_tasks():
            return original(task, doc, results)
        spec = task_spec(name)
        try:
            return spec.process_results(doc, results)
        except HuevalError as error:
            doc[FAILED] = str(error)
        except Exception as error:
            where = f"{name}, item {', '.join(map(str, spec.key_of(doc)))}"
            if name not in printed:
                printed.add(name)
                traceback.print_exc()  # into the log
            doc[FAILED] = f"{spec.hook} failed on {where} ({type(error).__name__}: {one_line(error)})"
        return dict.fromkeys(spec.metrics)

    with replaced(ConfigurableTask, "process_results", checked):
        yield


def resolve(names: Sequence[str], manager: TaskManager) -> list[str]:
    """The tasks, groups and tags that names and globs stand for, each task once, before anything is loaded.

    Of what a glob matches, a group stands for the tasks in it.

    Raises:
        InputError: a name matches nothing, or a task is asked for twice, by itself and in a group.
    """
    index = task_index(manager)
    matches: dict[str, None] = {}
    for name in names:
        found = manager.match_tasks([name])
        if not found:
            raise _unknown(name, _nearest(name, manager.all_tasks))
        matches |= dict.fromkeys(found if name in index else _each_once(found, manager))
    asked: dict[str, tuple[str, str]] = {}
    for name in matches:
        for leaf in leaves(name, manager):
            # lm-eval takes a task once that comes by its name and by tags.
            whole = name if index[name].kind is Kind.GROUP else leaf
            if asked.setdefault(leaf, (whole, name))[0] != whole:
                raise InputError(
                    f'task "{leaf}" is asked for twice, by "{asked[leaf][1]}" and by "{name}". Name it once'
                )
    return list(matches)


def _each_once(found: Sequence[str], manager: TaskManager) -> list[str]:
    """Of tasks, groups and tags the largest groups, then what tasks are left, by their tags and names."""
    order = (Kind.GROUP, Kind.TAG)
    below = {name: leaves(name, manager) for name in found}
    kinds = {name: task_index(manager)[name].kind for name in found}
    taken: dict[str, str] = {}
    for name in sorted(found, key=lambda name: (*(kinds[name] is not kind for kind in order), -len(below[name]))):
        left = [leaf for leaf in below[name] if leaf not in taken]
        whole = len(left) == len(below[name])
        taken |= {leaf: name if whole else leaf for leaf in left}
    return sorted(set(taken.values()))


def leaves(name: str, manager: TaskManager) -> list[str]:
    """The tasks of a group or a tag, as far as the index knows; a task stands for itself."""
    entry = task_index(manager)[name]
    if entry.kind is Kind.TAG:
        return sorted(entry.tags)
    members = (entry.cfg or {}).get("task") if entry.kind is Kind.GROUP else None
    if not isinstance(members, list):
        return [name]
    below = [member if isinstance(member, str) else member.get("task") or member.get("group") for member in members]
    return [leaf for member in below if member in task_index(manager) for leaf in leaves(member, manager)]


def _unknown(name: str, near: str | None) -> InputError:
    hint = f'Did you mean "{near}"? ' if near else ""
    return InputError(f'unknown task "{name}". {hint}List them with: hueval ls tasks')


def _nearest(name: str, known: Sequence[str]) -> str | None:
    """The name that was probably meant, which may be given without its family; None when none is near.

    >>> _nearest("keyw", ["toybench_letters", "toybench_keywords"])
    'toybench_keywords'
    """
    forms = {form.casefold(): full for full in known for form in (full.partition("_")[2] or full, full)}
    wanted = name.casefold()
    within = [form for form in forms if len(wanted) >= _MIN_PART and wanted in form]
    near = sorted(within, key=len)[:1] or get_close_matches(wanted, forms, n=1)
    return forms[near[0]] if near else None


def _is_named_in(folder: Path, name: str) -> bool:
    """Whether any YAML file below a folder has the name in its text: a twentieth of the time that an index takes."""
    word = re.compile(rb"(?<![\w-])" + re.escape(name.encode()) + rb"(?![\w-])")
    return any(word.search(file.read_bytes()) for file in folder.rglob("*.yaml"))


def _listed(include_path: Any) -> list[Any]:
    if not include_path:
        return []
    return list(include_path) if isinstance(include_path, (list, tuple)) else [include_path]
