"""The items of a run, one row a prediction: those that `hueval score` wrote, or lm-eval's samples scored on the way.

Nobody is asked for a verdict: a report takes what is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hueval_metrics.records import HuevalError, InputError
from hueval_metrics.registry import declared, known_tasks
from hueval_metrics.runs.run import Key, Run
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.scoring.score import scored_items
from hueval_metrics.scoring.survey import survey

Row = dict[str, Any]
OnFault = Callable[[str], None]

_ITEMS, _RESULTS = "items.jsonl", "results.json"
_TOLD = 3  # lines of a file that are told one by one; a file in another encoding has a fault in each
_DATE = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.-]+)\.json\Z")


def item_rows(run: Run, task: str | None = None, on_fault: OnFault | None = None) -> Iterator[Row]:
    """The rows of a run in the order of its files, each file read once.

    Args:
        run: the run.
        task: only this task's; None for all that the run has scores of.
        on_fault: takes the line on a row or file that cannot be read, which is passed over; None to raise it.

    Yields:
        The rows of `items.jsonl`. They come from files that anyone may have written: a key may be missing (files of
        older versions lack `values`, `prompt` and others), a value may be of any type.

    Raises:
        InputError: a file is missing or broken; with `on_fault` never.
        DataError: samples carry no documents, and the data are not at hand; with `on_fault` never.
    """
    wanted = {name: result.source for name, result in run.tasks.items() if task in (None, name)}
    for source in dict.fromkeys(wanted.values()):
        names = [name for name, its_source in wanted.items() if its_source == source]
        items = source.with_name(_ITEMS)
        try:
            if items.is_file() and _is_ours(source):
                yield from _our_rows(items, names, on_fault)
                continue
        except HuevalError as error:
            _tell(error, on_fault)
            continue
        for name in names:
            try:
                yield from _scored_samples(source, name)
            except HuevalError as error:
                _tell(error, on_fault)


def item_key(task: str, row: Mapping[str, Any]) -> Key | None:
    """What names a row's item: the values of the declared fields, `qid` of a task that is not ours.

    Returns:
        A text, then what else there is, None for what is neither text nor integer; None without a text.
    """
    values = [row.get(field) for field in (declared(task).key if task in known_tasks() else ("qid",))]
    if not isinstance(values[0], str):
        return None
    return tuple(value if type(value) in (str, int) else None for value in values)


def _tell(error: HuevalError, on_fault: OnFault | None) -> None:
    if on_fault is None:
        raise error
    on_fault(str(error))


def _our_rows(items: Path, tasks: Sequence[str], on_fault: OnFault | None) -> Iterator[Row]:
    n_faults = 0

    def tell(fault: str) -> None:
        nonlocal n_faults
        n_faults += 1
        if on_fault is not None and n_faults <= _TOLD:
            on_fault(fault)

    yield from (line.row for line in read_lines(items, on_fault and tell) if line.row.get("task") in tasks)
    if on_fault is not None and n_faults > _TOLD:
        on_fault(f"{items}: {n_faults - _TOLD} more lines cannot be read. Score it again: hueval score")


def _is_ours(results: Path) -> bool:
    """Whether a results file is one of `hueval score`, told by its name, which lm-eval gives to none."""
    return results.name == _RESULTS


def _scored_samples(results: Path, task: str) -> Iterator[Row]:
    date = _DATE.search(results.name)
    names = [f"samples_{task}_{date[1]}.jsonl"] if date else []
    samples = next((file for name in names if (file := results.with_name(name)).is_file()), None)
    if samples is None:
        wanted = _ITEMS if _is_ours(results) else f"samples_{task}_*.jsonl"
        fix = "Score it again" if _is_ours(results) else "Run it with --log_samples"
        raise InputError(f"{results}: its items are not there (no {wanted} beside it). {fix}")
    for given in survey([samples], task, {}):
        if given.spec.name == task:  # a row may say that it is of another
            yield from scored_items(given, JudgePlan(asks=False))
