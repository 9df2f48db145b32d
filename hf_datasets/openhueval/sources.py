"""Where an OpenHuEval file comes from: the first of these that has it.

    HUEVAL_SAMPLE=1 → a folder that the user names → our cache → a Hub repository → the upstream repository

A folder that was named and lacks the file is an error, and so is a download with the wrong hash: falling through would
score something else than what was asked for. The packaged sample is never used unasked.
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from hf_datasets.cache import blob_id, cache_dir, set_aside
from hf_datasets.converted import MANIFEST, Converted
from hf_datasets.file_kind import foreign_kind
from hf_datasets.network import UnavailableError, offline, switched_on, without_password
from hf_datasets.openhueval.copies import DISK_MEND, blob_id_of, copy_in, fetch_copy, kept_copy
from hf_datasets.openhueval.download import NotThereError, from_hub, from_url
from hf_datasets.openhueval.published import BLOB_IDS, COMMIT, FAMILY, SPLIT, UPSTREAM_REPO, UPSTREAM_URL, config_of
from hueval_metrics.records import DataError
from hueval_metrics.text.files import read_bytes, write_whole

Origin = Literal["sample", "folder", "cache", "hub", "upstream"]

_HUB_REPO = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)@(?P<revision>[\w./-]+)", re.ASCII)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Source:
    """Where a file came from.

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


Found = tuple[Source, bytes | Converted]


def find_source(name: str, data_dir: str | os.PathLike[str] | None = None) -> Found:
    """The first source that has the file, and the file's content, or the converted copy that stands for it.

    Args:
        name: the file's name without its ending, a key of BLOB_IDS.
        data_dir: a folder that has the file or a converted copy, itself or in its sub-folder `openhueval`.

    Raises:
        DataError: nothing has the file, a named folder lacks it, or a download has the wrong hash.
    """
    if name not in BLOB_IDS:
        raise DataError(f'OpenHuEval has no file "{name}". Take one of {", ".join(BLOB_IDS)}')
    if switched_on("HUEVAL_SAMPLE"):
        return read_file(sample_path(name), "sample")
    if folder := named_folder(data_dir):
        found = file_in(name, *folder)
        return read_file(found, "folder") if isinstance(found, Path) else _copied(name, found, "folder")
    return find_published(name, "data_dir and HUEVAL_DATA_DIR (not set)")


def find_published(name: str, *tried: str) -> Found:
    """The published file, hash-checked: our cached copy, raw or converted, or else a download that becomes one.

    Args:
        name: the file's name without its ending, a key of BLOB_IDS.
        *tried: what was looked into before, for the message.

    Raises:
        DataError: nothing has the file, or a download has the wrong hash.
    """
    failures = [*tried]
    steps: tuple[Callable[[str], Found], ...] = (_from_cache, _from_hub, _from_upstream)
    for step in steps:
        try:
            return step(name)
        except UnavailableError as reason:
            _log.info("%s.jsonl: %s", name, reason)
            failures.append(str(reason))
    raise DataError(
        f"{name}.jsonl was not found. Tried: {'; '.join(failures)}. "
        "Set HUEVAL_DATA_DIR to a folder that has openhueval/"
        f"{name}.jsonl, connect to the network, or try the small packaged sample: HUEVAL_SAMPLE=1"
    )


def named_folder(data_dir: str | os.PathLike[str] | None) -> tuple[Path, str] | None:
    """The folder that the user named and where it was named; None when there is none.

    Raises:
        DataError: it is no folder.
    """
    named_by = "data_dir"
    if data_dir is None:
        named_by, data_dir = "HUEVAL_DATA_DIR", os.environ.get("HUEVAL_DATA_DIR") or None
    if data_dir is None:
        return None
    if not isinstance(data_dir, (str, os.PathLike)) or not str(data_dir).strip():
        raise DataError(f"data_dir is {data_dir!r}, expected the path of a folder. Name one or leave data_dir out")
    folder = Path(data_dir).expanduser()
    if not _exists(folder):
        raise DataError(f"the folder {folder} ({named_by}) does not exist. Mend the path or leave {named_by} out")
    if not folder.is_dir():
        raise DataError(f"{folder} ({named_by}) is a file, expected a folder. Name the folder that holds it")
    return folder, named_by


def file_in(name: str, folder: Path, named_by: str) -> Path | Converted:
    """The file, or its converted copy, in a folder that the user named: in its sub-folder `openhueval`, or in itself.

    Raises:
        DataError: it is in neither, or the copy is damaged.
    """
    for place in (folder / FAMILY, folder):
        if _exists(path := place / f"{name}.jsonl"):
            return path
        if copy := copy_in(name, place):
            return copy
    raise DataError(
        f"{folder} ({named_by}) has neither {FAMILY}/{name}.jsonl nor {name}.jsonl. "
        f"Put the file there, or leave {named_by} out to have it downloaded"
    )


def sample_path(name: str) -> Path:
    """Where the packaged sample of a file stands."""
    return Path(__file__).parent / "sample" / f"{name}.jsonl"


def cached_path(name: str) -> Path:
    """Where our copy of a file is kept."""
    return cache_dir() / "data" / FAMILY / f"{name}.jsonl"


def hub_repo() -> tuple[str, str] | None:
    """Repository and revision from `HUEVAL_HUB_REPO`; None when it is unset.

    Raises:
        DataError: it is not of the form org/name@revision.
    """
    value = os.environ.get("HUEVAL_HUB_REPO", "").strip()
    if not value:
        return None
    match = _HUB_REPO.fullmatch(value)
    if match is None:
        raise DataError(
            f'HUEVAL_HUB_REPO is "{value}", expected org/name@revision. Pin the revision: add @ and a commit'
        )
    return match["repo"], match["revision"]


def upstream_url(name: str) -> str:
    """The address of the file in the upstream repository, or in a mirror named by `HUEVAL_UPSTREAM_URL`."""
    return f"{(os.environ.get('HUEVAL_UPSTREAM_URL') or UPSTREAM_URL).rstrip('/')}/{name}.jsonl"


def read_file(path: Path, origin: Origin) -> tuple[Source, bytes]:
    """A file in upstream's form, and what it is.

    Raises:
        UnavailableError: it is not in the cache.
        DataError: it is not there, or cannot be read.
    """
    try:
        if path.exists() and not path.is_file():
            raise DataError(f"{path} is not a file. Move it away and put the JSON Lines file there")
        content = read_bytes(path)
    except FileNotFoundError:
        if origin == "cache":
            raise UnavailableError(f"the cache (no {path})") from None
        raise DataError(f"{path} does not exist. Reinstall hueval, or put the file back") from None
    except OSError as error:
        raise DataError(f"cannot read {path} ({error.strerror}). Mend its permissions, or use another copy") from None
    return _source(path, blob_id(content), origin), content


def _from_cache(name: str) -> Found:
    path = cached_path(name)
    if not _exists(path) and (found := _copy_in_cache(name, path.parent)):
        return found
    source, content = read_file(path, "cache")
    if source.blob_id == BLOB_IDS[name]:
        return source, content
    fault = f"git blob id {source.blob_id}, expected {BLOB_IDS[name]}"
    raise UnavailableError(f"the cache ({path} was damaged; {_put_aside(path, fault)})")


def _copy_in_cache(name: str, folder: Path) -> Found | None:
    """The converted copy, if it was made from the published file."""
    path = folder / MANIFEST
    try:
        copy = copy_in(name, folder)
        if copy is None or blob_id_of(name, copy) != BLOB_IDS[name]:
            return None
        path = folder / copy.manifest.split(config_of(name), SPLIT).file
        return _copied(name, copy, "cache")
    except DataError as error:
        raise UnavailableError(f"the cache ({path} was damaged; {_put_aside(path, str(error))})") from None


def _put_aside(path: Path, fault: str) -> str:
    aside = set_aside(path)
    where = f"set aside as {aside.name}" if aside else "cannot be renamed"
    _log.warning("%s is damaged (%s); %s", path, fault, where)
    return where


def _from_hub(name: str) -> Found:
    repo = hub_repo()
    if repo and (copy := kept_copy(name, *repo)):
        return _copied(name, copy, "hub", *repo)
    if offline():
        raise UnavailableError("the Hub (HUEVAL_OFFLINE or HF_HUB_OFFLINE is set)")
    if repo is None:
        raise UnavailableError("the Hub (HUEVAL_HUB_REPO is not set)")
    label = f"the Hub repository {repo[0]}@{repo[1]}"
    try:
        try:
            content = from_hub(*repo, f"{name}.jsonl")
        except NotThereError:
            return _copied(name, fetch_copy(name, *repo), "hub", *repo)
    except UnavailableError as reason:
        raise UnavailableError(f"{label} ({reason})") from None
    return _keep(name, content, "hub", label)


def _from_upstream(name: str) -> Found:
    url = upstream_url(name)
    label = without_password(url)
    if offline():
        raise UnavailableError(f"{label} (HUEVAL_OFFLINE or HF_HUB_OFFLINE is set)")
    try:
        content = from_url(url)
    except UnavailableError as reason:
        raise UnavailableError(f"{label} ({reason})") from None
    return _keep(name, content, "upstream", label)


def _keep(name: str, content: bytes, origin: Origin, label: str) -> Found:
    """Check a download and write it into the cache."""
    found = blob_id(content)
    if found != BLOB_IDS[name]:
        kind = foreign_kind(content)
        raise DataError(
            f"{name}.jsonl from {label} is {kind or 'not the published file'} (git blob id {found}, expected "
            f"{BLOB_IDS[name]}); nothing was kept. Try again, check proxy and mirror, or set HUEVAL_DATA_DIR"
        )
    path = cached_path(name)
    write_whole(path, content, DataError, DISK_MEND)
    return _source(path, found, origin), content


def _exists(path: Path) -> bool:
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        raise DataError(f"cannot look for {path} ({error.strerror}). Mend the permissions or the path") from None
    return True


def _copied(name: str, copy: Converted, origin: Origin, *published: str) -> Found:
    """The converted copy of a file, checked."""
    path = copy.path(config_of(name), SPLIT)
    return _source(path, blob_id_of(name, copy), origin, *published), copy


def _source(path: Path, found: str, origin: Origin, *published: str) -> Source:
    upstream = (UPSTREAM_REPO, COMMIT) if found in BLOB_IDS.values() else (None, None)
    return Source(path, found, origin, origin == "sample", *(published or upstream))
