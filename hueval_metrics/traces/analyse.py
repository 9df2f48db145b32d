"""The analysis from end to end: runs in, `traces.jsonl` and `traces.json` out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from hueval_metrics.errors import InputError
from hueval_metrics.judge.rubric import load_rubric, rubric_id
from hueval_metrics.progress import Progress
from hueval_metrics.registry import known_tasks
from hueval_metrics.runs.results import few
from hueval_metrics.scoring.write import SAFE, broken_off, json_line, sole_writer
from hueval_metrics.signals import signals_held
from hueval_metrics.text.files import whole_file
from hueval_metrics.tokens import Counter, counter_of, named_counter
from hueval_metrics.traces import results, rows
from hueval_metrics.traces.free import life, text
from hueval_metrics.traces.inputs import TraceItems, TraceRun, find_runs
from hueval_metrics.traces.judging import Asking, Planned
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.numbers import Numbers
from hueval_metrics.traces.results import TraceResults
from hueval_metrics.traces.sampling import SEED, Draw
from hueval_metrics.traces.settings import FREE, SEGMENTS, THOUGHTS, Settings
from hueval_metrics.traces.steps import segments, thoughts
from hueval_metrics.traces.tally import Tally
from hueval_metrics.version import __version__

ROWS = "traces.jsonl"
_NO_TRACE = (
    "no reply has a reasoning trace. Is it a model that writes none, or was the trace taken off? lm-eval drops it with "
    "think_end_token in --model_args, and where a server's reasoning parser sends it beside the content; `hueval run` "
    "without think_end_token keeps both. enable_thinking=False asks for none"
)

log = logging.getLogger(__name__)


class JudgeStep(Protocol):
    """The module of a step that asks a judge.

    Attributes:
        MEASURES: what is counted of its values.
    """

    MEASURES: tuple[Measure, ...]

    def planned(self, items: TraceItems, settings: Settings) -> Sequence[Planned]:
        """What its requests will take, before the first is sent."""

    def step(self, items: TraceItems, asking: Asking, settings: Settings) -> Mapping[int, Mapping[str, Any]]:
        """Its value in the row of each reply, by index; `items` are the replies that it applies to."""


STEPS: Mapping[str, JudgeStep] = {THOUGHTS: thoughts, SEGMENTS: segments}


def analyse(paths: Sequence[Path], output: Path, settings: Settings, asking: Asking | None = None) -> TraceResults:
    """Analyse runs, and write both files, each whole or not at all.

    Args:
        paths: see `inputs.find_runs`.
        output: the folder.
        settings: what to do.
        asking: the judge; None where no step needs one.

    Returns:
        The content of traces.json.

    Raises:
        InputError: an input or the tokenizer is not usable, no reply has a trace, or a file cannot be written.
    """
    runs = find_runs(paths, settings.task, settings.data)
    named = None if settings.tokenizer is None else named_counter(settings.tokenizer)
    counters = {run.label: named or counter_of(run.tokenizers, run.label) for run in runs}
    fix = f"Free some space there or choose another folder. {SAFE}" if asking else ""
    try:
        with sole_writer(output, "hueval traces", (ROWS, results.FILE)), ExitStack() as rows_file:
            judged = _Judged(runs, settings, asking)
            write = rows_file.enter_context(whole_file(output / ROWS, fix=fix))
            found = _written(runs, counters, judged, write)
            with signals_held():  # a stop between the two would leave figures of other rows
                found.write(output)
                rows_file.close()
    except KeyboardInterrupt:
        if asking:
            log.warning("%s", broken_off(output / ROWS))
        raise
    return found


def _written(
    runs: Sequence[TraceRun], counters: Mapping[str, Counter], judged: _Judged, write: Callable[[bytes], object]
) -> TraceResults:
    """The figures, after the row of each reply was written."""
    numbers = Numbers([*rows.MEASURES, *text.MEASURES, *life.MEASURES, *judged.measures])
    tallies = {run.label: Tally() for run in runs}
    items = TraceItems(runs)
    with Progress("Reading traces", len(items), "replies") as progress:
        for index, row in rows.rows(items, counters):
            row |= judged.of(index)
            tallies[row["run"]].add(row)
            numbers.add(row)
            write(json_line(row))
            progress.done()
    without = ", ".join(label for label, tally in tallies.items() if not tally.has_traces)
    if not any(tally.has_traces for tally in tallies.values()):
        raise InputError(f"{without}: {_NO_TRACE}")
    if without:
        log.warning("%s: %s.", without, _NO_TRACE)
    tokenizer = ", ".join(dict.fromkeys(counter.name for counter in counters.values()))
    with Progress("Comparing"):
        return TraceResults(
            hueval=__version__,
            steps=[FREE, *judged.steps],
            tokenizer=tokenizer,
            signature=judged.signature(tokenizer),
            runs=[tallies[run.label].of(run) for run in runs],
            numbers=list(numbers.numbers()),
            tests=list(numbers.tests()),
        )


def planned_calls(paths: Sequence[Path], settings: Settings, asking: Asking) -> list[str]:
    """What an analysis will ask its judge: a line for each rubric, and one for all. No API calls.

    Raises:
        InputError: see `analyse`.
    """
    drawn = draw(find_runs(paths, settings.task, settings.data), settings)
    return asking.plan(_planned(drawn, settings))


def draw(runs: Sequence[TraceRun], settings: Settings) -> dict[str, TraceItems]:
    """The replies of which each step of a judge makes something: they have a trace and the task declares the step.

    Raises:
        InputError: no task of the runs has a step.
    """
    steps = {task: tuple(family.traces[task].steps) for task, family in known_tasks().items() if task in family.traces}
    present = dict.fromkeys(replies.task for run in runs for replies in run.replies)
    for name in settings.judged:
        if not any(name in steps.get(task, ()) for task in present):
            having = [task for task, its in steps.items() if name in its]
            raise InputError(f"--steps {name}: not for {few([*present])}. It is for {few(having)}")
    found = Draw(settings.limit)
    with Progress("Looking for traces", len(TraceItems(runs)), "replies") as progress:
        for item in TraceItems(runs):
            if item.trace.strip():
                found.add(item)
            progress.done()
    return {
        name: TraceItems(runs, found.weights(task for task in present if name in steps.get(task, ())))
        for name in settings.judged
    }


def _planned(drawn: Mapping[str, TraceItems], settings: Settings) -> list[Planned]:
    return [one for name, items in drawn.items() for one in STEPS[name].planned(items, settings)]


class _Judged:
    """The values of a judge's steps: the judge is asked, and everything it says is kept by index of the reply."""

    def __init__(self, runs: Sequence[TraceRun], settings: Settings, asking: Asking | None) -> None:
        self._settings, self._asking = settings, asking
        self._found: dict[str, Mapping[int, Mapping[str, Any]]] = {}
        self._weights: dict[int, float] = {}
        self._rubrics: list[str] = []
        if asking is None:
            return
        drawn = draw(runs, settings)
        asking.flag_self_judging(run.model for run in runs)
        planned = _planned(drawn, settings)
        self._rubrics = [rubric_id(load_rubric(one.rubric)) for one in planned]
        for line in asking.plan(planned):
            log.info("%s", line)
        for name, items in drawn.items():
            self._weights |= items.weights or {}
            self._found[name] = STEPS[name].step(items, asking, settings)

    @property
    def steps(self) -> list[str]:
        """Which were made."""
        return list(self._found)

    @property
    def measures(self) -> list[Measure]:
        """What is counted of the values."""
        return [measure for name in self._found for measure in STEPS[name].MEASURES]

    def of(self, index: int) -> dict[str, Any]:
        """What the row of a reply has of them; one that was not drawn stands for none."""
        found = {name: values[index] for name, values in self._found.items() if index in values}
        has_limit = self._asking is not None and self._settings.limit is not None
        return found | ({"weight": self._weights.get(index, 0.0)} if has_limit else {})

    def signature(self, tokenizer: str) -> str:
        """What the figures depend on besides the runs."""
        parts = {"hueval": __version__, "tokenizer": tokenizer}
        if self._asking is not None:
            limit = self._settings.limit
            parts |= {"limit": "no" if limit is None else f"{limit},seed={SEED}"}
            parts |= {"judge": self._asking.settings.model, "rubrics": ",".join(self._rubrics)}
        return "|".join(f"{name}:{value}" for name, value in parts.items())
