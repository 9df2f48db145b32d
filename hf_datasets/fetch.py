"""Fetching a file into the cache: resumed after a broken connection, checked against its hash, renamed when complete.

Files of upstream and of the Hub are fetched in the same way. `NAME.part` has the bytes that have arrived; the next call
requests the rest where a hash shows whether both parts are of one file, else the whole.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from hf_datasets.cache import file_blob_id, set_aside
from hf_datasets.network import PUBLIC_HUB, hub_endpoint, reason, without_password
from hf_datasets.repo import SourceFile
from hf_datasets.text_files import foreign_kind
from hueval_metrics.errors import DataError
from hueval_metrics.text.files import locked, write_whole

ANSWER_S = 5.0  # a server that answers at all does so within a second or two; offline clusters often drop packets
PATIENCE_S = 20.0  # without a byte
ATTEMPTS = 5  # as long as each makes progress
SIZE_CAP = 2 * 2**30  # bytes; the largest official file has a few hundred megabytes
RECORD = "pulled.json"  # path → git blob id of fetched files whose official id is unknown
DISK_FIX = "Free some space there or set HUEVAL_CACHE_DIR to another folder"
_CHUNK = 2**18
_RANGE = re.compile(r"bytes (?P<start>\d+)-\d+/")
_TEXT = (".json", ".jsonl", ".csv", ".tsv", ".txt")  # files that cannot be a web page or an archive


class UnavailableError(Exception):
    """A source cannot provide a file; the text gives the reason. Another source may have it."""


class UnreachableError(UnavailableError):
    """The server of a source cannot be reached, so no other file of it can be fetched either."""


class NotThereError(UnavailableError):
    """The server answers that it has no such file."""


class WrongFileError(DataError):
    """The file that was fetched is not the expected one."""


@dataclass(frozen=True, slots=True)
class Pulled:
    """An official file in the cache.

    Attributes:
        source: which one; its `blob_id` is None where the official one is not known.
        path: the file in the cache.
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
        return f"{self.source.short_name}: {self.path} ({came}, git blob id {self.blob_id}{unknown})"


def fetch_official(
    source: SourceFile, folder: Path, url: str = "", label: str = "", token: str | None = None
) -> Pulled:
    """An official file in the cache, fetched where it is not there yet.

    Args:
        source: which one.
        folder: that of the data set in the cache.
        url, label, token: the address, its name for messages and the token, where it is not fetched from upstream.

    Raises:
        UnavailableError: the server does not have it or cannot be reached; the part that arrived is kept.
        WrongFileError: another file arrived; nothing is kept.
        DataError: the cache cannot be written.
    """
    with locked(folder):  # another process would write to the same partial copy
        if at_hand := in_cache(source, folder):
            return at_hand
        path, url = folder / source.path, url or address(source)
        label, is_known = label or without_password(url), source.blob_id is not None
        fetch(url, path, source.path, lambda part: _fault(source, part), label, token, resumes=is_known)
        found = source.blob_id or file_blob_id(path)
        if source.blob_id is None:
            record = json.dumps(_record(folder) | {source.path: found}, indent=1, sort_keys=True)
            write_whole(folder / RECORD, record.encode(), DataError, DISK_FIX)
        return Pulled(source, path, found, fetched=True)


def in_cache(source: SourceFile, folder: Path) -> Pulled | None:
    """The file in the data set's folder of the cache; None where it is missing or its content is not the official."""
    path = folder / source.path
    if not path.is_file():
        return None
    found = file_blob_id(path)
    return Pulled(source, path, found, fetched=False) if expected_id(source, folder) in (None, found) else None


def expected_id(source: SourceFile, folder: Path) -> str | None:
    """The git blob id that an official file in a folder of the cache must have; None where it is unknown."""
    return source.blob_id or _record(folder).get(source.path)


def address(source: SourceFile) -> str:
    """The address of an official file: upstream's, or that in a mirror of upstream's folder or of the Hub."""
    if mirror := os.environ.get("HUEVAL_UPSTREAM_URL"):
        return f"{mirror.rstrip('/')}/{quote(source.path)}"
    if source.url.startswith(f"{PUBLIC_HUB}/"):
        return hub_endpoint() + source.url.removeprefix(PUBLIC_HUB)
    return source.url


def hub_address(repo: str, revision: str, path: str) -> str:
    """The address of a file in a dataset repository on the Hub."""
    return f"{hub_endpoint()}/datasets/{repo}/resolve/{quote(revision, safe='')}/{quote(path)}"


def fetch(
    url: str,
    path: Path,
    name: str,
    fault: Callable[[Path], str | None],
    label: str,
    token: str | None = None,
    *,
    resumes: bool = True,
) -> None:
    """Fetch one file; it gets its name when it is complete and checked. An earlier file of that name is set aside.

    Args:
        url: an http or https address, maybe with a user name and password. Redirects are followed; login and token are
            not sent to another server. The usual proxy variables apply.
        path: the file.
        name: its name in messages and in the progress bar, which is shown on a terminal only.
        fault: given the complete download, what is wrong with it; None when nothing is.
        label: the source in messages.
        token: sent as `Authorization: Bearer`.
        resumes: whether `fault` finds out if the file has changed between two requests for parts of it.

    Raises:
        NotThereError: the server has no such file.
        UnreachableError: no server answers.
        UnavailableError: the server refuses, breaks off again and again, or sends too much. After a failure of the
            network the part that arrived is kept.
        WrongFileError: there is a fault; nothing is kept.
        DataError: the file cannot be written; nothing is kept.
    """
    part = path.with_name(f"{path.name}.part")
    resumed = part.exists()
    _complete(url, part, name, token, resumes)
    found = fault(part)
    if resumed and found:  # the partial copy may have been of another file
        part.unlink()
        _complete(url, part, name, token, resumes)
        found = fault(part)
    if found:
        part.unlink()
        raise WrongFileError(
            f"{name} from {label} is {found}; nothing was kept. Try again, check proxy and mirror, or set "
            "HUEVAL_DATA_DIR"
        )
    if path.exists():
        set_aside(path)
    with _written(part, path):
        part.replace(path)


def _fault(source: SourceFile, part: Path) -> str | None:
    """The difference between a download and the official file."""
    with part.open("rb") as file:
        kind = foreign_kind(file.read(512)) if source.path.endswith(_TEXT) else None
    if source.blob_id is None:
        return kind
    found = file_blob_id(part)
    if found == source.blob_id:
        return None
    return f"{kind or 'not the published file'} (git blob id {found}, expected {source.blob_id})"


def _record(folder: Path) -> dict[str, str]:
    """The content of `pulled.json`; empty where it cannot be read."""
    with suppress(OSError, ValueError):
        record = json.loads((folder / RECORD).read_text(encoding="utf-8"))
        if isinstance(record, dict):
            return record
    return {}


def _complete(url: str, part: Path, name: str, token: str | None, resumes: bool) -> None:
    """Fetch the missing bytes of a partial copy, in several requests where connections break off."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise UnavailableError("not an http or https address")
    for attempt in range(ATTEMPTS):
        if not resumes:
            part.unlink(missing_ok=True)
        before = _size(part)
        try:
            return _continue(url, part, name, token)
        except (UnreachableError, NotThereError):
            raise
        except UnavailableError:
            if attempt == ATTEMPTS - 1 or _size(part) <= before:
                raise


def _continue(url: str, part: Path, name: str, token: str | None) -> None:
    """One request for the missing bytes."""
    from tqdm import tqdm

    have = _size(part)
    try:
        response = _open(url, have, token)
    except HTTPError as error:
        if error.code != 416 or not have:
            raise (NotThereError if error.code == 404 else UnavailableError)(reason(error)) from None
        # There are no bytes after those that we have: the part is complete, or longer than the file.
        if error.headers.get("Content-Range", "").endswith(f"/{have}"):
            return
        part.unlink()
        return _continue(url, part, name, token)
    except (OSError, ValueError, HTTPException) as error:
        raise UnreachableError(reason(error)) from None
    with response:
        continued = _RANGE.match(response.headers.get("Content-Range", "")) if response.status == 206 else None
        if continued is None or int(continued["start"]) != have:
            have = 0  # the server does not support ranges and sends the file from its start
        announced = response.headers.get("Content-Length", "")
        total = have + int(announced) if announced.isdigit() else None
        _check_size(total)
        bar = tqdm(desc=name, initial=have, total=total, unit="B", unit_scale=True, leave=False, disable=None)
        with bar, _written(part, part), part.open("ab" if have else "wb") as file:
            while chunk := _read(response):
                file.write(chunk)
                have += len(chunk)
                if have > SIZE_CAP:
                    part.unlink()
                _check_size(have)
                bar.update(len(chunk))
    if total is not None and have != total:
        raise UnavailableError(f"broke off after {have:,} of {total:,} bytes")


def _open(url: str, start: int, token: str | None) -> HTTPResponse:
    """The response to one request.

    Raises:
        TimeoutError: there was none in ANSWER_S seconds. urllib's own time-out leaves out the name look-up, and counts
            anew for each address of a host.
    """
    request = Request(without_password(url), headers={"User-Agent": "hueval"})
    parts = urlsplit(url)
    if parts.username is not None:  # of a mirror
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        request.add_unredirected_header("Authorization", f"Basic {b64encode(login).decode()}")
    elif token:
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    if start:
        request.add_header("Range", f"bytes={start}-")
    opener = build_opener(_Redirect)  # urlopen would keep the proxies that were set at its first call
    answer: Future[HTTPResponse] = Future()

    def ask() -> None:
        try:
            answer.set_result(opener.open(request, timeout=PATIENCE_S))
        except Exception as error:
            answer.set_exception(error)

    Thread(target=ask, daemon=True).start()
    try:
        return answer.result(ANSWER_S)
    except TimeoutError:
        raise TimeoutError(f"no answer within {ANSWER_S:g} s") from None


class _Redirect(HTTPRedirectHandler):
    """Follow redirects; the login is sent on within one server, as the Hub redirects to itself, and to no other."""

    def redirect_request(self, request: Request, *answer: Any) -> Request | None:
        new = super().redirect_request(request, *answer)
        login = request.get_header("Authorization")
        if new and login and urlsplit(new.full_url)[:2] == urlsplit(request.full_url)[:2]:
            new.add_unredirected_header("Authorization", login)
        return new


def _read(response: HTTPResponse) -> bytes:
    try:
        return response.read1(_CHUNK)  # not `read`, which drops what it has when a server stops
    except (OSError, HTTPException) as error:
        raise UnavailableError(reason(error)) from None


@contextmanager
def _written(part: Path, path: Path) -> Iterator[None]:
    """Make the file's folder; report a write error in one line, and delete the partial copy after one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise DataError(f"cannot write {path} ({error.strerror}). {DISK_FIX}") from None


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _check_size(size: int | None) -> None:
    if size is not None and size > SIZE_CAP:
        raise UnavailableError(f"larger than {SIZE_CAP // 2**20} MiB, which no official file is")
