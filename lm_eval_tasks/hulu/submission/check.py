"""What is wrong with the labels of one corpus in a submission, each fault in one line.

The site takes, for each corpus, JSON in the format of the corpus's own files with the id and the label of every test
row (HuLU §3.1): an array of `{"id": "…", "label": "…"}`, both strings, in the order of the test file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hf_datasets.hulu.schema import IDS, LABELS
from hf_datasets.load import load
from hf_datasets.repo import dataset_repo
from hf_datasets.text_files import foreign_kind, json_type
from hueval_metrics.records import DataError, InputError
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.one_line import one_line
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.submission.read import Document, documents

SPLITS = ("test", "validation")  # whose rows a file may be of; the site takes the first
_SHOWN = 5  # faults of a kind that are printed one by one
_MARK = b"\xef\xbb\xbf"  # of UTF-8
_FORM = 'Write an array of {"id": "…", "label": "…"}'
_TEST = "Take the ids of the test file, row by row"


@dataclass(frozen=True)
class Fault:
    """What is wrong with a file.

    Attributes:
        kind: faults of one kind are counted together; goes on after "3 more, where …".
        text: where, what, and how to fix it.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Checked:
    """A file as far as it can be read.

    Attributes:
        document: the file.
        corpus: whose labels it was checked as; empty where that is not known.
        labels: id → label, each of the corpus, in the file's order; complete where there are no faults.
        faults: in the order of the checks.
    """

    document: Document
    corpus: str
    labels: dict[str, str]
    faults: list[Fault]

    @property
    def title(self) -> str:
        """The corpus as the paper calls it."""
        return CORPORA[self.corpus].title

    def lines(self) -> Iterator[str]:
        """Every fault as a line, of each kind the first five and how many more there are."""
        for kind in dict.fromkeys(fault.kind for fault in self.faults):
            same = [fault for fault in self.faults if fault.kind == kind]
            yield from (f"{self.document.name}: {fault.text}" for fault in same[:_SHOWN])
            if len(same) > _SHOWN:
                yield f"{self.document.name}: {len(same) - _SHOWN:,} more, where {kind}"


def check_file(
    path: Path, corpus: str | None = None, split: str = "test", data_dir: str | None = None
) -> list[Checked]:
    """Check a file, or all files of an archive.

    Args:
        path: a JSON file, or a zip archive of some.
        corpus, split, data_dir: as for `check`.

    Raises:
        InputError: it cannot be read, or one corpus is given for several files; see also `row_ids`.
        DataError: see `row_ids`.
    """
    found = [check(document, corpus, split, data_dir) for document in documents(path)]
    if corpus and len(found) > 1:
        raise InputError(f"{path}: has {len(found)} files, and --corpus is for one. Leave it out")
    for place, one in enumerate(found):
        if twin := next((other for other in found[:place] if one.corpus and other.corpus == one.corpus), None):
            text = f"is of {one.title}, as is {twin.document.name}. Leave one of them out"
            one.faults.append(Fault("", text))
    return found


def check(document: Document, corpus: str | None = None, split: str = "test", data_dir: str | None = None) -> Checked:
    """Check a file against the rows of its corpus.

    Args:
        document: the file.
        corpus: whose labels it should have; None for the corpus that the file's name tells.
        split: the rows that it should have labels of, `test` or `validation`.
        data_dir: the folder with the data, see `hf_datasets.locate`.

    Raises:
        InputError, DataError: see `row_ids`.
    """
    corpus = corpus or document.corpus or ""
    faults: list[Fault] = []
    rows = list(_rows(document.content, faults))
    known = {row.id: row.label for row in rows if row.id is not None and isinstance(row.label, str)}
    found = Checked(document, corpus, known, faults)
    if not corpus:
        alike = _alike(rows, data_dir)
        hint = f" Its ids are those of {_named(*alike[0])}." if alike else ""
        faults.append(Fault("", f"which corpus?{hint} Name the file after it, such as HuCOLA.json, or give --corpus"))
    elif rows:
        expected = row_ids(corpus, split, data_dir)
        of_ids = list(_id_faults(rows, expected, corpus, split))
        of_labels = list(_label_faults(rows, corpus))
        alike = _alike(rows, data_dir) if of_ids or len(of_labels) == len(rows) else []
        if alike and (corpus, split) not in alike:
            faults.append(Fault("", _other_file(corpus, split, *alike[0])))
        else:
            faults += [*of_ids, *of_labels]
    return found


def row_ids(corpus: str, split: str, data_dir: str | None = None) -> list[str]:
    """The ids of a corpus's rows, in file order.

    Raises:
        InputError: they would be those of the packaged sample.
        DataError: they cannot be found.
    """
    found = load(dataset_repo("hulu"), corpus, split, data_dir)
    if found.source.sample:
        raise InputError("HUEVAL_SAMPLE is set, and a submission is of the whole benchmark. Unset it")
    return [row["id"] for row in found.rows]


@dataclass(frozen=True)
class _Row:
    """A row of the file.

    Attributes:
        number: from 1.
        id: the id as a text, even where it is a number; None where there is none.
        label: any JSON value, `_ABSENT` where there is none.
    """

    number: int
    id: str | None
    label: Any

    @property
    def place(self) -> str:
        """For messages."""
        return f"row {self.number}" + ("" if self.id is None else f' (id "{one_line(self.id, 40)}")')


_ABSENT = object()


class _Repeated(dict[str, Any]):
    """A JSON object in which a key stands more than once."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs)
        self.keys_repeated = [key for key, count in counts.items() if count > 1]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Repeated(pairs)


def _rows(content: bytes, faults: list[Fault]) -> Iterator[_Row]:
    """The rows of a file; what is wrong with its form goes to `faults`."""
    if content.startswith(_MARK):
        faults.append(Fault("", "begins with a byte order mark (BOM). Save it as UTF-8 without one"))
    for number, value in enumerate(_array(content, faults), 1):
        if not isinstance(value, dict):
            text = f"row {number}: is {json_type(value)}, expected an object. {_FORM}"
            faults.append(Fault("the row is not an object", text))
            continue
        yield _row(number, value, faults)


def _array(content: bytes, faults: list[Fault]) -> Sequence[object]:
    if kind := foreign_kind(content):
        faults.append(Fault("", f"is {kind}, expected JSON in UTF-8. {_FORM}"))
        return ()
    try:
        value = parse_json(content.decode("utf-8-sig"), _object)
    except UnicodeDecodeError as error:
        faults.append(Fault("", f"is not UTF-8 text (byte {error.start}). Save it as UTF-8"))
        return ()
    except json.JSONDecodeError as error:
        is_lines = error.msg == "Extra data" and content.removeprefix(_MARK).lstrip().startswith(b"{")
        what = "is JSON Lines" if is_lines else f"is not JSON (line {error.lineno} column {error.colno}: {error.msg})"
        faults.append(Fault("", f"{what}. {_FORM}"))
        return ()
    except ValueError as error:
        faults.append(Fault("", f"is not JSON ({one_line(error, 80)}). {_FORM}"))
        return ()
    if not isinstance(value, list):
        faults.append(Fault("", f"is {json_type(value)}, expected an array. {_FORM}"))
        return ()
    if not value:
        faults.append(Fault("", f"is an empty array. {_FORM}, one for each row"))
    return value


def _row(number: int, value: dict[str, Any], faults: list[Fault]) -> _Row:
    keys = {wanted: _key(value, wanted, spellings) for wanted, spellings in (("id", IDS), ("label", LABELS))}
    given, label = (_ABSENT if key is None else value[key] for key in keys.values())
    row = _Row(number, _whole(given), label)
    for repeated in value.keys_repeated if isinstance(value, _Repeated) else ():
        text = f'{row.place}: has "{one_line(repeated, 40)}" more than once. Leave one of them'
        faults.append(Fault("a key stands more than once", text))
    for wanted, key in keys.items():
        if key is None:
            faults.append(Fault(f'there is no "{wanted}"', f'{row.place}: has no "{wanted}". {_FORM}'))
        elif key != wanted:
            text = f'{row.place}: has "{one_line(key, 40)}" instead of "{wanted}". Rename it'
            faults.append(Fault(f'"{wanted}" has another name', text))
    if others := [one_line(key, 40) for key in value if key not in keys.values()]:
        named = ", ".join(f'"{key}"' for key in others)
        text = f"{row.place}: has {named} beside id and label. Leave out all but these two"
        faults.append(Fault(f"there is {named}", text))
    if given is not _ABSENT and not isinstance(given, str):
        shown = "null" if given is None else f"{json_type(given)} ({one_line(json.dumps(given), 40)})"
        faults.append(Fault("the id is not a string", f"row {number}: its id is {shown}, expected a string. Quote it"))
    return row


def _key(value: dict[str, Any], wanted: str, spellings: Iterable[str]) -> str | None:
    """The key under which a row has its id or label, whatever its case."""
    known = {spelling.casefold() for spelling in spellings}
    return wanted if wanted in value else next((key for key in value if key.casefold() in known), None)


def _whole(given: object) -> str | None:
    """The text of a string or a whole number; None of other values."""
    if isinstance(given, float) and given.is_integer():  # pandas makes 5.0 of an id in a column with gaps
        given = int(given)
    return given if isinstance(given, str) else str(given) if type(given) is int else None


def _alike(rows: Sequence[_Row], data_dir: str | None) -> list[tuple[str, str]]:
    """Every corpus and split that has these ids and these labels."""
    ids, labels = {row.id for row in rows}, {str(row.label) for row in rows}
    found = []
    for split in SPLITS:
        for corpus in CORPORA:
            with suppress(DataError):  # this one is not at hand
                if labels <= set(CORPORA[corpus].labels) and ids == set(row_ids(corpus, split, data_dir)):
                    found.append((corpus, split))
    return found


def _named(corpus: str, split: str) -> str:
    return f"{CORPORA[corpus].title}'s {split} rows"


def _other_file(corpus: str, split: str, found_corpus: str, found_split: str) -> str:
    text = f"has the ids of {_named(found_corpus, found_split)}, expected those of {_named(corpus, split)}."
    if found_corpus != corpus:
        return f"{text} Name it {CORPORA[found_corpus].title}.json, or give --corpus {found_corpus}"
    if split == "test":
        return f"""{text} Predict the test rows: hueval run --metadata '{{"split": "test"}}'"""
    return f"{text} Give --split {found_split}"


def _id_faults(rows: Sequence[_Row], expected: Sequence[str], corpus: str, split: str) -> Iterator[Fault]:
    given = [row.id for row in rows]
    for start in (0, 1):
        if given == [str(number) for number in range(start, start + len(expected))] != expected:
            yield Fault("", _numbered(expected, start, corpus))
            return
    wanted = set(expected)
    first: dict[str, _Row] = {}
    for row in rows:
        if row.id is None:
            continue
        if row.id not in wanted:
            yield Fault(
                "the id is unknown", f"{row.place}: is not in {_named(corpus, split)}.{_nearest(row.id, wanted)}"
            )
        if (earlier := first.setdefault(row.id, row)) is not row:
            text = f"{row.place}: stands in row {earlier.number}, too. Leave one of them"
            yield Fault("the id was there before", text)
    for one in expected:
        if one not in first:
            yield Fault("the id is missing", f'id "{one}": is missing. Add its label: every row needs one')
    known = [one for one in first if one in wanted]
    in_order = [one for one in expected if one in first]
    for one, other in zip(known, in_order, strict=True):
        if one != other:
            text = (
                f'{first[one].place}: expected id "{other}" here: another order than the test file\'s. Sort the rows so'
            )
            yield Fault("", text)
            return


def _numbered(expected: Sequence[str], start: int, corpus: str) -> str:
    """The line on ids that count the rows instead of naming them."""
    title, place = CORPORA[corpus].title, next(i for i, one in enumerate(expected) if one != str(i + start))
    there = {int(one) for one in expected if one.isdecimal()}
    gaps = [f'"{number}"' for number in range(min(there), max(there)) if number not in there]
    why = f"{title}'s have gaps ({', '.join(gaps[:_SHOWN])})" if gaps else f'{title}\'s begin with "{expected[0]}"'
    return (
        f'its ids number the rows from {start}, and {why}: from row {place + 1} on (id "{place + start}", expected '
        f'"{expected[place]}") every label is another row\'s. {_TEST}'
    )


def _nearest(given: str, wanted: set[str]) -> str:
    number = re.search(r"\d{1,9}", given)
    found = str(int(number[0])) if number else ""
    return f' Write it "{found}"' if found in wanted else f" {_TEST}"


def _label_faults(rows: Sequence[_Row], corpus: str) -> Iterator[Fault]:
    known = CORPORA[corpus].labels
    for row in rows:
        if row.label is _ABSENT or (isinstance(row.label, str) and row.label in known):
            continue
        kind, what = _label_fault(row.label, corpus)
        yield Fault(kind, f"{row.place}: {what}")


def _label_fault(label: Any, corpus: str) -> tuple[str, str]:
    """The kind of a label's fault, and what it is."""
    title, known, words = CORPORA[corpus].title, CORPORA[corpus].labels, CORPORA[corpus].words
    shown = one_line(json.dumps(label, ensure_ascii=False), 40)
    if corpus == "hucopa" and str(label) == "0":
        text = (
            f'label {shown}: {title}\'s labels are "1" and "2". Where yours count from 0, "1" means the second choice, '
            "too: add one to each"
        )
        return 'the label is "0"', text
    if not isinstance(label, str) and (number := _whole(label)) and number in known:
        return "the label is a number", f'label {shown} is a number, expected the string "{number}". Quote it'
    if isinstance(label, str):
        meant = label.strip().casefold()
        if meant in known:
            return "the label is spelled otherwise", f'label {shown}: expected "{meant}". Write it so'
        if found := next((one for one, word in words.items() if word == meant), None):
            return "the label is a word", f'label {shown} is the word for it, expected "{found}"'
    on_offer = " or ".join(f'"{one}"' for one in known)
    return "the label is none of the corpus", f"label {shown}: {title} has {on_offer}. Write one of them"
