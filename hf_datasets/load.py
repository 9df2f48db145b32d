"""The rows of a split for a task, the same from every source: located, checked, and read once in a process.

Rows are counted, not assumed: the papers' versions differ from the files, and from one another.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from hf_datasets.converted import MANIFEST, Converted
from hf_datasets.locate import Source, locate
from hf_datasets.repo import DatasetRepo, FileFaultError, Row, Table, content_hash
from hf_datasets.wording import first_fault
from hueval_metrics.records import DataError
from hueval_metrics.text.one_line import one_line

_KEPT = 16  # splits; the newest of them
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
        """What a results file tells of the data."""
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
        data_dir: a folder that has the file; see `locate` for what happens without one.

    Raises:
        InputError: there is no such config or split.
        DataError: the file is not found, or is not what it should be; the text names the place and the field.
    """
    table = repo.table(config, split)
    source, found = locate(table, data_dir)
    digest = source.blob_id if isinstance(found, Path) else found.manifest.configs[table.config.name][split].sha256
    key = (repo.name, table.config.name, split, str(source.path), digest)
    if key not in _kept:
        rows = _file_rows(table, found, source) if isinstance(found, Path) else _copied_rows(table, found)
        _kept[key] = rows, content_hash(rows)
        for oldest in list(_kept)[:-_KEPT]:
            del _kept[oldest]
    rows, content = _kept[key]
    return Loaded(rows, source, str(table), content)


def _file_rows(table: Table, folder: Path, source: Source) -> list[Row]:
    try:
        return list(table.repo.read(folder, table.config.name, table.split.name))
    except FileFaultError as error:
        if source.origin == "folder":
            raise
        if source.sample:
            raise DataError(f"{error.fault}. This is the packaged sample: reinstall hueval") from None
        if table.official is None or table.official.blob_id != source.blob_id:
            raise
        raise DataError(
            f"{error.fault}. This is the published file, byte for byte, so the schema is wrong: please report it; "
            "until then set HUEVAL_DATA_DIR to a folder with a corrected copy"
        ) from None


def _copied_rows(table: Table, copy: Converted) -> list[Row]:
    """The rows of a converted copy, which anyone may have made: checked as those of a file, and against its hash."""
    entry = copy.manifest.configs[table.config.name][table.split.name]
    fix = f"Convert the data again, or pull a fresh copy: hueval data pull {table.repo.name}"
    rows: list[Row] = []
    place_of: dict[tuple[Any, ...], str] = {}
    name = table.config.id_fields[0]
    for number, row in enumerate(copy.rows(table.config.name, table.split.name), start=1):
        key = tuple(row.get(field) for field in table.config.id_fields)
        where = f"{entry.file} row {number} ({name} {one_line(key[0], 40)})"
        try:
            rows.append(table.config.row.model_validate(row).model_dump())
        except ValidationError as error:
            raise DataError(f"{where}: {first_fault(table.config.row, error)}. {fix}") from None
        if key in place_of:
            raise DataError(f'{where}: "{name}" duplicates that in {place_of[key]}, expected once. {fix}')
        place_of[key] = f"row {number}"
    if not rows:
        raise DataError(f"{entry.file} is empty, expected a row at least. {fix}")
    if (found := content_hash(rows)) != entry.content:
        raise DataError(
            f"{entry.file} has other content than {MANIFEST} says ({found}, expected {entry.content}). {fix}"
        )
    return rows
