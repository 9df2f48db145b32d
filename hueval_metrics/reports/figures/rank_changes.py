"""How the order of the models changes from one task to the next, and from another benchmark."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics import registry
from hueval_metrics.comparison.published import published_benchmarks, published_ranks
from hueval_metrics.declare import Counterpart
from hueval_metrics.reports.columns import families_of, headlines
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.canvas import MARGIN, WIDTH, axes, name_room, sheet
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import point
from hueval_metrics.reports.figures.theme import SMALL, Theme, line_style
from hueval_metrics.reports.notes import is_partial
from hueval_metrics.runs.run import Run
from hueval_metrics.stats.ranks import ranks

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]

_WORD = re.compile(r"[^\W\d_]+|\d+[^\W\d_]*")
_ROW, _COLUMN = 0.29, 1.4  # inches of a rank, of a column at most
_TILT = math.pi / 6  # of the headings


def rank_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """The ranks of the models in each headline; and beside those of other benchmarks where models match.

    As in the overview, runs on the sample or with a limit take no rank beside whole ones; beside published ranks never.
    """
    whole = [not is_partial(run) for run in runs]
    competing = whole if any(whole) else [True] * len(runs)
    columns = {one.title: _scores(runs, competing, one.task, one.metric) for one in headlines(families_of(runs))}
    # A rank says something only beside others.
    ours = {heading: scores for heading, scores in columns.items() if np.isfinite(scores).sum() > 1}
    if len(ours) > 1:
        yield from _figure("ranks-by-task", "ranks", runs, ours)
    benchmarks: dict[str, tuple[Counterpart, list[str]]] = {}
    for benchmark, counterpart in published_benchmarks().items():
        benchmarks.setdefault(benchmark.partition("-")[0], (counterpart, []))[1].append(benchmark)
    for slug, (counterpart, names_of_theirs) in benchmarks.items():
        scores = {names.task_name(counterpart.task): _scores(runs, whole, counterpart.task, counterpart.metric)}
        for benchmark in names_of_theirs:
            by_words = {_words(model): -rank for model, rank in published_ranks(benchmark).items()}
            heading = " ".join([counterpart.title, *benchmark.split("-")[1:]])
            scores[heading] = [by_words.get(_words(run.label), np.nan) for run in runs]
        shared = np.isfinite(list(scores.values())).all(axis=0)
        if shared.sum() > 1:
            among = {heading: np.where(shared, column, np.nan).tolist() for heading, column in scores.items()}
            yield from _figure(f"ranks-{slug}", "ranks-published", runs, among, _about(counterpart))


def _about(counterpart: Counterpart) -> dict[str, Any]:
    """What the caption of ranks beside published ones names."""
    task = registry.declared(counterpart.task)
    return {
        "group": task.group or task.title,
        "task": task.title,
        "other": counterpart.title,
        "source": counterpart.source,
    }


def _figure(
    name: str,
    kind: str,
    runs: Sequence[Run],
    scores: Mapping[str, Sequence[float]],
    about: Mapping[str, Any] | None = None,
) -> Iterator[Figure]:
    columns = ranks(list(scores.values()))
    rows = [
        {"column": heading, "model": run.label, "rank": int(rank)}
        for heading, column in zip(scores, columns, strict=True)
        for run, rank in zip(runs, column, strict=True)
        if np.isfinite(rank)
    ]
    shown = names.short_names([run.label for run in runs])
    yield Figure(name, kind, rows, partial(_slopes, columns, list(scores), shown), about or {})


def _scores(runs: Sequence[Run], competing: Sequence[bool], task: str, metric: str) -> list[float]:
    """The scores of the runs that compete, those that are better higher; NaN elsewhere."""
    declared = registry.metric(task, metric)
    sign = {"higher": 1.0, "lower": -1.0}.get(declared.better or "", np.nan) if declared else np.nan
    points = [point(run, task, metric) if competes else None for run, competes in zip(runs, competing, strict=True)]
    return [np.nan if one is None else sign * one.value for one in points]


def _words(model: str) -> tuple[str, ...]:
    """What makes two spellings of a model's name one: its words and numbers without the organisation, in any order.

    >>> _words("meta-llama/Llama-3.1-70B-Instruct") == _words("Llama-3.1-Instruct-70B")
    True
    """
    return tuple(sorted(_WORD.findall(model.rstrip("/").rpartition("/")[2].casefold())))


def _slopes(columns: Numbers, headings: Sequence[str], shown: Sequence[str], theme: Theme) -> Drawing:
    """A line a model through its ranks, which stand in circles, with its name at both ends.

    Models that share a rank stand one below the other with the same number.
    """
    lines = _lines(columns)
    ranked = np.flatnonzero(np.isfinite(columns).any(axis=0)).tolist()
    room, most = name_room([shown[place] for place in ranked]) + 2 * MARGIN, int(np.nanmax(lines))
    head = 0.25 + name_room(headings) * math.sin(_TILT)
    end = max(room, name_room(headings[-1:]) * math.cos(_TILT))
    wide = min(WIDTH - room - end, _COLUMN * (len(headings) - 1))
    drawing = sheet(head + _ROW * most, theme, room + wide + end)
    made = axes(drawing, theme, room, head, wide, _ROW * most)
    made.set(xlim=(0, len(headings) - 1), ylim=(most + 0.5, 0.5), xticks=[], yticks=[])
    beside: dict[str, Any] = {
        "textcoords": "offset points",
        "annotation_clip": False,
        "fontsize": SMALL,
        "color": theme.ink,
    }
    for place in ranked:
        style = line_style(place, theme) | {"marker": "o", "markersize": 14, "markerfacecolor": theme.paper}
        made.plot(lines[:, place], clip_on=False, **style)
        stops = np.flatnonzero(np.isfinite(lines[:, place])).tolist()
        for across in stops:
            text = f"{columns[across, place]:.0f}"
            made.text(across, lines[across, place], text, fontsize=SMALL, color=theme.ink, ha="center", va="center")
        for across, side, shift in ((stops[0], "right", -10), (stops[-1], "left", 10)):
            at = (across, lines[across, place])
            made.annotate(shown[place], at, (shift, 0), ha=side, va="center_baseline", **beside)
    for across, heading in enumerate(headings):
        tilt: dict[str, Any] = {"rotation": math.degrees(_TILT), "rotation_mode": "anchor", "fontweight": "bold"}
        made.annotate(heading, (across, 0.4), (0, 0), ha="left", va="baseline", **tilt, **beside)
    return drawing


def _lines(columns: Numbers) -> Numbers:
    """Where each rank stands: as the rank, or below those that share it and come before; NaN where there is none."""
    lines = np.full_like(columns, np.nan)
    for column, line in zip(columns, lines, strict=True):
        ordered = np.argsort(column, kind="stable")  # NaN comes last
        n = np.isfinite(column).sum()
        line[ordered[:n]] = np.arange(1, n + 1)
    return lines
