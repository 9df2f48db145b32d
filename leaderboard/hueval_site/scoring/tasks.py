"""Wakes workers. The task names no submission: the truth is the lease on the row, and a lost task costs nothing."""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django_tasks import DEFAULT_TASK_BACKEND_ALIAS, DEFAULT_TASK_QUEUE_NAME, task
from django_tasks_db.management.commands.db_worker import Worker
from django_tasks_db.models import DBTaskResult

from hueval_site.scoring.work import score_waiting, worker_name

KEPT = timedelta(hours=1)  # finished tasks, and those that a killed worker has left in limbo

logging.getLogger("django_tasks").setLevel(logging.WARNING)  # two lines a task, of which there is one a submission
logging.getLogger("django_tasks_db").setLevel(logging.WARNING)


@task()
def score_next() -> int:
    """Score what waits; the number of submissions begun.

    The library keeps the traceback of what a task raises: `score_waiting` lets through errors of the database alone.
    """
    return score_waiting()


def wake_workers() -> None:
    """Let a worker look for what waits."""
    score_next.enqueue()


def run_tasks() -> None:
    """Run the tasks that are ready."""
    if not DBTaskResult.objects.ready().exists():  # without a lock, which the library's own look takes on SQLite
        return
    Worker(
        queue_names=[DEFAULT_TASK_QUEUE_NAME],
        interval=0,
        batch=True,
        backend_name=DEFAULT_TASK_BACKEND_ALIAS,
        startup_delay=False,
        max_tasks=None,
        worker_id=worker_name()[:64],
        excluded_queue_names=[],
    ).run()


def prune_tasks() -> int:
    """Delete tasks that were enqueued long ago, whatever became of them; how many there were."""
    now = timezone.now()
    return DBTaskResult.objects.filter(Q(enqueued_at__lt=now - KEPT) | Q(enqueued_at__gt=now + KEPT)).delete()[0]
