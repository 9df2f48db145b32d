"""What is counted of the segments of traces (arXiv:2503.21500, §4.2, Table 9 and the text below it).

A share of Reasoning segments is over those whose classes are known. Classes of other segments do not count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations

from hueval_metrics.traces.item import Row
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.segments.classes import CATEGORIES, CONCLUSION, DIMENSIONS, REASONING
from hueval_metrics.traces.settings import SEGMENTS

Ratio = tuple[float, float]
Classes = Mapping[int, str]  # dimension, from 0 → class

_PAPER = "arXiv:2503.21500, {}"
ASSERTION, THOUGHT = DIMENSIONS[1]
CORRECT, OPEN = DIMENSIONS[0][2], DIMENSIONS[0][3]
TRANSFER = DIMENSIONS[3][0]


def n_segments(row: Row, category: str) -> Ratio | None:
    """How many segments of a category a reply has; None where it was not divided."""
    segments = _segments(row)
    return (sum(segment["category"] == category for segment in segments), 1) if segments else None


def n_conclusions_ref(row: Row) -> Ratio | None:
    """How many segments the judge called Conclusion: the public tool counts neither Summary nor Final_answer.

    >>> n_conclusions_ref({"segments": {"segments": [{"category": "Conclusion", "name": "Summary"}]}})
    (0, 1)
    """
    segments = _segments(row)
    named = (segment.get("name", segment["category"]) for segment in segments)
    return (sum(name == CONCLUSION for name in named), 1) if segments else None


def blanks(row: Row) -> Ratio | None:
    """How many blanks the question has; None where the reply was not divided, or its document cannot be had."""
    count = (row.get(SEGMENTS) or {}).get("blanks")
    return None if count is None else (count, 1)


def share(row: Row, over: Classes, under: Classes) -> Ratio | None:
    """Reasoning segments of some classes, over those of others; None where the reply has none of the latter.

    >>> row = {"segments": {"segments": [{"category": "Reasoning", "dimensions": ["Non Conclusion", "Complex Thought"]},
    ...     {"category": "Reasoning", "dimensions": ["Completely Correct", "Complex Thought"]}]}}
    >>> share(row, {0: "Non Conclusion"}, {1: "Complex Thought"})
    (1, 2)
    """
    reasoning = _reasoning(row)
    below = _count(reasoning, under)
    return (_count(reasoning, {**under, **over}), below) if below else None


def share_of_concluded(row: Row, complexity: str) -> Ratio | None:
    """Completely Correct segments of a class, over those of the class that reach a result."""
    concluded = [found for found in _reasoning(row) if found[1] == complexity and found[0] != OPEN]
    return (sum(found[0] == CORRECT for found in concluded), len(concluded)) if concluded else None


def _segments(row: Row) -> Sequence[Row]:
    return (row.get(SEGMENTS) or {}).get("segments") or ()


def _reasoning(row: Row) -> Sequence[Sequence[str]]:
    """The classes of each Reasoning segment that has them."""
    return [
        segment["dimensions"]
        for segment in _segments(row)
        if segment["category"] == REASONING and segment["dimensions"]
    ]


def _count(reasoning: Sequence[Sequence[str]], classes: Classes) -> int:
    """How many of some segments are of all the classes."""
    for dimension, name in classes.items():
        reasoning = [found for found in reasoning if found[dimension] == name]
    return len(reasoning)


def _share(
    name: str, over: Classes, under: Classes, source: str = "", *, tested: bool = False, against: str = ""
) -> Measure:
    of: Callable[[Row], Ratio | None] = partial(share, over=over, under=under)
    where = _PAPER.format(source) if source else ""
    return Measure(name, SEGMENTS, "%", of, tested=tested, against=against, source=where)


def _slug(name: str) -> str:
    return name.lower().replace(" ", "_")


def _complexity(name: str) -> Sequence[Measure]:
    """The measures of simple assertions, or of complex thoughts; the former are compared with the latter (§4.2)."""
    slug, those = _slug(name), {1: name}
    thought = _slug(THOUGHT) if name == ASSERTION else ""
    correct, still_open = (thought and f"{of}_{thought}" for of in ("correct", "non_conclusion"))
    return (
        _share(slug, those, {}, "Table 9", tested=True),
        _share(f"correct_{slug}", {0: CORRECT}, those, "Table 9", tested=True, against=correct),
        Measure(f"correct_{slug}_of_concluded", SEGMENTS, "%", partial(share_of_concluded, complexity=name)),
        _share(f"non_conclusion_{slug}", {0: OPEN}, those, "§4.2", tested=True, against=still_open),
    )


# Shares of all Reasoning segments; those of two dimensions add up to 100 % over their classes.
_MARGINS = [
    _share(f"dimension{dimension + 1}_{_slug(name)}", {dimension: name}, {})
    for dimension in (0, 2)
    for name in DIMENSIONS[dimension]
]
_CROSSED = [
    _share(f"dimension{first + 1}_{_slug(one)}_x_dimension{second + 1}_{_slug(other)}", {first: one, second: other}, {})
    for first, second in combinations(range(len(DIMENSIONS)), 2)
    for one in DIMENSIONS[first]
    for other in DIMENSIONS[second]
]
MEASURES: tuple[Measure, ...] = (
    *(
        Measure(f"{_slug(name)}_segments", SEGMENTS, "segments", partial(n_segments, category=name), tested=True)
        for name in CATEGORIES
    ),
    Measure("conclusion_segments_ref", SEGMENTS, "segments", n_conclusions_ref, source="the public tool"),
    Measure("blanks", SEGMENTS, "count", blanks),
    *_complexity(ASSERTION),
    *_complexity(THOUGHT),
    _share("eti", {3: TRANSFER}, {}, "§4.2", tested=True),
    *_MARGINS,
    *_CROSSED,
)
