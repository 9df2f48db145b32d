"""Reading a HuLU file as upstream lays it out: find it, bring every row into our one spelling, check it.

The files of six corpora are JSON arrays, some with a byte order mark. HuRC is read from a JSON array, JSON Lines or
Parquet, distinguished by their first bytes. No file is held in memory as a whole, only its ids.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hf_datasets.hulu.corpora import CORPORA
from hf_datasets.hulu.schema import IDS, LABELS
from hf_datasets.json_stream import JsonFaultError, array_entries, utf8_pieces
from hf_datasets.parquet import parquet_rows
from hf_datasets.repo import FileFaultError, MissingError, Row
from hf_datasets.text_files import foreign_kind, json_rows, json_type
from hf_datasets.wording import first_fault
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line

SPLITS = ("train", "validation", "test")


def path_of(config: str, split: str) -> str:
    """Where a split's file lies below the dataset's folder.

    >>> path_of("hucola", "validation")
    'hucola/cola_dev.json'
    """
    return f"{config}/{CORPORA[config].split(split).file}"


def read(folder: Path, config: str, split: str) -> Iterator[Row]:
    """The converted rows of a split, one at a time, in file order.

    Args:
        folder: has `hucola/cola_train.json` and so on.
        config: `hucola`, `hucopa`, `hurte`, `husst`, `huwnli`, `hucb` or `hurc`.
        split: `train`, `validation` or `test`.

    Raises:
        MissingError: the folder has no such file.
        DataError: it cannot be read, or a row breaks the schema; one line with file, row (counted from 1) and field.
    """
    path = find(folder, config, split)
    name = f"{config}/{path.name}"
    shown = one_line(path, 300)
    fix = f"in {shown}, or pull a fresh copy: hueval data pull hulu"
    check = _RowCheck(config, split)
    try:
        for value in _values(path, config):
            yield check.row(value)
    except _RowFaultError as fault:
        raise FileFaultError(f"{name} {fault}", f"Fix the row {fix}") from None
    except JsonFaultError as fault:
        raise FileFaultError(f"{name} {fault}", f"Fix it {fix}") from None
    except OSError as problem:
        raise DataError(
            f"cannot read {shown} ({problem.strerror or one_line(problem)}). Fix its permissions, or use another copy"
        ) from None
    if not check.count:
        raise FileFaultError(f"{name} has no rows", f"Put them back {fix}")


def find(folder: Path, config: str, split: str) -> Path:
    """The file of a split in a folder in upstream's layout.

    Raises:
        MissingError: there is none.
    """
    path = folder / path_of(config, split)
    suffixes = (".json", ".jsonl", ".parquet") if CORPORA[config].is_free_form else (".json",)
    for suffix in suffixes:
        if (found := path.with_suffix(suffix)).is_file():
            return found
    raise MissingError(
        f"{one_line(path, 300)} is missing. Put it there, or pull the published files: hueval data pull hulu"
    )


def _values(path: Path, config: str) -> Iterator[object]:
    """The file's rows as they are."""
    with path.open("rb") as file:
        head = file.read(200)
        if CORPORA[config].is_free_form and head.startswith(b"PAR1"):
            yield from _parquet_rows(path)
        elif kind := foreign_kind(head):
            raise JsonFaultError(f"is {kind}, expected JSON")
        elif CORPORA[config].is_free_form and head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            yield from (row for _, row in json_rows(path))
        else:
            file.seek(0)
            yield from array_entries(utf8_pieces(file))


def _parquet_rows(path: Path) -> Iterator[object]:
    import pyarrow as pa

    try:
        yield from parquet_rows(path)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise JsonFaultError(f"is damaged Parquet ({one_line(error, 80)})") from None


class _RowFaultError(Exception):
    """What is wrong with a row. The text goes on where the file's name ends."""


class _RowCheck:
    """Brings the rows of one file into our spelling, and sees that they agree with one another.

    Attributes:
        count: how many rows it saw.
    """

    def __init__(self, config: str, split: str) -> None:
        self._corpus = CORPORA[config]
        self._hides_labels = split == "test"
        self._row_of: dict[str, int] = {}  # by id
        self._first_label: object = None
        self._numbers_rows = False
        self.count = 0

    def row(self, value: object) -> Row:
        """A converted row.

        Raises:
            _RowFaultError: it breaks the schema, or does not fit the rows before it.
        """
        self.count += 1
        if not isinstance(value, dict):
            raise _RowFaultError(f"row {self.count}: is {json_type(value)}, expected an object")
        if self.count == 1:
            self._numbers_rows = self._corpus.is_free_form and value.keys().isdisjoint(IDS)
        if self._numbers_rows:
            value = {"id": self.count - 1, **value}
        known = next((value[spelling] for spelling in IDS if spelling in value), None)
        place = f"row {self.count}" + (f" (id {one_line(known, 40)}): " if isinstance(known, str | int) else ": ")
        try:
            row = self._corpus.row.model_validate(value).model_dump()
        except ValidationError as error:
            raise _RowFaultError(place + first_fault(self._corpus.row, error)) from None
        if fault := self._label_fault(value, row):
            raise _RowFaultError(place + fault)
        if row["id"] in self._row_of:
            raise _RowFaultError(f'{place}"id" duplicates that in row {self._row_of[row["id"]]}, expected once')
        self._row_of[row["id"]] = self.count
        return row

    def _label_fault(self, value: dict[str, Any], row: Row) -> str | None:
        if row["label"] is None:
            return None if self._hides_labels else '"label" is missing, expected one outside of the test split'
        raw = next(value[spelling] for spelling in LABELS if value.get(spelling) is not None)
        if self._first_label is None:
            self._first_label = raw
        if type(raw) is not type(self._first_label):
            return f'"label" is {json_type(raw)}, expected {json_type(self._first_label)} as in the rows before'
        return None
