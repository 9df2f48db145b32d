"""Flags of older results, whose replies were not counted when they were scored: counted as their items are read."""

from __future__ import annotations

from dataclasses import replace

from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Run
from hueval_metrics.scoring.flags import OF_REPLIES, Replies
from hueval_metrics.scoring.score import reply_in


class Recount:
    """The flags of a run, of which those of replies are counted here where its files do not have them.

    Args:
        run: the run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._replies = {
            task: Replies(declared(task), result.thinking)
            for task, result in run.tasks.items()
            if task in known_tasks() and not result.are_replies_counted
        }

    def add(self, item: Item) -> None:
        """Count an item; those of tasks whose files have the flags cost nothing."""
        if (replies := self._replies.get(item.task)) is not None:
            replies.add(reply_in(item.row, *replies.wanted))

    @property
    def run(self) -> Run:
        """The run with all its flags."""
        tasks = dict(self._run.tasks)
        for task, replies in self._replies.items():
            others = [one for one in tasks[task].flags if one.kind not in OF_REPLIES]
            if replies.n:
                flags = (*replies.flags(), *others)
                tasks[task] = replace(tasks[task], flags=flags, are_replies_counted=True)
        return replace(self._run, tasks=tasks) if self._replies else self._run
