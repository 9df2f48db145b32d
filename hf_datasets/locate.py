"""The source of the rows of a split: the first of these that has them, in the same order for every data set.

    HUEVAL_SAMPLE=1 → a folder that the user names → the cache → a Hub repository → the upstream repository

A named folder without the file is an error, and so is a download with the wrong hash: with the next source, other data
than the user asked for would be scored. The packaged sample is used only when HUEVAL_SAMPLE is set.

A folder, the cache and a Hub repository may have the official file or a converted copy. The manifest of a copy has the
git blob id of the file from which it was made, so results have the same signature with either. The hash of the rows
proves it where that of the official rows is known.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hf_datasets.cache import cache_dir, file_blob_id, file_sha256, set_aside
from hf_datasets.converted import MANIFEST, Converted, is_converted, parse_manifest, read_converted
from hf_datasets.fetch import (
    DISK_FIX,
    NotThereError,
    UnavailableError,
    address,
    expected_id,
    fetch,
    fetch_official,
    hub_address,
)
from hf_datasets.network import hub_repo, offline, switched_on, without_password
from hf_datasets.repo import MissingError, Table, exists
from hueval_metrics.errors import DataError
from hueval_metrics.text.files import locked, read_bytes, write_whole

Origin = Literal["sample", "folder", "cache", "hub", "upstream"]

_OFFLINE = "HUEVAL_OFFLINE or HF_HUB_OFFLINE is set"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """Where the rows of a split are.

    Attributes:
        path: the file on this machine.
        blob_id: the git blob id of its content; for a converted copy, of the file from which it was made.
        origin: the step of the resolution that found it.
        place: the folder in upstream's layout that has the file, or the converted copy.
        repo, revision: where this very file is published; None when that is not known.
    """

    path: Path
    blob_id: str
    origin: Origin
    place: Path | Converted
    repo: str | None = None
    revision: str | None = None

    @property
    def sample(self) -> bool:
        """Whether it is the packaged sample instead of the benchmark."""
        return self.origin == "sample"


def locate(table: Table, data_dir: str | os.PathLike[str] | None = None) -> Source:
    """The first source that has a table.

    Args:
        table: the split of a config.
        data_dir: a folder that has its file in upstream's layout or a converted copy, itself or in its sub-folder with
            the data set's name; None for `HUEVAL_DATA_DIR`, or else the sources that need no folder.

    Raises:
        MissingError: no source has the file, or a named folder lacks it.
        DataError: it cannot be read, or a download has the wrong hash.
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
    raise MissingError(
        f"{table} was not found. Tried: {'; '.join(failures)}. Set HUEVAL_DATA_DIR to a folder that has "
        f"{table.repo.name}/{table}, connect to the network or bring the cache from a machine that ran hueval data "
        f"pull {table.repo.name}, or try the small packaged sample: HUEVAL_SAMPLE=1"
    )


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether one source has a table.

    Attributes:
        origin: the step of the resolution, as in `Source.origin`.
        has_file: True or False; None when only a request to the network could show it.
        what: the path or address, or the reason why there is none.
    """

    origin: Origin
    has_file: bool | None
    what: str


def available(table: Table, data_dir: str | os.PathLike[str] | None = None) -> list[Availability]:
    """The five sources of a table in the order in which they are tried, without a request to the network.

    A bad setting does not raise: it is the reason why its source is not available.
    """
    steps: dict[Origin, Callable[[], Source | None]] = {
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
            has_file, what = bool(found), str(found.path) if found else "no folder is named"
            if origin == "sample":
                what += f" ({'switched on' if switched_on('HUEVAL_SAMPLE') else 'not switched on'})"
        except _PassedOverError as reason:
            has_file, what = None if reason.needs_network else False, reason.why
        except (DataError, OSError) as error:
            what = str(error)
        states.append(Availability(origin, has_file, what))
    return states


def cache_folder(table: Table) -> Path:
    """The folder of the cache with the files of a data set, in upstream's layout or converted."""
    return cache_dir() / "data" / table.repo.name


class _PassedOverError(UnavailableError):
    """A source does not have a table.

    Attributes:
        why: the reason; the whole text names the source, too.
        needs_network: whether only a request could show it.
    """

    def __init__(self, source: str, why: str, *, needs_network: bool = False) -> None:
        super().__init__(f"{source} ({why})")
        self.why, self.needs_network = why, needs_network


def _from_sample(table: Table) -> Source:
    try:
        return _file(table, table.repo.sample, "sample")
    except MissingError:
        path = table.repo.sample / str(table)
        raise MissingError(f"the packaged sample has no {path}. Unset HUEVAL_SAMPLE, or reinstall hueval") from None


def _from_folder(table: Table, data_dir: str | os.PathLike[str] | None) -> Source | None:
    """The table in a folder that the user named: in its sub-folder NAME, or in itself; None where none is named."""
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
    for place in (folder / table.repo.name, folder):
        try:
            return _file(table, place, "folder")
        except MissingError:
            if copy := _copy_in(table, place):
                return _copy(table, copy, "folder")
    published = f" ({without_password(address(table.official))})" if table.official else ""
    download = f", or leave {named_by} out to have it downloaded" if table.repo.sources else ""
    raise MissingError(
        f"{folder} ({named_by}) has neither {table.repo.name}/{table} nor {table}. "
        f"Put the file there{published}{download}"
    )


def _from_cache(table: Table, *, look_only: bool = False) -> Source:
    folder = cache_folder(table)
    try:
        source = _file(table, folder, "cache")
    except MissingError:
        damaged = folder / MANIFEST
        try:
            if (copy := _copy_in(table, folder)) and _is_official(table, copy):
                damaged = folder / copy.entry(table.config.name, table.split.name).file
                return _copy(table, copy, "cache")
        except DataError as error:
            raise _damaged(damaged, str(error), look_only) from None
        raise _PassedOverError("the cache", f"no {folder / str(table)}") from None
    expected = table.official and expected_id(table.official, folder)
    if expected not in (None, source.blob_id):
        raise _damaged(source.path, f"git blob id {source.blob_id}, expected {expected}", look_only)
    return source


def _damaged(path: Path, fault: str, look_only: bool) -> _PassedOverError:
    """The error that a file in the cache is damaged; the file is set aside, unless the caller only looks."""
    if look_only:
        return _PassedOverError("the cache", f"{path} is damaged")
    aside = set_aside(path)
    where = f"set aside as {aside.name}" if aside else "cannot be renamed"
    _log.warning("%s is damaged (%s); %s", path, fault, where)
    return _PassedOverError("the cache", f"{path} was damaged; {where}")


def _from_hub(table: Table, *, look_only: bool = False) -> Source:
    """The official file or a converted copy in the repository that HUEVAL_HUB_REPO names.

    The official file goes to the folder of the cache where upstream's files are, a copy to one of its own.
    """
    hub = hub_repo(table.repo.name)
    kept = cache_dir() / "hub" / "@".join(hub).replace("/", "--") if hub else None
    if hub and kept and (copy := _fetched_copy(table, kept)):
        return _copy(table, copy, "hub", *hub)
    if offline():
        raise _PassedOverError("the Hub", _OFFLINE)
    if not hub or not kept:
        raise _PassedOverError("the Hub", "HUEVAL_HUB_REPO is not set")
    if look_only:
        raise _PassedOverError("the Hub", "@".join(hub), needs_network=True)
    from huggingface_hub.utils import build_hf_headers

    authorization = build_hf_headers().get("authorization", "")  # none where the user forbids implicit tokens
    label, token = f"the Hub repository {'@'.join(hub)}", authorization.removeprefix("Bearer ") or None
    official, folder = table.official, cache_folder(table)
    try:
        if official and official.blob_id:  # a file that cannot be checked is not fetched from there
            try:
                pulled = fetch_official(official, folder, hub_address(*hub, official.path), label, token)
                return _source(table, pulled.path, pulled.blob_id, "hub", folder)
            except NotThereError:
                pass
        return _copy(table, _fetch_copy(table, kept, hub, label, token), "hub", *hub)
    except UnavailableError as reason:
        raise _PassedOverError(label, str(reason)) from None


def _from_upstream(table: Table, *, look_only: bool = False) -> Source:
    official = table.official
    if official is None:
        raise _PassedOverError("upstream", f"no revision of {table.repo.title} is pinned")
    url = without_password(address(official))
    if offline():
        raise _PassedOverError(url, _OFFLINE)
    if look_only:
        raise _PassedOverError("upstream", url, needs_network=True)
    folder = cache_folder(table)
    try:
        pulled = fetch_official(official, folder)
    except UnavailableError as reason:
        raise _PassedOverError(url, str(reason)) from None
    return _source(table, pulled.path, pulled.blob_id, "upstream", folder)


def _file(table: Table, folder: Path, origin: Origin) -> Source:
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
    return _source(table, path, found, origin, folder)


def _copy(table: Table, copy: Converted, origin: Origin, *published: str) -> Source:
    """A converted copy, its file checked against the manifest.

    Raises:
        DataError: the file is damaged, or the manifest is wrong about its origin.
    """
    path = copy.path(table.config.name, table.split.name)
    return _source(table, path, _origin_of(table, copy), origin, copy, *published)


def _source(table: Table, path: Path, blob_id: str, origin: Origin, place: Path | Converted, *published: str) -> Source:
    upstream = next((source.published for source in table.repo.sources if source.blob_id == blob_id), None)
    return Source(path, blob_id, origin, place, *(published or upstream or ()))


def _copy_in(table: Table, folder: Path) -> Converted | None:
    """The converted copy in a folder, if it has the table's rows.

    Raises:
        DataError: the copy's manifest is damaged.
    """
    copy = read_converted(folder) if is_converted(folder) else None
    is_ours = copy and copy.manifest.name == table.repo.name and copy.manifest.has(table.config.name, table.split.name)
    return copy if is_ours else None


def _origin_of(table: Table, copy: Converted) -> str:
    """The git blob id of the file from which a copy's rows were made.

    Raises:
        DataError: the manifest lacks it, or names the official file and the rows are others.
    """
    where = copy.folder / MANIFEST
    entry = copy.entry(table.config.name, table.split.name)
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


def _is_official(table: Table, copy: Converted) -> bool:
    """Whether a copy was made from the official file; True where that is not pinned."""
    return table.official is None or table.official.blob_id in (None, _origin_of(table, copy))


def _fetched_copy(table: Table, folder: Path) -> Converted | None:
    """The converted copy that was fetched from the Hub earlier; None when there is none, or a damaged one."""
    try:
        if copy := _copy_in(table, folder):
            copy.path(table.config.name, table.split.name)
        return copy
    except DataError:  # it is fetched again
        return None


def _fetch_copy(table: Table, folder: Path, hub: tuple[str, str], label: str, token: str | None) -> Converted:
    """Fetch the converted copy of a table from the Hub into a folder of the cache, hash-checked.

    Raises:
        UnavailableError: the repository has no converted copy of it, or cannot be reached.
        DataError: the copy is damaged, or was not made from the official file; nothing is kept then.
    """
    config, split = table.config.name, table.split.name
    # Renamed at the end: a folder with a manifest is complete. Processes do not share it, since locks may not work.
    manifest = folder / f".{os.getpid()}.{MANIFEST}"
    with locked(folder):
        if copy := _fetched_copy(table, folder):  # by another process, while this one waited
            return copy
        try:
            fetch(hub_address(*hub, MANIFEST), manifest, MANIFEST, lambda part: None, label, token, resumes=False)
            found = Converted(folder, parse_manifest(read_bytes(manifest), f"{MANIFEST} of {'@'.join(hub)}"))
            if found.manifest.name != table.repo.name:
                raise UnavailableError(f"its {MANIFEST} is of {found.manifest.name}")
            if not found.manifest.has(config, split):
                raise UnavailableError(f"its {MANIFEST} lists no {config}")
            if not _is_official(table, found):
                raise DataError(
                    f"{config} of {'@'.join(hub)} was not made from the published {table}; nothing was kept. Name "
                    "another repository or revision, or set HUEVAL_DATA_DIR"
                )
            entry = found.entry(config, split)

            def fault(part: Path) -> str | None:
                digest = file_sha256(part)
                listed = f"not the one that its {MANIFEST} lists (SHA-256 {digest}, expected {entry.sha256})"
                return None if digest == entry.sha256 else listed

            fetch(hub_address(*hub, entry.file), folder / entry.file, entry.file, fault, label, token)
            write_whole(folder / MANIFEST, read_bytes(manifest), DataError, DISK_FIX)
        finally:
            for name in (manifest.name, f"{manifest.name}.part"):
                manifest.with_name(name).unlink(missing_ok=True)
    return found
