"""One reply with its reasoning trace, as all steps of the analysis take it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from hueval_metrics.answers.trace.split import Range
from hueval_metrics.metrics.simple_qa import CORRECT, INCORRECT, NOT_ATTEMPTED
from hueval_metrics.runs.run import Key
from hueval_metrics.tokens import BETWEEN_BLOCKS

Row = Mapping[str, Any]  # a line of traces.jsonl: see docs/reference/files.md

# How a reply went, by the judge's label or by rule.
PARTLY_CORRECT = "PARTLY_CORRECT"
VERDICTS = (CORRECT, PARTLY_CORRECT, INCORRECT, NOT_ATTEMPTED)
OUTCOMES = {
    "right": CORRECT,
    "partly": PARTLY_CORRECT,
    "wrong": INCORRECT,
    "not_attempted": NOT_ATTEMPTED,
}  # `validation.outcomes.Outcome` → verdict; what is not judged has none


@dataclass(frozen=True)
class TraceItem:
    """One reply.

    Attributes:
        index: its place among all replies of all runs, from 0.
        run: label of the run.
        model: what the model is called.
        task: the task's name.
        key: the values of the fields that name its item.
        cluster: what intervals resample it with.
        doc: the document; None where it cannot be had.
        reply: as the model wrote it.
        blocks: the ranges of the reply that are its trace, in characters; empty without a trace.
        response: the reply without its trace.
        truncated: whether generation ended inside the trace, or nothing was generated.
        verdict: one of `VERDICTS`; None where it was not judged.
        share: how right the response is, from 0 to 1; None likewise.
        reasoning_tokens: tokens of the trace as the model's server counted them; None where it did not.
        weight: how many replies it stands for, where `--limit` has drawn it.
    """

    index: int
    run: str
    model: str
    task: str
    key: Key
    cluster: str
    doc: Mapping[str, Any] | None
    reply: str
    blocks: tuple[Range, ...]
    response: str
    truncated: bool
    verdict: str | None
    share: float | None
    reasoning_tokens: int | None = None
    weight: float = 1.0

    @cached_property
    def trace(self) -> str:
        """The trace; its blocks with a blank line between them. Offsets of all steps are in characters of this text."""
        return BETWEEN_BLOCKS.join(self.reply[start:end] for start, end in self.blocks)
