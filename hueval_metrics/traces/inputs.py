"""The edge of the analysis: the replies of runs, read one at a time and split into trace and response."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hueval_metrics.answers.trace.split import split_reasoning
from hueval_metrics.records import InputError
from hueval_metrics.runs.items import Item, samples_beside
from hueval_metrics.runs.load import load_runs
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import scored_responses
from hueval_metrics.scoring.survey import TaskInput, survey
from hueval_metrics.traces.item import OUTCOMES, TraceItem
from hueval_metrics.validation.outcomes import outcome


@dataclass(frozen=True)
class TraceRun:
    """The replies of one run.

    Attributes:
        label: as in tables and on the page of results.
        model: what the model is called.
        tasks: the replies of each task.
        signatures: task → what its scores depend on.
    """

    label: str
    model: str
    tasks: Sequence[TaskInput]
    signatures: Mapping[str, str]

    def items(self) -> Iterator[TraceItem]:
        """The replies in the order of the files; indices are of this run alone."""
        for given in self.tasks:
            _, settings = given.spec.trace_filter
            final_answer = bool(settings.get("final_answer", True))
            for response, row in scored_responses(given, JudgePlan(asks=False)):
                item, reply = Item.of(row), response.prediction.text
                split = split_reasoning(reply, final_answer, given.template_opens)
                graded = outcome(item)
                yield TraceItem(
                    index=0,
                    run=self.label,
                    model=self.model,
                    task=item.task,
                    key=item.key or (),
                    cluster=item.cluster,
                    doc=response.doc,
                    reply=reply,
                    blocks=tuple((span.start, span.end) for span in split.spans if span.kind == "trace"),
                    response=response.filtered.response,
                    truncated=response.filtered.truncated,
                    verdict=OUTCOMES.get(graded.outcome),
                    share=graded.share,
                )


def find_runs(paths: Sequence[Path], task: str | None, settings: Mapping[str, Any]) -> list[TraceRun]:
    """The runs in files and folders.

    Args:
        paths: results files or folders of runs; lm-eval's samples.
        task: only this task's.
        settings: `data_dir` and variants, for replies that do not carry their documents.

    Raises:
        InputError: there is nothing to read.
    """
    found = []
    for run in load_runs(paths):
        inputs = []
        for name, result in run.tasks.items():
            samples = samples_beside(result.source, name)
            if samples is None:
                raise InputError(f"{result.source}: its samples are not there. Run it with --log_samples")
            if task in (None, name):
                inputs += survey([samples], name, settings)
        signatures = {name: result.signature for name, result in run.tasks.items()}
        found.append(TraceRun(run.label, run.model or run.label, inputs, signatures))
    return found


@dataclass(frozen=True)
class TraceItems:
    """All replies of all runs; can be read as often as there are steps.

    Attributes:
        runs: the runs.
    """

    runs: Sequence[TraceRun]

    def __iter__(self) -> Iterator[TraceItem]:
        every = (item for run in self.runs for item in run.items())
        for index, item in enumerate(every):
            yield replace(item, index=index)
