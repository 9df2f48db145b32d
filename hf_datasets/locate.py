"""Where the rows of a split come from: the first of these that has them, for every data set alike.

    HUEVAL_SAMPLE=1 → a folder that the user names → our cache → a Hub repository → the upstream repository

A folder that was named and lacks the file is an error, and so is a download with the wrong hash: falling through would
score something else than what was asked for. The packaged sample is never used unasked.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hf_datasets.cache import cache_dir, file_blob_id, set_aside
from hf_datasets.converted import MANIFEST, Converted
from hf_datasets.copies import blob_id_of, copy_in, fetch_copy, is_official, kept_copy
from hf_datasets.hub import NotThereError, download, hub_repo
from hf_datasets.network import UnavailableError, offline, switched_on, without_password
from hf_datasets.pull import address, adopt, expected_id, fetch_official
from hf_datasets.repo import MissingError, Table, exists
from hueval_metrics.records import DataError

Origin = Literal["sample", "folder", "cache", "hub", "upstream"]

_OFFLINE = "HUEVAL_OFFLINE or HF_HUB_OFFLINE is set"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """Where rows came from.

    Attributes:
        path: the file on this machine.
        blob_id: the git blob id of its content; for a converted copy, of the file that it was made from.
        origin: which step of the resolution gave it.
        sample: whether it is the packaged sample instead of the benchmark.
        repo, revision: where just this file is published; None when that is not known.
    """

    path: Path
    blob_id: str
    origin: Origin
    sample: bool
    repo: str | None = None
    revision: str | None = None


Found = tuple[Source, Path | Converted]


def locate(table: Table, data_dir: str | os.PathLike[str] | None = None) -> Found:
    """The first source that has a table.

    Args:
        table: the split of a config.
        data_dir: a folder that has its file in upstream's layout or a converted copy, itself or in its sub-folder with
            the data set's name; None for `HUEVAL_DATA_DIR`, or else the sources that need no folder.

    Returns:
        The source, and the folder in upstream's layout that has the file, or the converted copy that stands for it.

    Raises:
        DataError: nothing has the file, a named folder lacks it, or a download has the wrong hash.
    """
    if switched_on("HUEVAL_SAMPLE"):
        return _from_sample(table)
    if found := _from_folder(table, data_dir):
        return found
    failures = ["data_dir and HUEVAL_DATA_DIR (not set)"]
    for step in (_from_cache, _from_hub, _from_upstream):
        try:
            return step(table)
        except UnavailableError as reason:
            _log.info("%s: %s", table, reason)
            failures.append(str(reason))
    raise DataError(
        f"{table} was not found. Tried: {'; '.join(failures)}. Set HUEVAL_DATA_DIR to a folder that has "
        f"{table.repo.name}/{table}, connect to the network, or try the small packaged sample: HUEVAL_SAMPLE=1"
    )


@dataclass(frozen=True, slots=True)
class Availability:
    """What one source would give.

    Attributes:
        origin: the step of the resolution, as in `Source.origin`.
        has_file: True or False; None when only the network could tell.
        what: the path or address, or why there is none.
    """

    origin: Origin
    has_file: bool | None
    what: str


def available(table: Table, data_dir: str | os.PathLike[str] | None = None) -> list[Availability]:
    """The five sources of a table in the order in which they are tried, without a request to the network.

    A bad setting does not raise: it is the reason why its source is not available.
    """
    steps: dict[Origin, Callable[[], Found | None]] = {
        "sample": lambda: _from_sample(table),
        "folder": lambda: _from_folder(table, data_dir),
        "cache": lambda: _from_cache(table, look_only=True),
        "hub": lambda: _from_hub(table, look_only=True),
        "upstream": lambda: _from_upstream(table, look_only=True),
    }
    states = []
    for origin, step in steps.items():
        has_file: bool | None = False
        try:
            found = step()
            has_file, what = bool(found), str(found[0].path) if found else "no folder is named"
            if origin == "sample":
                what += f" ({'switched on' if switched_on('HUEVAL_SAMPLE') else 'not switched on'})"
        except _PassedOverError as reason:
            has_file, what = None if reason.needs_network else False, reason.why
        except (DataError, OSError) as error:
            what = str(error)
        states.append(Availability(origin, has_file, what))
    return states


def named_folder(data_dir: str | os.PathLike[str] | None = None) -> tuple[Path, str] | None:
    """The folder that the user named and where it was named; None when there is none.

    Raises:
        DataError: it is not a folder.
    """
    named_by = "data_dir"
    if data_dir is None:
        named_by, data_dir = "HUEVAL_DATA_DIR", os.environ.get("HUEVAL_DATA_DIR") or None
    if data_dir is None:
        return None
    if not isinstance(data_dir, (str, os.PathLike)) or not str(data_dir).strip():
        raise DataError(f"data_dir is {data_dir!r}, expected the path of a folder. Name one or leave data_dir out")
    folder = Path(data_dir).expanduser()
    if not exists(folder):
        raise DataError(f"the folder {folder} ({named_by}) does not exist. Fix the path or leave {named_by} out")
    if not folder.is_dir():
        raise DataError(f"{folder} ({named_by}) is a file, expected a folder. Name the folder that holds it")
    return folder, named_by


def cache_folder(table: Table) -> Path:
    """Where our copies of a data set's files are kept, in upstream's layout or converted."""
    return cache_dir() / "data" / table.repo.name


class _PassedOverError(UnavailableError):
    """A source does not have a table.

    Attributes:
        why: the reason; the whole text names the source, too.
        needs_network: whether only a request could tell.
    """

    def __init__(self, source: str, why: str, *, needs_network: bool = False) -> None:
        super().__init__(f"{source} ({why})")
        self.why, self.needs_network = why, needs_network


def _from_sample(table: Table) -> Found:
    try:
        return _raw(table, table.repo.sample, "sample")
    except MissingError:
        path = table.repo.sample / str(table)
        raise DataError(f"the packaged sample has no {path}. Unset HUEVAL_SAMPLE, or reinstall hueval") from None


def _from_folder(table: Table, data_dir: str | os.PathLike[str] | None) -> Found | None:
    """The table in a folder that the user named: in its sub-folder NAME, or in itself; None where none is named."""
    named = named_folder(data_dir)
    if named is None:
        return None
    folder, named_by = named
    for place in (folder / table.repo.name, folder):
        try:
            return _raw(table, place, "folder")
        except MissingError:
            if copy := copy_in(table, place):
                return _copied(table, copy, "folder")
    raise DataError(
        f"{folder} ({named_by}) has neither {table.repo.name}/{table} nor {table}. "
        f"Put the file there, or leave {named_by} out to have it downloaded"
    )


def _raw(table: Table, folder: Path, origin: Origin) -> Found:
    """A file in upstream's form.

    Raises:
        MissingError: it is not there.
        DataError: it cannot be read.
    """
    path = table.file_in(folder)
    try:
        found = file_blob_id(path)
    except OSError as error:
        raise DataError(f"cannot read {path} ({error.strerror}). Fix its permissions, or use another copy") from None
    return _source(table, path, found, origin), folder


def _copied(table: Table, copy: Converted, origin: Origin, *published: str) -> Found:
    """The converted copy of a file, checked."""
    path = copy.path(table.config.name, table.split.name)
    return _source(table, path, blob_id_of(table, copy), origin, *published), copy


def _source(table: Table, path: Path, found: str, origin: Origin, *published: str) -> Source:
    upstream = next((source.published for source in table.repo.sources if source.blob_id == found), None)
    return Source(path, found, origin, origin == "sample", *(published or upstream or ()))


def _from_cache(table: Table, *, look_only: bool = False) -> Found:
    folder = cache_folder(table)
    path = folder / MANIFEST
    try:
        source, place = _raw(table, folder, "cache")
    except MissingError:
        try:
            if (copy := copy_in(table, folder)) and is_official(table, copy):
                path = folder / copy.manifest.configs[table.config.name][table.split.name].file
                return _copied(table, copy, "cache")
        except DataError as error:
            raise _damaged(path, str(error), look_only) from None
        raise _PassedOverError("the cache", f"no {folder / str(table)}") from None
    expected = table.official and expected_id(table.official, folder)
    if expected not in (None, source.blob_id):
        raise _damaged(source.path, f"git blob id {source.blob_id}, expected {expected}", look_only)
    return source, place


def _damaged(path: Path, fault: str, look_only: bool) -> _PassedOverError:
    """That a file in the cache is damaged; it is set aside, unless the caller only looks."""
    if look_only:
        return _PassedOverError("the cache", f"{path} is damaged")
    aside = set_aside(path)
    where = f"set aside as {aside.name}" if aside else "cannot be renamed"
    _log.warning("%s is damaged (%s); %s", path, fault, where)
    return _PassedOverError("the cache", f"{path} was damaged; {where}")


def _from_hub(table: Table, *, look_only: bool = False) -> Found:
    repo = hub_repo(table.repo.name)
    if repo and (copy := kept_copy(table, *repo)):
        return _copied(table, copy, "hub", *repo)
    if offline():
        raise _PassedOverError("the Hub", _OFFLINE)
    if repo is None:
        raise _PassedOverError("the Hub", "HUEVAL_HUB_REPO is not set")
    if look_only:
        raise _PassedOverError("the Hub", "@".join(repo), needs_network=True)
    label = f"the Hub repository {'@'.join(repo)}"
    official = table.official
    try:
        if official and official.blob_id:  # a file that cannot be checked is not taken from there
            path = cache_folder(table) / official.path
            part = path.with_name(f".{path.name}.{os.getpid()}")
            try:
                download(*repo, official.path, part)
                return _source(table, path, adopt(official, part, path, label), "hub"), cache_folder(table)
            except NotThereError:
                pass
        return _copied(table, fetch_copy(table, *repo), "hub", *repo)
    except UnavailableError as reason:
        raise _PassedOverError(label, str(reason)) from None


def _from_upstream(table: Table, *, look_only: bool = False) -> Found:
    official = table.official
    if official is None:
        raise _PassedOverError("upstream", f"no revision of {table.repo.title} is pinned")
    url = without_password(address(official))
    if offline():
        raise _PassedOverError(url, _OFFLINE)
    if look_only:
        raise _PassedOverError("upstream", url, needs_network=True)
    try:
        pulled = fetch_official(official, cache_folder(table))
    except UnavailableError as reason:
        raise _PassedOverError(url, str(reason)) from None
    return _source(table, pulled.path, pulled.blob_id, "upstream"), cache_folder(table)
