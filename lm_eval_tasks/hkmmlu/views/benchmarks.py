"""HKMMLU beside CMMLU and TMMLU+ by category: Table 10 of the paper, from own runs of lm-eval's tasks of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.comparison.summaries import with_summaries
from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.formats import Block, Column
from hueval_metrics.reports.views import ViewSettings
from hueval_metrics.runs.run import Run
from hueval_metrics.runs.settings import by_values
from hueval_metrics.stats.intervals import wilson
from lm_eval_tasks.hkmmlu.other_benchmarks import CATEGORIES
from lm_eval_tasks.hkmmlu.published_tables import AVERAGE, models, printed
from lm_eval_tasks.hkmmlu.summaries import CODES, HEADLINE
from lm_eval_tasks.hkmmlu.views.accuracy import DIRECT, FAMILY, KEYS, score
from lm_eval_tasks.hkmmlu.views.grid import Paper, Row, Score, block
from lm_eval_tasks.hkmmlu.views.words import group, word

TITLES = {"cmmlu": "CMMLU", "tmmluplus": "TMMLU+"}  # how the names of lm-eval's tasks begin → title
_ACCURACY = "acc"  # lm-eval's, a fraction


class Accuracy(NamedTuple):
    """The accuracy of a run over the n questions of a category, in percent; without a value, how many subjects lack."""

    value: float | None
    ends: tuple[float, float] | None
    n: int
    n_lacking: int
    n_subjects: int


def benchmarks(runs: Sequence[Run], settings: ViewSettings) -> list[Block]:
    """Accuracy by category on the three benchmarks; only with a run of another one than HKMMLU."""
    if settings.metric not in (None, HEADLINE):
        return []
    tasks = [f"{FAMILY}_{slug}" for slug in SUBJECTS]
    rows, notes = [], [word(settings, "three")]
    for model, of_model in by_values([with_summaries(run) for run in runs], tasks, KEYS).items():
        having = of_model.get(DIRECT, ())
        ours = [next((one for run in having if (one := score(run, HEADLINE, code))), None) for code in CODES.values()]
        run = next(iter(having), next(iter(of_model.values()))[0])
        theirs: list[Score | None] = []
        for benchmark, title in TITLES.items():
            for code in CODES.values():
                own = accuracy(run, benchmark, code)
                theirs.append(None if own.value is None else Score(run, own.value, own.ends))
                if 0 < own.n_lacking < own.n_subjects:
                    values = {"benchmark": title, "code": group(settings, code), "model": row_name(model)}
                    notes.append(word(settings, "three_lacking", **values, n=own.n_lacking, total=own.n_subjects))
        rows.append(Row(model, [*ours, *theirs]))
    if not any(one for row in rows for one in row.scores[len(CODES) :]):
        return []
    places = [(name, code) for name in (FAMILY, *TITLES) for code in CODES.values()]
    titles = {FAMILY: "HKMMLU", **TITLES}
    columns = [Column(group(settings, code), titles[name]) for name, code in places]
    paper = None
    if settings.published:
        names = [f"{name}/{HEADLINE}_{code}" for name, code in places]
        figures = {(model, ""): [printed(10, model, name) for name in names] for model in (*models(), AVERAGE)}
        paper = Paper(10, figures)
    return block(word(settings, "table10"), rows, columns, runs, settings, paper=paper, notes=notes)


def accuracy(run: Run, benchmark: str, code: str) -> Accuracy:
    """The accuracy of a run over all questions of a category of another benchmark, with Wilson's interval.

    Args:
        run: the run.
        benchmark: a key of `TITLES`.
        code: of the category (`summaries.CODES`).
    """
    names = [task for task, own in CATEGORIES.items() if own == code and task.startswith(f"{benchmark}_")]
    found = [run.beside[task] for task in names if task in run.beside]
    scored = [(one.scores.get(_ACCURACY), one.n) for one in found]
    known = [(share, n) for share, n in scored if share is not None and n]
    if len(known) < len(names):
        return Accuracy(None, None, 0, len(names) - len(known), len(names))
    n_all = sum(n for _, n in known)
    right = sum(round(share * n) for share, n in known)
    low, high = wilson(right, n_all)
    return Accuracy(100 * right / n_all, (100 * low, 100 * high), n_all, 0, len(names))
