"""Have a task scored again."""

from __future__ import annotations

from hueval_metrics.records import InputError
from hueval_site.manage.django_setup import set_up


def rescore_task(task: str) -> None:
    """Queue all scored submissions of the open season of a task.

    Raises:
        InputError: there is no such board.
    """
    set_up()
    from hueval_site.boards import boards
    from hueval_site.scoring.again import rescore

    if task not in boards():
        raise InputError(f"{task}: no board. There are {', '.join(boards())}")
    print(f"{task}: {rescore(boards()[task])} submissions are scored again by the next free worker")
