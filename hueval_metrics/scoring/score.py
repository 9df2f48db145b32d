"""Score predictions with the task's own filters, metrics and aggregations: a live run's numbers without its model."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hueval_metrics.answers.reading import KINDS, Kind, Reading
from hueval_metrics.answers.trace.markers import MARKER
from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.beside import EXTRACTED
from hueval_metrics.declare import ANSWER
from hueval_metrics.errors import InputError
from hueval_metrics.judge.extract import quoted
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Filtered, Verdict, number_of
from hueval_metrics.registry import TaskSpec, resolve
from hueval_metrics.scoring.extracted import extractions, is_extracted, is_open, signed
from hueval_metrics.scoring.filled import filled
from hueval_metrics.scoring.flags import COVERAGE, FLAGS, Facts, Replies, Reply, flags_of
from hueval_metrics.scoring.judge_tally import JudgeTally
from hueval_metrics.scoring.judged import JudgePlan, Response, judged_responses, text_of
from hueval_metrics.scoring.survey import TaskInput, survey
from hueval_metrics.scoring.thinking import THINKING
from hueval_metrics.scoring.values import AT_LIMIT, DocumentValues

Item = dict[str, Any]

log = logging.getLogger(__name__)


class ScoringError(InputError):
    """A function of a family failed on a prediction, or its document is of another task; other tasks have scores."""


@dataclass(frozen=True)
class TaskScore:
    """The scores of one task.

    Attributes:
        task: the task's name.
        summary: metric → number, what `DocumentValues.summary` says beside it, `n`, `n_missing`, `n_left_out` (rows
            without the texts that were asked for, where there are any), `signature`, `model` (what it is called, where
            a live run says so); null where not scored. Of a judged task also `judge` (model id → what its verdicts
            took), `n_suspicious`, `n_judge_errors`, `n_unanswered` (verdicts that were asked for and did not come, and
            may come if they are asked for again), `n_without_verdict` (all that were asked for and are missing) and, of
            a panel, `judge_agreement`.
        items: one row a prediction; empty when they went elsewhere.
        values: of its metrics, from which numbers over several tasks are computed; None where there are none.
    """

    task: str
    summary: dict[str, Any]
    items: list[Item] = field(default_factory=list)
    values: DocumentValues | None = field(default=None, compare=False, repr=False)


def score_paths(paths: Sequence[Path], task: str | None, settings: Mapping[str, Any]) -> list[TaskScore]:
    """Score everything in files and folders, task by task.

    Args:
        paths: see `inputs.find_sources`.
        task: the task of rows that do not name theirs.
        settings: see `survey.survey`.

    Returns:
        The scores with all items, which are held in memory; `write.score_into` holds none.

    Raises:
        InputError: see `survey.survey` and `score_task`.
        DataError: see `survey.survey`.
    """
    scores = []
    for given in survey(paths, task, settings):
        items: list[Item] = []
        scores.append(replace(score_task(given, JudgePlan(), items.append), items=items))
    return scores


def score_task(given: TaskInput, plan: JudgePlan, keep: Callable[[Item], object]) -> TaskScore:
    """Score the predictions of one task.

    Args:
        given: the predictions.
        plan: which verdicts are kept, and who is asked for the others.
        keep: takes the row of each prediction, in order.

    Returns:
        The scores, without items.

    Raises:
        InputError: a document does not fit the task; see also `judged.judged_responses`.
    """
    spec, values, tally = given.spec, _values(given, plan), JudgeTally()
    replies = Replies(spec.declared, given.thinking)
    for _, item in _scored(given, plan, values, tally):
        replies.add(reply_in(item, *replies.wanted))
        keep(item)
    summary = values.summary()
    summary |= {"n": given.n, "n_missing": None if given.total is None else given.total - given.n}
    if given.n_left_out:
        summary["n_left_out"] = given.n_left_out
    if spec.rubric is None:
        summary |= {"signature": given.signature, "model": given.model}
        if is_extracted(given, plan):
            summary |= {"signature": signed(given.signature, str(plan.extract))} | tally.summary()
        return TaskScore(spec.name, summary | _doubts(given, replies, summary, tally), values=values)
    if len(tally.judges) > 1:
        log.warning(
            "%s: its verdicts are of %s. `--rejudge MODEL` makes all of them one judge's.",
            spec.name,
            " and ".join(sorted(tally.judges)),
        )
    summary |= {"signature": tally.signed(given.signature), "model": given.model} | tally.summary()
    return TaskScore(spec.name, summary | _doubts(given, replies, summary, tally), values=values)


def _doubts(given: TaskInput, replies: Replies, summary: Mapping[str, Any], tally: JudgeTally) -> dict[str, Any]:
    """What was asked of the model's thinking, where anything was, and the flags."""
    facts = Facts(given.n, given.total, given.is_first, given.model)
    if given.spec.rubric is not None:
        facts = replace(
            facts, coverage=summary.get(COVERAGE), judges=tuple(sorted(tally.judges)), retired=tally.retired
        )
    return ({THINKING: given.thinking} if given.thinking else {}) | {FLAGS: flags_of(replies, facts)}


def scored_items(given: TaskInput, plan: JudgePlan, values: DocumentValues | None = None) -> Iterator[Item]:
    """The rows that `score_task` keeps, one at a time.

    Args:
        given, plan: as for `score_task`.
        values: takes the values of the rows; None where they are not summed up.

    Raises:
        InputError: see `score_task`.
    """
    return (item for _, item in scored_responses(given, plan, values))


def scored_responses(
    given: TaskInput, plan: JudgePlan, values: DocumentValues | None = None
) -> Iterator[tuple[Response, Item]]:
    """The rows that `scored_items` gives, each with the response and the document that it is of."""
    return _scored(given, plan, _values(given, plan) if values is None else values, JudgeTally())


def _values(given: TaskInput, plan: JudgePlan) -> DocumentValues:
    beside = (*given.beside, *[EXTRACTED] * is_extracted(given, plan))
    return DocumentValues(given.spec, given.confidence, beside)


def _scored(
    given: TaskInput, plan: JudgePlan, values: DocumentValues, tally: JudgeTally
) -> Iterator[tuple[Response, Item]]:
    asks = is_extracted(given, plan)
    with closing(judged_responses(given, plan)) as responses, closing(extractions(given, plan)) as quotations:
        for response in responses:
            quotation: Verdict | None = None
            further: dict[str, str | None] = dict.fromkeys(given.beside, response.filtered.second)
            if asks:
                quotation = next(quotations) if is_open(given, response) else None
                further[EXTRACTED] = quoted(quotation.data, response.filtered.response) if quotation else None
                tally.add(quotation, is_asked=True)
            with _named(given.spec, response):
                metrics = given.spec.process_results(response.doc, response.results)
                reading = reading_of(given.spec, response.doc, response.filtered)
                strict = dict(metrics)
                for suffix, text in further.items():
                    metrics |= filled(given.spec, response.doc, strict, response.filtered.response, text, suffix)
                at_limit, kind = response.prediction.at_limit, reading.kind if reading else None
                alone = values.add(metrics, response.doc, at_limit, kind)
                item = _item(given.spec, response, metrics, alone, reading)
            if quotation is not None:
                item["extraction"] = quotation.to_dict()
            tally.add(Verdict.from_json(response.filtered.verdict), is_asked=response.is_asked)
            yield response, item


@contextmanager
def _named(spec: TaskSpec, response: Response) -> Iterator[None]:
    """What a family's functions raise inside, in one line."""
    where = response.prediction.where
    try:
        yield
    except InputError as error:
        raise ScoringError(str(error)) from None
    except Exception as error:  # whatever a family's function raises
        what = f"{type(error).__name__}: {one_line(error)}"
        if response.prediction.doc is not None and isinstance(error, (KeyError, TypeError, AttributeError)):
            raise ScoringError(
                f"{where}: its document is not one of {spec.name} ({what}). Is it a sample of another task?"
            ) from None
        raise ScoringError(f"{where}: {spec.hook} failed on it ({what}). Fix it there") from error


def reading_of(spec: TaskSpec, doc: Mapping[str, Any], filtered: Filtered) -> Reading[Any] | None:
    """How and where the answer of a response was read; None where the task has no reader (`declare.Task.reading`)."""
    if spec.declared.reading is None:
        return None
    found: Reading[Any] = resolve(spec.declared.reading)(doc, filtered.response)
    return found


def _item(
    spec: TaskSpec,
    response: Response,
    metrics: Mapping[str, Any],
    alone: Mapping[str, float | None],
    reading: Reading[Any] | None,
) -> Item:
    doc, filtered, text = response.doc, response.filtered, response.prediction.text
    choices = response.prediction.choices
    named = dict.fromkeys([*spec.declared.key, spec.declared.cluster])
    row: Item = {"task": response.prediction.task, **{name: doc[name] for name in named}}
    row |= {
        "dimension": spec.stratum_of(doc),
        "prompt": text_of(spec.prompt, doc),
        "reference": text_of(spec.target, doc),
        "prediction": text if choices is None else {"loglikelihoods": choices.loglikelihoods, "greedy": choices.greedy},
        "truncated": filtered.truncated,
        "answer": _answer(spec, response),
        **({"reading": reading.to_json()} if reading is not None else {}),
        "metrics": alone,
        "values": metrics,
        "verdict": filtered.verdict,
    }
    if response.prediction.at_limit is not None:
        row[AT_LIMIT] = response.prediction.at_limit
    if filtered.response != text:
        row["response"] = filtered.response
    if filtered.second is not None:
        row["second"] = filtered.second
    if response.prediction.reasoning_tokens is not None:
        row["reasoning_tokens"] = response.prediction.reasoning_tokens
    if response.earlier_verdicts:
        row["earlier_verdicts"] = list(response.earlier_verdicts)
    if spec.declared.item is not None:
        row |= resolve(spec.declared.item)(doc, metrics)
    if spec.declared.marked is not None:
        row["marked"] = resolve(spec.declared.marked)(doc, filtered.response).to_json()
    return row


def _answer(spec: TaskSpec, response: Response) -> Any:
    """What was read from a response; where the task does not say how, the response itself, or the likeliest choice."""
    choices = response.prediction.choices
    given = response.filtered.response if choices is None else choices.pairs
    if spec.declared.answer is not None:
        return resolve(spec.declared.answer)(response.doc, given)
    return given if choices is None else choices.likeliest


def reply_in(row: Mapping[str, Any], labels: str | None, with_trace: bool) -> Reply:
    """What flags count of a row of items.jsonl, which anyone may have written.

    Args:
        row: the row.
        labels: see `declare.Task`.
        with_trace: whether to look for a trace.
    """
    pair = None if labels is None else _pair(row, labels)
    at_limit = limit if isinstance(limit := row.get(AT_LIMIT), bool) else None
    answer = str(row.get("answer")) if pair else ""
    return Reply(pair, answer, _kind(row), at_limit, with_trace and _has_trace(row))


def _pair(row: Mapping[str, Any], labels: str) -> tuple[Any, Any] | None:
    """The label in the key and that in the reply; None where the reply gives none, or the key is hidden."""
    if labels == ANSWER:
        pair = [row.get("reference"), row.get("answer")]
    else:
        values = row.get("values")
        found = values.get(labels) if isinstance(values, Mapping) else None
        pair = list(found[-2:]) if isinstance(found, (list, tuple)) else []
    return (pair[0], pair[1]) if len(pair) == 2 and all(isinstance(one, (int, str)) for one in pair) else None


def _kind(row: Mapping[str, Any]) -> Kind | None:
    """The kind of a reading; of a reply that no reader reads, whether there is any text; None without a reply."""
    reading = row.get("reading")
    if isinstance(reading, Mapping) and reading.get("kind") in KINDS:
        kind: Kind = reading["kind"]
        return kind
    response = row.get("response", row.get("prediction"))
    return ("answered" if response.strip() else "nothing") if isinstance(response, str) else None


def _has_trace(row: Mapping[str, Any]) -> bool:
    """Whether a reply has a reasoning trace with text in it: an empty one is how templates turn thinking off."""
    tokens, text = number_of(row.get("reasoning_tokens")), row.get("prediction")
    if tokens is not None and tokens > 0:
        return True
    response = row.get("response", text)
    if not isinstance(text, str) or not isinstance(response, str) or response == text:
        return False
    if not first_tag(text):
        return row.get("truncated") is True and bool(text.strip())  # cut inside a trace that the template opened
    return len(MARKER.sub("", text).strip()) > len(response.strip())
