"""The replies of one task of a run, read one at a time, as often as asked for, and split into trace and response."""

from __future__ import annotations

from abc import ABC, abstractmethod
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.answers.trace.split import split_reasoning
from hueval_metrics.errors import InputError
from hueval_metrics.metrics.simple_qa import CORRECT
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Filtered
from hueval_metrics.registry import declared, task_spec
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.outcomes import outcome
from hueval_metrics.runs.run import Key
from hueval_metrics.scoring.inputs import Prediction, Predictions, Source
from hueval_metrics.scoring.judged import JudgePlan, Response, judged_responses
from hueval_metrics.scoring.score import scored_responses
from hueval_metrics.scoring.survey import TaskInput, logged_response
from hueval_metrics.traces.item import OUTCOMES, PARTLY_CORRECT, VERDICTS, TraceItem

Lines = Mapping[Source, "array[int]"]  # files, and the numbers of the lines that are read of each
Grade = tuple[str | None, float | None]  # verdict and share, as a `TraceItem` has them


@dataclass(frozen=True)
class Replies(ABC):
    """The replies of one task of a run.

    Attributes:
        task: the task's name.
        lines: where they are.
    """

    task: str
    lines: Lines

    @property
    def n(self) -> int:
        """How many there are."""
        return sum(map(len, self.lines.values()))

    def read(self, wanted: Sequence[int] | None = None) -> Iterator[TraceItem]:
        """Read them in the order of the files; `index` is the place among them, `run` and `model` are empty.

        Args:
            wanted: the places of those to read, rising; None for all.

        Raises:
            InputError: a row is not usable, or a file has changed.
        """
        if wanted is None:
            return self._read(self.lines, range(self.n))
        found, start = {}, 0
        for source, numbers in self.lines.items():
            its = array("I", (numbers[place - start] for place in wanted if 0 <= place - start < len(numbers)))
            if its:
                found[source] = its
            start += len(numbers)
        return self._read(found, wanted)

    @abstractmethod
    def _read(self, lines: Lines, places: Sequence[int]) -> Iterator[TraceItem]:
        """Read some lines, and the places of the replies in them."""


@dataclass(frozen=True)
class ScoredReplies(Replies):
    """Replies with their documents, as `hueval score` reads them; what they are worth is computed here.

    Attributes:
        given: the replies.
        grades: of all of them, once all were read.
    """

    given: TaskInput
    grades: list[Grade] = field(default_factory=list)

    @classmethod
    def of(cls, given: TaskInput) -> ScoredReplies:
        """Those of a task."""
        return cls(given.spec.name, given.predictions.lines, given)

    def _read(self, lines: Lines, places: Sequence[int]) -> Iterator[TraceItem]:
        given, plan = replace(self.given, predictions=Predictions(lines)), JudgePlan(asks=False)
        if len(self.grades) == self.n:
            for place, response in zip(places, judged_responses(given, plan), strict=True):
                yield self._item(place, response, self.grades[place])
            return
        grades = []
        for place, (response, row) in zip(places, scored_responses(given, plan), strict=True):
            label = response.prediction.label
            grades.append(_grade(Item.of(row)) if label is None else _labelled(label, response.prediction.where))
            yield self._item(place, response, grades[-1])
        if len(grades) == self.n:
            self.grades[:] = grades

    def _item(self, place: int, response: Response, grade: Grade) -> TraceItem:
        prediction, doc, spec = response.prediction, response.doc, self.given.spec
        key = tuple(value if type(value) in (str, int) else None for value in spec.key_of(doc))
        cluster = str(doc.get(spec.declared.cluster, key[0]))
        return _item(place, prediction, key, cluster, doc, response.filtered, grade, self.given.template_opens)


@dataclass(frozen=True)
class LooseReplies(Replies):
    """Replies whose documents cannot be had: what they are worth is only known where their rows say it.

    Attributes:
        opens: whether prompts ended inside a trace.
    """

    opens: bool

    def _read(self, lines: Lines, places: Sequence[int]) -> Iterator[TraceItem]:
        its, final_answer = declared(self.task), _final_answer(self.task)
        cluster = its.key.index(its.cluster) if its.cluster in its.key else 0
        for place, one in zip(places, Predictions(lines), strict=True):
            filtered = logged_response(one) or strip_reasoning(one.text, final_answer, self.opens)
            grade = _labelled(one.label, one.where) if one.label else (None, None)
            key = one.key or ()
            yield _item(place, one, key, str(key[cluster]), None, filtered, grade, self.opens)


@dataclass(frozen=True)
class ItemRows(Replies):
    """Rows of `items.jsonl`, scored already.

    Attributes:
        docs: key → document; empty where they cannot be had.
    """

    docs: Mapping[Key, Mapping[str, Any]]

    def _read(self, lines: Lines, places: Sequence[int]) -> Iterator[TraceItem]:
        rows = (line.row for source, numbers in lines.items() for line in source.rows(numbers))
        for place, item in zip(places, map(Item.of, rows), strict=True):
            reply, key = item.prediction or "", item.key or ()
            # The row says what the template did: a reply without a tag is cut only where its prompt opened the trace.
            opens = item.truncated and not first_tag(reply)
            verdict, share = _grade(item)
            yield TraceItem(
                *(place, "", "", self.task, key, item.cluster, self.docs.get(key), reply),
                blocks=_blocks(reply, _final_answer(self.task), opens),
                response=item.response or "",
                truncated=item.truncated,
                verdict=verdict,
                share=share,
            )


def _item(
    place: int,
    prediction: Prediction,
    key: Key,
    cluster: str,
    doc: Mapping[str, Any] | None,
    filtered: Filtered,
    grade: Grade,
    opens: bool,
) -> TraceItem:
    blocks = prediction.blocks
    if blocks is None:
        blocks = _blocks(prediction.text, _final_answer(prediction.task), opens)
    return TraceItem(
        *(place, "", "", prediction.task, key, cluster, doc, prediction.text),
        blocks=blocks,
        response=filtered.response,
        truncated=filtered.truncated,
        verdict=grade[0],
        share=grade[1],
        reasoning_tokens=prediction.reasoning_tokens,
    )


def _blocks(reply: str, final_answer: bool, opens: bool) -> tuple[tuple[int, int], ...]:
    spans = split_reasoning(reply, final_answer, opens).spans
    return tuple((span.start, span.end) for span in spans if span.kind == "trace")


def _final_answer(task: str) -> bool:
    """Whether the task's filter reads an announced answer as the answer: see `split_reasoning`."""
    return bool(task_spec(task).trace_filter[1].get("final_answer", True))


def _grade(item: Item) -> Grade:
    graded = outcome(item)
    return OUTCOMES.get(graded.outcome), graded.share


def _labelled(label: str, where: str) -> Grade:
    """What a row itself says of its reply."""
    verdict = label.upper().replace(" ", "_")
    if verdict not in VERDICTS:
        raise InputError(f'{where}: "verdict" is "{one_line(label, 40)}", expected one of {", ".join(VERDICTS)}')
    return verdict, None if verdict == PARTLY_CORRECT else float(verdict == CORRECT)
