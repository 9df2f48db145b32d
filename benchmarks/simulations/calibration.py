"""How often the intervals of calibrated scores hold the true score, beside the judge's own and the reference's alone.

Each run draws a model's answers to as many questions as the real tasks have, a judge's ratings of all of them, and a
reference's ratings of some: of the same answers (own), or of three other models' answers to questions of the same task
(transported). Questions are hard or easy for all models, and the judge errs on the same ones more often. Intervals are
those of `hueval calibrate`; the true score is that of all questions that might be asked. Prints the tables in
docs/judges.md; a run takes about 20 ms, or 5 of PPI++ alone, and there are 280 cells.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from simulations.calibration_populations import FEW, SCORES, TASKS, THREE, TWO, Sample, Task, scale, three, two
from simulations.tables import RESAMPLES, ROUNDING, Row, Table, holds

from hueval_metrics.judges.stats.differential import differential_errors
from hueval_metrics.judges.stats.estimates import (
    Jackknife,
    calibrated_estimates,
    value_and_interval,
)
from hueval_metrics.judges.stats.items import RatedItem, clusters_of
from hueval_metrics.judges.stats.means import of_mean
from hueval_metrics.judges.stats.pseudo import with_pseudo_items
from hueval_metrics.judges.stats.shares import (
    LEAST_YOUDEN,
    of_shares,
    prediction_powered_shares,
    rogan_gladen_shares,
    youden,
)
from hueval_metrics.judges.stats.tables import calibrated_tables
from hueval_metrics.metrics.confidence import BRIER, ECE
from hueval_metrics.stats.intervals import interval

if TYPE_CHECKING:
    from simulations.tables import Numbers

RATED = (100, 200, 400)
FEW_RATED = (30, 50, *RATED)
PERMUTATIONS = 199
CONFIDENCES = {0.35: 1, 0.55: 2, 0.75: 4, 0.85: 6, 0.95: 7}  # stated → how often
OWN = ("reference", "own")
HELD = ("judge", "reference", "own", "inverted", "other")  # intervals, in the order of the columns


def label_rows(sample: Sample, own: bool, k: int) -> Numbers:
    """The rows of `stats.calibrated.shares`."""
    rated, reference, judge = sample.pairs(own)
    rows = np.zeros((len(sample.judge), k + k * k))
    rows[np.arange(len(rows)), sample.judge] = 1
    rows[rated, k + reference * k + judge] = 1
    return rows


def score_rows(sample: Sample, own: bool) -> Numbers:
    """The rows of `stats.calibrated.means`, on the metric's scale."""
    rated, reference, judge = sample.pairs(own)
    theirs, ours = 10.0 * (reference + 1), 10.0 * (judge + 1)
    rows = np.zeros((len(sample.judge), 7))
    rows[:, 0], rows[:, 1] = 1, 10.0 * (sample.judge + 1)
    rows[rated, 2:] = np.column_stack(
        [np.ones(len(rated)), theirs, ours, (ours if own else theirs) ** 2, theirs * ours]
    )
    return rows


def resampled(rows: Numbers, draws: Any) -> Numbers:
    """The sums of resamples, drawn by how often each kind of row occurs, which is the same and faster."""
    keys = rows @ draws.random(rows.shape[1])
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    return np.asarray(draws.multinomial(len(rows), counts / len(rows), size=RESAMPLES) @ rows[first])


def intervals_of(
    task: Task, sample: Sample, draws: Any, names: Sequence[str], kinds: Sequence[str]
) -> Iterator[tuple[str, str, Any]]:
    """Of each metric the intervals: (metric, which, (low, high), or None where no number is given)."""
    k = len(task.models[0])
    strata = np.zeros(task.n, dtype=np.intp)
    owns = (True, False) if "other" in kinds else (True,)
    rows = {own: score_rows(sample, own) if task.is_score else label_rows(sample, own, k) for own in owns}
    sums = {own: resampled(some, draws) for own, some in rows.items()}
    jackknives = {own: Jackknife.of(some, (0, 1) if task.is_score else range(k)) for own, some in rows.items()}
    for name in names:
        metric, values = task.metrics[name]
        statistics = np.array([metric.statistics((value,)) for value in values], dtype=float)
        for which, ratings in (("judge", sample.judge), ("reference", sample.reference[sample.rated])):
            if which not in kinds:
                continue
            given, counts = np.unique(ratings, return_counts=True)
            found = interval(metric, statistics[given], counts=counts, resamples=RESAMPLES)
            yield name, which, found and (found.low, found.high)
        for which, own in (("own", True), ("inverted", True), ("other", False)):
            method: Any = "ppi++" if which == "own" else "linear" if task.is_score else "rogan-gladen"
            if which not in kinds or (task.is_score and which == "inverted"):
                continue
            if task.is_score:
                corrected = of_mean(metric, method)
            else:
                shares = prediction_powered_shares if which == "own" else rogan_gladen_shares
                corrected = of_shares(metric, statistics, shares)
                joint = rows[own][:, k:].sum(axis=0).reshape(k, k)
                is_given = joint.any(axis=1).all() and (youden(joint) >= LEAST_YOUDEN).all()
                if which != "own" and not is_given:
                    yield name, which, None
                    continue
            drawn_sums = with_pseudo_items(sums[own], rows[own], 2 if task.is_score else k, method)
            got = value_and_interval(corrected, drawn_sums, jackknives[own], strata)
            yield name, which, got and got[1:3]


@dataclass
class Cell:
    """How often intervals held the true score, over all runs of a cell, and how wide they were."""

    held: Counter[str]
    given: Counter[str]
    width: Counter[str]
    found: int = 0
    runs: int = 0

    def coverage(self, which: str) -> str:
        """In percent; with the share of runs that gave a number, where that is not all."""
        if self.given[which] < 0.05 * self.runs:
            return "none given"
        some = f" ({100 * self.given[which] / self.runs:.0f})" if self.given[which] < self.runs else ""
        return f"{100 * self.held[which] / self.given[which]:.1f}{some}"

    def relative(self, which: str) -> str:
        """The mean width as a multiple of the reference's alone."""
        if self.given[which] < 0.05 * self.runs:
            return "–"
        reference = self.width["reference"] / self.given["reference"]
        return f"{self.width[which] / self.given[which] / reference:.2f}"


def simulate(
    task: Task,
    judge: Numbers,
    others: Numbers,
    m: int,
    runs: int,
    name: str,
    *,
    models: Sequence[int] = (0, 1, 2),
    test: bool = False,
    kinds: Sequence[str] = HELD,
) -> Cell:
    """One cell: runs divided among the models."""
    cell = Cell(Counter(), Counter(), Counter())
    metric, values = task.metrics[name]
    statistics = np.array([metric.statistics((value,)) for value in values], dtype=float)
    draws = np.random.default_rng([m, runs, task.n])
    for place in models:
        model = task.models[place]
        truth = float(metric.compute(model @ statistics))
        for _ in range(runs // len(models)):
            sample = Sample(task, model, judge, others, m, draws)
            cell.runs += 1
            for _, which, ends in intervals_of(task, sample, draws, [name], kinds):
                if ends is not None:
                    cell.given[which] += 1
                    cell.held[which] += ends[0] - ROUNDING <= truth <= ends[1] + ROUNDING
                    cell.width[which] += ends[1] - ends[0]
            if test:
                cell.found += _is_found(task, sample)
    return cell


def _is_found(task: Task, sample: Sample) -> bool:
    """Whether the test finds other errors on the run than on the others, at 5 %."""
    (_, first, ours), (_, second, theirs) = sample.pairs(True), sample.pairs(False)
    kind: Any = float if task.is_score else str
    found = differential_errors(
        [kind(rating) for rating in (*ours, *theirs)],
        [kind(rating) for rating in (*first, *second)],
        ["run"] * len(ours) + ["others"] * len(theirs),
        permutations=PERMUTATIONS,
    )
    return found is not None and found.p <= 0.05


def equal(task: Task, judge: str, runs: int) -> Iterator[Row]:
    """Errors that are the same on all runs: coverage and widths of a judge."""
    shown = _shown(task)
    for m in RATED:
        cell = simulate(task, task.judges[judge], task.judges[judge], m, runs, next(iter(task.metrics)))
        widths = ", ".join(cell.relative(which) for which in shown[2:])
        yield [judge, f"{m}", *map(cell.coverage, shown), widths], True


def _shown(task: Task) -> list[str]:
    return [which for which in HELD if not (task.is_score and which == "inverted")]


def few(case: str, runs: int) -> Iterator[Row]:
    """Few ratings, and judges who err rarely or to one side: PPI++; half the runs."""
    title, name = _FEW[case]
    task, judge = FEW[title]
    labels, shown = title.split(" | ")
    found = [simulate(task, judge, judge, m, runs // 2, name, models=(0,), kinds=OWN) for m in FEW_RATED]
    yield [f"{labels}, {name}", shown, *map(_own, found)], True


def own(case: str, runs: int) -> Iterator[Row]:
    """Errors that are the same on all runs: PPI++ alone, with few ratings too; half the runs."""
    task, judge = _OWN[case]
    matrix, name = task.judges[judge], next(iter(task.metrics))
    found = [simulate(task, matrix, matrix, m, runs // 2, name, kinds=OWN) for m in FEW_RATED]
    yield [case, *map(_own, found)], True


def _own(cell: Cell) -> str:
    return f"{cell.coverage('own')}, {cell.relative('own')}"


def metric_rows(name: str, runs: int) -> Iterator[Row]:
    """A metric that follows from three labels."""
    judge = THREE.judges["0.85 each"]
    for m in RATED:
        cell = simulate(THREE, judge, judge, m, runs, name)
        widths = ", ".join(cell.relative(which) for which in HELD[2:])
        yield [name, f"{m}", *map(cell.coverage, HELD), widths], True


def differing() -> Iterator[tuple[str, Task, Numbers, Numbers, Sequence[int]]]:
    """What differs, the task, the judge on the run and on the others, and the models of the run."""
    yield "two labels: none", TWO, two(0.85, 0.85), two(0.85, 0.85), (0, 1, 2)
    yield "two labels: more lenient on the others", TWO, two(0.85, 0.85), two(0.9, 0.75), (0, 1, 2)
    yield "two labels: stricter on the others", TWO, two(0.85, 0.85), two(0.75, 0.9), (0, 1, 2)
    yield "two labels: more lenient on a strong model", TWO, two(0.95, 0.75), two(0.85, 0.85), (2,)
    base = three(0.85)
    lenient, strict, pair = base.copy(), base.copy(), base.copy()
    lenient[1] = 0.175, 0.75, 0.075
    strict[0] = 0.75, 0.175, 0.075
    pair[1] = 0.075, 0.7, 0.225
    yield "three labels: none", THREE, base, base, (0, 1, 2)
    yield "three labels: more lenient on the others", THREE, base, lenient, (0, 1, 2)
    yield "three labels: stricter on the others", THREE, base, strict, (0, 1, 2)
    yield "three labels: takes wrong for not attempted", THREE, base, pair, (0, 1, 2)
    base = scale(lambda h: 2 + 0.8 * h, 1.5)
    yield "scores: none", SCORES, base, base, (0, 1, 2)
    yield "scores: 0.5 more lenient on the others", SCORES, base, scale(lambda h: 2.5 + 0.8 * h, 1.5), (0, 1, 2)
    yield "scores: 0.5 stricter on the others", SCORES, base, scale(lambda h: 1.5 + 0.8 * h, 1.5), (0, 1, 2)
    yield "scores: 0.5 more lenient on a strong model", SCORES, scale(lambda h: 2.5 + 0.8 * h, 1.5), base, (2,)


def differing_rows(title: str, runs: int) -> Iterator[Row]:
    """Errors that differ between the run and the others: coverage, and how often the test finds it."""
    task, judge, others, models = _DIFFERING[title]
    name = "not attempted" if "not attempted" in title else next(iter(task.metrics))
    for m in RATED:
        cell = simulate(task, judge, others, m, runs, name, models=models, test=True)
        cells = [cell.coverage(which) if which in _shown(task) else "–" for which in HELD]
        yield [title, f"{m}", *cells, f"{100 * cell.found / cell.runs:.0f} %"], True


def confidences(case: str, runs: int) -> Iterator[Row]:
    """Calibration error and Brier score of stated confidences, from a run's own items; a quarter of the runs."""
    gap = float(case)
    for m in RATED:
        held, given = Counter[str](), Counter[str]()
        draws = np.random.default_rng([m, int(100 * gap)])
        for _ in range(runs // 4):
            for which, is_held in _confidence_intervals(gap, m, draws):
                given[which] += 1
                held[which] += is_held
        cells = [
            f"{100 * held[which] / given[which]:.1f} ({100 * given[which] / (runs // 4):.0f})"
            if given[which]
            else "none given"
            for which in ("ece judge", "ece", "brier judge", "brier")
        ]
        yield [f"{gap:g} too sure", f"{m}", *(cell.removesuffix(" (100)") for cell in cells)], True


def _confidence_intervals(gap: float, m: int, draws: Any) -> Iterator[tuple[str, bool]]:
    """Whether the intervals of one run hold the truth: (which, whether)."""
    stated, shares = np.array([*CONFIDENCES]), np.array([*CONFIDENCES.values()]) / sum(CONFIDENCES.values())
    right = stated - gap
    truths = {"ece": gap, "brier": float(shares @ ((stated - right) ** 2 + right * (1 - right)))}
    place = draws.choice(len(stated), THREE.n, p=shares)
    outcomes = draws.random(THREE.n) < right[place]
    judge = np.where(draws.random(THREE.n) < np.where(outcomes, 0.9, 0.85), outcomes, ~outcomes)
    rated = draws.permutation(THREE.n) < m
    pairs = [
        [(float(stated[where]), int(is_right)) for where, is_right in zip(place, some, strict=True)]
        for some in (judge, outcomes)
    ]
    items = [
        RatedItem(f"q{n:04}", str(ours[1]), {"ece": ours, "brier": ours})
        if not is_rated
        else RatedItem(
            f"q{n:04}", str(ours[1]), {"ece": ours, "brier": ours}, str(theirs[1]), {"ece": theirs, "brier": theirs}
        )
        for n, (ours, theirs, is_rated) in enumerate(zip(*pairs, rated, strict=True))
    ]
    metrics = {"ece": ECE, "brier": BRIER}
    tables = calibrated_tables(metrics, items, clusters_of(items), labels={"1": {}, "0": {}})
    found = calibrated_estimates({0: tables}, resamples=RESAMPLES)[0]
    for name, truth in truths.items():
        raw = interval(metrics[name], metrics[name].rows(pairs[0]), resamples=RESAMPLES)
        if raw is not None:
            yield f"{name} judge", holds(raw, truth)
        if name in found:
            yield name, found[name].low - ROUNDING <= truth <= found[name].high + ROUNDING


TITLES = {
    "judge": "judge",
    "reference": "reference alone",
    "own": "PPI++",
    "inverted": "Rogan–Gladen",
    "other": "transported",
}


def _equal_table(title: str) -> Table:
    task = TASKS[title]
    titles = (f"{title}: judge", "rated", *(TITLES[which] for which in _shown(task)), "widths")
    return Table(titles, partial(equal, task), task.judges, RUNS)


RUNS = 600
_FEW = {f"{title} {name}": (title, name) for title, (task, _) in FEW.items() for name in [*task.metrics][:2]}
_OWN = {f"{title}: {judge}": (task, judge) for title, task in TASKS.items() for judge in task.judges}
_DIFFERING = {title: case for title, *case in differing()}
_METRICS = [*THREE.metrics][1:]  # the first is in the table of judges
_OF_CONFIDENCES = ("Confidences, 1,343 answers", "rated", "ECE: judge", "ECE: PPI++", "Brier: judge", "Brier: PPI++")
_OF_FEW = ("PPI++, 1,343 questions: labels, share right, metric", "judge", *map(str, FEW_RATED))
TABLES = {
    "calibration-few": Table(_OF_FEW, few, _FEW, RUNS, texts=2),
    "calibration-own": Table(("PPI++: judge", *map(str, FEW_RATED)), own, _OWN, RUNS),
    **{f"calibration-{title.split()[0].rstrip(',')}": _equal_table(title) for title in TASKS},
    "calibration-metrics": Table(
        ("Three labels, 0.85 each", "rated", *TITLES.values(), "widths"), metric_rows, _METRICS, RUNS
    ),
    "calibration-differing": Table(
        ("Errors that differ", "rated", *TITLES.values(), "found"), differing_rows, _DIFFERING, RUNS
    ),
    "calibration-confidences": Table(_OF_CONFIDENCES, confidences, ("0", "0.1", "0.25"), RUNS),
}
