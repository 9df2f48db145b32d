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
from hueval_metrics.errors import DataError, InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.submission.wording import SHARED, Found, Wording, listed
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.write_json import json_text
from hueval_metrics.words.texts import Texts, Words, each
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.hulu.submission.read import Document, documents

SPLITS = ("test", "validation")  # whose rows a file may be of; the site takes the first
WORDING = Wording(SHARED | Words(Path(__file__).parents[1] / "words", "faults"))
_SHOWN = 5  # faults of a kind that are printed one by one, and names in one fault
_MOST_VALUES = 200_000  # of a file; those of all corpora together have a tenth. Bounds memory and faults
_MARK = b"\xef\xbb\xbf"  # of UTF-8
_FORM = WORDING.phrase("form")
_TAKE_IDS = WORDING.phrase("take_test_ids")


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
    faults: list[Found]

    @property
    def title(self) -> str:
        """The corpus as the paper calls it."""
        return CORPORA[self.corpus].title

    def lines(self) -> Iterator[str]:
        """Every fault as a line, of each kind the first five and how many more there are."""
        by_kind: dict[str, list[Found]] = {}
        for fault in self.faults:
            by_kind.setdefault(WORDING.kind(fault), []).append(fault)
        for kind, same in by_kind.items():
            yield from (f"{self.document.name}: {WORDING.printed(fault)}" for fault in same[:_SHOWN])
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
            one.faults.append(Found("same_corpus", None, {"title": one.title, "other": twin.document.name}))
    return found


def check(document: Document, corpus: str | None = None, split: str = "test", data_dir: str | None = None) -> Checked:
    """Check a file against the rows of its corpus.

    Args:
        document: the file.
        corpus: whose labels it should have; None for the corpus in the file's name.
        split: the rows that it should have labels of, `test` or `validation`.
        data_dir: the folder with the data, see `hf_datasets.locate`.

    Raises:
        InputError, DataError: see `row_ids`.
    """
    corpus = corpus or document.corpus or ""
    faults: list[Found] = []
    rows = list(_rows(document.content, faults))
    known = {row.id: row.label for row in rows if row.id is not None and isinstance(row.label, str)}
    found = Checked(document, corpus, known, faults)
    if not corpus:
        alike = _alike(rows, data_dir)
        hint = WORDING.phrase("its_ids_are", rows=_named(*alike[0])) if alike else ""
        faults.append(Found("which_corpus", None, {"hint": hint}))
    elif rows:
        expected = row_ids(corpus, split, data_dir)
        of_ids = list(_id_faults(rows, expected, corpus, split))
        of_labels = list(_label_faults(rows, corpus))
        alike = _alike(rows, data_dir) if of_ids or len(of_labels) == len(rows) else []
        if alike and (corpus, split) not in alike:
            faults.append(_other_file(corpus, split, *alike[0]))
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
    def place(self) -> Texts:
        """For messages."""
        if self.id is None:
            return WORDING.phrase("place_alone", row=self.number)
        return WORDING.phrase("place", row=self.number, id=one_line(self.id, 40))


_ABSENT = object()


class _Repeated(dict[str, Any]):
    """A JSON object in which a key occurs more than once."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        counts = Counter(key for key, _ in pairs)
        self.keys_repeated = [key for key, count in counts.items() if count > 1]


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _Repeated(pairs)


def _rows(content: bytes, faults: list[Found]) -> Iterator[_Row]:
    """The rows of a file; what is wrong with its form goes to `faults`."""
    if content.startswith(_MARK):
        faults.append(Found("bom"))
    for number, value in enumerate(_array(content, faults), 1):
        if not isinstance(value, dict):
            faults.append(Found("not_object", number, {"what": WORDING.word(json_type(value)), "form": _FORM}))
            continue
        yield _row(number, value, faults)


def _array(content: bytes, faults: list[Found]) -> Sequence[object]:
    def refused(code: str, **values: Any) -> Sequence[object]:
        faults.append(Found(code, None, {**values, "form": _FORM}))
        return ()

    if kind := foreign_kind(content):
        return refused("foreign", what=WORDING.word(kind))
    if sum(map(content.count, (b",", b"[", b"{"))) > _MOST_VALUES:
        return refused("too_many_values", most=_MOST_VALUES)
    try:
        value = parse_json(content.decode("utf-8-sig"), _object)
    except UnicodeDecodeError as error:
        return refused("not_utf8", byte=error.start)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data" and content.removeprefix(_MARK).lstrip().startswith(b"{"):
            return refused("json_lines")
        return refused("not_json_at", line=error.lineno, column=error.colno, reason=error.msg)
    except ValueError as error:
        return refused("not_json", reason=one_line(error, 80))
    if not isinstance(value, list):
        return refused("not_array", what=WORDING.word(json_type(value)))
    return value or refused("empty")


def _row(number: int, value: dict[str, Any], faults: list[Found]) -> _Row:
    keys = {wanted: _key(value, wanted, spellings) for wanted, spellings in (("id", IDS), ("label", LABELS))}
    given, label = (_ABSENT if key is None else value[key] for key in keys.values())
    row = _Row(number, _whole(given), label)

    def add(code: str, **values: Any) -> None:
        faults.append(Found(code, number, {"place": row.place, "form": _FORM, **values}))

    for repeated in value.keys_repeated[:_SHOWN] if isinstance(value, _Repeated) else ():
        add("key_twice", key=one_line(repeated, 40))
    for wanted, key in keys.items():
        if key is None:
            add("no_key", wanted=wanted)
        elif key != wanted:
            add("renamed", key=one_line(key, 40), wanted=wanted)
    if others := [key for key in value if key not in keys.values()]:
        named = ", ".join(f'"{one_line(key, 40)}"' for key in others[:_SHOWN])
        add("extra", named=named + ", …" * (len(others) > _SHOWN))
    if given is not _ABSENT and not isinstance(given, str):
        shown = "" if given is None else f" ({one_line(json.dumps(given), 40)})"
        add("id_type", what=WORDING.word(json_type(given)), shown=shown)
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
            with suppress(DataError):  # this one is not available
                if labels <= set(CORPORA[corpus].labels) and ids == set(row_ids(corpus, split, data_dir)):
                    found.append((corpus, split))
    return found


def _named(corpus: str, split: str) -> Texts:
    return WORDING.phrase("rows_of", title=CORPORA[corpus].title, split=split)


def _other_file(corpus: str, split: str, found_corpus: str, found_split: str) -> Found:
    values = {"found": _named(found_corpus, found_split), "expected": _named(corpus, split)}
    if found_corpus != corpus:
        return Found("other_corpus", None, {**values, "title": CORPORA[found_corpus].title, "name": found_corpus})
    return Found("other_split_than_test" if split == "test" else "other_split", None, {**values, "split": found_split})


def _id_faults(rows: Sequence[_Row], expected: Sequence[str], corpus: str, split: str) -> Iterator[Found]:
    given = [row.id for row in rows]
    for start in (0, 1):
        if given == [str(number) for number in range(start, start + len(expected))] != expected:
            yield _numbered(expected, start, corpus)
            return
    wanted = set(expected)
    first: dict[str, _Row] = {}
    for row in rows:
        if row.id is None:
            continue
        if row.id not in wanted:
            values = {"place": row.place, "rows": _named(corpus, split), "hint": _nearest(row.id, wanted)}
            yield Found("id_unknown", row.number, values)
        if (earlier := first.setdefault(row.id, row)) is not row:
            yield Found("id_twice", row.number, {"place": row.place, "earlier": earlier.number})
    missing = [one for one in expected if one not in first]
    if len(missing) == 1:
        yield Found("id_missing", None, {"id": missing[0]})
    elif missing:
        yield Found("ids_missing", None, {"n": len(missing), "ids": listed(missing)})
    known = [one for one in first if one in wanted]
    in_order = [one for one in expected if one in first]
    for one, other in zip(known, in_order, strict=True):
        if one != other:
            yield Found("order", first[one].number, {"place": first[one].place, "expected": other})
            return


def _numbered(expected: Sequence[str], start: int, corpus: str) -> Found:
    """The fault of ids that count the rows instead of naming them."""
    title, place = CORPORA[corpus].title, next(i for i, one in enumerate(expected) if one != str(i + start))
    there = {int(one) for one in expected if one.isdecimal()}
    gaps = [f'"{number}"' for number in range(min(there), max(there)) if number not in there]
    why = WORDING.phrase("begins_with", title=title, first=expected[0])
    if gaps:
        why = WORDING.phrase("has_gaps", title=title, gaps=", ".join(gaps[:_SHOWN]))
    at = {"row_from": place + 1, "given": place + start, "expected": expected[place]}
    return Found("ids_numbered", None, {"start": start, "why": why, "take_ids": _TAKE_IDS, **at})


def _nearest(given: str, wanted: set[str]) -> Texts:
    number = re.search(r"\d{1,9}", given)
    found = str(int(number[0])) if number else ""
    return WORDING.phrase("write_id", id=found) if found in wanted else _TAKE_IDS


def label_fault(row: int, place: Texts, label: Any, corpus: str) -> Found | None:
    """What is wrong with the label in a row; None if it is one of the corpus.

    Args:
        row: of the file, from 1.
        place: the row in words.
        label: any JSON value.
        corpus: a key of `corpora.CORPORA`.
    """
    title, known, words = CORPORA[corpus].title, CORPORA[corpus].labels, CORPORA[corpus].words
    if isinstance(label, str) and label in known:
        return None
    values = {"place": place, "title": title, "shown": one_line(json_text(label), 40)}
    if corpus == "hucopa" and str(label) == "0":
        return Found("label_from_zero", row, values)
    if not isinstance(label, str) and (number := _whole(label)) and number in known:
        return Found("label_number", row, {**values, "expected": number})
    if isinstance(label, str):
        meant = label.strip().casefold()
        if meant in known:
            return Found("label_spelled", row, {**values, "expected": meant})
        if found := next((one for one, word in words.items() if word == meant), None):
            return Found("label_word", row, {**values, "expected": found})
    by = WORDING.phrase("and_or")
    on_offer = each(lambda language: by[language].join(f'"{one}"' for one in known))
    return Found("label_unknown", row, {**values, "on_offer": on_offer})


def _label_faults(rows: Sequence[_Row], corpus: str) -> Iterator[Found]:
    known = CORPORA[corpus].labels
    for row in rows:
        if row.label is _ABSENT or (isinstance(row.label, str) and row.label in known):
            continue  # most rows, whose place needs no words
        if (fault := label_fault(row.number, row.place, row.label, corpus)) is not None:
            yield fault
