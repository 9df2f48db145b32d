"""What is counted of the thoughts of traces (arXiv:2503.21500, §4.1 and F.1; regret: arXiv:2505.16591, §4.5)."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics.traces.item import Row
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.settings import THOUGHTS

CORRECT = 2  # the score of a correct thought (F.1)
TENTHS = range(10)

Ratio = tuple[float, float]


def n_thoughts(row: Row) -> Ratio | None:
    """The number of thoughts of a trace; None where it was not split."""
    starts = _of(row, "starts")
    return (len(starts), 1) if starts else None


def tokens_per_thought(row: Row) -> Ratio | None:
    """Tokens of the trace over its thoughts."""
    starts = _of(row, "starts")
    return (row["tokens"], len(starts)) if starts else None


def correct_thoughts(row: Row) -> Ratio | None:
    """Correct thoughts over all that have a score; None without any.

    >>> correct_thoughts({"thoughts": {"starts": [0, 9, 20], "scores": [2, 0, None]}})
    (1, 2)
    """
    scored = [score for score in _of(row, "scores") if score is not None]
    return (scored.count(CORRECT), len(scored)) if scored else None


def has_ratio(row: Row, tenths: int) -> Ratio | None:
    """Whether the ratio of correct thoughts is at least some tenths; for 0, whether there is any correct thought.

    >>> has_ratio({"thoughts": {"scores": [2, 1, 1]}}, 3), has_ratio({"thoughts": {"scores": [2, 1, 1]}}, 4)
    ((1, 1), (0, 1))
    """
    if (ratio := correct_thoughts(row)) is None:
        return None
    correct, scored = ratio
    return int(10 * correct >= tenths * scored if tenths else correct > 0), 1


def has_ratio_ref(row: Row, tenths: int) -> Ratio | None:
    """The same as the public tool counts it: the ratio is rounded to one decimal, and must be above the threshold.

    >>> has_ratio_ref({"thoughts": {"scores": [2, 1, 1]}}, 2), has_ratio_ref({"thoughts": {"scores": [2, 1, 1]}}, 3)
    ((1, 1), (0, 1))
    """
    if (ratio := correct_thoughts(row)) is None:
        return None
    return int(round(ratio[0] / ratio[1], 1) > tenths / 10), 1


def _of(row: Row, name: str) -> Sequence[int | None]:
    return (row.get(THOUGHTS) or {}).get(name) or ()


def _at_least(tenths: int) -> Measure:
    name = f"correct_ratio_ge_{10 * tenths}" if tenths else "correct_ratio_gt_0"
    return Measure(name, THOUGHTS, "%", lambda row: has_ratio(row, tenths))


def _above_ref(tenths: int) -> Measure:
    name = f"correct_ratio_ref_gt_{10 * tenths}"
    return Measure(name, THOUGHTS, "%", lambda row: has_ratio_ref(row, tenths), source="the public tool")


# A thought that was not scored counts in none but the first three; a reply none of whose thoughts was, likewise.
MEASURES: tuple[Measure, ...] = (
    Measure("thoughts", THOUGHTS, "thoughts", n_thoughts, tested=True, source="arXiv:2503.21500, Figure 4"),
    Measure("thoughts_median", THOUGHTS, "thoughts", n_thoughts, is_median=True),
    Measure("tokens_per_thought", THOUGHTS, "tokens", tokens_per_thought),
    Measure("correct_thoughts", THOUGHTS, "%", correct_thoughts, tested=True),
    Measure("regret", THOUGHTS, "%", lambda row: has_ratio(row, 0), tested=True, source="arXiv:2505.16591, Figure 9"),
    *map(_at_least, TENTHS),
    *map(_above_ref, TENTHS),
)
