"""What a figure has a panel for: a task, or a part of a family with many tasks (`declare.Family.parts`)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from hueval_metrics.declare import Family
from hueval_metrics.registry import declared, families, known_tasks
from hueval_metrics.reports.columns import in_order
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.points import Point, point
from hueval_metrics.runs.run import Run
from hueval_metrics.words.texts import ENGLISH, Texts, by_english, each

_BETWEEN = "/"  # family and code of a part, which no task's name has


def unit_of(task: str) -> str:
    """The unit that a task is shown in: itself, or the part of its family as `family/code`."""
    family = known_tasks().get(task)
    part = declared(task).part if family is not None and family.parts else ""
    return f"{family.name}{_BETWEEN}{part}" if family is not None and part else task


def units(tasks: Iterable[str]) -> list[str]:
    """The units of some tasks, in the order of their families' declarations."""
    return list(dict.fromkeys(map(unit_of, in_order(tasks))))


def is_part(unit: str) -> bool:
    """Whether a unit is a part of a family."""
    return _split(unit) is not None


def owner_of(unit: str) -> str:
    """The family whose part a unit is; a task itself."""
    found = _split(unit)
    return found[0].name if found else unit


def owner_name(unit: str) -> str:
    """The title of the family whose part a unit is; of a task its own."""
    found = _split(unit)
    return found[0].title if found else names.task_name(unit)


def part_name(unit: str, language: str = ENGLISH) -> str:
    """The title of a part within its family; empty for a task."""
    found = _split(unit)
    return found[0].parts[found[1]][language] if found else ""


def unit_name(unit: str, language: str = ENGLISH) -> str:
    """The title of a unit, for the heading of a panel."""
    found = _split(unit)
    return f"{found[0].title} {found[0].parts[found[1]][language]}" if found else names.task_name(unit)


def panel_titles(units: Iterable[str]) -> dict[str, str]:
    """The title of each unit, after that of its benchmark where the units are of several."""
    titles, known = {unit: unit_name(unit) for unit in units}, known_tasks()
    if len({owner.name for unit in titles if (owner := known.get(unit) or families().get(owner_of(unit)))}) > 1:
        titles |= {unit: f"{known[unit].title}: {title}" for unit, title in titles.items() if unit in known}
    return titles


def unit_names(unit: str) -> Texts:
    """The title of a unit by language, for a caption."""
    return each(partial(unit_name, unit))


def unit_words(units: Iterable[str]) -> dict[str, Texts]:
    """The titles of the parts among some units, for `figure.Figure.words`."""
    return by_english(unit_names(unit) for unit in units if is_part(unit))


def unit_point(run: Run, unit: str, metric: str) -> Point | None:
    """A score of a run in a unit: of a part its summary `<metric>_<code>`; None without one."""
    found = _split(unit)
    if found is None:
        return point(run, unit, metric)
    family, code = found
    summary = next((one for one in family.summaries if one.name == f"{metric}_{code}"), None)
    return None if summary is None else summary_point(run, family, summary.name)


def summary_point(run: Run, family: Family, name: str) -> Point | None:
    """A summary of a run with its interval; None without one, or where it is outside its scale."""
    summary = next(one for one in family.summaries if one.name == name)
    value = run.summary(summary)
    least, most = declared(summary.terms[0][0]).metrics[summary.terms[0][1]].bounds
    if summary.better is None:  # a difference
        least, most = least - most, most - least
    if value is None or not least <= value <= most:
        return None
    kept = run.summary_result(summary)
    low, high = kept.intervals.get(name, (None, None))
    n = kept.metric_n.get(name)
    return Point(value, n=n) if low is None or high is None else Point(value, max(least, low), min(most, high), n)


def _split(unit: str) -> tuple[Family, str] | None:
    """The family and the code of a part; None for a task."""
    name, between, code = unit.partition(_BETWEEN)
    family = families().get(name) if between else None
    return (family, code) if family is not None and code in family.parts else None
