"""Wakes workers. The task names no submission: the truth is the lease on the row, and a lost task costs nothing."""

from __future__ import annotations

from django_tasks import task

from hueval_site.scoring.work import score_waiting


@task()
def score_next() -> int:
    """Score what waits; the number of submissions scored."""
    return score_waiting()


def wake_workers() -> None:
    """Let a worker look for what waits."""
    score_next.enqueue()
