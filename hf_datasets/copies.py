"""Converted copies in the place of official files: in a folder, in the cache, or on the Hub.

A converted copy stands for the file that it was made from, so that results from either have one signature: its manifest
has the git blob id, and the content hash proves it where that of the official rows is known.
"""

from __future__ import annotations

import os
from pathlib import Path

from hf_datasets.converted import MANIFEST, Converted, is_converted, parse_manifest, read_converted, sha256_of
from hf_datasets.fetch import put
from hf_datasets.hub import download, kept_folder
from hf_datasets.network import UnavailableError
from hf_datasets.repo import Table
from hueval_metrics.records import DataError
from hueval_metrics.text.files import read_bytes


def copy_in(table: Table, folder: Path) -> Converted | None:
    """The converted copy in a folder, if it has the table's rows.

    Args:
        table: the split that is looked for.
        folder: may have anything in it.

    Raises:
        DataError: the copy's manifest is damaged.
    """
    if not is_converted(folder):
        return None
    copy = read_converted(folder)
    is_ours = copy.manifest.name == table.repo.name
    return copy if is_ours and copy.manifest.has(table.config.name, table.split.name) else None


def blob_id_of(table: Table, copy: Converted) -> str:
    """The git blob id of the file that a copy's rows come from.

    Raises:
        DataError: the copy does not say, or says the official file and holds other rows.
    """
    where = copy.folder / MANIFEST
    entry = copy.manifest.configs[table.config.name][table.split.name]
    recorded = copy.manifest.blob_id(entry.source or table.split.file)
    if recorded is None:
        raise DataError(f"{where} does not say which file the rows of {table} come from. Convert again")
    known = table.split.content
    if table.official and recorded == table.official.blob_id and known not in (None, entry.content):
        raise DataError(
            f"{where} says that {table.config.name} is the published {table}, but its content is not ({entry.content}, "
            f"expected {known}). Convert again with this version of hueval"
        )
    return recorded


def is_official(table: Table, copy: Converted) -> bool:
    """Whether a copy was made from the official file; True where that is not pinned.

    Raises:
        DataError: as for `blob_id_of`.
    """
    recorded = blob_id_of(table, copy)
    return table.official is None or table.official.blob_id in (None, recorded)


def kept_copy(table: Table, repo: str, revision: str) -> Converted | None:
    """The converted copy that was fetched from the Hub earlier; None when there is none, or a damaged one."""
    try:
        copy = copy_in(table, kept_folder(repo, revision))
        if copy:
            copy.path(table.config.name, table.split.name)
    except DataError:  # it is fetched again
        return None
    return copy


def fetch_copy(table: Table, repo: str, revision: str) -> Converted:
    """Fetch the converted copy of a table from the Hub into the cache, hash-checked.

    Args:
        table: the split that is looked for.
        repo, revision: where it is published.

    Raises:
        UnavailableError: the repository has no converted copy of it, or cannot be reached.
        DataError: what it has is damaged, or not made from the official file; nothing is kept then.
    """
    label = f"{repo}@{revision}"
    folder = kept_folder(repo, revision)
    parts = {name: folder / f".{name}.{os.getpid()}" for name in (MANIFEST, "rows")}  # every rank may come here
    try:
        download(repo, revision, MANIFEST, parts[MANIFEST])
        copy = Converted(folder, parse_manifest(read_bytes(parts[MANIFEST]), f"{MANIFEST} of {label}"))
        if copy.manifest.name != table.repo.name:
            raise UnavailableError(f"its {MANIFEST} is of {copy.manifest.name}")
        if not copy.manifest.has(table.config.name, table.split.name):
            raise UnavailableError(f"its {MANIFEST} lists no {table.config.name}")
        if not is_official(table, copy):
            raise DataError(
                f"{table.config.name} of {label} was not made from the published {table}; nothing was kept. Name "
                "another repository or revision, or set HUEVAL_DATA_DIR"
            )
        entry = copy.manifest.configs[table.config.name][table.split.name]
        download(repo, revision, entry.file, parts["rows"])
        if (found := sha256_of(parts["rows"])) != entry.sha256:
            raise DataError(
                f"{entry.file} of {label} is not the one that its {MANIFEST} lists (SHA-256 {found}, expected "
                f"{entry.sha256}); nothing was kept. Try again, or name another revision"
            )
        put(parts["rows"], folder / entry.file)
        put(parts[MANIFEST], folder / MANIFEST)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)
    return copy
