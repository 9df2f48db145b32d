"""People beside models: Table 4 of the paper, from a file of people's scores (`people_file`)."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from statistics import fmean, stdev
from typing import NamedTuple

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.errors import InputError
from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import models_first, row_name
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, interval, number
from hueval_metrics.reports.notes import PUBLISHED
from hueval_metrics.reports.views import ViewSettings
from hueval_metrics.runs.items import items_of
from hueval_metrics.runs.run import Run, is_baseline
from hueval_metrics.runs.settings import by_values
from hueval_metrics.stats.intervals import wilson
from lm_eval_tasks.hkmmlu.published_tables import PUBLISHED as PUBLISHED_FILES
from lm_eval_tasks.hkmmlu.summaries import HEADLINE
from lm_eval_tasks.hkmmlu.views.accuracy import DIRECT, FAMILY, KEYS
from lm_eval_tasks.hkmmlu.views.people_file import PersonScore, read_people
from lm_eval_tasks.hkmmlu.views.words import word

_ALL = ""  # the kind of a question that has none, and the column over all kinds


class Estimate(NamedTuple):
    """A share in percent, its 95 % interval, and the standard deviation between people; None without these."""

    value: float
    ends: tuple[float, float] | None
    deviation: float | None = None


def people(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """People's accuracy, and that of the models on the same questions (Table 4).

    Raises:
        InputError: the file cannot be read (`people_file.read_people`), or no run has any of its questions.
    """
    if settings.human is None or settings.metric not in (None, HEADLINE):
        return []
    given = read_people(settings.human)
    kinds = [_ALL, *dict.fromkeys(one.kind for one in given.scores if one.kind)]
    heads = [Column(word(settings, "model"), kind="label")]
    heads += [Column(escape.plain(kind) if kind else word(settings, "all")) for kind in kinds]
    groups: dict[str, list[PersonScore]] = {}
    for one in given.scores:
        groups.setdefault(one.group, []).append(one)
    rows, notes = [], []
    for name, scores in groups.items():
        label = escape.plain(name) if name else word(settings, "human")
        found = {kind: of_people(scores, kind) for kind in kinds}
        rows.append([Cell(label), *(_cell(found[kind]) for kind in kinds)])
        n, overall = len({one.person for one in scores}), found[_ALL]
        if overall is not None and overall.deviation is not None:
            spread = {"sd": number(overall.deviation, 1), "se": number(overall.deviation / math.sqrt(n), 1)}
            notes.append(word(settings, "people", group=label, n=n, **spread))
        else:
            notes.append(word(settings, "one_person", group=label))
    n_above = None
    if given.questions:
        models, n_found = _models(runs, given.questions, kinds)
        if not models:
            raise InputError(
                f"--human {settings.human}: no run has any of its {len(given.questions)} questions. Give the qid as "
                "in items.jsonl, and runs of the subjects that they are from"
            )
        rows += [
            [Cell(row_name(run.label if is_baseline(run) else model)), *map(_cell, own)] for run, model, own in models
        ]
        notes.append(word(settings, "same_questions", n=n_found))
        n_baselines = sum(is_baseline(run) for run, _, _ in models)
        n_above = len(rows) - n_baselines if n_baselines else None
    else:
        notes.append(word(settings, "no_questions"))
    if settings.published:
        printed = _printed_rows(kinds)
        at = len(rows) if n_above is None else n_above
        rows[at:at] = printed
        n_above = None if n_above is None else n_above + len(printed)
        notes.append(word(settings, "published", number=4))
    return [Block(word(settings, "table4"), Grid(heads, rows, n_above), notes)]


def of_people(scores: Sequence[PersonScore], kind: str) -> Estimate | None:
    """The mean over people of their shares of right answers, in percent, in questions of a kind (empty for all).

    Each person counts alike, as in the paper (§4.2.5). The interval is of the mean over people, by Student's t, cut at
    the ends of the scale; of one person it is Wilson's, over the answers.
    """
    counts: dict[str, tuple[int, int]] = {}
    for one in scores:
        if kind in (_ALL, one.kind):
            n, correct = counts.get(one.person, (0, 0))
            counts[one.person] = n + one.n, correct + one.correct
    if not counts:
        return None
    if len(counts) == 1:
        ((n, correct),) = counts.values()
        return _share(correct, n)
    from scipy.stats import t

    shares = [100 * correct / n for n, correct in counts.values()]
    value, deviation = fmean(shares), stdev(shares)
    half = float(t.ppf(0.975, len(shares) - 1)) * deviation / math.sqrt(len(shares))
    return Estimate(value, (max(value - half, 0.0), min(value + half, 100.0)), deviation)


def _share(correct: int, n: int) -> Estimate:
    low, high = wilson(correct, n)
    return Estimate(100 * correct / n, (100 * low, 100 * high))


_Model = tuple[Run, str, list[Estimate | None]]


def _models(runs: Sequence[Run], questions: Mapping[str, str], kinds: Sequence[str]) -> tuple[list[_Model], int]:
    """Of each model with any of the questions its run, its name and its accuracy by kind; how many questions there are.

    The run of direct answers in Traditional Chinese counts, else the model's first.
    """
    tasks = [f"{FAMILY}_{slug}" for slug in SUBJECTS]
    found: list[_Model] = []
    seen: set[str] = set()
    for model, of_model in by_values(models_first(runs), tasks, KEYS).items():
        run = of_model.get(DIRECT, next(iter(of_model.values())))[0]
        right: dict[str, list[bool]] = {}
        for item in items_of(run, None, lambda fault: None):
            qid = item.key[0] if item.key else None
            if item.task in tasks and isinstance(qid, str) and qid in questions:
                right.setdefault(questions[qid], []).append(bool(item.metric(HEADLINE)))
                seen.add(qid)
        if right:
            right[_ALL] = [one for some in right.values() for one in some]
            found.append(
                (run, model, [_share(sum(right[one]), len(right[one])) if one in right else None for one in kinds])
            )
    return found, len(seen)


def _printed_rows(kinds: Sequence[str]) -> list[list[Cell]]:
    """The paper's two rows, in the columns of the kinds that it has."""
    with (PUBLISHED_FILES / "table4.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = ["avg" if kind == _ALL else kind.lower() for kind in kinds]
    return [
        [Cell(row["tester"], mark=PUBLISHED), *(Cell(row.get(name, "") if name != "tester" else "") for name in names)]
        for row in rows
    ]


def _cell(one: Estimate | None) -> Cell:
    if one is None:
        return Cell("")
    return Cell(number(one.value, 2), below=interval(one.ends, 1), exact=one.value, ends=one.ends)
