"""Have a task scored again."""

from __future__ import annotations

from hueval_site.manage.django_setup import set_up


def rescore_task(task: str) -> None:
    """Queue all scored submissions of the open season of a task.

    Raises:
        InputError: there is no such board.
    """
    set_up()
    from hueval_site.boards import find_board
    from hueval_site.scoring.again import rescore

    print(f"{task}: {rescore(find_board(task))} submissions are scored again by the next free worker")
