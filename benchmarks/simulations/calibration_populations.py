"""Models, judges and their samples for the simulation of calibrated scores (`calibration.py`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.simple_qa import CORRECT_GIVEN_ATTEMPTED, F_SCORE, LABELS, attempted_term, f_term

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.float64]
    Integers = NDArray[np.intp]

_SHARED = 0.5  # how often a model's answer depends on the question's difficulty, and not on the model alone
_SHARED_ERROR = 0.3  # how often the judge's error depends on the question
SCORE = Metric("score", lambda v: (sum(v), len(v)), lambda s: 10 * s[..., 0] / s[..., 1], bounds=(10.0, 100.0))
LEVELS = np.arange(1, 11)


@dataclass(frozen=True)
class Task:
    """A task: its size, its ratings (labels as 0 to K - 1, or scores), and the shares of them in models' answers.

    Attributes:
        n: number of questions.
        models: shares of each rating among a weak, a middling and a strong model's answers.
        metrics: name → metric, and its value for each rating.
        judges: name → how likely each rating of the judge is, given the reference's; shape (ratings, ratings).
    """

    n: int
    models: Sequence[Numbers]
    metrics: dict[str, tuple[Metric, Sequence[Any]]]
    judges: dict[str, Numbers]

    @property
    def is_score(self) -> bool:
        """Whether it has scores."""
        return "score" in self.metrics


def labels_task(n: int, models: Sequence[Sequence[float]], judges: dict[str, Numbers]) -> Task:
    """A task with two labels (right, wrong) or three (right, wrong, not attempted)."""
    k = len(models[0])
    metrics: dict[str, tuple[Metric, Sequence[Any]]] = {"right": (PERCENT, (1, 0, 0)[:k])}
    if k == 3:
        metrics["not attempted"] = PERCENT, (0, 0, 1)
        metrics["right of attempted"] = CORRECT_GIVEN_ATTEMPTED, [attempted_term(label) for label in LABELS]
        metrics["F"] = F_SCORE, [f_term(label) for label in LABELS]
    return Task(n, [np.array(model) for model in models], metrics, judges)


def two(sensitivity: float, specificity: float) -> Numbers:
    """The matrix of a judge of two labels."""
    return np.array([[sensitivity, 1 - sensitivity], [1 - specificity, specificity]])


def three(found: float) -> Numbers:
    """The matrix of a judge that finds each of three labels equally often, and else gives the others equally often."""
    return np.full((3, 3), (1 - found) / 2) + (found - (1 - found) / 2) * np.eye(3)


def scale(centre: Callable[[Numbers], Numbers], spread: float) -> Numbers:
    """The shares of the scores 1 to 10 around a centre for each score of the reference; the ends have the rest."""
    ends = np.array([-np.inf, *(LEVELS[:-1] + 0.5), np.inf])
    return np.array([np.diff([NormalDist(c, spread).cdf(end) for end in ends]) for c in centre(LEVELS.astype(float))])


TWO = labels_task(
    1135,
    [(0.15, 0.85), (0.5, 0.5), (0.85, 0.15)],
    {
        f"{se:g} / {sp:g}": two(se, sp)
        for se, sp in ((0.6, 0.6), (0.6, 0.95), (0.75, 0.75), (0.85, 0.85), (0.95, 0.6), (0.95, 0.95))
    },
)
THREE = labels_task(
    1343,
    [(0.12, 0.68, 0.2), (0.4, 0.45, 0.15), (0.75, 0.2, 0.05)],
    {f"{found:g} each": three(found) for found in (0.6, 0.75, 0.85, 0.95)},
)
SCORES = Task(
    1154,
    [scale(lambda _, mean=mean: np.array([mean]), 2.0)[0] for mean in (4.0, 6.0, 8.0)],  # type: ignore[misc]
    {"score": (SCORE, LEVELS.astype(float))},
    {f"± {spread:g}": scale(lambda h: 2 + 0.8 * h, spread) for spread in (2.0, 1.5, 1.0, 0.5)},
)
TASKS = {"two labels, 1,135 questions": TWO, "three labels, 1,343 questions": THREE, "scores, 1,154 questions": SCORES}


def one_sided(sensitivity: float, specificity: float) -> Numbers:
    """The matrix of a judge of three labels: takes right for wrong, wrong for right, and not attempted for wrong."""
    missed, taken = 1 - sensitivity, 1 - specificity
    return np.array([[sensitivity, missed, 0], [taken, specificity, 0], [0, taken, specificity]])


FEW = {
    f"{k}, {share:.0%} | {se:g} / {sp:g}": (
        labels_task(1343, [(share, 1 - share) if k == "two" else (share, 0.8 * (1 - share), 0.2 * (1 - share))], {}),
        (two if k == "two" else one_sided)(se, sp),
    )
    for k in ("two", "three")
    for share in (0.5, 0.8)
    for se, sp in ((1, 0.9), (1, 0.95), (0.95, 0.95), (0.97, 0.97), (0.8, 0.7), (0.6, 0.75))
}


def drawn(shares: Numbers, chances: Numbers) -> Integers:
    """The ratings with these shares, from chances between 0 and 1; shares (..., ratings)."""
    return np.asarray((chances[:, None] > shares.cumsum(axis=-1)[..., :-1]).sum(axis=1))


class Sample:
    """One run's ratings, and those of three other models on the same questions.

    Args:
        task: the task.
        model: the shares of the run's model.
        judge: the judge's matrix on the run.
        others: its matrix on other runs.
        m: number of rated items.
    """

    def __init__(self, task: Task, model: Numbers, judge: Numbers, others: Numbers, m: int, draws: Any) -> None:
        n = task.n
        difficulty, trap = draws.random(n), draws.random(n)
        each = np.array(task.models)[draws.integers(0, len(task.models), n)]
        mixed = partial(self._mixed, draws)
        self.reference = drawn(model, mixed(difficulty, _SHARED))
        self.judge = drawn(judge[self.reference], mixed(trap, _SHARED_ERROR))
        self.other_reference = drawn(each, mixed(difficulty, _SHARED))
        self.other_judge = drawn(others[self.other_reference], mixed(trap, _SHARED_ERROR))
        self.rated = draws.permutation(n)[:m]
        self.other_rated = draws.permutation(n)[:m]

    @staticmethod
    def _mixed(draws: Any, shared: Numbers, how_often: float) -> Numbers:
        return np.where(draws.random(len(shared)) < how_often, shared, draws.random(len(shared)))

    def pairs(self, own: bool) -> tuple[Integers, Integers, Integers]:
        """The items that both rated, and their ratings by the reference and by the judge."""
        rated = self.rated if own else self.other_rated
        reference, judge = (self.reference, self.judge) if own else (self.other_reference, self.other_judge)
        return rated, reference[rated], judge[rated]
