"""Fetching official files into the cache, each checked against its git blob id.

Files keep upstream's layout: `<cache>/data/NAME/…`. Another revision than the pinned one lies beside it, in
`<cache>/data/NAME@REVISION/…`, for a look at what upstream changed; the library itself never reads it. `pulled.json`
in the folder remembers the blob ids of files whose official id is not recorded yet.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote, urlsplit

from hf_datasets.cache import cache_dir, file_blob_id, set_aside
from hf_datasets.fetch import DISK_FIX, fetch, put
from hf_datasets.network import UnavailableError, UnreachableError, hub_endpoint, offline, without_password
from hf_datasets.repo import DatasetRepo, SourceFile
from hf_datasets.text_files import foreign_kind
from hueval_metrics.records import DataError, InputError
from hueval_metrics.text.files import locked, write_whole

RECORD = "pulled.json"
_PUBLIC_HUB = "https://huggingface.co"
_COMMIT = re.compile(r"(?<=/)[0-9a-f]{40}(?=/)")
_REVISION = re.compile(r"[\w.-]*\w", re.ASCII)
_TEXT = (".json", ".jsonl", ".csv", ".tsv", ".txt")  # where a web page or an archive cannot be what was meant


@dataclass(frozen=True, slots=True)
class Pulled:
    """An official file that lies in the cache.

    Attributes:
        source: which one; its `blob_id` is None where the official one is not known.
        path: where it lies.
        blob_id: the git blob id of its content.
        fetched: whether it was fetched now; False when it was there.
    """

    source: SourceFile
    path: Path
    blob_id: str
    fetched: bool

    def __str__(self) -> str:
        """One line, such as `facts/dev: …/facts/dev.json (fetched, git blob id …)`."""
        came = "fetched" if self.fetched else "cache"
        unknown = "" if self.source.blob_id else "; not checked: its official id is not recorded"
        return f"{_short(self.source)}: {self.path} ({came}, git blob id {self.blob_id}{unknown})"


def pull(repo: DatasetRepo, revision: str | None = None) -> Iterator[Pulled | DataError]:
    """Fetch the official files that the cache does not have, one after the other.

    Args:
        repo: the data set.
        revision: a branch, tag or commit of upstream in place of the pinned commits; nothing is known of its files, so
            they are not checked.

    Yields:
        Each file, or the error where it cannot be fetched; of a server that cannot be reached only the first.

    Raises:
        InputError: there are no official files, or none at another revision.
        DataError: the cache cannot be written, or a file is missing and the network is switched off.
    """
    folder = cache_dir() / "data" / (f"{repo.name}@{revision}" if revision else repo.name)
    sources = _at_revision(repo, revision)
    unreachable: set[str] = set()
    for source in sources:
        url = address(source)
        server = urlsplit(url).netloc
        if at_hand := _at_hand(source, folder):
            yield at_hand
        elif offline():
            raise DataError(
                f"{source.path} is not in {folder}, and HUEVAL_OFFLINE or HF_HUB_OFFLINE is set. Unset it, or bring "
                "the cache from another machine"
            )
        elif server not in unreachable:
            try:
                yield fetch_official(source, folder)
            except UnreachableError as problem:
                unreachable.add(server)
                yield DataError(
                    f"{_short(source)} was not found: {without_password(url)} ({problem}); nothing else was tried "
                    "there. Connect to the network, set its proxy, or name a mirror with HUEVAL_UPSTREAM_URL"
                )
            except UnavailableError as problem:
                yield DataError(
                    f"{_short(source)} was not found: {without_password(url)} ({problem}). Run the command again: it "
                    "goes on where it stopped"
                )
            except WrongFileError as problem:
                yield problem


class WrongFileError(DataError):
    """What came is not the official file."""


def fetch_official(source: SourceFile, folder: Path) -> Pulled:
    """An official file in the cache, fetched from upstream where it is not there yet.

    Args:
        source: which one.
        folder: the data set's in the cache.

    Raises:
        UnavailableError: upstream does not have it or cannot be reached; what came is kept for another call.
        WrongFileError: what came is something else; nothing is kept.
        DataError: the cache cannot be written.
    """
    with locked(folder):  # another process would write into the same partial copy
        return _at_hand(source, folder) or _fetched(source, address(source), folder)


def address(source: SourceFile) -> str:
    """Where to fetch the file: upstream, or a mirror of upstream's folder, or of the Hub."""
    if mirror := os.environ.get("HUEVAL_UPSTREAM_URL"):
        return f"{mirror.rstrip('/')}/{quote(source.path)}"
    if source.url.startswith(f"{_PUBLIC_HUB}/"):
        return hub_endpoint() + source.url.removeprefix(_PUBLIC_HUB)
    return source.url


def adopt(source: SourceFile, part: Path, path: Path, label: str) -> str:
    """Give a download the official file's name, if it is that file; its git blob id.

    Args:
        source: the official file.
        part: the download, which is gone afterwards.
        path: the name to give it; a file that has it is set aside.
        label: where it came from, for the message.

    Raises:
        WrongFileError: it is something else.
        DataError: it cannot be renamed.
    """
    found = file_blob_id(part)
    if fault := _fault(source, part, found):
        part.unlink()
        raise WrongFileError(
            f"{source.path} from {label} is {fault}; nothing was kept. Try again, check proxy and mirror, or set "
            "HUEVAL_DATA_DIR"
        )
    if path.exists():
        set_aside(path)
    put(part, path)
    return found


def _at_revision(repo: DatasetRepo, revision: str | None) -> tuple[SourceFile, ...]:
    if not repo.sources:
        raise InputError(
            f"no revision of {repo.title} is pinned, so it cannot be pulled. Download its files by hand (its card says "
            "where) and name their folder: hueval data convert SRC OUT"
        )
    if revision is None:
        return repo.sources
    if not _REVISION.fullmatch(revision):
        raise InputError(f'the revision is "{revision}", expected a branch, tag or commit without slashes')
    if os.environ.get("HUEVAL_UPSTREAM_URL"):
        raise InputError(
            "HUEVAL_UPSTREAM_URL names a mirror, which has one revision. Unset it, or leave out --revision"
        )
    if fixed := [source.path for source in repo.sources if not _COMMIT.search(source.url)]:
        raise InputError(f"{fixed[0]} of {repo.title} has no other revisions. Leave out --revision")
    return tuple(replace(s, url=_COMMIT.sub(revision, s.url), blob_id=None) for s in repo.sources)


def _at_hand(source: SourceFile, folder: Path) -> Pulled | None:
    """The file in the cache, if it is what it should be."""
    path = folder / source.path
    if not path.is_file():
        return None
    found = file_blob_id(path)
    expected = expected_id(source, folder) or found
    return Pulled(source, path, found, fetched=False) if found == expected else None


def expected_id(source: SourceFile, folder: Path) -> str | None:
    """The git blob id that an official file in a folder of the cache must have; None where it is unknown."""
    return source.blob_id or _record(folder).get(source.path)


def _fetched(source: SourceFile, url: str, folder: Path) -> Pulled:
    path = folder / source.path
    part = path.with_name(f"{path.name}.part")
    resumed = part.exists()
    fetch(url, part, _short(source))
    if resumed and source.blob_id not in (None, file_blob_id(part)):  # by a copy that began with something else
        part.unlink()
        fetch(url, part, _short(source))
    found = adopt(source, part, path, without_password(url))
    if source.blob_id is None:
        record = _record(folder) | {source.path: found}
        write_whole(folder / RECORD, json.dumps(record, indent=1, sort_keys=True).encode(), DataError, DISK_FIX)
    return Pulled(source, path, found, fetched=True)


def _fault(source: SourceFile, part: Path, found: str) -> str | None:
    """What is wrong with what came; None when nothing is."""
    with part.open("rb") as file:
        kind = foreign_kind(file.read(512)) if source.path.endswith(_TEXT) else None
    if source.blob_id is None:
        return kind
    if found == source.blob_id:
        return None
    return f"{kind or 'not the published file'} (git blob id {found}, expected {source.blob_id})"


def _record(folder: Path) -> dict[str, str]:
    """Path → git blob id of the files fetched so far; empty where it cannot be read."""
    with suppress(OSError, ValueError):
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if isinstance(record, dict):
            return record
    return {}


def _short(source: SourceFile) -> str:
    """The file's name in a message, such as `facts/dev`."""
    return source.path.removesuffix(Path(source.path).suffix)
