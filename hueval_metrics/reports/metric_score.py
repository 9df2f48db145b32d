"""A score as a line of the tables of every metric."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class MetricScore:
    """A score of a run.

    Attributes:
        task: the task, or the family of a summary.
        metric: its name, or the title of a summary; cleaned for printing.
        label: of the run, cleaned.
        value: in the metric's own unit; None where nothing was scored.
        ci95: its 95 % interval; None without one.
        n: its own n; None when unknown.
        method: how the interval was made, cleaned; empty when unknown.
        signature: what the score depends on, cleaned; empty when unknown.
        is_fraction: whether it is on a scale from 0 to 1, where the decimals of percentages would show too little.
        is_narrow: whether the interval covers the true value too rarely.
        spread: the lowest and the highest score over several prompts or repeats; None with one.
        other_prompts: its 95 % interval had other prompts been drawn; None of fewer than three.
        flags: the kinds of flags of its task; empty without any.
    """

    task: str
    metric: str
    label: str
    value: float | None
    ci95: tuple[float, float] | None
    n: int | None
    method: str = ""
    signature: str = ""
    is_fraction: bool = False
    is_narrow: bool = False
    spread: tuple[float, float] | None = None
    other_prompts: tuple[float, float] | None = None
    flags: str = ""
