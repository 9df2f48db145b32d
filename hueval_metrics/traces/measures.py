"""What is counted: a measure is a function of one row of traces.jsonl, and the numbers are means or medians of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from hueval_metrics.traces.item import Row

Unit = Literal["tokens", "thoughts", "segments", "%", "per 1,000 tokens", "count"]


@dataclass(frozen=True)
class Measure:
    """One measure.

    Attributes:
        name: as it is in traces.json.
        step: the step whose part of a row it reads.
        unit: of its numbers; of `%` the ratio is multiplied by 100, of `per 1,000 tokens` by 1,000.
        of: row → (numerator, denominator) of one reply, the first 0 where the second is; None where it does not apply
            to the reply. The number of a cell is the sum of the numerators over the sum of the denominators, each with
            the weight of its reply.
        is_median: whether the number is the (weighted) median of the numerators instead.
        tested: whether differences between verdicts, parts and models are tested.
        against: name of the measure with which it is compared within each run; empty for none. Both are tested.
        source: where the paper has it, such as "Table 9"; empty for ours.
    """

    name: str
    step: str
    unit: Unit
    of: Callable[[Row], tuple[float, float] | None]
    is_median: bool = False
    tested: bool = False
    against: str = ""
    source: str = ""


@dataclass(frozen=True)
class Cell:
    """Which replies a number is over.

    Attributes:
        run: label of the run.
        group: a task, or the name of the pool of several (`traced.Traces.pool`).
        part: code of a part of the family; empty for all.
        verdict: one of `item.VERDICTS`; empty for all, also those without one.
    """

    run: str
    group: str
    part: str = ""
    verdict: str = ""


@dataclass(frozen=True)
class Number:
    """A number with its interval, a row of `numbers` in traces.json.

    Attributes:
        cell: the replies that it is over.
        measure: name of the measure.
        value: in the measure's unit; None where it is undefined.
        ci95: ends of the 95 % interval, likewise; None where there is none, as with one cluster.
        n: replies to which the measure applies.
        n_clusters: clusters that they are of.
        denominator: the sum of the denominators, such as the number of Reasoning segments, each with the weight of its
            reply.
    """

    cell: Cell
    measure: str
    value: float | None
    ci95: tuple[float, float] | None
    n: int
    n_clusters: int = 0
    denominator: float = 0.0


@dataclass(frozen=True)
class Test:
    """A test of the difference between two cells, or two measures of one cell, a row of `tests` in traces.json.

    Attributes:
        measure: name of the measure.
        between: what differs.
        first, second: the cells; of two measures, the same one twice.
        difference: the first minus the second, in the measure's unit.
        ci95: ends of its 95 % interval; None where one of the two numbers has none.
        p: of a permutation test, two-sided; of two models on yes or no, McNemar's.
        p_holm: after Holm's correction over the tests of this measure and kind in the analysis.
        n: clusters in the test; of verdicts and parts, one with replies in both cells counts twice.
        against: the second measure, of a test between two; empty otherwise.
    """

    measure: str
    between: Literal["verdicts", "parts", "models", "measures"]
    first: Cell
    second: Cell
    difference: float
    ci95: tuple[float, float] | None
    p: float
    p_holm: float
    n: int
    against: str = ""
