"""The edge of the analysis: which runs are in files and folders, and the replies of all of them."""

from __future__ import annotations

import logging
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hueval_metrics.answers.trace.marks import first_tag
from hueval_metrics.answers.trace.template import opened_by_shares
from hueval_metrics.errors import DataError, HuevalError, InputError
from hueval_metrics.loader import open_task
from hueval_metrics.records import Signature
from hueval_metrics.registry import declared, known_tasks, task_spec
from hueval_metrics.runs.items import Item, samples_beside
from hueval_metrics.runs.load import load_runs, results_in, with_distinct_labels
from hueval_metrics.runs.run import BASELINE, Key, Run, is_baseline
from hueval_metrics.scoring.documents import OtherItemsError
from hueval_metrics.scoring.inputs import Source, find_sources, source_of
from hueval_metrics.scoring.lm_eval_results import results_beside, samples_name
from hueval_metrics.scoring.survey import survey
from hueval_metrics.traces.item import TraceItem
from hueval_metrics.traces.replies import ItemRows, LooseReplies, Replies, ScoredReplies

LOOKED_FOR = (
    "results of `hueval run` or `hueval score`, samples_*.jsonl, items.jsonl, and JSON Lines with a trace or a "
    'prediction a row ("qid", "trace", "answer")'
)
_NAME_ARGS = ("tokenizer", "pretrained", "model", "path")  # of lm-eval's models: what may name a tokenizer
_ITEMS = "items.jsonl"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class TraceRun:
    """The replies of one run.

    Attributes:
        label: as in tables and on the page of results.
        model: what the model is called.
        replies: of each task.
        signatures: task → what its scores depend on; empty where that is not known.
        tokenizers: what may name the model's tokenizer, the best first.
    """

    label: str
    model: str
    replies: Sequence[Replies]
    signatures: Mapping[str, str]
    tokenizers: Sequence[str] = ()


@dataclass(frozen=True)
class TraceItems:
    """The replies of all runs, or those that were chosen; can be read as often as there are steps.

    Attributes:
        runs: the runs.
        weights: index → how many replies the reply stands for, of those that were chosen; None for all.
    """

    runs: Sequence[TraceRun]
    weights: Mapping[int, float] | None = None

    def __iter__(self) -> Iterator[TraceItem]:
        start, chosen = 0, None if self.weights is None else sorted(self.weights)
        for run in self.runs:
            for replies in run.replies:
                wanted = None
                if chosen is not None:
                    wanted = [index - start for index in chosen if 0 <= index - start < replies.n]
                if wanted is None or wanted:
                    for item in replies.read(wanted):
                        index = start + item.index
                        weight = 1.0 if self.weights is None else self.weights[index]
                        yield replace(item, index=index, run=run.label, model=run.model, weight=weight)
                start += replies.n

    def __len__(self) -> int:
        if self.weights is not None:
            return len(self.weights)
        return sum(replies.n for run in self.runs for replies in run.replies)

    @property
    def n_bytes(self) -> int:
        """The size of all files."""
        sources = {source for run in self.runs for replies in run.replies for source in replies.lines}
        return sum(source.stamp[0] for source in sources)


@dataclass
class _Reader:
    """Finds runs.

    Attributes:
        task: only this task's replies; the task of rows that do not name theirs.
        settings: `data_dir` and variants, for replies that do not carry their documents.
        without_replies: the tasks that were passed over, since they compare log-likelihoods.
        known: documents that were loaded, by task and variants; empty where they cannot be had.
    """

    task: str | None
    settings: Mapping[str, Any]
    without_replies: set[str] = field(default_factory=set)
    known: dict[tuple[str, str], Mapping[Key, Mapping[str, Any]]] = field(default_factory=dict)

    def scored_run(self, run: Run) -> tuple[TraceRun, Path]:
        """A run of which there are results, and one of its files."""
        found: list[Replies] = []
        names: list[str] = []
        items: dict[Path, list[str]] = {}
        for name, result in run.tasks.items():
            if not self._is_wanted(name):
                continue
            if (samples := samples_beside(result.source, name)) is not None:
                found += self._surveyed([samples], name)
                names += _tokenizers(samples)
            elif (file := result.source.with_name(_ITEMS)).is_file() and result.source.name == "results.json":
                items.setdefault(file, []).append(name)
            else:
                raise InputError(
                    f"{result.source}: the replies of {name} are not there. Run it with --log_samples, or score it "
                    "again: hueval score"
                )
        signatures = {name: result.signature for name, result in run.tasks.items()}
        for file, tasks in items.items():
            found += self._rows(source_of(file), tasks, signatures)
        model = run.model or run.label
        names = [] if is_baseline(run) else names + [model] * ("/" in model)  # else it may be the name of a folder
        return TraceRun(run.label, model, found, signatures, tuple(dict.fromkeys(names))), run.path

    def samples_run(self, files: Sequence[Path]) -> tuple[TraceRun, Path]:
        """Samples of one run of lm-eval that were named themselves."""
        found: list[Replies] = []
        for file in files:
            name = samples_name(file)
            task = name.task if name else self.task
            if task is None or self._is_wanted(task):
                found += self._surveyed([file], task)
        model = results_beside(files[0]).model or files[0].resolve().parent.name
        return TraceRun(model, model, found, _signatures(found), tuple(_tokenizers(files[0]))), files[0]

    def rows_run(self, file: Path) -> tuple[TraceRun, Path]:
        """A file of items, or of predictions."""
        source = source_of(file, self.task)
        first = next((line.row for line in source.rows()), None)
        if first is None:
            raise InputError(f"{file}: no rows. Expected {LOOKED_FOR}")
        if "metrics" in first and "prediction" in first:
            label = file.resolve().parent.name if file.name == _ITEMS else file.stem
            return TraceRun(label, label, self._rows(source, None, {}), {}), file
        try:
            found = self._surveyed([file], self.task)
        except (DataError, OtherItemsError) as error:  # or ids of one's own
            self._warn(error)
            found = list(self._loose(source))
        return TraceRun(file.stem, file.stem, found, _signatures(found)), file

    def _is_wanted(self, task: str) -> bool:
        if self.task not in (None, task):
            return False
        if not task_spec(task).generates:
            self.without_replies.add(task)
            return False
        return True

    def _surveyed(self, files: Sequence[Path], task: str | None) -> list[Replies]:
        inputs = survey(files, task, self.settings)
        return [ScoredReplies.of(given) for given in inputs if self._is_wanted(given.spec.name)]

    def _rows(self, source: Source, tasks: Sequence[str] | None, signatures: Mapping[str, str]) -> list[Replies]:
        """The rows of `items.jsonl`, of some tasks or of all."""
        lines: dict[str, array[int]] = {}
        keys: dict[tuple[str, Key], int] = {}
        for line in source.rows():
            item = Item.of(line.row)
            if tasks is None:
                declared(item.task)  # raises for an unknown one
            if item.task not in known_tasks() or (tasks is not None and item.task not in tasks):
                continue
            if not self._is_wanted(item.task):
                continue
            where = f"{source.file} line {line.number}"
            if item.key is None:
                raise InputError(f'{where}: no "{declared(item.task).key[0]}". Score it again: hueval score')
            if (first := keys.setdefault((item.task, item.key), line.number)) != line.number:
                raise InputError(f"{where}: the same item as in line {first}. Score one run at a time")
            lines.setdefault(item.task, array("I")).append(line.number)
        return [
            ItemRows(task, {source: numbers}, self._documents(task, signatures.get(task, "")))
            for task, numbers in lines.items()
        ]

    def _loose(self, source: Source) -> Iterator[Replies]:
        """Predictions whose documents cannot be had, by task."""
        lines: dict[str, array[int]] = {}
        tags: dict[str, Counter[str]] = {}
        keys: dict[tuple[str, Any], str] = {}
        for one in source.predictions():
            if (first := keys.setdefault((one.task, one.key), one.where)) != one.where:
                raise InputError(f"{one.where}: the same item as at {first}. Name one run a file, one reply a question")
            if self._is_wanted(one.task):
                lines.setdefault(one.task, array("I")).append(one.line)
                tags.setdefault(one.task, Counter())[first_tag(one.text)] += 1
        for task, numbers in lines.items():
            yield LooseReplies(task, {source: numbers}, opened_by_shares(tags[task]))

    def _documents(self, task: str, signature: str) -> Mapping[Key, Mapping[str, Any]]:
        """The documents of a task in the language of its questions; none where nothing asks for them."""
        if task not in known_tasks()[task].traces:
            return {}
        settings, spec = dict(self.settings), task_spec(task)
        language = Signature.parse(signature).parts.get("q", "?")
        if "question_lang" in spec.family.variants and language != "?":
            settings.setdefault("question_lang", language)
        known = task, str(sorted(settings.items()))
        if known not in self.known:
            try:
                self.known[known] = open_task(spec, settings).by_key(spec)
            except DataError as error:
                self._warn(error)
                self.known[known] = {}
        return self.known[known]

    def _warn(self, error: HuevalError) -> None:
        log.warning("what needs the questions of the benchmark is left out: %s", error)


def find_runs(paths: Sequence[Path], task: str | None, settings: Mapping[str, Any]) -> list[TraceRun]:
    """The runs in files and folders: first those that results were found of, then the others, in the order given.

    Args:
        paths: results files or folders of runs; lm-eval's samples; `items.jsonl`; predictions with their traces.
        task: only this task's replies; the task of rows that do not name theirs.
        settings: `data_dir` and variants, for replies that do not carry their documents.

    Returns:
        At least one, each with replies.

    Raises:
        InputError: there is nothing to read, or a row is not usable.
    """
    if task is not None:
        declared(task)
    reader = _Reader(task, settings)
    with_results, loose = _sorted(paths)
    runs = [reader.scored_run(run) for run in (load_runs(with_results) if with_results else [])]
    samples: dict[tuple[Path, str], list[Path]] = {}
    others = []
    for file in loose:
        if name := samples_name(file):
            samples.setdefault((file.parent, name.date), []).append(file)
        else:
            others.append(file)
    runs += [reader.samples_run(files) for files in samples.values()]
    runs += [reader.rows_run(file) for file in others]
    labelled = with_distinct_labels([Run(run.label, file) for run, file in runs])
    found = []
    alike: Counter[str] = Counter()  # of one folder, such as samples of two dates
    for (run, _), its in zip(runs, labelled, strict=True):
        alike[its.label] += 1
        label = its.label if alike[its.label] == 1 else f"{its.label} #{alike[its.label]}"
        found += [replace(run, label=label)] if run.replies else []
    if reader.without_replies:
        names = ", ".join(sorted(reader.without_replies))
        message = f"{names}: log-likelihoods are compared there, so there is no reply that could have a trace"
        if not found:
            raise InputError(f"{message}. Name another task or run")
        log.warning("%s.", message)
    if not found:
        what = f"no replies of {task}" if task else "no replies of a task that is known"
        raise InputError(f"{', '.join(map(str, paths))}: {what}. Expected {LOOKED_FOR}")
    return found


def _sorted(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """The paths with results files, and the files to read of the others, each once."""
    with_results: list[Path] = []
    loose: list[Path] = []
    for path in paths:
        if path.is_file() and path.suffix == ".jsonl":
            results = path.with_name("results.json")
            has_results = path.name == _ITEMS and results.is_file()
            (with_results if has_results else loose).append(results if has_results else path)
        elif path.is_dir() and not results_in(path):
            items = [file for file in sorted(path.rglob(_ITEMS)) if file.is_file()]
            others = items or [source.file for source in _predictions(path)]
            loose += [file for file in others if file.suffix == ".jsonl"]
        elif path.exists():
            with_results.append(path)
        else:
            raise InputError(f"{path}: no such file or folder. Expected {LOOKED_FOR}")
    return with_results, list({file.resolve(): file for file in loose}.values())


def _predictions(folder: Path) -> list[Source]:
    try:
        return find_sources([folder])
    except InputError:
        raise InputError(f"{folder}: nothing to read. Looked here and in all sub-folders for {LOOKED_FOR}") from None


def _signatures(found: Sequence[Replies]) -> dict[str, str]:
    return {one.task: one.given.signature or "" for one in found if isinstance(one, ScoredReplies)}


def _tokenizers(samples: Path) -> list[str]:
    """What the arguments of a run's model say of its tokenizer; a baseline has none, whatever it is called."""
    results = results_beside(samples)
    args = {} if results.config.get("model") == BASELINE else results.model_args
    return [str(args[name]) for name in _NAME_ARGS if isinstance(args.get(name), str) and args[name]]
