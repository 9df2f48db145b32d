"""How often the test over all tasks of a benchmark errs, and how often it finds a difference (`stats.stratified`).

Simulated are tasks of unlike metrics, with questions whose difficulty all models share. Printed, in percent:

- errs: of two models that are equally good, the test at 5 % calls one of them better; at most 6 are demanded;
- finds: of two models, one of which is a bit better in every task, it calls that one better;
- one task: in the same pairs any task shows the difference by itself, after Holm's correction over the tasks;
- of ten: of ten equally good models, the one with the best mean rank is called better than any other, as on the report
  page; at most 6 are demanded.

Prints the table in hueval_metrics/stats/README.md; takes about ten minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit
from scipy.stats import rankdata
from simulations.answered import attempted, is_right, with_ones, yes_or_no
from simulations.tables import MOST_ERRORS, Row, Table

from hueval_metrics.comparison.benchmarks import TaskTerms, compare_benchmark
from hueval_metrics.comparison.results import ALPHA
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT, POOLED
from hueval_metrics.metrics.classification import mcc
from hueval_metrics.metrics.simple_qa import F_SCORE
from hueval_metrics.stats.joint import MetricTerms, joint_scores
from hueval_metrics.stats.multiple import holm
from hueval_metrics.stats.paired import paired_differences
from lm_eval_tasks.openhueval.metrics.wb_score import WB_SCORE

if TYPE_CHECKING:
    from simulations.tables import Numbers

TEN = 10
Draw = Callable[[np.random.Generator, "Numbers"], "Numbers"]  # skill of each model at each question → terms


def blanks(draws: np.random.Generator, skill: Numbers) -> Numbers:
    """Three to fourteen blanks a question."""
    sizes = np.broadcast_to(draws.integers(3, 15, skill.shape[1]), skill.shape)
    return np.stack([draws.binomial(sizes, expit(skill)).astype(float), sizes], axis=-1)


def judged(draws: np.random.Generator, skill: Numbers) -> Numbers:
    """Scores from 1 to 10."""
    return with_ones(np.clip(np.round(6 + skill + draws.normal(size=skill.shape)), 1, 10))


def classified(draws: np.random.Generator, skill: Numbers) -> Numbers:
    """Two labels, 70:30."""
    gold = np.broadcast_to(draws.random(skill.shape[1]) < 0.3, skill.shape)
    guess = np.where(is_right(draws, skill) == 1, gold, ~gold)
    rows = MCC.rows([(0, 0), (0, 1), (1, 0), (1, 1)])
    return rows[2 * gold.astype(int) + guess.astype(int)]


MCC = mcc(2)
Task = tuple[Draw, Metric, int, str]  # with the number of questions, and what these are: tasks with the same share them
# What is compared: the tasks, and by how much the skill of the better model is above the other's, in logits.
CASES: dict[str, tuple[Sequence[Task], float]] = {
    "two tasks of 5 questions": ([(yes_or_no, PERCENT, 5, "a"), (yes_or_no, PERCENT, 5, "b")], 3.0),
    "five tasks of 14 to 18 questions, two over the same": (
        [
            (yes_or_no, PERCENT, 18, "qa"),
            (yes_or_no, PERCENT, 14, "proverbs"),
            (yes_or_no, PERCENT, 14, "proverbs"),
            (blanks, POOLED, 14, "matching"),
            (blanks, POOLED, 14, "standard"),
        ],
        1.0,
    ),
    "six tasks of 93 to 1,343 questions, two over the same": (
        [
            (judged, WB_SCORE, 1154, "wild"),
            (attempted, F_SCORE, 1343, "qa"),
            (yes_or_no, PERCENT, 1135, "proverbs"),
            (yes_or_no, PERCENT, 1135, "proverbs"),
            (blanks, POOLED, 278, "matching"),
            (blanks, POOLED, 93, "standard"),
        ],
        0.1,
    ),
    "labels (three by MCC of 100 to 910, two by accuracy)": (
        [(classified, MCC, n, str(n)) for n in (100, 243, 910)] + [(yes_or_no, PERCENT, n, str(n)) for n in (60, 1165)],
        0.2,
    ),
    "66 tasks of 40 questions": ([(yes_or_no, PERCENT, 40, str(n)) for n in range(66)], 0.15),
}


def drawn(draws: np.random.Generator, tasks: Sequence[Task], leads: Numbers) -> list[TaskTerms]:
    """The terms of models with these leads; what is hard of a question is hard in each task that asks it."""
    difficulty: dict[str, Numbers] = {}
    found = []
    for draw, metric, n, questions in tasks:
        shared = difficulty.setdefault(questions, 1.5 * draws.normal(size=n))
        skill = shared + draws.normal(size=(len(leads), n)) + leads[:, None]
        terms = draw(draws, skill)
        ids = [f"{questions}/{place}" for place in range(n)]
        found.append(TaskTerms(ids, dict(zip(map(str, range(len(leads))), terms, strict=True)), metric))
    return found


def is_apart(tasks: Sequence[TaskTerms], better: str | None = None) -> bool:
    """Whether the test calls one of two models better, or this one."""
    (found,) = compare_benchmark("", tasks, [("0", "1")])
    return found.leader is not None if better is None else found.leader == better


def any_task(tasks: Sequence[TaskTerms]) -> bool:
    """Whether a task by itself shows that the first of two models is better."""
    found = []
    for one in tasks:
        metrics = {"": MetricTerms(np.stack([*one.terms.values()]), one.metric)}
        scores = joint_scores("AB", metrics, resamples=2)
        found += paired_differences(metrics, scores, [(0, 1)], permutations=1000)[""]
    corrected = holm([one and one.p for one in found])
    return any(p is not None and p < ALPHA and one and one.value > 0 for p, one in zip(corrected, found, strict=True))


def is_best_apart(tasks: Sequence[TaskTerms]) -> bool:
    """Whether the model with the best mean rank is called better than any other."""
    scores = [[-float(one.metric.compute(terms.sum(axis=0))) for terms in one.terms.values()] for one in tasks]
    order = [str(place) for place in np.argsort(np.mean([rankdata(own) for own in scores], axis=0), kind="stable")]
    pairs = [(order[0], other) for other in order[1:]]
    return any(pair.leader for pair in compare_benchmark("", tasks, pairs, of=TEN * (TEN - 1) // 2))


def simulate(case: str, runs: int, runs_of_ten: int) -> tuple[float, float, float, float]:
    """Percentages: errs, finds, one task, of ten."""
    tasks, lead = CASES[case]
    draws = np.random.default_rng(list(CASES).index(case))
    errs, finds, alone = [], [], []
    for _ in range(runs):
        errs.append(is_apart(drawn(draws, tasks, np.zeros(2))))
        apart = drawn(draws, tasks, np.array([lead, 0.0]))
        finds.append(is_apart(apart, "0"))
        alone.append(any_task(apart))
    of_ten = [is_best_apart(drawn(draws, tasks, np.zeros(TEN))) for _ in range(runs_of_ten)]
    return tuple(100 * float(np.mean(share)) for share in (errs, finds, alone, of_ten))  # type: ignore[return-value]


def row(case: str, runs: int) -> Iterator[Row]:
    """The shares of a case; a fifth as many runs of ten models."""
    errs, finds, alone, of_ten = simulate(case, runs, max(1, runs // 5))
    yield [case, *(f"{share:.1f}" for share in (errs, finds, alone, of_ten))], max(errs, of_ten) <= MOST_ERRORS


TABLES = {
    "stratified": Table(("All tasks together", "errs", "finds", "one task", "of ten"), row, CASES),
}
