"""The judge: percentage of answers with a verdict, cost of the verdicts, agreement within a panel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hueval_metrics.records import number_of
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.reports.columns import tasks as tasks_of
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.bars import BarPanel, bars
from hueval_metrics.reports.figures.charts.scale import round_up
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.points import Point, columns_of
from hueval_metrics.reports.figures.units import panel_titles, unit_point, unit_words, units
from hueval_metrics.runs.run import Run
from hueval_metrics.words.texts import by_english

_WHOLE = 100.0  # percent
_MOST_USD = 1e9  # a higher cost comes from a damaged log
_FORMS = {"%": ".1f", "USD": ".2f", "α": ".2f"}  # measure → format of its numbers


def judging_figure(data: FigureData, runs: Sequence[Run]) -> Figure | None:
    """Coverage (percent), cost (dollars) and agreement (Krippendorff's alpha) by unit; None where unknown.

    A measure that shows nothing is left out: coverage without a missing verdict, costs without known prices, agreement
    without a panel, and what is the same for all of several models.
    """
    lineup = names.lineup(runs)
    known: dict[tuple[str, str], list[Point | None]] = {}
    judged = units(task for task in tasks_of(runs) if task in known_tasks() and declared(task).rubric)
    for task in judged:
        summaries = [data.of(place, task).judge.summary() for place in lineup.rows]
        known[task, "%"] = [unit_point(runs[place], task, "judge_coverage") for place in lineup.rows]
        known[task, "USD"] = [_dollars(summary) for summary in summaries]
        known[task, "α"] = [_alpha(summary) for summary in summaries]
    tasks = [task for task in judged if any(known[task, "%"])]
    measures = [measure for measure in _FORMS if any(_is_informative(measure, known[task, measure]) for task in tasks)]
    if not measures:
        return None
    highest = max((one.value for task in tasks for one in known[task, "USD"] if one), default=0.0)
    tops = {"%": 100.0, "USD": round_up(highest), "α": 1.0}
    titles = panel_titles(tasks)
    panels = [
        BarPanel(f"{titles[task]}  {measure}", known[task, measure], tops[measure], _FORMS[measure])
        for task in tasks
        for measure in measures
    ]
    rows = [
        {"task": task, "model": runs[place].label, "measure": measure} | columns_of(one)
        for task in tasks
        for measure in measures
        for place, one in zip(lineup.rows, known[task, measure], strict=True)
        if one
    ]
    models = [lineup.names[place] for place in lineup.rows]
    draw = partial(bars, panels, models, columns=max(2, len(measures)))
    words = by_english(
        {language: f"{title}  {measure}" for language, title in titles.items()}
        for titles in unit_words(tasks).values()
        for measure in measures
    )
    return Figure("judging", "judging", rows, draw, words=words)


def _is_informative(measure: str, points: Sequence[Point | None]) -> bool:
    """Whether the models differ, or the one model has a value; of coverage, whether a verdict is missing."""
    values = {one.value for one in points if one}
    if measure == "%":
        return bool(values - {_WHOLE})
    return len(values) > 1 or (len(points) == 1 and any(points))


def _dollars(summary: Mapping[str, Any]) -> Point | None:
    """The cost of the verdicts of a task; None where it is 0 or unknown."""
    costs = [number_of(judge["usd"]) for judge in summary["judge"].values()]
    known = [cost for cost in costs if cost is not None]
    return Point(sum(known)) if len(known) == len(costs) and 0 < sum(known) < _MOST_USD else None


def _alpha(summary: Mapping[str, Any]) -> Point | None:
    agreement = summary.get("judge_agreement") or {}
    alpha = number_of(agreement.get("alpha"))
    return None if alpha is None else Point(alpha, *(agreement["alpha_ci95"] or (None, None)))
