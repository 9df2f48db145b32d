"""Predictions of any generating task: `predictions.jsonl`, as `hueval score` takes them, checked row by row.

A file is untrusted. Rows are read one at a time and never more than a few MiB of them; of a reply only its beginning or
its digest is kept. A row that carries documents of its own, as lm-eval's samples do, is refused: it would bring its own
reference answers.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from hf_datasets.text_files import foreign_kind, json_type
from hueval_metrics.errors import InputError
from hueval_metrics.loader import open_task
from hueval_metrics.one_line import one_line
from hueval_metrics.registry import TaskSpec, known_tasks, task_spec
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.score import TaskScore, score_task
from hueval_metrics.scoring.survey import survey
from hueval_metrics.submission.formats import Checked, Target
from hueval_metrics.submission.wording import SHARED, Faults, Wording, listed
from hueval_metrics.text.files import open_file
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.write_json import json_text
from hueval_metrics.words.texts import Texts, each

MAX_ROW = 2**20  # bytes; 8,192 tokens have a thirtieth of it
_MAX_NESTED = 1000  # lists and objects in a row; more take a second a MiB to make
_SHORT = 64  # characters of a reply that is kept as it is
_SLACK = 1000  # rows that a file may have beyond twice the items of the task; thus its faults are bounded
_FEW = 5  # values of a field, or keys of a row, that a message lists
_MARK = b"\xef\xbb\xbf"  # of UTF-8
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"')

WORDING = Wording(SHARED)

Key = tuple[Any, ...]


@dataclass
class Replies:
    """A file as far as it can be read.

    Attributes:
        answers: item → the reply, or its digest where it is long (`short`).
        rows: item → row of the file.
        tasks: that rows name.
        faults: what is wrong.
    """

    faults: Faults
    answers: dict[str, str] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    tasks: set[str] = field(default_factory=set)


class Predictions:
    """`{"qid": "…", "prediction": "…"}`, a line for each item, with the other fields of the task's key."""

    @property
    def help(self) -> Texts:
        """See `SubmissionFormat.help`."""
        return WORDING.phrase("help")

    def task_of(self, name: str) -> str | None:
        """The task that a file or a folder of its path is called after."""
        path = PurePosixPath(name)
        return next((part for part in (path.stem, *reversed(path.parts[:-1])) if part in known_tasks()), None)

    def example(self, target: Target) -> str:
        """The rows of the first two items."""
        spec = task_spec(target.task)
        reader = _Reader(spec, open_task(spec, target.settings).docs)
        return "\n".join(map(_example, reader.first_keys(2)))

    def check(self, path: Path, target: Target) -> Checked:
        """See `SubmissionFormat.check`."""
        found = read_replies(path, target)
        return Checked(found.answers, found.faults.kept, found.faults.n)

    def score(self, path: Path, target: Target, plan: JudgePlan) -> TaskScore:
        """See `SubmissionFormat.score`.

        The rows are written anew with nothing but key and reply, so that no other field of theirs can matter.
        """
        with tempfile.TemporaryDirectory(dir=target.temp_dir) as folder:
            plain = Path(folder) / "predictions.jsonl"
            with plain.open("w", encoding="ascii") as file:
                found = read_replies(path, target, keep=lambda row: file.write(json.dumps(row) + "\n"))
            for fault in found.faults:
                raise InputError(f"{fault.text['en']} (fault 1 of {found.faults.n:,})")
            (given,) = survey([plain], target.task, target.settings)
            return score_task(given, plan, keep=_drop)


def read_replies(
    path: Path, target: Target, keep: Callable[[dict[str, str]], Any] | None = None, tasks: Sequence[str] = ()
) -> Replies:
    """Read and check the predictions of a file.

    Args:
        path: the file.
        target: what they should be of.
        keep: takes key and reply of each row without a fault.
        tasks: further names that rows may give for the task.

    Raises:
        DataError: the items cannot be found.
        InputError: the task does not generate, so that nothing is a reply to it.
        OSError: the file cannot be read.
    """
    spec = task_spec(target.task)
    if not spec.generates:
        raise InputError(
            f"{target.task} compares log-likelihoods, which no reply has. Name another format for its board"
        )
    reader = _Reader(spec, open_task(spec, target.settings).docs, {target.task, *tasks}, keep)
    reader.read(path)
    return reader.found


def task_in(path: Path) -> str | None:
    """The task that the first row of a file names; None where it names none.

    Raises:
        OSError: the file cannot be read.
    """
    with open_file(path) as file:
        line = file.readline(MAX_ROW + 1).removeprefix(_MARK)
    try:
        row = parse_json(line.decode()) if len(line) <= MAX_ROW else None
    except ValueError:
        return None
    task = row.get("task") if isinstance(row, dict) else None
    return task if isinstance(task, str) else None


def short(reply: str) -> str:
    """A reply as it is compared with those of others: itself if it is short, else its digest."""
    if len(reply) <= _SHORT:
        return reply
    return "sha256:" + hashlib.sha256(reply.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class _Twice(dict[str, Any]):
    """A JSON object in which a key occurs more than once."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Twice(pairs)


class _Reader:
    """Reads the rows of one file.

    Args:
        spec: the task.
        docs: its documents.
        tasks: the names that rows may give for it.
        keep: see `read_replies`.
    """

    def __init__(
        self,
        spec: TaskSpec,
        docs: Sequence[Mapping[str, Any]],
        tasks: Set[str] = frozenset(),
        keep: Callable[[dict[str, str]], Any] | None = None,
    ) -> None:
        self._spec, self._tasks, self._keep = spec, tasks, keep
        self._fields = spec.declared.key
        self._keys = {spec.key_of(doc): None for doc in docs}
        values = [list(dict.fromkeys(found)) for found in zip(*self._keys, strict=True)]
        by_field = dict(zip(self._fields, values, strict=True))
        self._few = {name: found for name, found in by_field.items() if len(found) <= _FEW}
        self._constant = {name: found[0] for name, found in by_field.items() if _is_constant(name, found, self._fields)}
        self._form = WORDING.phrase("form", example=_example(self._without_constant(next(iter(self._keys)))))
        self.found = Replies(Faults(WORDING))

    def first_keys(self, n: int) -> list[dict[str, Any]]:
        """The fields that a row needs to name its item, of the first items."""
        return [self._without_constant(key) for key in list(self._keys)[:n]]

    def read(self, path: Path) -> None:
        """Read the whole file, or as much of it as has so many rows as it may have."""
        with open_file(path) as file:
            if self._is_foreign(file.peek(512)[:512]):
                return
            most, number, n = 2 * len(self._keys) + _SLACK, 0, 0
            while line := file.readline(MAX_ROW + 1):
                number += 1
                line = line.removeprefix(_MARK) if number == 1 else line
                if not line.strip():
                    continue
                n += 1
                if n > most:
                    self._add("too_many_rows", most=most, expected=len(self._keys))
                    return
                if len(line) > MAX_ROW:
                    self._add("too_long", number, most=MAX_ROW // 2**20)
                    while line and not line.endswith(b"\n"):
                        line = file.readline(MAX_ROW)
                    continue
                row = self._parsed(line, number)
                if row is not None and "doc" in row and "resps" in row:
                    self._add("sample")
                    return
                if row is not None:
                    self._see(row, number)
        if not n:
            self._add("empty")
            return
        if not self.found.rows:  # where no item is known, their names would only be noise
            return
        missing = [self._named(key) for key in self._keys if self._item(key) not in self.found.rows]
        if len(missing) == 1:
            self.found.faults.add_missing("id_missing", item=missing[0])
        elif missing:
            self.found.faults.add_missing("ids_missing", n=len(missing), items=listed(missing, "; "))

    def _add(self, code: str, row: int | None = None, **values: Any) -> None:
        self.found.faults.add(code, row, form=self._form, **values)

    def _is_foreign(self, head: bytes) -> bool:
        if kind := foreign_kind(head):
            self._add("foreign", what=WORDING.word(kind))
            return True
        if head.removeprefix(_MARK).lstrip().startswith(b"["):
            self._add("array")
            return True
        return False

    def _parsed(self, line: bytes, number: int) -> dict[str, Any] | None:
        if _brackets(line) > _MAX_NESTED and _brackets(_STRING.sub(b"", line)) > _MAX_NESTED:
            self._add("too_nested", number, most=_MAX_NESTED)
            return None
        try:
            value = parse_json(line.decode(), _object)
        except UnicodeDecodeError as error:
            self._add("not_utf8", number, byte=error.start)
            return None
        except ValueError as error:
            reason = f"column {error.colno}: {error.msg}" if isinstance(error, json.JSONDecodeError) else error
            self._add("not_json", number, reason=one_line(reason, 80))
            return None
        if not isinstance(value, dict):
            self._add("not_object", number, what=WORDING.word(json_type(value)))
            return None
        if isinstance(value, _Twice):
            self._add("key_twice", number, key=one_line(_first_twice(line), 40))
        return value

    def _see(self, row: dict[str, Any], number: int) -> None:
        before = self.found.faults.n
        task = row.get("task")
        if isinstance(task, str) and task in self._tasks:
            self.found.tasks.add(task)
        elif task is not None:
            self._add("other_task", number, given=one_line(task, 60), tasks=_listed(sorted(self._tasks)))
        key = self._key(row, number)
        if key is None:
            return
        name, place = self._item(key), WORDING.phrase("place", row=number, item=self._named(key))
        if key not in self._keys:
            self._add("id_unknown", number, place=place, title=self._spec.declared.title)
        elif name in self.found.rows:
            self._add("id_twice", number, place=place, earlier=self.found.rows[name])
        else:
            self.found.rows[name] = number
        reply = row.get("prediction")
        if "prediction" not in row:
            self._add("no_prediction", number, place=place)
        elif not isinstance(reply, str):
            self._add("prediction_type", number, place=place, what=WORDING.word(json_type(reply)))
        elif self.found.faults.n == before and not isinstance(row, _Twice):
            self.found.answers[name] = short(reply)
            if self._keep is not None:
                self._keep(dict(zip(self._fields, key, strict=True)) | {"prediction": reply})

    def _key(self, row: Mapping[str, Any], number: int) -> Key | None:
        """The key of a row; None where it has none, which is then reported."""
        before = self.found.faults.n
        for place, name in enumerate(self._fields):
            value = row.get(name)
            few = self._few.get(name) if place else None
            if name not in row and name in self._constant:
                continue
            if name not in row:
                self._add("no_key", number, field=name)
            elif place == 0 and not isinstance(value, str):
                self._add("id_type", number, field=name, what=WORDING.word(json_type(value)))
            elif few and not any(type(value) is type(one) and value == one for one in few):
                values = _listed([json_text(one) for one in few])
                self._add("key_value", number, field=name, given=_shown(value), values=values)
            elif place and type(value) not in (str, int):
                self._add("key_value", number, field=name, given=_shown(value), values=WORDING.word("a string"))
        if self.found.faults.n > before:
            return None
        return tuple(row.get(name, self._constant.get(name)) for name in self._fields)

    def _without_constant(self, key: Key) -> dict[str, Any]:
        return {n: value for n, value in zip(self._fields, key, strict=True) if n not in self._constant}

    def _item(self, key: Key) -> str:
        return " ".join(map(str, self._without_constant(key).values()))

    def _named(self, key: Key) -> str:
        return ", ".join(f'{name} "{one_line(value, 40)}"' for name, value in self._without_constant(key).items())


def _brackets(line: bytes) -> int:
    return line.count(b"[") + line.count(b"{")


def _first_twice(line: bytes) -> str:
    """The first key that an object of the line has twice."""
    found: list[str] = []

    def see(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                found.append(name)
                break
            seen.add(name)
        return {}

    json.loads(line, object_pairs_hook=see)
    return found[-1]  # the outermost object is made last


def _is_constant(name: str, values: Sequence[Any], fields: Sequence[str]) -> bool:
    """Whether a field of the key has one value in all documents, which rows need not say."""
    return name != fields[0] and len(values) == 1


def _listed(names: Sequence[str]) -> Texts:
    by = WORDING.phrase("or")
    return each(lambda language: by[language].join(names))


def _shown(value: object) -> str:
    return one_line(json_text(value), 40)


def _example(key: Mapping[str, Any]) -> str:
    return json_text({**key, "prediction": "…"})


def _drop(item: Mapping[str, Any]) -> None:
    """What becomes of the row of an item, which holds its reference answer."""


FORMAT = Predictions()
