"""Fetching a file of any size over HTTP into a partial copy, with which a later call goes on.

The address must be of content that never changes, such as a file at a commit: what the partial copy has is believed.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from threading import Thread
from typing import TypeVar
from urllib.error import HTTPError
from urllib.parse import unquote, urlsplit
from urllib.request import Request, build_opener

from hf_datasets.network import UnavailableError, UnreachableError, reason, without_password
from hueval_metrics.records import DataError

ANSWER_S = 5.0  # a server that answers at all does so within a second or two; offline clusters often drop packets
PATIENCE_S = 20.0  # without a byte
ATTEMPTS = 5  # as long as each makes progress
SIZE_CAP = 2 * 2**30  # the largest official file has a few hundred megabytes
DISK_FIX = "Free some space there or set HUEVAL_CACHE_DIR to another folder"
_CHUNK = 2**18
_RANGE = re.compile(r"bytes (?P<start>\d+)-\d+/")

T = TypeVar("T")


def fetch(url: str, part: Path, label: str) -> None:
    """Complete a partial copy to the whole body of a GET request; the usual proxy variables apply.

    Args:
        url: an http or https address; redirects are followed.
        part: the partial copy; made where there is none. After a failure of the network it keeps what came.
        label: what the progress bar says, which is hidden unless on a terminal.

    Raises:
        UnavailableError: the server refuses, breaks off again and again, or sends too much.
        UnreachableError: no server answers.
        DataError: the copy cannot be written; then nothing of it is left.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise UnavailableError("not an http or https address")
    for attempt in range(ATTEMPTS):
        before = _size(part)
        try:
            return _go_on(url, part, label)
        except UnreachableError:
            raise
        except UnavailableError:
            if attempt == ATTEMPTS - 1 or _size(part) <= before:
                raise


def _go_on(url: str, part: Path, label: str) -> None:
    """One request for what is missing."""
    from tqdm import tqdm

    have = _size(part)
    try:
        response = _open(url, have)
    except HTTPError as error:
        if error.code != 416 or not have:
            raise UnavailableError(reason(error)) from None
        # Nothing lies behind what we have, so it is everything, or it is too much.
        if error.headers.get("Content-Range", "").endswith(f"/{have}"):
            return
        part.unlink()
        return _go_on(url, part, label)
    except (OSError, ValueError, HTTPException) as error:
        raise UnreachableError(reason(error)) from None
    with response:
        continued = _RANGE.match(response.headers.get("Content-Range", "")) if response.status == 206 else None
        if continued is None or int(continued["start"]) != have:
            have = 0  # the server knows no ranges and sends the file from its start
        announced = response.headers.get("Content-Length", "")
        total = have + int(announced) if announced.isdigit() else None
        check_size(total)
        bar = tqdm(desc=label, initial=have, total=total, unit="B", unit_scale=True, leave=False, disable=None)
        with bar, written(part), part.open("ab" if have else "wb") as file:
            while chunk := _read(response):
                file.write(chunk)
                have += len(chunk)
                if have > SIZE_CAP:
                    part.unlink()
                check_size(have)
                bar.update(len(chunk))
    if total is not None and have != total:
        raise UnavailableError(f"broke off after {have:,} of {total:,} bytes")


def _open(url: str, start: int) -> HTTPResponse:
    request = Request(without_password(url), headers={"User-Agent": "hueval"})
    parts = urlsplit(url)
    if parts.username is not None:  # of a mirror; urllib itself would take it for a part of the host's name
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        request.add_unredirected_header("Authorization", f"Basic {b64encode(login).decode()}")
    if start:
        request.add_header("Range", f"bytes={start}-")
    opener = build_opener()  # urlopen would keep the proxies that were set at its first call

    def ask(_: float) -> HTTPResponse:
        response: HTTPResponse = opener.open(request, timeout=PATIENCE_S)
        return response

    return answer_within(ask)


def answer_within(ask: Callable[[float], T]) -> T:
    """The result of a call that may hang: name look-ups know no time-out, and each address of a host gets its own.

    Args:
        ask: is given the seconds that it has.

    Raises:
        TimeoutError: it has not come back in time.
        Exception: what the call raises.
    """
    done: list[T] = []
    failed: list[Exception] = []
    seconds = ANSWER_S

    def run() -> None:
        try:
            done.append(ask(seconds))
        except Exception as error:
            failed.append(error)

    worker = Thread(target=run, daemon=True)
    worker.start()
    worker.join(seconds)
    if failed:
        raise failed[0]
    if not done:
        raise TimeoutError(f"no answer within {seconds:g} s")
    return done[0]


def _read(response: HTTPResponse) -> bytes:
    try:
        return response.read(_CHUNK)
    except (OSError, HTTPException) as error:
        raise UnavailableError(reason(error)) from None


@contextmanager
def written(part: Path) -> Iterator[None]:
    """Make the folder of a partial copy, and report a full disk in one line.

    Raises:
        DataError: the copy cannot be written; then nothing of it is left.
    """
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise DataError(f"cannot write {part} ({error.strerror}). {DISK_FIX}") from None


def put(part: Path, path: Path) -> None:
    """Give a complete copy its name.

    Raises:
        DataError: that cannot be written; then nothing of the copy is left.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise DataError(f"cannot write {path} ({error.strerror}). {DISK_FIX}") from None


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def check_size(size: int | None) -> None:
    """Refuse what no official file can be.

    Raises:
        UnavailableError: it has more than SIZE_CAP bytes.
    """
    if size is not None and size > SIZE_CAP:
        raise UnavailableError(f"larger than {SIZE_CAP // 2**20} MiB, which no official file is")
