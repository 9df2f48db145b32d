"""The two steps of a judge that divide traces into segments and classify the Reasoning ones (arXiv:2503.21500, §4.2).

Each is one pass over the replies for each rubric. Between passes only offsets and names are kept.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from hueval_metrics.judge.templates import json_string
from hueval_metrics.judge.tokens import TOO_LONG, tokens_in
from hueval_metrics.records import UNREADABLE, Verdict
from hueval_metrics.registry import known_tasks, resolve
from hueval_metrics.traces.inputs import TraceItems
from hueval_metrics.traces.item import TraceItem
from hueval_metrics.traces.judging import NO_DOCUMENT, Asking, Planned, Request, ask_noted, reason_of
from hueval_metrics.traces.rubrics import segment_dimensions, segments_numbered, segments_qwq, segments_r1
from hueval_metrics.traces.segments.classes import REASONING
from hueval_metrics.traces.segments.measures import MEASURES
from hueval_metrics.traces.segments.read import LOST
from hueval_metrics.traces.settings import NUMBERED, QWQ, R1, Settings

__all__ = ["MEASURES", "planned", "segmenter_of", "step"]

RUBRICS = {R1: segments_r1, QWQ: segments_qwq, NUMBERED: segments_numbered}
OF_QWQ = "qwq-32b-preview"  # in the name of the one model that the paper's second prompt was made for

LOST_TEXT = "lost text"

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Trace:
    """What is known of one trace between the passes."""

    segmenter: str
    segments: list[list[Any]]
    blanks: int | None = None
    classes: Sequence[list[str] | None] = ()
    left_out: str | None = None

    def value(self) -> dict[str, Any]:
        """The value of the step in the row of the reply."""
        classes = self.classes or [None] * len(self.segments)
        return {
            "segmenter": self.segmenter,
            "blanks": self.blanks,
            "segments": [
                {"start": start, "end": end, "category": category, "dimensions": dimensions}
                | ({"name": name} if name != category else {})
                for (start, end, category, name), dimensions in zip(self.segments, classes, strict=True)
            ],
            "dimensions_left_out": self.left_out,
        }


@dataclass(slots=True)
class _Segments:
    """The passes over the replies; index of a reply → what is known of its trace."""

    items: TraceItems
    asking: Asking
    settings: Settings
    known: dict[int, _Trace] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)

    def divide(self, segmenter: str) -> None:
        """The segments of each trace that a segmenter is for."""

        def requests() -> Iterator[tuple[int, Request]]:
            for item in self.items:
                if segmenter_of(item.model, self.settings) == segmenter:
                    if _is_too_long(item, RUBRICS[segmenter]):
                        self.left_out[item.index] = TOO_LONG
                    else:
                        yield item.index, ({"trace": item.trace}, item.trace)

        for index, verdict in ask_noted(self.asking, RUBRICS[segmenter].__name__, requests()):
            if verdict.data is None:
                self.left_out[index] = _reason(verdict)
            else:
                self.known[index] = _Trace(segmenter, verdict.data)

    def classify(self) -> None:
        """The classes of the Reasoning segments of each trace that has any."""

        def requests() -> Iterator[tuple[int, Request]]:
            for item in self.items:
                if trace := self.known.get(item.index):
                    doc = asked(item)
                    trace.blanks = len(doc["std_ans"]) if doc else None
                    if not any(category == REASONING for _, _, category, _ in trace.segments):
                        continue
                    if doc is None:
                        trace.left_out = NO_DOCUMENT
                    elif _is_too_long(item, segment_dimensions):
                        trace.left_out = TOO_LONG
                    else:
                        texts = (
                            {"text": item.trace[start:end], "category": category}
                            for start, end, category, _ in trace.segments
                        )
                        yield item.index, ({**doc, "segments": list(texts)}, "")

        for index, verdict in ask_noted(self.asking, segment_dimensions.__name__, requests()):
            trace = self.known[index]
            if verdict.data is None:
                trace.left_out = _reason(verdict)
            else:
                trace.classes = verdict.data

    def warn_of_long_ones(self) -> None:
        """Name the way out for traces that no reply can hold."""
        count = sum(reason == TOO_LONG for reason in self.left_out.values())
        if count and self.settings.segmenter != NUMBERED:
            log.warning(
                "segments: %d %s too long for the judge to copy in one reply and left out. With --segmenter numbered "
                "it copies nothing, and its replies have a twentieth of the tokens",
                count,
                "trace is" if count == 1 else "traces are",
            )


def step(items: TraceItems, asking: Asking, settings: Settings) -> Mapping[int, Mapping[str, Any]]:
    """Divide the traces of replies into segments, and classify the Reasoning ones.

    Args:
        items: replies with a trace, of tasks that declare the step; read once for each segmenter, and once more.
        asking: the judge.
        settings: with the `segmenter`.

    Returns:
        Index of a reply → the value of the step in its row: `segmenter`; `blanks`, how many the question has;
        `segments`, each with its range, `category`, `dimensions` (four classes, of Reasoning segments) and the `name`
        that the judge gave it where that is not the category; `dimensions_left_out`, why there are no classes, or None.
        Or `left_out` alone with the reason.
    """
    segments = _Segments(items, asking, settings)
    for segmenter in _segmenters(items, settings):
        segments.divide(segmenter)
    segments.classify()
    segments.warn_of_long_ones()
    found = {index: trace.value() for index, trace in segments.known.items()}
    return found | {index: {"left_out": reason} for index, reason in segments.left_out.items()}


def planned(items: TraceItems, settings: Settings) -> Sequence[Planned]:
    """What the two steps will take: a call a trace for each.

    The second step asks less, down to nothing, where a trace is left out by the first or has no Reasoning segment.

    Args:
        items: see `step`.
        settings: with the `segmenter`.
    """
    sizes: dict[ModuleType, list[float]] = {}  # tokens of each trace that is sent
    for item in items:
        segmenter = RUBRICS[segmenter_of(item.model, settings)]
        if not _is_too_long(item, segmenter):
            is_classified = not _is_too_long(item, segment_dimensions) and asked(item) is not None
            for rubric in (segmenter, segment_dimensions) if is_classified else (segmenter,):
                sizes.setdefault(rubric, []).append(_tokens(item))
    found = []
    for rubric in (*RUBRICS.values(), segment_dimensions):
        if traces := sizes.get(rubric):
            prompt = sum(tokens_in(text.encode()) for text in rubric.PROMPT.values())
            sent, received = len(traces) * prompt + sum(traces), rubric.REPLY_SHARE * sum(traces)
            found.append(Planned(rubric.__name__, (len(traces),) * 2, (sent,) * 2, (received,) * 2))
    return found


def segmenter_of(model: str, settings: Settings) -> str:
    """The segmenter of a model's traces.

    >>> segmenter_of("Qwen/QwQ-32B-Preview", Settings()), segmenter_of("Qwen/QwQ-32B", Settings())
    ('qwq', 'r1')
    """
    return settings.segmenter or (QWQ if OF_QWQ in model.casefold() else R1)


def asked(item: TraceItem) -> dict[str, Any] | None:
    """`options`, `std_ans` and `model_ans` of a reply as the judge is shown them; None where they cannot be had."""
    path = known_tasks()[item.task].traces[item.task].asked
    return None if item.doc is None or path is None else resolve(path)(item.doc, item.response)


def _segmenters(items: TraceItems, settings: Settings) -> Sequence[str]:
    """The segmenters that any reply needs, in the order of `RUBRICS`."""
    if settings.segmenter:
        return [settings.segmenter]
    needed = {segmenter_of(model, settings) for model in {item.model for item in items}}
    return [segmenter for segmenter in RUBRICS if segmenter in needed]


def _is_too_long(item: TraceItem, rubric: ModuleType) -> bool:
    """Whether no reply of a rubric could hold its part of a trace."""
    return bool(rubric.REPLY_SHARE * _tokens(item) > rubric.LONG_REPLY)


def _tokens(item: TraceItem) -> float:
    return tokens_in(json_string(item.trace).encode())


def _reason(verdict: Verdict) -> str:
    """The reason of a verdict without data."""
    error = (verdict.error or "").removeprefix(f"{UNREADABLE}: ")
    if error.startswith(LOST):
        return LOST_TEXT
    return TOO_LONG if error == "the reply is cut off" else reason_of(verdict)
