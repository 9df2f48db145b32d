"""The rows of a split for a task: located, checked, and read once in a process, the same from every source.

Rows are counted, not assumed: the papers' versions differ from the files, and from one another.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hf_datasets.converted import MANIFEST, Converted
from hf_datasets.locate import Source, locate
from hf_datasets.repo import DatasetRepo, FileFaultError, Row, Table, content_hash
from hf_datasets.wording import first_fault
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line

_KEPT = 200_000  # rows; the newest of them, and always the split asked for: as many as a run of one family has
_kept: dict[tuple[str, ...], tuple[list[Row], str]] = {}


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rows of a split.

    Attributes:
        rows: in file order, in the form that all sources have in common. Other callers get the same list: do not change
            it.
        source: where they came from.
        file: the name of the file, as upstream lays it out.
        content: their `repo.content_hash`.
    """

    rows: list[Row]
    source: Source
    file: str
    content: str

    @property
    def provenance(self) -> dict[str, Any]:
        """The part of a results file that describes the data."""
        return {
            "file": self.file,
            "git_blob_id": self.source.blob_id,
            "content": self.content,
            "repo": self.source.repo,
            "revision": self.source.revision,
            "origin": self.source.origin,
            "sample": self.source.sample,
        }


def load(repo: DatasetRepo, config: str, split: str = "test", data_dir: str | os.PathLike[str] | None = None) -> Loaded:
    """All rows of a split, checked and converted.

    A file that has not changed is parsed once in a process, however many tasks and checks ask for it.

    Args:
        repo: the data set.
        config, split: their names.
        data_dir: a folder that has the file; see `locate` for the sources that are tried without one.

    Raises:
        InputError: there is no such config or split.
        MissingError: the file is not found.
        DataError: its content is wrong; the text names the place and the field.
    """
    table = repo.table(config, split)
    source = locate(table, data_dir)
    place = source.place
    digest = source.blob_id if isinstance(place, Path) else place.entry(table.config.name, split).sha256
    key = (repo.name, table.config.name, split, str(source.path), digest)
    if key not in _kept:
        rows = _rows_of_file(table, source, place) if isinstance(place, Path) else list(_rows_of_copy(table, place))
        content = content_hash(rows)
        if isinstance(place, Converted) and content != (listed := place.entry(table.config.name, split)).content:
            raise DataError(
                f"{listed.file} has other content than {MANIFEST} says ({content}, expected {listed.content}). "
                f"{_again(table)}"
            )
        _kept[key] = rows, content
        while len(_kept) > 1 and sum(len(kept) for kept, _ in _kept.values()) > _KEPT:
            del _kept[next(iter(_kept))]
    rows, content = _kept[key]
    return Loaded(rows, source, str(table), content)


def _rows_of_file(table: Table, source: Source, folder: Path) -> list[Row]:
    try:
        return list(table.repo.read(folder, table.config.name, table.split.name))
    except FileFaultError as error:
        if source.sample:
            raise DataError(f"{error.fault}. This is the packaged sample: reinstall hueval") from None
        if source.origin == "folder" or table.official is None or table.official.blob_id != source.blob_id:
            raise
        raise DataError(
            f"{error.fault}. This is the published file, byte for byte, so the schema is wrong: please report it; "
            "until then set HUEVAL_DATA_DIR to a folder with a corrected copy"
        ) from None


def _rows_of_copy(table: Table, copy: Converted) -> Iterator[Row]:
    """The rows of a converted copy, which anyone may have made, so they are checked as those of a file are."""
    file = copy.entry(table.config.name, table.split.name).file
    first_with: dict[tuple[Any, ...], int] = {}
    name = table.config.id_fields[0]
    for number, row in enumerate(copy.rows(table.config.name, table.split.name), start=1):
        key = tuple(row.get(field) for field in table.config.id_fields)
        where = f"{file} row {number} ({name} {one_line(key[0], 40)})"
        try:
            yield table.config.row.model_validate(row).model_dump()
        except ValidationError as error:
            raise DataError(f"{where}: {first_fault(table.config.row, error)}. {_again(table)}") from None
        if (first := first_with.setdefault(key, number)) != number:
            raise DataError(f'{where}: "{name}" duplicates that in row {first}, expected once. {_again(table)}')
    if not first_with:
        raise DataError(f"{file} is empty, expected a row at least. {_again(table)}")


def _again(table: Table) -> str:
    return f"Convert the data again, or pull a fresh copy: hueval data pull {table.repo.name}"
