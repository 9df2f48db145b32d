"""The columns of the overview: the headline of each task of the families that were run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from hueval_metrics import registry
from hueval_metrics.declare import Better, Family, Summary, Task
from hueval_metrics.reports import escape
from hueval_metrics.runs.run import Run

_CAL = "cal."  # behind the heading of a metric: its calibrated scores


class Headline(NamedTuple):
    """A column: a metric of a task, or a summary of a family (`task` is the family's name); its two-line heading."""

    task: str
    metric: str
    group: str
    heading: str

    @property
    def title(self) -> str:
        """The heading in one line."""
        return f"{self.group} {self.heading}".strip()

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

    def is_of_one_reference(self, runs: Sequence[Run]) -> bool:
        """Whether its scores can be put in an order: calibrated ones only if all are calibrated to one reference."""
        found = [run.result(self.task).calibration for run in runs if self.score(run) is not None]
        return not self.metric.endswith(registry.CALIBRATED) or len({one and one.reference for one in found}) < 2

    def _summary(self, family: Family) -> Summary:
        return next(one for one in family.summaries if one.title == self.metric)

    def score(self, run: Run) -> float | None:
        """A run's score; None where there is none."""
        family = registry.families().get(self.task)
        if family is None:
            return run.score(self.task, self.metric)
        return run.summary(self._summary(family))

    def spread(self, run: Run) -> tuple[float, float] | None:
        """The lowest and the highest score over the prompts of a run; None where fewer than two have one."""
        scores = [score for one in run.prompts if (score := self.score(one)) is not None]
        return (min(scores), max(scores)) if len(scores) > 1 else None


def families_of(runs: Iterable[Run]) -> list[Family]:
    """The families that any run has a task of, in the registry's order."""
    tasks = {task for run in runs for task in run.tasks}
    return [one for one in registry.families().values() if any(task.startswith(one.prefixes) for task in tasks)]


def headlines(families: Iterable[Family], runs: Sequence[Run] | None = None) -> list[Headline]:
    """The columns of some families, in the order of their declarations; summaries after the tasks.

    A metric that is calibrated in any of the runs has the column of its calibrated scores beside it.

    Args:
        families: the families.
        runs: their rows. A form of the tasks (`declare.Family.prefixes`) that none of them has gets no columns, nor
            does a task that is only run by name; None for all.
    """
    found = []
    for family in families:
        tasks = family.tasks if runs is None else _shown(runs, family)
        for name, task in tasks.items():
            group = task.group or task.title
            for metric, text in task.headline.items():
                found.append(Headline(name, metric, group, text))
                calibrated = metric + registry.CALIBRATED
                if any(run.score(name, calibrated) is not None for run in runs or ()):
                    found.append(Headline(name, calibrated, group, f"{text} {_CAL}"))
        found += [
            Headline(family.name, summary.title, "", summary.title)
            for summary in family.summaries
            if all(task in tasks for task, _ in summary.terms)
        ]
    return found


def _shown(runs: Sequence[Run], family: Family) -> dict[str, Task]:
    """The tasks of a family that its overview of some runs has columns for."""
    given = {task for run in runs for task in run.tasks}
    forms = tuple(prefix for prefix in family.prefixes if any(task.startswith(prefix) for task in given))
    return {
        name: task
        for name, task in family.tasks.items()
        if name.startswith(forms) and (name in given or not task.by_name)
    }


def in_order(tasks: Iterable[str]) -> list[str]:
    """Tasks in the order of their families' declarations; those of no family after them, by name."""
    found, known = set(tasks), registry.known_tasks()
    return [task for task in known if task in found] + sorted(found - known.keys())


def tasks(runs: Sequence[Run]) -> list[str]:
    """The tasks that any run has, `in_order`."""
    return in_order(task for run in runs for task in run.tasks)


def task_name(task: str) -> str:
    """The title of a task or family; of an undeclared task its name in lm-eval, cleaned."""
    family = registry.families().get(task)
    return family.title if family else registry.title(task) or escape.plain(task)


def stratum_name(task: str, code: str, language: str = "en") -> str:
    """The title of a stratum of a task; its code where the family declares no title."""
    titles = registry.strata(task)
    return titles[code][language] if code in titles else escape.plain(code)
