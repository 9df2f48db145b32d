"""Agreement of judges on the same responses, and the headline score under each judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.judges.people.judge_ratings import Judge, Ratings
from hueval_metrics.registry import key_fields, known_tasks
from hueval_metrics.runs.run import Key
from hueval_metrics.runs.scales import is_judged, scale_of
from hueval_metrics.stats.agreement import (
    Confusion,
    Estimate,
    Rating,
    cohen_kappa,
    confusion,
    fleiss_kappa,
    krippendorff_alpha,
    mean_difference,
    percent_agreement,
    weighted_kappa,
)


def compare(task: str, ratings: Ratings, *, any_rubric: bool = False) -> TaskAgreement:
    """The agreement of the judges of one task.

    Args:
        task: the task's name.
        ratings: their ratings.
        any_rubric: whether to compare verdicts of different rubrics, or of different versions.

    Raises:
        InputError: the rubrics differ, or some judges give labels and others scores.
    """
    rubrics = {rubric for judge in ratings.judges for rubric in judge.rubrics}
    if len(rubrics) > 1 and not any_rubric:
        named = "; ".join(f"{judge.name} by {', '.join(judge.rubrics)}" for judge in ratings.judges)
        raise InputError(
            f"{task}: the judges followed different rubrics ({named}). Judge again by one, or compare anyway: "
            "--any-rubric"
        )
    units = list(ratings.units.values())
    kinds = {isinstance(rating, str) for unit in units for rating in unit if rating is not None}
    if len(kinds) > 1:
        raise InputError(
            f"{task}: some verdicts are labels, others scores. Compare runs that one kind of rubric judged"
        )
    is_label = kinds == {True}
    return TaskAgreement(
        task,
        is_label,
        ratings.judges,
        len(units),
        ratings.left_out,
        ratings.n_unreadable,
        percent_agreement(units),
        krippendorff_alpha(units, "nominal" if is_label else "interval"),
        fleiss_kappa(units) if is_label else None,
        [_pair(task, units, first, second, is_label) for first, second in combinations(range(len(ratings.judges)), 2)],
        _apart(task, ratings.units, is_label),
    )


def _pair(
    task: str, units: Sequence[Sequence[Rating | None]], first: int, second: int, is_label: bool
) -> PairAgreement:
    pairs: list[tuple[Any, Any]] = [
        (a, b) for a, b in ((unit[first], unit[second]) for unit in units) if a is not None and b is not None
    ]
    headline, (ours, theirs) = _headline(task, pairs, is_label)
    n = len(pairs)
    return PairAgreement(
        (first, second),
        n,
        percent_agreement(pairs),
        cohen_kappa(pairs) if is_label else weighted_kappa(pairs),
        None if is_label else _correlation(pairs, "pearsonr"),
        None if is_label else _correlation(pairs, "spearmanr"),
        headline,
        (sum(ours) / n, sum(theirs) / n) if ours else None,
        mean_difference(zip(ours, theirs, strict=True)),
        confusion(pairs, sorted({label for pair in pairs for label in pair})) if is_label else None,
    )


def _headline(
    task: str, pairs: Sequence[tuple[Any, Any]], is_label: bool
) -> tuple[str | None, tuple[list[float], list[float]]]:
    """The name of the headline score, and the contribution of each response to it under either judge."""
    if not is_label:
        return "mean score", ([a for a, _ in pairs], [b for _, b in pairs])
    labels, known = {label for pair in pairs for label in pair}, scale_of(task).values if is_judged(task) else ()
    if not labels or not labels <= set(known):
        return None, ([], [])
    accepted = known[0]
    first, second = ([100.0 * (pair[i] == accepted) for pair in pairs] for i in (0, 1))
    return f"{accepted}, %", (first, second)


def _correlation(pairs: Sequence[tuple[float, float]], name: str) -> float | None:
    """Pearson's or Spearman's correlation; None where a judge always gives the same score."""
    from scipy import stats

    if any(len({pair[i] for pair in pairs}) < 2 for i in (0, 1)):
        return None
    return float(getattr(stats, name)(*zip(*pairs, strict=True)).statistic)


def _apart(task: str, units: dict[Key, tuple[Rating | None, ...]], is_label: bool) -> list[Apart]:
    """The responses with different ratings, largest difference first: share of judge pairs that differ, or range."""
    fields = _json_fields(task)

    def distance(unit: Sequence[Any]) -> float:
        given = [rating for rating in unit if rating is not None]
        pairs = list(combinations(given, 2))
        return sum(a != b for a, b in pairs) / len(pairs) if is_label else max(given) - min(given)

    parted = [(distance(unit), key, unit) for key, unit in units.items() if distance(unit)]
    parted.sort(key=lambda one: -one[0])  # stable: as in the file where they are alike
    return [Apart(dict(zip_longest(fields, key)), list(unit)) for _, key, unit in parted]


def _json_fields(task: str) -> tuple[str, ...]:
    """The task's key fields and those that other tasks of its family append, so that a family has the same columns."""
    own = key_fields(task)
    family = known_tasks()[task].tasks.values() if task in known_tasks() else ()
    return max([own, *(other.key for other in family if other.key[: len(own)] == own)], key=len)


@dataclass(frozen=True)
class PairAgreement:
    """Two judges.

    Attributes:
        judges: their indices among the judges of the task.
        n: number of responses that both have rated.
        agreement: percent with the same rating.
        kappa: Cohen's for labels, quadratically weighted for scores; None where undefined.
        pearson, spearman: correlations of scores, from -1 to 1; None for labels and where undefined.
        headline: the score that the task reports: `GOOD, %`, `mean score`; None for labels of another rubric.
        under: the headline score under the first judge and the second, over the `n` responses.
        change: second minus first, paired.
        confusion: of labels.
    """

    judges: tuple[int, int]
    n: int
    agreement: Estimate | None
    kappa: Estimate | None
    pearson: float | None
    spearman: float | None
    headline: str | None
    under: tuple[float, float] | None
    change: Estimate | None
    confusion: Confusion | None


@dataclass(frozen=True)
class Apart:
    """A response that judges rate differently.

    Attributes:
        item: field → value of the item's key (`declare.Task.key`); None for a field that only other tasks have.
        ratings: one a judge, None where it gave none.
    """

    item: dict[str, str | int | None]
    ratings: list[Rating | None]


@dataclass(frozen=True)
class TaskAgreement:
    """The judges of one task.

    Attributes:
        task: its name.
        is_label: whether they give labels; otherwise scores.
        judges: the judges.
        n: number of responses that two or more of them have rated.
        left_out: reason → number of responses that are not compared.
        n_unreadable: number of unreadable replies.
        agreement: percent of pairs of judges that give a response the same rating.
        alpha: Krippendorff's, nominal for labels and interval for scores.
        fleiss: Fleiss' kappa of labels, over the responses that all have rated.
        pairs: each two judges.
        apart: the responses with different ratings, the largest difference first.
    """

    task: str
    is_label: bool
    judges: list[Judge]
    n: int
    left_out: dict[str, int]
    n_unreadable: int
    agreement: Estimate | None
    alpha: Estimate | None
    fleiss: Estimate | None
    pairs: list[PairAgreement]
    apart: list[Apart]
