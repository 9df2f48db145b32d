"""The edge of scoring: lm-eval samples, plain predictions and OpenCompass files, read and checked into typed records.

Anyone may have written them. The checks are by hand: pydantic would check a row as fast (1 µs of 4), but what is wrong
with a row is reported by file, line, item and fix, and which fields it must have depends on its task.
"""

from __future__ import annotations

import json
import logging
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from hueval_metrics.answers.trace.split import Range
from hueval_metrics.answers.trace.template import template_opens
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Choices, Filtered
from hueval_metrics.registry import TaskSpec, declared, known_tasks, task_spec
from hueval_metrics.scoring.lines import Line, read_lines
from hueval_metrics.scoring.lm_eval_results import results_beside, samples_name
from hueval_metrics.scoring.opencompass import is_opencompass, key_in, rows_of, task_of_name
from hueval_metrics.scoring.values import AT_LIMIT, SECOND_TURN
from hueval_metrics.text.write_json import json_text

log = logging.getLogger(__name__)

NO_PREDICTIONS = ("items.jsonl", "traces.jsonl", "traces.json")  # what commands of ours write into a folder of results
LIVE_NAME = re.compile(r"live_[0-9a-f]{12}_rank\d+\.jsonl")  # of a run that goes on, or was killed (`harness.live`)

_OPENING, _CLOSING = "<think>\n", "\n</think>\n\n"

Key = tuple[Any, ...]  # the values of the fields that name an item; a text, then texts or integers


@dataclass(frozen=True, slots=True)
class Prediction:
    """One prediction to score.

    Attributes:
        spec: the task.
        text: the raw reply, reasoning included; empty where `choices` are compared.
        file: where it was read.
        line: of the file, from 1; 0 in a file of another form.
        key: what names its item; None where only the position is known. Of a document out of a file it may hold
            anything.
        position: place in the file, from 0; OpenCompass keeps the order of the data.
        doc: the document, where the file carries it.
        filtered: the filtered response as a JSON string (`records.Filtered`), where the file carries it.
        prompt: as it was sent; None where the file carries none, or a chat API's messages.
        choices: log-likelihoods, of a task that does not generate.
        blocks: the ranges of the text that are its reasoning trace, where the row has the trace by itself.
        label: the label that the row says it was given, for the analysis of traces; scores do not rest on it.
        reasoning_tokens: tokens of the trace as the model's server counted them; None where it did not.
        at_limit: whether the reply ended at the token limit; None where it is not known.
        second: the raw reply to a second turn (`hueval run --ask-again`); None where none was asked.
    """

    spec: TaskSpec
    text: str
    file: Path
    line: int = 0
    key: Key | None = None
    position: int | None = None
    doc: Mapping[str, Any] | None = None
    filtered: str | None = None
    prompt: str | None = None
    choices: Choices | None = None
    blocks: tuple[Range, ...] | None = None
    label: str | None = None
    reasoning_tokens: int | None = None
    at_limit: bool | None = None
    second: str | None = None

    @property
    def task(self) -> str:
        """The task's name."""
        return self.spec.name

    @property
    def where(self) -> str:
        """File and line, for messages."""
        return f"{self.file} line {self.line}" if self.line else f'{self.file} entry "{self.position}"'

    @property
    def said(self) -> int:
        """A hash of the reply, or of the log-likelihoods."""
        return hash((self.text, self.choices))

    @property
    def opened(self) -> bool | None:
        """Whether the prompt ended inside a reasoning trace; None where it is unknown or does not show it."""
        return None if self.prompt is None else template_opens(self.prompt)


@dataclass(frozen=True, slots=True)
class Source:
    """A file of predictions, which must stay as it was first seen: it is read more than once.

    Attributes:
        file: the file.
        task: the task of rows that do not say theirs; None where each must.
        stamp: size in bytes and time of the last change in ns.
    """

    file: Path
    task: str | None
    stamp: tuple[int, int]

    @property
    def variants(self) -> Mapping[str, str]:
        """Key of `--metadata` → the value in the file's name.

        Raises:
            InputError: see `opencompass.task_of_name`.
        """
        return task_of_name(self.file, self.task)[1] if self.file.suffix == ".json" else {}

    def predictions(self, lines: array[int] | None = None) -> Iterator[Prediction]:
        """Its predictions, in order, one at a time but for OpenCompass files.

        Args:
            lines: the numbers of the lines to read, rising; None for all.

        Raises:
            InputError: a line that is not JSON, a row of no known form, a task that cannot be detected or is unknown,
                or the file is not what it was.
        """
        self._check()
        yield from _read_file(self.file, self.task, lines)
        self._check()

    def rows(self, lines: array[int] | None = None) -> Iterator[Line]:
        """The lines of a JSON Lines file as they are in it; see `predictions`."""
        self._check()
        yield from read_lines(self.file, only=lines)
        self._check()

    def _check(self) -> None:
        if _stamp(self.file) != self.stamp:
            raise InputError(
                f"{self.file}: the file has changed since it was first looked at. Is something still writing it? "
                "Score it again when that is done"
            )


@dataclass(frozen=True, slots=True)
class Predictions:
    """Predictions that can be gone through any number of times.

    Those in files are read again each time: a million short ones would take 360 MiB if they were held.

    Attributes:
        lines: the files that have any, and the numbers of their lines that do.
        held: in place of files, predictions in memory.
    """

    lines: Mapping[Source, array[int]] = field(default_factory=dict)
    held: Sequence[Prediction] = ()

    def __iter__(self) -> Iterator[Prediction]:
        yield from self.held
        for source, numbers in self.lines.items():
            yield from source.predictions(numbers)

    def __len__(self) -> int:
        return len(self.held) + sum(map(len, self.lines.values()))


def find_sources(paths: Sequence[Path], task: str | None = None) -> list[Source]:
    """The files to read.

    Args:
        paths: files, or folders that are searched for lm-eval's `samples_*.jsonl`, other `.jsonl` predictions and
            OpenCompass `.json` files; of several lm-eval runs in one folder the newest of each task is taken.
        task: the task of rows that do not say theirs.

    Raises:
        InputError: a path does not exist, or a folder holds nothing to score.
    """
    return [source_of(file, task) for path in paths for file in _files(path)]


def source_of(file: Path, task: str | None = None) -> Source:
    """A file as it is now.

    Raises:
        InputError: it cannot be read.
    """
    return Source(file, task, _stamp(file))


def _stamp(file: Path) -> tuple[int, int]:
    try:
        state = file.stat()
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
    return state.st_size, state.st_mtime_ns


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path}: no such file or folder")
    runs: dict[tuple[Path, str], list[Path]] = {}
    others = []
    for file in sorted(path.rglob("*.json*")):
        if name := samples_name(file):
            runs.setdefault((file.parent, name.task), []).append(file)
        elif file.name in NO_PREDICTIONS:
            continue
        elif (file.suffix == ".jsonl" and not LIVE_NAME.fullmatch(file.name)) or (
            file.suffix == ".json" and not file.name.startswith("results") and is_opencompass(file)
        ):
            others.append(file)
    # A run folder holds lm-eval's own files; loose predictions beside them belong to something else.
    found = [_newest(task, files) for (_, task), files in runs.items()] or others
    if not found:
        raise InputError(
            f"{path}: no samples_*.jsonl, no predictions .jsonl and no OpenCompass .json in this folder. "
            "Name the file, or run lm-eval with --log_samples"
        )
    return found


def _newest(task: str, files: Sequence[Path]) -> Path:
    """The samples of the last run; earlier ones are reported where they are of another experiment."""
    *earlier, newest = files  # names sort by date
    variants = results_beside(newest).variants(task) if earlier else None
    for file in earlier:
        if results_beside(file).variants(task) != variants:
            log.warning(
                "%s: is of an earlier run with other --metadata, and is not scored. "
                "Two settings are two results: hueval score FILE… --output DIR, each with a DIR of its own.",
                file,
            )
    return newest


def _read_file(file: Path, task: str | None, lines: array[int] | None) -> Iterator[Prediction]:
    if file.suffix == ".json":
        yield from _opencompass(file, task)
        return
    name = samples_name(file)
    sampled_task = task or (name.task if name else None)
    for number, _, _, row in read_lines(file, only=lines):
        if "resps" in row and "doc" in row:
            yield _sample(row, file, number, sampled_task)
        elif "prediction" in row:
            yield _plain(row, file, number, task)
        elif "trace" in row:
            yield _traced(row, file, number, task)
        else:
            field = declared(task).key[0] if task else "qid"
            raise InputError(
                f'{file} line {number}: neither an lm-eval sample ("doc" and "resps") nor a prediction '
                f'("{field}" and "prediction", or "{field}", "trace" and "answer")'
            )


def _sample(row: Mapping[str, Any], file: Path, line: int, task: str | None) -> Prediction:
    if task is None:
        raise InputError(f"{file} line {line}: the file name does not name the task. Name it with --task")
    spec, doc = task_spec(task), row["doc"]
    first, *others = spec.declared.key
    try:
        key, raw = (str(doc[first]), *map(doc.get, others)), row["resps"][0]
    except (KeyError, IndexError, TypeError, AttributeError):
        raise InputError(
            f"{file} line {line}: an lm-eval sample of another task: its document has no {first} or no response"
        ) from None
    if not spec.generates:
        return Prediction(spec, "", file, line, key, doc=doc, choices=_choices(row["resps"], file, line, task))
    while isinstance(raw, list):  # one list of responses a request, one string a repeat
        raw = raw[0] if raw else None
    _warn_of_several(file, len(row["resps"][0]) if isinstance(row["resps"][0], list) else 1)
    text = "" if raw is None else _text(raw, f"{file} line {line} ({first} {key[0]})", "response")  # null: none
    filtered = row.get("filtered_resps")
    logged = filtered[0] if isinstance(filtered, list) and filtered and isinstance(filtered[0], str) else None
    count, prompt = row.get("reasoning_tokens"), _prompt(row.get("arguments"))
    counted = count if type(count) is int and count >= 0 else None  # of `hueval run` (`harness.chat_traces`)
    cut = at if isinstance(at := row.get(AT_LIMIT), bool) else None
    turn = row.get(SECOND_TURN)
    second = turn.get("reply") if isinstance(turn, Mapping) else None
    return Prediction(
        *(spec, text, file, line, key),
        doc=doc,
        filtered=logged,
        prompt=prompt,
        reasoning_tokens=counted,
        at_limit=cut,
        second=second if isinstance(second, str) else None,
    )


@cache
def _warn_of_several(file: Path, replies: int) -> None:
    """Say once that lm-eval's own `repeats` of a task left several replies to a request."""
    if replies > 1:
        log.warning("%s: %d replies an item; the first is scored. hueval run --repeats scores each.", file, replies)


def _choices(resps: Sequence[Any], file: Path, line: int, task: str) -> Choices:
    """The log-likelihoods in a sample: one list a choice, of one pair a repeat; lm-eval logs both parts as strings."""
    try:
        pairs = [repeats[0] for repeats in resps]
        greedy = {"True": True, "False": False}
        return Choices(
            tuple(float(loglikelihood) for loglikelihood, _ in pairs), tuple(greedy[str(flag)] for _, flag in pairs)
        )
    except (ValueError, TypeError, KeyError, IndexError):
        raise InputError(
            f"{file} line {line}: no log-likelihoods, which {task} compares. Is it a sample of another task?"
        ) from None


def _prompt(arguments: Any) -> str | None:
    try:
        prompt = arguments["gen_args_0"]["arg_0"]
    except (KeyError, IndexError, TypeError):
        return None
    return prompt if isinstance(prompt, str) else None


def _plain(row: Mapping[str, Any], file: Path, line: int, task: str | None) -> Prediction:
    spec, key, where = _named(row, file, line, task)
    return Prediction(spec, _text(row["prediction"], where, '"prediction"'), file, line, key, label=_label(row, where))


def _traced(row: Mapping[str, Any], file: Path, line: int, task: str | None) -> Prediction:
    """A row whose trace was taken off the reply already. The reply is put together as most models write it."""
    spec, key, where = _named(row, file, line, task)
    trace, answer = (_text(row.get(name, ""), where, f'"{name}"') for name in ("trace", "answer"))
    has_trace, has_answer = bool(trace.strip()), bool(answer.strip())
    blocks = ((len(_OPENING), len(_OPENING) + len(trace)),) if has_trace else ()
    text = f"{_OPENING}{trace}{_CLOSING if has_answer else ''}" if has_trace else ""
    filtered = Filtered(answer.strip(), truncated=not has_answer).to_json()
    return Prediction(spec, text + answer, file, line, key, filtered=filtered, blocks=blocks, label=_label(row, where))


def _label(row: Mapping[str, Any], where: str) -> str | None:
    """The label that a row says its reply was given, alone or in a verdict as `items.jsonl` has it."""
    found = row.get("verdict")
    label = found.get("label") if isinstance(found, Mapping) else found
    if not isinstance(label, str | None):
        raise InputError(f'{where}: "verdict" is {one_line(json.dumps(found), 40)}, expected a label, or null')
    return label and label.strip()


def _named(row: Mapping[str, Any], file: Path, line: int, task: str | None) -> tuple[TaskSpec, Key, str]:
    """Task and key of a row without its document, and where it is."""
    where, task = f"{file} line {line}", row.get("task") or task
    if not isinstance(task, str):
        raise InputError(f'{where}: which task? Name it with --task (in Python: task=…), or in the row as "task"')
    try:
        spec = task_spec(task)
    except InputError as error:
        is_of_row = "task" in row and task not in known_tasks()
        raise InputError(f"{where}: {error}" if is_of_row else str(error)) from None
    _check_generates(spec, where)
    key = tuple(map(row.get, spec.declared.key))
    if not isinstance(key[0], str):
        raise InputError(f'{where}: "{spec.declared.key[0]}" is missing or not a string')
    return spec, key, f"{where} ({spec.declared.key[0]} {key[0]})"


def _check_generates(spec: TaskSpec, where: str) -> None:
    """See that a reply can be scored."""
    if not spec.generates:
        raise InputError(
            f"{where}: {spec.name} compares log-likelihoods, which no reply has. Score lm-eval's samples_*.jsonl of it"
        )


def _opencompass(file: Path, task: str | None) -> Iterator[Prediction]:
    rows = rows_of(file)
    spec, _ = task_of_name(file, task)
    _check_generates(spec, str(file))
    for position, row in rows:
        where = f'{file} entry "{position}"'
        text = _text(row["prediction"], where, '"prediction"')
        yield Prediction(spec, text, file, key=key_in(row.get("gold"), spec, where), position=position)


def _text(value: Any, where: str, what: str) -> str:
    """The reply of a row, which must be a string: what else it could mean is not for us to guess."""
    if isinstance(value, str):
        return value
    shown = one_line(json_text(value), 40)
    fix = '"" where no reply came' if value is None else "the reply as the model wrote it, in quotes"
    raise InputError(f"{where}: {what} is {shown}, expected a string. Write {fix}, or leave the row out")
