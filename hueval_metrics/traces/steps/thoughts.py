"""The three steps of a judge that split traces into thoughts and score them (arXiv:2503.21500, F.1, Figures 39 to 41).

Each is one pass over the replies: the expressions of each trace; which of their occurrences shift it, asked once a
trace that has any; and the score of each thought. Between passes only offsets, numbers and a few words are kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.judge.templates import json_string
from hueval_metrics.judge.tokens import tokens_in
from hueval_metrics.registry import known_tasks, resolve
from hueval_metrics.traces.inputs import TraceItems
from hueval_metrics.traces.item import TraceItem
from hueval_metrics.traces.judging import NO_DOCUMENT, Asking, Planned, Request, ask_noted, reason_of
from hueval_metrics.traces.rubrics import thought_expressions, thought_score, thought_shifts
from hueval_metrics.traces.settings import Settings
from hueval_metrics.traces.thoughts.measures import MEASURES
from hueval_metrics.traces.thoughts.splitting import (
    Occurrence,
    confirmed,
    occurrences,
    opened,
    split,
    starts_of,
    tagged,
)

__all__ = ["MEASURES", "planned", "step"]

EXPRESSIONS, SHIFTS, SCORE = (rubric.__name__ for rubric in (thought_expressions, thought_shifts, thought_score))
_SENTENCE = re.compile(r"[。？！]+|[.!?…]+\s|\n+")  # the end of one; a thought begins with a sentence (Figure 39)


@dataclass(slots=True)
class _Trace:
    """What is known of one trace between the passes."""

    language: str | None
    expressions: Sequence[str]
    n_unknown_ids: int = 0
    thoughts: Sequence[Occurrence | None] = (None,)
    words: Sequence[str | None] = (None,)
    scores: list[int | None] = field(default_factory=list)
    unscored: Counter[str] = field(default_factory=Counter)

    def value(self) -> dict[str, Any]:
        """The value of the step in the row of the reply."""
        return {
            "language": self.language,
            "starts": starts_of(self.thoughts),
            "words": list(self.words),
            "scores": self.scores,
            "unscored": dict(self.unscored),
            "n_expressions": len(self.expressions),
            "n_unknown_ids": self.n_unknown_ids,
        }


@dataclass(slots=True)
class _Thoughts:
    """The passes over the replies, one after another; index of a reply → what is known of its trace."""

    items: TraceItems
    asking: Asking
    known: dict[int, _Trace] = field(default_factory=dict)
    left_out: dict[int, str] = field(default_factory=dict)

    def list_expressions(self) -> None:
        """Step 1, for every reply whose question and right answer are available."""

        def requests() -> Iterator[tuple[int, Request]]:
            for item in self.items:
                if (doc := shown(item)) is None:
                    self.left_out[item.index] = NO_DOCUMENT
                else:
                    yield item.index, (doc, item.trace)

        for index, verdict in ask_noted(self.asking, EXPRESSIONS, requests(), len(self.items)):
            if verdict.data is None:
                self.left_out[index] = reason_of(verdict)
            else:
                self.known[index] = _Trace(**verdict.data)

    def confirm_shifts(self) -> None:
        """Step 2, for every trace in which an expression occurs; the others are one thought, and nothing is asked."""

        def requests() -> Iterator[tuple[tuple[int, int, list[Occurrence]], Request]]:
            for item in self.items:
                trace = self.known.get(item.index)
                if trace and (found := occurrences(item.trace, trace.expressions)):
                    blank = len(item.trace) - len(item.trace.lstrip())
                    yield (item.index, blank, found), ({}, tagged(item.trace, found))

        total = sum(bool(trace.expressions) for trace in self.known.values())
        for (index, blank, found), verdict in ask_noted(self.asking, SHIFTS, requests(), total):
            trace = self.known[index]
            if verdict.data is None:
                del self.known[index]
                self.left_out[index] = reason_of(verdict)
            else:
                shifts, trace.n_unknown_ids = confirmed(found, verdict.data)
                trace.thoughts = opened(shifts, blank)

    def score(self) -> None:
        """Step 3, for every thought."""

        def requests() -> Iterator[tuple[int, Request]]:
            for item in self.items:
                trace, doc = self.known.get(item.index), shown(item)
                if trace and doc:
                    trace.words = [word and item.trace[word.start : word.end] for word in trace.thoughts]
                    for thought in split(item.trace, starts_of(trace.thoughts)):
                        yield item.index, (doc, thought)

        total = sum(len(trace.thoughts) for trace in self.known.values())
        for index, verdict in ask_noted(self.asking, SCORE, requests(), total):
            trace = self.known[index]
            trace.scores.append(verdict.data)
            if verdict.data is None:
                trace.unscored[reason_of(verdict)] += 1


def step(items: TraceItems, asking: Asking, settings: Settings) -> Mapping[int, Mapping[str, Any]]:
    """Split the traces of replies into thoughts, and score each.

    Args:
        items: replies with a trace, of tasks that declare the step; read three times.
        asking: the judge.
        settings: not looked at.

    Returns:
        Index of a reply → the value of the step in its row: `starts` of the thoughts, the first at 0, and the `words`
        that open them; `scores`, each 0, 1 or 2, or None for a thought without one; why those are missing, in
        `unscored`; the `language` of the trace, how many expressions the judge has listed, and how many numbers that
        do not exist. Or `left_out` alone with the reason, where the first or second step has failed.
    """
    thoughts = _Thoughts(items, asking)
    thoughts.list_expressions()
    thoughts.confirm_shifts()
    thoughts.score()
    found = {index: trace.value() for index, trace in thoughts.known.items()}
    return found | {index: {"left_out": reason} for index, reason in thoughts.left_out.items()}


def planned(items: TraceItems, settings: Settings) -> Sequence[Planned]:
    """What the three steps will take: a call a trace for each of the first two, for the third a call a thought.

    A trace has at least one thought, and at most as many as sentences, since a thought begins with one. The second
    step asks less where no expression occurs.

    Args:
        items: see `step`.
        settings: not looked at.
    """
    calls = sentences = 0
    prompts, most = dict.fromkeys((EXPRESSIONS, SHIFTS, SCORE), 0.0), 0.0  # most: with as many thoughts as sentences
    for item in items:
        if doc := shown(item):
            whole = tokens_in(json_string(item.trace).encode())
            thoughts = sum(1 for part in _SENTENCE.split(item.trace) if part.strip()) or 1
            calls, sentences = calls + 1, sentences + thoughts
            for rubric in prompts:
                prompts[rubric] += whole + _prompt_tokens(rubric, doc)
            most += whole + thoughts * _prompt_tokens(SCORE, doc)
    found = []
    for rubric in prompts:
        high, sent = (sentences, most) if rubric == SCORE else (calls, prompts[rubric])
        reply = load_rubric(rubric).REPLY_TOKENS
        found.append(Planned(rubric, (calls, high), (prompts[rubric], sent), (calls * reply, high * reply)))
    return found


def shown(item: TraceItem) -> dict[str, str] | None:
    """The question and the right answer of a reply as the judge is shown them; None where they cannot be had."""
    task = item.task
    traces = known_tasks()[task].traces[task]
    if item.doc is None or traces.question is None or traces.reference is None:
        return None
    return {"question": resolve(traces.question)(item.doc), "reference": resolve(traces.reference)(item.doc)}


def _prompt_tokens(rubric: str, doc: Mapping[str, str]) -> float:
    """Tokens of a request without its trace."""
    return tokens_in(load_rubric(rubric).render(doc, "")[0]["content"].encode())
