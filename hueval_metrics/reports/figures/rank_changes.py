"""Ranks of the models by task, and beside their ranks in other benchmarks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hueval_metrics import registry
from hueval_metrics.comparison.published import published_benchmarks, published_ranks
from hueval_metrics.declare import Counterpart
from hueval_metrics.reports.columns import Headline, families_of, headlines
from hueval_metrics.reports.figures import names
from hueval_metrics.reports.figures.charts.slopes import Heading, slopes
from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.points import point
from hueval_metrics.reports.notes import is_partial
from hueval_metrics.runs.run import Run
from hueval_metrics.stats.ranks import ranks

_WORD = re.compile(r"[^\W\d_]+|\d+[^\W\d_]*")


def rank_figures(runs: Sequence[Run]) -> Iterator[Figure]:
    """The ranks of the models in each headline, and beside those of other benchmarks where the names of models match.

    Runs on the sample or with a limit get no rank if others are on the whole benchmark, nor beside published ranks.
    """
    models = names.lineup(runs).models
    competing = [place in models for place in range(len(runs))]
    whole = [competes and not is_partial(run) for competes, run in zip(competing, runs, strict=True)]
    competing = whole if any(whole) else competing
    shown = [one for one in headlines(families_of(runs), runs) if one.has_order]
    columns = {one.title: _scores(runs, competing, one) for one in shown}
    lines = {one.title: (one.group, one.heading) for one in shown}
    # A single rank says nothing.
    ours = {heading: scores for heading, scores in columns.items() if np.isfinite(scores).sum() > 1}
    if len(ours) > 1:
        yield _figure("ranks-by-task", "ranks", runs, ours, [lines[heading] for heading in ours])
    benchmarks: dict[str, tuple[Counterpart, list[str]]] = {}
    for benchmark, counterpart in published_benchmarks().items():
        benchmarks.setdefault(benchmark.partition("-")[0], (counterpart, []))[1].append(benchmark)
    for slug, (counterpart, names_of_theirs) in benchmarks.items():
        ours_there = Headline(counterpart.task, counterpart.metric, "", "")
        scores = {names.task_name(counterpart.task): _scores(runs, whole, ours_there)}
        for benchmark in names_of_theirs:
            by_words = {_words(model): -rank for model, rank in published_ranks(benchmark).items()}
            heading = " ".join([counterpart.title, *benchmark.split("-")[1:]])
            scores[heading] = [by_words.get(_words(run.label), np.nan) for run in runs]
        shared = np.isfinite(list(scores.values())).all(axis=0)
        if shared.sum() > 1:
            among = {heading: np.where(shared, column, np.nan).tolist() for heading, column in scores.items()}
            headings = [("", heading) for heading in among]
            yield _figure(f"ranks-{slug}", "ranks-published", runs, among, headings, _about(counterpart))


def _about(counterpart: Counterpart) -> dict[str, Any]:
    """Parameters of the caption of ranks beside published ones."""
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
    headings: Sequence[Heading],
    about: Mapping[str, Any] | None = None,
) -> Figure:
    columns = ranks(list(scores.values()))
    rows = [
        {"column": heading, "model": run.label, "rank": int(rank)}
        for heading, column in zip(scores, columns, strict=True)
        for run, rank in zip(runs, column, strict=True)
        if np.isfinite(rank)
    ]
    return Figure(name, kind, rows, partial(slopes, columns, headings, names.lineup(runs).names), about or {})


def _scores(runs: Sequence[Run], competing: Sequence[bool], column: Headline) -> list[float]:
    """The scores of the competing runs, negated where lower is better; NaN for the others."""
    sign = {"higher": 1.0, "lower": -1.0}.get(column.better or "", np.nan)
    found = []
    for run, competes in zip(runs, competing, strict=True):
        is_sound = all(point(run, *term) is not None for term in column.terms)
        score = column.score(run) if competes and is_sound else None
        found.append(np.nan if score is None else sign * score)
    return found


def _words(model: str) -> tuple[str, ...]:
    """The words and numbers of a model's name without the organisation, sorted: equal for spellings of one name.

    >>> _words("meta-llama/Llama-3.1-70B-Instruct") == _words("Llama-3.1-Instruct-70B")
    True
    """
    return tuple(sorted(_WORD.findall(model.rstrip("/").rpartition("/")[2].casefold())))
