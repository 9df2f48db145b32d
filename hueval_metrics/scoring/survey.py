"""The first look at predictions: which tasks they are of, whether each is known, and that none is there twice.

Predictions are read from their files again whenever they are needed, so that a million take no more memory than a few
numbers each.
"""

from __future__ import annotations

import logging
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.answers.trace.template import of_all, opened_by_shares
from hueval_metrics.records import Filtered, InputError, is_open, with_settings
from hueval_metrics.registry import TaskSpec, task_spec
from hueval_metrics.scoring.inputs import Prediction, Source, find_sources
from hueval_metrics.scoring.live_run import live_run, trace_handling
from hueval_metrics.text.one_line import one_line

_SHOWN = 3  # ids named in a message; the count says the rest

Key = tuple[str | None, Any]
Document = Mapping[str, Any]

log = logging.getLogger(__name__)


def survey(paths: Sequence[Path], task: str | None, settings: Mapping[str, Any]) -> list[TaskInput]:
    """Read everything once, and refuse what cannot be scored before anything is paid for.

    Args:
        paths: see `inputs.find_sources`.
        task: the task of rows that do not name theirs.
        settings: `data_dir`, `question_lang` and the like, for predictions that do not carry their documents.

    Returns:
        One entry a task, in the order in which they first occur; at least one.

    Raises:
        InputError: see `inputs.Source`; unknown or repeated ids; an unknown task; no predictions at all.
        DataError: documents are needed and cannot be found.
    """
    counts: dict[str, _Counts] = {}
    for source in find_sources(paths, task):
        for prediction in source.predictions():
            if (found := counts.get(prediction.task)) is None:
                found = counts[prediction.task] = _Counts(task_spec(prediction.task))
            found.add(prediction, source)
    if not counts:
        raise InputError(f"no predictions in {', '.join(map(str, paths))}: the files hold no rows")
    return [_checked(found, settings) for found in counts.values()]


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
        sources: the files that hold any.
        n: how many predictions there are.
        n_open: how many of them have no verdict in their file; None where some may have been given for what
            is no answer.
        template_opens: whether prompts ended inside a trace, as the run recorded, as they show, or as replies tell.
        docs: the documents by key, in the order of the data; None where every prediction carries its own.
        total: how many documents the task has; None when unknown.
        signature: the signature of its score; None when unknown.
        model: what the model is called; None when unknown.
    """

    spec: TaskSpec
    sources: Sequence[Source]
    n: int
    n_open: int | None
    template_opens: bool
    docs: Mapping[Key, Document] | None
    total: int | None
    signature: str | None
    model: str | None = None

    def rows(self) -> Iterator[tuple[Prediction, Document]]:
        """Every prediction with its document, in the order of the files.

        Raises:
            InputError: a file has changed.
        """
        docs = self.docs
        keys = list(docs or ())
        for prediction in _predictions(self.sources, self.spec.name):
            if docs is not None:
                yield prediction, docs[_key_of(prediction, keys)]
            elif prediction.doc is not None:
                yield prediction, prediction.doc


def _checked(found: _Counts, settings: Mapping[str, Any]) -> TaskInput:
    spec = found.spec
    docs = None
    run = live_run(found.sources[0].file, spec.name)
    if found.n_docs == found.n:
        total, signature = run.total, run.signature
        _refuse_repeats(found)
    else:
        everything, provenance = spec.documents(**settings)
        docs = {(doc["qid"], doc.get("correct_option")): doc for doc in everything}
        total, signature = len(everything), provenance["signature"]
        signature = with_settings(signature, {"reasoning": trace_handling(spec.name)})
        _refuse_strangers(found, list(docs))
    if total is not None and found.n > total:
        raise InputError(
            f"{found.sources[0].file}: {found.n} predictions of {spec.name}, which had {total} documents by the "
            "results file beside it. Are they of another task or run?"
        )
    if total is not None and found.n != total:
        log.warning(
            "%s: %d of %d documents have no prediction; the denominator is what was given.",
            spec.name,
            total - found.n,
            total,
        )
    opens = found.template_opens if run.template_opens is None else run.template_opens
    n_open = None if found.n_judged_otherwise[opens] else found.n_open
    return TaskInput(spec, found.sources, found.n, n_open, opens, docs, total, signature, run.model)


def _predictions(sources: Sequence[Source], task: str) -> Iterator[Prediction]:
    for source in sources:
        for prediction in source.predictions():
            if prediction.task == task:
                yield prediction


def _key_of(prediction: Prediction, keys: Sequence[Key]) -> Key:
    """By which key of the documents a prediction goes: its id, or its position where the file has no ids."""
    if prediction.qid is not None:
        return prediction.qid, None if keys[0][1] is None else prediction.correct_option
    if prediction.position is None or prediction.position >= len(keys):
        raise InputError(
            f"{prediction.where}: no qid, and only {len(keys)} documents to go by position. "
            "Was it made from another version of the data?"
        )
    return keys[prediction.position]


def _refuse_strangers(found: _Counts, keys: Sequence[Key]) -> None:
    """See that every prediction has a document, and no two the same one."""
    is_two_choice, known = keys[0][1] is not None, set(keys)
    first: dict[Key, str] = {}
    unsaid, repeat, unknown, n_unknown = "", "", [], 0
    for prediction in _predictions(found.sources, found.spec.name):
        key = _key_of(prediction, keys)
        if is_two_choice and key[1] is None:
            unsaid = unsaid or prediction.where
        elif key not in known:
            n_unknown += 1
            if n_unknown <= _SHOWN:
                unknown.append(prediction)
        elif key in first:
            repeat = repeat or _repeated(prediction.where, key, first[key])
        else:
            first[key] = prediction.where
    if unsaid:
        raise InputError(
            f'{unsaid}: a two-choice prediction needs "correct_option" (1: the right option was shown first)'
        )
    if unknown:
        names = ", ".join(str(p.qid) for p in unknown) + ", …" * (n_unknown > _SHOWN)
        raise InputError(
            f"{unknown[0].where}: {n_unknown} predictions for unknown qids ({names}). "
            "Is it another task, or another version of the data?"
        )
    if repeat:
        raise InputError(repeat)


def _refuse_repeats(found: _Counts) -> None:
    """See that no two predictions with documents of their own are for the same one."""
    import numpy as np

    hashes = np.asarray(found.hashes)
    order = np.argsort(hashes, kind="stable")
    again = order[1:][hashes[order[1:]] == hashes[order[:-1]]]
    for place in sorted(again.tolist()):  # hardly ever more than one: equal hashes of different ids are a rare chance
        seen: dict[Key, str] = {}
        for prediction in _predictions(found.sources, found.spec.name):
            key = _own_key(prediction)
            if hash(key) != hashes[place]:
                continue
            if key in seen:
                raise InputError(_repeated(prediction.where, (key[0], prediction.correct_option), seen[key]))
            seen[key] = prediction.where


def _own_key(prediction: Prediction) -> Key:
    return prediction.qid, str(prediction.correct_option)  # a document out of a file may hold anything


def _repeated(where: str, key: Key, first: str) -> str:
    option = f", correct_option {key[1]}" if key[1] is not None else ""
    return f"{where}: qid {key[0]}{option} was already at {first}. Score one run at a time, one prediction a question"


class _Counts:
    """What the first look counts of one task."""

    def __init__(self, spec: TaskSpec) -> None:
        self.spec = spec
        self.sources: list[Source] = []
        self.n = self.n_docs = self.n_open = 0
        self.hashes = array("q")  # 8 bytes a prediction, where its key would take a hundred
        self.n_judged_otherwise: Counter[bool] = Counter()  # by what the run would have to show
        self._tags: Counter[str] = Counter()
        self._opened: set[bool | None] = set()

    def add(self, prediction: Prediction, source: Source) -> None:
        """Take in a prediction.

        Raises:
            InputError: its document is of another task.
        """
        own = self.spec.short_name
        said = own if prediction.doc is None else prediction.doc.get("task", own)
        if said != own:  # told before a judge is paid: documents of some tasks have all the fields of another
            raise InputError(
                f"{prediction.where}: its document is not one of {self.spec.name} (it says {one_line(said, 40)}). "
                "Is it a sample of another task?"
            )
        if not self.sources or self.sources[-1] is not source:
            self.sources.append(source)
        self.n += 1
        self.n_docs += prediction.doc is not None
        self.hashes.append(hash(_own_key(prediction)))
        tag = first_tag(prediction.text)
        self._tags[tag] += 1
        self._opened.add(prediction.opened)
        if self.spec.rubric is not None:
            filtered = logged_response(prediction)
            self.n_open += filtered is None or is_open(filtered.verdict)
            if filtered is not None and not is_open(filtered.verdict) and not tag and prediction.text:
                self.n_judged_otherwise[not filtered.truncated] += 1

    @property
    def template_opens(self) -> bool:
        """The fact that the prompts show; else what the replies tell, of all ranks."""
        fact = of_all(self._opened)
        return opened_by_shares(self._tags) if fact is None else fact
