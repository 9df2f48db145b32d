"""The first look at predictions: which tasks they are of, whether each is known, and that none is there twice.

Everything is read twice: what cannot be scored must be refused before a judge is paid, and whether a reply without a
tag was cut inside its trace is decided from all replies together. No prediction is held in between, so that a million
take no more memory than a few numbers each.
"""

from __future__ import annotations

import logging
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.answers.trace.template import of_all, opened_by_shares
from hueval_metrics.beside import ASKED, is_read
from hueval_metrics.errors import InputError
from hueval_metrics.judge.progress import counted
from hueval_metrics.judge.rubric import is_of_another
from hueval_metrics.loader import twins
from hueval_metrics.metrics.confidence import USUAL, ConfidenceSettings
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Filtered, Signature, is_open, is_unreadable, number_of
from hueval_metrics.registry import TaskSpec
from hueval_metrics.scoring.documents import Again, Document, KnownDocuments, repeated
from hueval_metrics.scoring.documents import counted as counted_again
from hueval_metrics.scoring.inputs import Key, Prediction, Predictions, Source, find_sources
from hueval_metrics.scoring.lm_eval_results import results_beside, trace_handling
from hueval_metrics.scoring.repeats import Repeats

_MANY_TASKS = 20  # that lack predictions, reported in one line

log = logging.getLogger(__name__)


def survey(
    paths: Sequence[Path], task: str | None, settings: Mapping[str, Any], confidence: ConfidenceSettings = USUAL
) -> list[TaskInput]:
    """Read everything once, and refuse what cannot be scored before anything is paid for.

    Args:
        paths: see `inputs.find_sources`.
        task: the task of rows that do not name theirs.
        settings: `data_dir` and the variants of the family, for predictions that do not carry their documents.
        confidence: the settings of calibration errors.

    Returns:
        One entry a task, in the order in which they first occur; at least one.

    Raises:
        InputError: see `inputs.Source`; unknown or repeated ids; an unknown task; no predictions at all.
        DataError: documents are needed and cannot be found.
    """
    found: dict[str, _FirstLook] = {}
    for source in find_sources(paths, task):
        for prediction in source.predictions():
            if (look := found.get(prediction.task)) is None:
                look = found[prediction.task] = _FirstLook(prediction.spec, settings, confidence)
            look.add(prediction, source)
    if not found:
        raise InputError(f"no predictions in {', '.join(map(str, paths))}: the files hold no rows")
    tasks = [look.finish() for look in found.values()]
    _report_missing(tasks)
    return tasks


def _report_missing(tasks: Sequence[TaskInput]) -> None:
    """Warn of documents without a prediction; of many tasks in one line."""
    lacking = {one.spec.name: (one.total - one.n, one.total) for one in tasks if one.total and one.n != one.total}
    if len(lacking) > _MANY_TASKS:
        n, total = (sum(some) for some in zip(*lacking.values(), strict=True))
        lacking = {f"{len(lacking)} tasks, {next(iter(lacking))} and others": (n, total)}
    for name, (n, total) in lacking.items():
        log.warning("%s: %d of %d documents have no prediction; the denominator is what was given.", name, n, total)


def logged_response(prediction: Prediction) -> Filtered | None:
    """The filtered response that the file carries; None where it has none, or one of another pipeline."""
    try:
        return Filtered.from_json(prediction.filtered) if prediction.filtered is not None else None
    except (ValueError, RecursionError):
        return None


@dataclass(frozen=True)
class TaskInput:
    """The predictions of one task, checked.

    Attributes:
        spec: the task.
        predictions: what is scored.
        n_open: how many of them have no verdict in their file; None where some may have been given for what
            is no answer.
        n_unread: how many of those have a reply of the judge that could not be read.
        template_opens: whether prompts ended inside a trace, as the run recorded, as they show, or as replies imply.
        known: the documents; None where every prediction carries its own.
        total: how many documents the task has; None when unknown.
        signature: the signature of its score; None when unknown.
        model: what the model is called; None when unknown.
        confidence: the settings of its calibration errors.
        n_left_out: how many rows of the data gave no document, since they lack the texts that were asked for.
        beside: which columns stand beside the strict ones (`beside.beside`).
        is_first: whether they are of the first documents, in the order of the data; None when unknown.
        thinking: what was asked of the model's thinking (`thinking.thinking_asked`); None for nothing, or unknown.
    """

    spec: TaskSpec
    predictions: Predictions
    n_open: int | None = 0
    n_unread: int = 0
    template_opens: bool = False
    known: KnownDocuments | None = None
    total: int | None = None
    signature: str | None = None
    model: str | None = None
    confidence: ConfidenceSettings = USUAL
    n_left_out: int = 0
    beside: tuple[str, ...] = ()
    is_first: bool | None = None
    thinking: Mapping[str, Any] | None = None

    @property
    def n(self) -> int:
        """How many predictions there are."""
        return len(self.predictions)

    def rows(self) -> Iterator[tuple[Prediction, Document]]:
        """Every prediction with its document, in the order of the files.

        Raises:
            InputError: a file has changed.
        """
        known = self.known
        for prediction in self.predictions:
            if known is not None:
                yield prediction, known.docs[known.key_of(prediction)]
            elif prediction.doc is not None:
                yield prediction, prediction.doc


class _FirstLook:
    """What the first look finds of one task.

    Args:
        spec: the task.
        settings, confidence: see `survey`.
    """

    def __init__(self, spec: TaskSpec, settings: Mapping[str, Any], confidence: ConfidenceSettings) -> None:
        self._spec = spec
        self._settings = settings
        has_error = any(metric.is_error for metric in spec.metrics.values())
        self._confidence = confidence if has_error else USUAL
        self._lines: dict[Source, array[int]] = {}
        self._known: KnownDocuments | None = None
        self._n_docs = self._n_open = self._n_unread = 0
        self._repeats = Repeats(_own_key, partial(repeated, spec))
        self._twins = Repeats(partial(_unique, spec), partial(_twins, spec))
        self._variants: dict[Source, dict[str, Any]] = {}
        self._n_judged_otherwise: Counter[bool] = Counter()  # by what the run would have to show
        self._of_others: Counter[str] = Counter()  # rubric → how many verdicts name it, which is not the task's
        self._tags: Counter[str] = Counter()
        self._opened: set[bool | None] = set()
        self._is_asked = False  # whether any was asked a second time

    def add(self, prediction: Prediction, source: Source) -> None:
        """Add a prediction.

        Raises:
            InputError: its document is of another task, or its key is of no use.
            DataError: its document is needed and cannot be found.
        """
        self._lines.setdefault(source, array("I")).append(prediction.line)
        if prediction.doc is None:
            self._settle(source)
            if self._known is None:
                self._known = KnownDocuments(self._spec, {**self._settings, **source.variants})
            self._known.add(prediction)
        else:
            self._add_with_document(prediction, prediction.doc)
        if not self._spec.generates:
            return
        tag = first_tag(prediction.text)
        self._tags[tag] += 1
        self._opened.add(prediction.opened)
        self._is_asked |= prediction.second is not None or '"second": ' in (prediction.filtered or "")
        if self._spec.rubric is not None:
            filtered = logged_response(prediction)
            if filtered is not None and is_of_another(filtered.verdict, self._spec.rubric):
                self._of_others[str(filtered.verdict and filtered.verdict["rubric"])] += 1
                filtered = replace(filtered, verdict=None)
            self._n_open += filtered is None or is_open(filtered.verdict)
            self._n_unread += filtered is not None and is_unreadable(filtered.verdict)
            if filtered is not None and not is_open(filtered.verdict) and not tag and prediction.text:
                self._n_judged_otherwise[not filtered.truncated] += 1

    def _add_with_document(self, prediction: Prediction, doc: Document) -> None:
        own = self._spec.short_name
        if (said := doc.get("task", own)) != own:  # documents of some tasks have all the fields of another
            raise InputError(
                f"{prediction.where}: its document is not one of {self._spec.name} (it says {one_line(said, 40)}). "
                "Is it a sample of another task?"
            )
        self._n_docs += 1
        self._repeats.add(prediction)
        self._twins.add(prediction)

    def _settle(self, source: Source) -> None:
        """See that a file without documents was made in the same variants as those before it, and as the user says."""
        if source in self._variants:
            return
        for key, value in source.variants.items():
            if str(said := self._settings.get(key, value)) != value:
                raise InputError(
                    f'{source.file}: by its name its {key} is "{value}", and --metadata says "{one_line(said, 40)}". '
                    "Drop one of the two"
                )
        variants = self._spec.variants({**self._settings, **source.variants})
        first, known = next(iter(self._variants.items()), (source, variants))
        if variants != known:
            raise InputError(
                f"{source.file}: {self._spec.name} with {_listed(variants)}, and {first.file} with {_listed(known)}. "
                "Two settings are two results: hueval score FILE… --output DIR, each with a DIR of its own"
            )
        self._variants[source] = variants

    def finish(self) -> TaskInput:
        """What is to be scored.

        Raises:
            InputError: unknown or repeated items, or more than the task has.
        """
        spec, predictions = self._spec, Predictions(self._lines)
        first_file = next(iter(self._lines)).file
        run = results_beside(first_file)
        signature = run.signature(spec.name) or None
        total, provenance = run.total(spec.name), run.provenance(spec.name)
        if self._known is None:
            for found in (self._repeats, self._twins):
                found.refuse(predictions)
        else:
            if self._n_docs:  # of both kinds: all go by the data
                variants = {key: value for source in self._variants for key, value in source.variants.items()}
                self._known = KnownDocuments(spec, {**self._settings, **variants})
                for prediction in predictions:
                    self._known.add(prediction)
            self._known.finish()
            total, provenance = len(self._known.docs), self._known.provenance
            signature = str(Signature.parse(provenance["signature"]).with_settings({"reasoning": trace_handling(spec)}))
        if total is not None and len(predictions) > total:
            raise InputError(
                f"{first_file}: {len(predictions)} predictions of {spec.name}, which had {total} documents by the "
                "results file beside it. Are they of another task or run?"
            )
        if self._of_others:
            log.warning(
                "%s: %s by another rubric (%s) not counted. Have the answers judged by %s.",
                spec.name,
                counted(self._of_others.total(), "verdict"),
                ", ".join(sorted(one_line(name, 40) for name in self._of_others)),
                spec.rubric,
            )
        recorded = run.template_opens(spec.name)
        opens = self._template_opens() if recorded is None else recorded
        n_open = None if self._n_judged_otherwise[opens] else self._n_open
        signature = self._confidence.signed(spec.name, signature)
        is_asked = self._is_asked or "ask" in Signature.parse(signature or "").parts
        return TaskInput(
            *(spec, predictions, n_open, self._n_unread, opens, self._known, total, signature, run.model),
            confidence=self._confidence,
            n_left_out=int(number_of(provenance.get("n_left_out")) or 0),
            beside=(ASKED,) if is_asked and is_read(spec.declared) else (),
            is_first=run.are_first if self._known is None else self._known.are_first,
            thinking=run.thinking(spec.name),
        )

    def _template_opens(self) -> bool:
        """The fact that the prompts show; else what the replies imply, of all ranks."""
        fact = of_all(self._opened)
        return opened_by_shares(self._tags) if fact is None else fact


def _listed(variants: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {value}" for key, value in variants.items())


def _unique(spec: TaskSpec, prediction: Prediction) -> Key | None:
    values = spec.unique_of(prediction.doc or {})
    return tuple(map(str, values)) if values and None not in values else None


def _twins(spec: TaskSpec, prediction: Prediction, first: Prediction, again: Again) -> str:
    what = twins(spec, first.doc or {}, prediction.doc or {})
    return f"{prediction.where}: {what}. The first is at {first.where} {counted_again(again)}"


def _own_key(prediction: Prediction) -> Key:
    return tuple(map(str, prediction.key or ()))  # a document out of a file may hold anything
