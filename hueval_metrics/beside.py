"""The columns beside the strict ones: the scores if what fills in unread replies counted (docs/tutorials/unread.md)."""

from __future__ import annotations

from hueval_metrics.declare import Task
from hueval_metrics.metric import Metric

ASKED, EXTRACTED = "_asked", "_extracted"  # end the names of columns in which a second turn, or a judge, filled in
_PARSED = "parse_rate"  # of a task whose replies are read by rule: the share of them that answer


def is_read(task: Task) -> bool:
    """Whether a reader looks for the answer in a reply, and no judge scores it: one without can be filled in."""
    return task.reading is not None and task.rubric is None and _PARSED in task.metrics


def beside(task: Task, suffix: str) -> dict[str, Metric]:
    """The columns beside the strict ones of a task.

    Args:
        task: the task.
        suffix: `ASKED` or `EXTRACTED`.

    Returns:
        The headline's, with `ASKED` the share of replies that were read, and the share of items that were filled in,
        such as `asked_rate`. Nothing for a task without a reader (`is_read`).
    """
    if not is_read(task):
        return {}
    names = [*task.headline, *[_PARSED] * (suffix == ASKED)]
    share = task.metrics[_PARSED].but(better=None)
    return {name + suffix: task.metrics[name] for name in names} | {f"{suffix[1:]}_rate": share}
