"""The analysis from end to end: runs in, `traces.jsonl` and `traces.json` out."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from hueval_metrics import __version__
from hueval_metrics.scoring.write import json_line
from hueval_metrics.text.files import whole_file
from hueval_metrics.traces.free import life, text
from hueval_metrics.traces.inputs import TraceItems, find_runs
from hueval_metrics.traces.item import TraceItem
from hueval_metrics.traces.judging import Asking, Planned
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.numbers import Numbers
from hueval_metrics.traces.results import AnalysedRun, TraceResults
from hueval_metrics.traces.segments import step as segments
from hueval_metrics.traces.settings import SEGMENTS, THOUGHTS, Settings
from hueval_metrics.traces.thoughts import step as thoughts
from hueval_metrics.traces.tokens import Counter, Tokens, counter_of, named_counter

ROWS = "traces.jsonl"

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
        What stands in traces.json.

    Raises:
        InputError: an input or an option is not usable, or a file cannot be written.
    """
    runs = find_runs(paths, settings.task, settings.data)
    items = TraceItems(runs)
    named = None if settings.tokenizer is None else named_counter(settings.tokenizer)
    counters: dict[str, Counter] = {run.label: named or counter_of([run.model], run.label) for run in runs}
    judged: dict[str, Mapping[int, Mapping[str, Any]]] = {}
    measures = [*text.MEASURES, *life.MEASURES]
    if asking is not None:
        asking.flag_self_judging(run.model for run in runs)
        for line in plan(items, settings, asking):
            log.info("%s", line)
        for name in settings.judged:
            judged[name] = STEPS[name].step(items, asking, settings)
            measures += STEPS[name].MEASURES
    numbers = Numbers(measures)
    with whole_file(output / ROWS) as write:
        for item in items:
            row = row_of(item, counters[item.run].of(item.reply, item.blocks)) | {
                name: found[item.index] for name, found in judged.items() if item.index in found
            }
            numbers.add(row)
            write(json_line(row))
    analysed = [AnalysedRun(run.label, run.model, run.signatures) for run in runs]
    tokenizer = ", ".join(dict.fromkeys(counter.name for counter in counters.values()))
    results = TraceResults(
        hueval=__version__,
        steps=settings.steps,
        tokenizer=tokenizer,
        signature=f"tokenizer:{tokenizer}",
        runs=analysed,
        numbers=list(numbers.numbers()),
        tests=list(numbers.tests()),
    )
    results.write(output)
    return results


def planned_calls(paths: Sequence[Path], settings: Settings, asking: Asking) -> list[str]:
    """What an analysis will ask its judge: a line for each rubric, and one for all. Nobody is asked.

    Raises:
        InputError: see `analyse`.
    """
    return plan(TraceItems(find_runs(paths, settings.task, settings.data)), settings, asking)


def plan(items: TraceItems, settings: Settings, asking: Asking) -> list[str]:
    """See `planned_calls`."""
    return asking.plan([one for name in settings.judged for one in STEPS[name].planned(items, settings)])


def row_of(item: TraceItem, tokens: Tokens) -> dict[str, Any]:
    """What the row of each reply has before any step of a judge: no text of the reply, offsets are of its trace."""
    return {
        "run": item.run,
        "task": item.task,
        "key": list(item.key),
        "cluster": item.cluster,
        "verdict": item.verdict,
        "share": item.share,
        "weight": item.weight,
        "truncated": item.truncated,
        "blocks": [list(block) for block in item.blocks],
        "tokens": tokens.trace,
        "tokens_ref": tokens.reply,
        "free": text.features(item),
        "life": life.life(item, tokens),
    }
