"""The columns of the overview: the headline of each task of the families that were run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from hueval_metrics import registry
from hueval_metrics.beside import ASKED, EXTRACTED
from hueval_metrics.declare import Family, Task
from hueval_metrics.metric import Better
from hueval_metrics.records import Signature
from hueval_metrics.reports import escape
from hueval_metrics.runs.run import BASELINE, Run, is_baseline
from hueval_metrics.summary import Summary
from hueval_metrics.words.texts import ENGLISH

_CAL = "cal."  # behind the heading of a metric: its calibrated scores


class Headline(NamedTuple):
    """A column: a metric of a task, or a summary of a family (`task` is the family's name); its two-line heading.

    One of calibrated scores has the `reference` to which all of them are calibrated; empty where they differ.
    """

    task: str
    metric: str
    group: str
    heading: str
    reference: str = ""

    @property
    def title(self) -> str:
        """The heading in one line."""
        return self.title_in(ENGLISH)

    def title_in(self, language: str) -> str:
        """The same in a language."""
        return f"{self.group} {self.heading_in(language)}".strip()

    @property
    def family(self) -> Family:
        """The family whose column it is."""
        return registry.families().get(self.task) or registry.known_tasks()[self.task]

    def heading_in(self, language: str) -> str:
        """The heading on a page in a language."""
        family = registry.families().get(self.task)
        if language == ENGLISH or family is None:
            return self.heading
        return self._summary(family).titles.get(language, self.heading)

    @property
    def terms(self) -> Sequence[tuple[str, str]]:
        """(task, metric) of each score that it is made of."""
        family = registry.families().get(self.task)
        return self._summary(family).terms if family else ((self.task, self.metric),)

    @property
    def better(self) -> Better | None:
        """Whether a higher or a lower score is better; None where neither is."""
        if family := registry.families().get(self.task):
            return self._summary(family).better
        declared = registry.metric(self.task, self.metric)
        return declared.better if declared else None

    def metric_of(self, run: Run) -> str:
        """The metric of a run that is in the column: among calibrated scores the reference's own as they are."""
        if self.reference and is_judged_by(run, self.task, self.reference):
            return self.metric.removesuffix(registry.CALIBRATED)
        return self.metric

    @property
    def has_order(self) -> bool:
        """Whether its scores have places: calibrated ones only if all are calibrated to one reference."""
        return bool(self.reference) or not self.metric.endswith(registry.CALIBRATED)

    def _summary(self, family: Family) -> Summary:
        return next(one for one in family.summaries if one.name == self.metric)

    def score(self, run: Run) -> float | None:
        """A run's score; None where there is none."""
        family = registry.families().get(self.task)
        if family is None:
            return run.score(self.task, self.metric_of(run))
        return run.summary(self._summary(family))

    def chance(self, run: Run) -> float | None:
        """What guessing gives in the column, in its unit; of a summary where it is the same in all tasks."""
        found = set()
        for task, name in self.terms:
            declared = registry.declared(task)
            metric = declared.metrics.get(name)
            chance = run.result(task).chance if isinstance(declared.chance, str) else declared.chance
            if metric is None or chance is None or name != next(iter(declared.headline)):
                return None
            found.add(chance * (100 if metric.unit == "%" else 1))
        return found.pop() if len(found) == 1 else None

    def spread(self, run: Run) -> tuple[float, float] | None:
        """The lowest and the highest score over the prompts of a run; None where fewer than two have one."""
        scores = [score for one in run.averaged if (score := self.score(one)) is not None]
        return (min(scores), max(scores)) if len(scores) > 1 else None


def calibrated_to(runs: Iterable[Run], task: str, metric: str) -> set[str]:
    """The references to which the scores of a calibrated metric are calibrated; empty without any score."""
    scored = [run.result(task).calibration for run in runs if run.score(task, metric) is not None]
    return {one.reference if one else "?" for one in scored}


def is_judged_by(run: Run, task: str, judge: str) -> bool:
    """Whether a run's scores of a task are a judge's own."""
    result = run.result(task)
    return result.calibration is None and ",".join(Signature.parse(result.signature).judges) == judge


def families_of(runs: Iterable[Run]) -> list[Family]:
    """The families that any run has a task of, in the registry's order."""
    tasks = {task for run in runs for task in run.tasks}
    return [one for one in registry.families().values() if any(task.startswith(one.prefixes) for task in tasks)]


def headlines(families: Iterable[Family], runs: Sequence[Run] | None = None) -> list[Headline]:
    """The columns of some families, in the order of their declarations; summaries after the tasks.

    A metric that is calibrated in any of the runs has the column of its calibrated scores beside it. A family with
    parts (`declare.Family.parts`) has many tasks: those of a run have columns only if it lacks a task for each summary.

    Args:
        families: the families.
        runs: their rows, of which at least one has to have a task for its columns to be there; None for all tasks.
    """
    found = []
    for family in families:
        given = {task for run in runs for task in run.tasks} if runs is not None else family.tasks.keys()
        tasks = {name: task for name, task in family.tasks.items() if name in given}
        for name, task in _shown(family, tasks, runs).items():
            group = task.group or task.title
            for metric, text in task.headline.items():
                found.append(Headline(name, metric, group, text))
                calibrated = metric + registry.CALIBRATED
                if references := calibrated_to(runs or (), name, calibrated):
                    reference = references.pop() if len(references) == 1 else ""
                    found.append(Headline(name, calibrated, group, f"{text} {_CAL}", reference))
        found += [
            Headline(family.name, summary.name, "", summary.title)
            for summary in family.summaries
            if summary.in_overview and all(task in tasks for task, _ in summary.terms)
        ]
    return found


def beside_columns(families: Iterable[Family], runs: Sequence[Run], metric: str) -> list[Headline]:
    """The columns of a metric beside the strict ones (`beside.beside`), of the tasks in which a run has it."""
    found = []
    for family in families:
        for name, task in family.tasks.items():
            if is_beside(task, metric) and any(run.score(name, metric) is not None for run in runs):
                strict = task.headline.get(metric.removesuffix(ASKED).removesuffix(EXTRACTED))
                heading = f"{strict} {metric.rpartition('_')[2]}" if strict else metric
                found.append(Headline(name, metric, task.group or task.title, heading))
    return found


def is_beside(task: Task, metric: str | None) -> bool:
    """Whether a metric of a task is shown beside its strict ones."""
    return metric in registry.compared(task).keys() - task.metrics.keys()


def main_columns(family: Family, runs: Sequence[Run]) -> list[Headline]:
    """The columns of a family that have a better end: the first of each task, and the summaries."""
    found: dict[str, Headline] = {}
    for column in headlines([family], runs):
        if column.better is not None:
            found.setdefault(column.title if column.task == family.name else column.task, column)
    return list(found.values())


def _shown(family: Family, tasks: Mapping[str, Task], runs: Sequence[Run] | None) -> Mapping[str, Task]:
    """The tasks with columns of their own."""
    if not family.parts or runs is None:
        return tasks
    needed = [{task for task, _ in one.terms} for one in family.summaries if one.in_overview]
    alone: set[str] = set()
    for run in runs:
        alone |= run.tasks.keys() - {task for one in needed if one <= run.tasks.keys() for task in one}
    return {name: task for name, task in tasks.items() if name in alone}


def in_order(tasks: Iterable[str]) -> list[str]:
    """Tasks in the order of their families' declarations; those of no family after them, by name."""
    found, known = set(tasks), registry.known_tasks()
    return [task for task in known if task in found] + sorted(found - known.keys())


def tasks(runs: Sequence[Run]) -> list[str]:
    """The tasks that any run has, `in_order`."""
    return in_order(task for run in runs for task in run.tasks)


def models_first(runs: Iterable[Run]) -> list[Run]:
    """The runs, baselines after all models."""
    return sorted(runs, key=is_baseline)


def row_name(label: str) -> str:
    """The name of a run in a table, from its label: cleaned, and short for a baseline, which is named by its policy.

    >>> row_name("hueval-baseline-oracle"), row_name("org/model")
    ('baseline oracle', 'org/model')
    """
    return escape.plain(re.sub(f"^{BASELINE}[- ]", "baseline ", label))


def task_name(task: str) -> str:
    """The title of a task or family; of an undeclared task its name in lm-eval, cleaned."""
    family = registry.families().get(task)
    return family.title if family else registry.title(task) or escape.plain(task)


def stratum_name(task: str, code: str, language: str = ENGLISH) -> str:
    """The title of a stratum of a task; its code where the family declares no title."""
    titles = registry.strata(task)
    return titles[code][language] if code in titles else escape.plain(code)
