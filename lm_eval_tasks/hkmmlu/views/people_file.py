"""A file of people's scores (`hueval table --human FILE`): a CSV in UTF-8, of one of two forms.

| column | |
|---|---|
| `person` | who answered: any name, the same in all rows of a person |
| `group` | optional: people that are one row of the table, such as `post-secondary` |
| `kind` | optional: of which questions, such as `Cantonese`, or a subject: a column of the table |
| `n`, `correct` | how many questions a person was asked of a kind, and how many of these were right |
| `qid`, `correct` | or a row an answer: the question's id, and 1 or 0; then models are shown on the same questions |
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text

_FORMS = "person, kind, n, correct (or qid in place of n)"


@dataclass(frozen=True)
class PersonScore:
    """What one person got right of one kind of questions: `correct` of `n`."""

    person: str
    group: str
    kind: str
    n: int
    correct: int


@dataclass(frozen=True)
class People:
    """The content of a file.

    Attributes:
        scores: of each person and kind, in the order of the file.
        questions: id → kind, of the questions that were asked; empty where the file does not say.
    """

    scores: Sequence[PersonScore]
    questions: Mapping[str, str]


def read_people(path: Path) -> People:
    """Read a file.

    Raises:
        InputError: it cannot be read, lacks a column, or a row has no name, or numbers that cannot be.
    """
    try:
        text = read_text(path)
    except OSError as error:
        raise InputError(f"--human {path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InputError(f"--human {path}: not UTF-8 text ({error.reason}). Save it as CSV UTF-8") from error
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    names = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = names
    if lacking := [name for name in ("person", "correct") if name not in names]:
        raise InputError(f"--human {path}: no column {', '.join(lacking)}. The first line names the columns: {_FORMS}")
    if ("qid" in names) == ("n" in names):
        fix = "only one of them" if "n" in names else "how many questions (n), or which (qid)"
        raise InputError(f"--human {path}: columns n and qid: give {fix}. The columns are {_FORMS}")
    rows = [(reader.line_num, row) for row in reader if any(row.values())]
    if not rows:
        raise InputError(f"--human {path}: no rows. The columns are {_FORMS}")
    return _answers(path, rows) if "qid" in names else _counts(path, rows)


_Rows = Sequence[tuple[int, Mapping[str, str | None]]]


def _counts(path: Path, rows: _Rows) -> People:
    """A row for each person and kind."""
    found: dict[tuple[str, str], PersonScore] = {}
    for line, row in rows:
        person, kind = _named(path, line, row)
        n, correct = _number(path, line, row, "n"), _number(path, line, row, "correct")
        if n == 0 or correct > n:
            raise InputError(f"--human {path} line {line}: {correct} right of {n} questions. Fix n or correct")
        if (person, kind) in found:
            raise InputError(f"--human {path} line {line}: {_shown(person, kind)} is there twice. Drop one of the rows")
        found[person, kind] = PersonScore(person, _cell(row, "group"), kind, n, correct)
    return People(_one_group(path, [*found.values()]), {})


def _answers(path: Path, rows: _Rows) -> People:
    """A row for each answer."""
    right: dict[tuple[str, str, str], list[int]] = {}
    asked: set[tuple[str, str]] = set()
    questions: dict[str, str] = {}
    for line, row in rows:
        person, kind = _named(path, line, row)
        qid, correct = _cell(row, "qid"), _number(path, line, row, "correct")
        if not qid:
            raise InputError(f"--human {path} line {line}: no qid. Name the question that was answered")
        if correct > 1:
            raise InputError(f"--human {path} line {line}: correct is {correct}, expected 1 or 0 for one question")
        if (person, qid) in asked:
            shown = _shown(person, qid)
            raise InputError(f"--human {path} line {line}: {shown} is there twice. Drop one of the rows")
        if questions.setdefault(qid, kind) != kind:
            problem = f"{one_line(qid, 40)} is of kind {one_line(questions[qid], 40)} above"
            raise InputError(f"--human {path} line {line}: {problem}. Give each question one kind")
        asked.add((person, qid))
        right.setdefault((person, _cell(row, "group"), kind), []).append(correct)
    scores = [PersonScore(*key, len(some), sum(some)) for key, some in right.items()]
    return People(_one_group(path, scores), questions)


def _one_group(path: Path, scores: Sequence[PersonScore]) -> Sequence[PersonScore]:
    groups: dict[str, str] = {}
    for one in scores:
        if groups.setdefault(one.person, one.group) != one.group:
            raise InputError(f"--human {path}: {one_line(one.person, 40)} is in two groups. Give each person one")
    return scores


def _named(path: Path, line: int, row: Mapping[str, str | None]) -> tuple[str, str]:
    if None in row or None in row.values():  # what csv calls a cell too many, or one too few
        raise InputError(
            f"--human {path} line {line}: more or fewer cells than columns. Put texts with commas in quotes"
        )
    if not _cell(row, "person"):
        raise InputError(f"--human {path} line {line}: no person. Name who answered, the same in all rows of a person")
    return _cell(row, "person"), _cell(row, "kind")


def _number(path: Path, line: int, row: Mapping[str, str | None], name: str) -> int:
    text = _cell(row, name)
    if not (text.isascii() and text.isdigit() and len(text) < 7):
        problem = f'{name} is "{one_line(text, 40)}", expected a whole number'
        raise InputError(f"--human {path} line {line}: {problem}")
    return int(text)


def _cell(row: Mapping[str, str | None], name: str) -> str:
    return (row.get(name) or "").strip()


def _shown(person: str, what: str) -> str:
    return f"{one_line(person, 40)}, {one_line(what, 40)}" if what else one_line(person, 40)
