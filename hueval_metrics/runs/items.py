"""The items of a run, one a prediction: read from `items.jsonl`, or scored from lm-eval's samples on the fly.

No judge is asked: a report uses the verdicts that are stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from hueval_metrics.answers.marked import Marked
from hueval_metrics.answers.reading import Reading
from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.records import Verdict, number_of
from hueval_metrics.registry import declared, key_fields, known_tasks
from hueval_metrics.runs.run import Key, Run
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.scoring.score import scored_items
from hueval_metrics.scoring.survey import survey
from hueval_metrics.scoring.values import AT_LIMIT

OnFault = Callable[[str], None]

_ITEMS, _RESULTS = "items.jsonl", "results.json"
_TOLD = 3  # faults of a file that are reported one by one; a file in another encoding has a fault in each line
_DATE = re.compile(r"_(\d{4}-\d\d-\d\dT[\d.-]+)\.json\Z")


@dataclass(frozen=True)
class Item:
    """One prediction with its scores, as a row of `items.jsonl` has it.

    Older versions and other tools may have written the row: a property is None where the row lacks it, or has a value
    of another type. Properties are read when they are asked for, since a comparison of runs asks for few of them.

    Attributes:
        task: the task's name in lm-eval.
        key: the values of the fields that identify an item of the task; None where the first is not a text.
        cluster: what intervals resample the item with.
        values: metric → the value that `process_results` returned, any JSON value; None where the row is too old.
        row: the whole row, unchecked, with the columns that the task's family adds.
    """

    task: str
    key: Key | None
    cluster: str
    values: Mapping[str, Any] | None
    row: Mapping[str, Any]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Item:
        """Read a row.

        >>> item = Item.of({"task": "toybench_keywords", "qid": "1", "prediction": "Igen.", "metrics": {"acc": 100}})
        >>> item.key, item.response, item.metrics, item.truncated
        (('1',), 'Igen.', {'acc': 100.0}, False)
        """
        task = str(row.get("task"))
        key, values = _key(task, row), row.get("values")
        cluster = str(row.get(_cluster_field(task), key[0])) if key else ""
        return cls(task, key, cluster, values if isinstance(values, Mapping) else None, row)

    def _text(self, name: str) -> str | None:
        value = self.row.get(name)
        return value if isinstance(value, str) else None

    @property
    def dimension(self) -> str | None:
        """Code of its stratum; None without one."""
        return self._text("dimension")

    @property
    def prompt(self) -> str | None:
        """What the model was asked."""
        return self._text("prompt")

    @property
    def reference(self) -> str | None:
        """The reference answer."""
        return self._text("reference")

    @property
    def prediction(self) -> str | None:
        """The reply as the model gave it; None for log-likelihoods."""
        return self._text("prediction")

    @property
    def response(self) -> str | None:
        """The reply without its reasoning trace; the row has it only where it differs from the reply."""
        response = self._text("response")
        return self.prediction if response is None else response

    @property
    def second(self) -> str | None:
        """What the model said in a second turn, without its reasoning trace; None where it was not asked again."""
        return self._text("second")

    @property
    def truncated(self) -> bool:
        """Whether generation ended inside the trace, or nothing was generated."""
        return self.row.get("truncated") is True

    @property
    def reasoning_tokens(self) -> int | None:
        """Tokens of its trace as the model's server counted them; None where it did not."""
        count = self.row.get("reasoning_tokens")
        return count if type(count) is int and count >= 0 else None

    @property
    def at_limit(self) -> bool:
        """Whether the reply is known to have ended at the token limit."""
        return self.row.get(AT_LIMIT) is True

    @property
    def answer(self) -> Any:
        """What was parsed from the response, any JSON value."""
        return self.row.get("answer")

    @property
    def reading(self) -> Reading[Any] | None:
        """How and where the answer was read; None for an item without a reader, and in rows of older versions."""
        return Reading.from_json(self.row.get("reading"), self.response)

    @cached_property
    def metrics(self) -> dict[str, float | None]:
        """Metric → its value for this item alone; None where it does not apply."""
        metrics = self.row.get("metrics")
        return {name: number_of(value) for name, value in metrics.items()} if isinstance(metrics, Mapping) else {}

    def metric(self, name: str) -> float | None:
        """The value of one metric; of many metrics a reader that needs one asks for that."""
        metrics = self.row.get("metrics")
        return number_of(metrics.get(name)) if isinstance(metrics, Mapping) else None

    @cached_property
    def verdict(self) -> Verdict | None:
        """The judge's verdict; None for an item scored by rule, or not judged yet."""
        return Verdict.from_json(self.row.get("verdict"))

    @property
    def marked(self) -> Marked | None:
        """Its parts, marked one by one; None for an item without parts, and in rows of older versions."""
        return Marked.from_json(self.row.get("marked"))

    @property
    def rated(self) -> tuple[str | float, float] | None:
        """The reference's rating and its weight in the calibration (`hueval calibrate apply`); None without one."""
        found = self.row.get("reference_rating")
        if not isinstance(found, Mapping):
            return None
        rating, weight = found.get("rating"), number_of(found.get("weight"))
        rating = rating if isinstance(rating, str) else number_of(rating)
        return None if rating is None or weight is None or weight <= 0 else (rating, weight)


def items_of(run: Run, task: str | None = None, on_fault: OnFault | None = None) -> Iterator[Item]:
    """The items of a run in the order of its files, each file read once.

    Args:
        run: the run.
        task: only this task's; None for all that the run has scores of.
        on_fault: takes the line on a row or file that cannot be read, which is skipped; None to raise it.

    Raises:
        InputError: a file is missing or broken; with `on_fault` never.
        DataError: samples carry no documents, and the data are not available; with `on_fault` never.
    """
    wanted = {name: result.source for name, result in run.tasks.items() if task in (None, name)}
    for source in dict.fromkeys(wanted.values()):
        names = [name for name, its_source in wanted.items() if its_source == source]
        items = source.with_name(_ITEMS)
        try:
            if items.is_file() and _is_ours(source):
                yield from map(Item.of, _our_rows(items, names, on_fault))
                continue
        except HuevalError as error:
            _report(error, on_fault)
            continue
        for name in names:
            try:
                yield from map(Item.of, _scored_samples(source, name))
            except HuevalError as error:
                _report(error, on_fault)


def _key(task: str, row: Mapping[str, Any]) -> Key | None:
    """The values of the fields that identify an item of a task; of a task that no family declares, `qid`.

    Returns:
        A text, then text, integer or None for each further field; None where the first is not a text.
    """
    values = [row.get(field) for field in key_fields(task)]
    if not isinstance(values[0], str):
        return None
    return tuple(value if type(value) in (str, int) else None for value in values)


@cache
def _cluster_field(task: str) -> str:
    return declared(task).cluster if task in known_tasks() else "qid"


def _report(error: HuevalError, on_fault: OnFault | None) -> None:
    if on_fault is None:
        raise error
    on_fault(str(error))


def _our_rows(items: Path, tasks: Sequence[str], on_fault: OnFault | None) -> Iterator[Mapping[str, Any]]:
    n_faults = 0

    def report(fault: str) -> None:
        nonlocal n_faults
        n_faults += 1
        if on_fault is not None and n_faults <= _TOLD:
            on_fault(fault)

    yield from (line.row for line in read_lines(items, on_fault and report) if line.row.get("task") in tasks)
    if on_fault is not None and n_faults > _TOLD:
        on_fault(f"{items}: {n_faults - _TOLD} more lines cannot be read. Score it again: hueval score")


def _is_ours(results: Path) -> bool:
    """Whether `hueval score` wrote a results file, by its name, which lm-eval never uses."""
    return results.name == _RESULTS


def samples_beside(results: Path, task: str) -> Path | None:
    """The samples of a task that lm-eval wrote together with a results file; None where there are none."""
    date = _DATE.search(results.name)
    samples = results.with_name(f"samples_{task}_{date[1]}.jsonl") if date else None
    return samples if samples is not None and samples.is_file() else None


def _scored_samples(results: Path, task: str) -> Iterator[Mapping[str, Any]]:
    samples = samples_beside(results, task)
    if samples is None:
        wanted = _ITEMS if _is_ours(results) else f"samples_{task}_*.jsonl"
        fix = "Score it again" if _is_ours(results) else "Run it with --log_samples"
        raise InputError(f"{results}: its items are not there (no {wanted} beside it). {fix}")
    for given in survey([samples], task, {}):
        if given.spec.name == task:  # a row may say that it is of another
            yield from scored_items(given, JudgePlan(asks=False))
