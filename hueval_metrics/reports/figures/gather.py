"""The small numbers that the figures need of the items, taken in while the items pass by; no text is kept."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hueval_metrics.records import number_of
from hueval_metrics.scoring.judge_tally import JudgeTally
from lm_eval_tasks.openhueval.metrics.wb_score import HIGHEST, LOWEST

_MOST = 2**32 - 1  # of characters that a length holds; of blanks that are not a damaged row


class FigureData:
    """What the items of all runs say, by run and task.

    >>> data = FigureData()
    >>> data.add(0, {"task": "openhueval_huproverbrea_oe", "prediction": "<think>hm</think>Igen.", "response": "Igen."})
    >>> data.of(0, "openhueval_huproverbrea_oe").response_length
    array('I', [5])
    """

    def __init__(self) -> None:
        self._tasks: dict[tuple[int, str], TaskNumbers] = {}

    def add(self, run_index: int, row: Mapping[str, Any]) -> None:
        """Take in one item; what it lacks, or has of another type, is left out.

        Args:
            run_index: the place of its run among the runs of the report.
            row: a row of `items.jsonl`, as `runs.items.item_rows` yields it.
        """
        task = row.get("task")
        if isinstance(task, str):
            self._tasks.setdefault((run_index, task), TaskNumbers()).add(row)

    def of(self, run_index: int, task: str) -> TaskNumbers:
        """The numbers of one task of one run; empty ones where no item came."""
        return self._tasks.get((run_index, task)) or TaskNumbers()


@dataclass
class TaskNumbers:
    """What the items of one task of one run say.

    Attributes:
        response_length: characters of each response without its reasoning.
        whole_length: characters of each response as it came.
        blanks: (right, all blanks, options or None) of a question → how many such questions.
        confidences: (confidence from 0 to 1, whether correct, how it was stated) → how many such answers.
        scores: WB-score from 1 to 10 → how many such answers.
        judge: who judged, and what it took.
    """

    response_length: array[int] = field(default_factory=lambda: array("I"))
    whole_length: array[int] = field(default_factory=lambda: array("I"))
    blanks: Counter[tuple[int, int, int | None]] = field(default_factory=Counter)
    confidences: Counter[tuple[float, bool, str | None]] = field(default_factory=Counter)
    scores: Counter[float] = field(default_factory=Counter)
    judge: JudgeTally = field(default_factory=JudgeTally)

    def add(self, row: Mapping[str, Any]) -> None:
        """Take in one item; see `FigureData.add`."""
        whole = row.get("prediction")
        response = row.get("response", whole)  # a row has it only where something was taken off
        if isinstance(whole, str) and isinstance(response, str):
            self.whole_length.append(min(len(whole), _MOST))
            self.response_length.append(min(len(response), _MOST))
        right, total, options = (_count(row.get(key)) for key in ("blanks_correct", "blanks_total", "n_options"))
        if right is not None and total and right <= total:
            self.blanks[right, total, options] += 1
        values = row.get("values")
        if isinstance(values, Mapping):
            self._add_confidence(values.get("ece"))
            score = number_of(values.get("wb_score"))
            if score is not None and LOWEST <= score <= HIGHEST:
                self.scores[score] += 1
        verdict = row.get("verdict")
        if isinstance(verdict, Mapping):
            self.judge.add(verdict)

    def _add_confidence(self, pair: object) -> None:
        if isinstance(pair, (list, tuple)) and 2 <= len(pair) <= 3:
            confidence, correct, how = number_of(pair[0]), pair[1], str(pair[2]) if len(pair) > 2 else None
            if confidence is not None and 0 <= confidence <= 1 and correct in (0, 1):
                self.confidences[confidence, bool(correct), how] += 1


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST else None
