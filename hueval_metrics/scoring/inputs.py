"""Read what was generated elsewhere or earlier: lm-eval samples, plain predictions, OpenCompass prediction files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hueval_metrics.answers.trace.template import template_opens
from hueval_metrics.records import InputError
from hueval_metrics.scoring.lines import read_lines
from hueval_metrics.scoring.live_run import samples_name
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.one_line import one_line

# OpenCompass names its files by dataset abbreviation: "hu_matching_fib_250205-prompt_1.json".
_OPENCOMPASS_NAMES = {
    re.compile(r"matching_?fib", re.I): "openhueval_humatchingfib",
    re.compile(r"standard_?fib", re.I): "openhueval_hustandardfib",
    re.compile(r"proverb.*2cq", re.I): "openhueval_huproverbrea_2cq",
    re.compile(r"proverb.*oe", re.I): "openhueval_huproverbrea_oe",
    re.compile(r"simple_?qa", re.I): "openhueval_husimpleqa",
    re.compile(r"life_?qa|wild_?bench", re.I): "openhueval_huwildbench",
}


@dataclass(frozen=True, slots=True)
class Prediction:
    """One prediction to score.

    Attributes:
        task: the task's name.
        text: the raw reply, reasoning included.
        file: where it was read.
        where: file and line, for messages.
        qid: the question's id; None where only the position is known.
        correct_option: which presentation of a two-choice question; None for other tasks.
        position: place in the file, from 0; OpenCompass keeps the order of the data.
        doc: the document, where the file carries it.
        filtered: the filtered response as a JSON string (`records.Filtered`), where the file carries it.
        opened: whether the prompt ended inside a reasoning trace; None where the file carries none that shows it.
    """

    task: str
    text: str
    file: Path
    where: str
    qid: str | None = None
    correct_option: int | None = None
    position: int | None = None
    doc: Mapping[str, Any] | None = None
    filtered: str | None = None
    opened: bool | None = None


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

    def predictions(self) -> Iterator[Prediction]:
        """Its predictions, in order, one at a time but for OpenCompass files.

        Raises:
            InputError: a line that is not JSON, a row of no known form, a task that cannot be told, or the file is
                not what it was.
        """
        self._check()
        yield from _read_file(self.file, self.task)
        self._check()

    def _check(self) -> None:
        if _stamp(self.file) != self.stamp:
            raise InputError(
                f"{self.file}: the file has changed since it was first looked at. Is something still writing it? "
                "Score it again when that is done"
            )


def find_sources(paths: Sequence[Path], task: str | None = None) -> list[Source]:
    """The files to read.

    Args:
        paths: files, or folders that are searched for lm-eval's `samples_*.jsonl`, other `.jsonl` predictions and
            OpenCompass `.json` files; of several lm-eval runs in one folder the newest of each task is taken.
        task: the task of rows that do not say theirs.

    Raises:
        InputError: a path does not exist, or a folder holds nothing to score.
    """
    return [Source(file, task, _stamp(file)) for path in paths for file in _files(path)]


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
    newest: dict[tuple[Path, str], Path] = {}
    others = []
    for file in sorted(path.rglob("*.json*")):
        if name := samples_name(file):
            newest[(file.parent, name.task)] = file  # names sort by date, so the last one stays
        elif (file.suffix == ".jsonl" and file.name != "items.jsonl") or (
            file.suffix == ".json" and not file.name.startswith("results") and _is_opencompass(file)
        ):
            others.append(file)
    # A run folder holds lm-eval's own files; loose predictions beside them belong to something else.
    found = list(newest.values()) or others
    if not found:
        raise InputError(
            f"{path}: no samples_*.jsonl, no predictions .jsonl and no OpenCompass .json in this folder. "
            "Name the file, or run lm-eval with --log_samples"
        )
    return found


def _read_file(file: Path, task: str | None) -> Iterator[Prediction]:
    if file.suffix == ".json":
        yield from _opencompass(file, task)
        return
    name = samples_name(file)
    sampled_task = task or (name.task if name else None)
    for number, _, _, row in read_lines(file):
        where = f"{file} line {number}"
        if "resps" in row and "doc" in row:
            yield _sample(row, file, where, sampled_task)
        elif "prediction" in row:
            yield _plain(row, file, where, task)
        else:
            raise InputError(
                f'{where}: neither an lm-eval sample ("doc" and "resps") nor a prediction ("qid" and "prediction")'
            )


def _sample(row: Mapping[str, Any], file: Path, where: str, task: str | None) -> Prediction:
    if task is None:
        raise InputError(f"{where}: the file name does not tell the task. Name it with --task")
    doc = row["doc"]
    try:
        qid, raw = str(doc["qid"]), row["resps"][0]
    except (KeyError, IndexError, TypeError):
        raise InputError(
            f"{where}: an lm-eval sample of another task: its document has no qid or no response"
        ) from None
    while isinstance(raw, list):  # one list of responses a request, one string a repeat
        raw = raw[0] if raw else None
    text = "" if raw is None else _text(raw, f"{where} (qid {qid})", "response")  # null: no reply came
    filtered = row.get("filtered_resps")
    logged = filtered[0] if isinstance(filtered, list) and filtered and isinstance(filtered[0], str) else None
    option, opened = doc.get("correct_option"), _opened(row.get("arguments"))
    return Prediction(task, text, file, where, qid, option, doc=doc, filtered=logged, opened=opened)


def _opened(arguments: Any) -> bool | None:
    """What the prompt shows; a chat API's messages show nothing."""
    try:
        prompt = arguments["gen_args_0"]["arg_0"]
    except (KeyError, IndexError, TypeError):
        return None
    return template_opens(prompt) if isinstance(prompt, str) else None


def _plain(row: Mapping[str, Any], file: Path, where: str, task: str | None) -> Prediction:
    task = row.get("task") or task
    if not isinstance(task, str):
        raise InputError(f'{where}: which task? Name it with --task, or in the row as "task"')
    if not isinstance(row.get("qid"), str):
        raise InputError(f'{where}: "qid" is missing or not a string')
    option = row.get("correct_option")
    if option not in (None, 1, 2):
        raise InputError(f'{where} (qid {row["qid"]}): "correct_option" is {option!r}, expected 1 or 2')
    text = _text(row["prediction"], f"{where} (qid {row['qid']})", '"prediction"')
    return Prediction(task, text, file, where, row["qid"], option)


def _is_opencompass(file: Path) -> bool:
    try:
        return _opencompass_rows(parse_json(read_text(file))) is not None
    except (ValueError, OSError):
        return False


def _opencompass_rows(data: Any) -> list[Mapping[str, Any]] | None:
    """The rows of an OpenCompass prediction file, an object from "0", "1", … to rows with a "prediction"."""
    if not isinstance(data, dict) or not data:
        return None
    if not all(
        re.fullmatch(r"\d{1,9}", key) and isinstance(row, dict) and "prediction" in row for key, row in data.items()
    ):
        return None
    return [{**row, "position": int(key)} for key, row in data.items()]


def _opencompass(file: Path, task: str | None) -> Iterator[Prediction]:
    try:
        data = parse_json(read_text(file))
    except OSError as error:
        raise InputError(f"{file}: cannot be read ({error.strerror})") from None
    except ValueError as error:
        raise InputError(f"{file}: cannot be read as JSON ({one_line(error)})") from None
    rows = _opencompass_rows(data)
    if rows is None:
        raise InputError(
            f'{file}: not an OpenCompass prediction file (an object from "0", "1", … to rows with "prediction"). '
            "Plain predictions come as JSON Lines, one object a line, in a file named .jsonl"
        )
    task = task or next((name for pattern, name in _OPENCOMPASS_NAMES.items() if pattern.search(file.stem)), None)
    if task is None:
        raise InputError(f"{file}: which task? The file name does not tell. Name it with --task")
    for row in rows:
        gold = row.get("gold")
        known = gold if isinstance(gold, dict) else {}
        option = {"1": 1, "2": 2}.get(str(known.get("true_ans")))
        where = f'{file} entry "{row["position"]}"'
        qid = known.get("qid")
        qid = qid if qid is None else str(qid)
        yield Prediction(
            task, _text(row["prediction"], where, '"prediction"'), file, where, qid, option, row["position"]
        )


def _text(value: Any, where: str, what: str) -> str:
    """The reply of a row, which must be a string: what else it could mean is not for us to guess."""
    if isinstance(value, str):
        return value
    shown = one_line(json.dumps(value, ensure_ascii=False), 40)
    fix = '"" where no reply came' if value is None else "the reply as the model wrote it, in quotes"
    raise InputError(f"{where}: {what} is {shown}, expected a string. Write {fix}, or leave the row out")
