"""Read only ordinary files, write a file whole or not at all, and keep others out of a folder meanwhile."""

from __future__ import annotations

import errno
import logging
import os
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hueval_metrics.records import HuevalError, InputError

MAX_BYTES = 2**28  # of a file that is read as a whole; the largest results have a tenth of it
_BUFFER = 2**20
_SHARED, _PRIVATE = 0o666, 0o600  # less what the user's umask takes

log = logging.getLogger(__name__)


def open_file(path: Path) -> BinaryIO:
    """An ordinary file, open for reading. Anybody may have named it, or put a pipe or a link to a device in its place.

    Raises:
        OSError: it cannot be opened, or is a folder, pipe or device: those block, or never end.
    """
    file = open(path, "rb", _BUFFER, opener=_without_waiting)  # noqa: SIM115  the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not an ordinary file", str(path))
    return file


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The content of an ordinary file.

    Raises:
        OSError: as for `open_file`, or it has more bytes than the limit.
    """
    with open_file(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit // 2**20} MiB", str(path))
    return content


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """The text of an ordinary file in UTF-8, without its byte order mark.

    Raises:
        OSError: as for `read_bytes`.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bytes(path, limit).decode("utf-8-sig")


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe that nobody writes to would wait here


def write_whole(
    path: Path, content: bytes, error: type[HuevalError] = InputError, fix: str = "", *, private: bool = False
) -> None:
    """Write a file so that another process sees all of it or nothing; missing folders are made.

    Args:
        path: the file; an older one is replaced.
        content: its bytes.
        error: what to raise.
        fix: what the user can do about it, for the message.
        private: whether only its owner may read it; else who may is the user's umask's to say.

    Raises:
        HuevalError: of the type `error`: the folder cannot be made or written. Nothing half-written is left.
    """
    with whole_file(path, error, fix, private=private) as write:
        write(content)


@contextmanager
def whole_file(
    path: Path, error: type[HuevalError] = InputError, fix: str = "", *, private: bool = False
) -> Iterator[Callable[[bytes], None]]:
    """Write a file piece by piece; it appears under its name at the end of the `with` block, unless that fails.

    Args:
        path, error, fix, private: as for `write_whole`.

    Yields:
        What writes the next piece.

    Raises:
        HuevalError: as for `write_whole`, also out of the function that it yields.
    """

    @contextmanager
    def told() -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            advice = fix or "Free some space there or choose another folder"
            raise error(f"cannot write {path} ({problem.strerror}). {advice}") from None

    def write(content: bytes) -> None:
        with told():
            file.write(content)

    with told():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE if private else _SHARED)
    try:
        with told():
            file = os.fdopen(handle, "wb", buffering=_BUFFER)
        try:
            yield write
            with told():
                file.close()
                part.replace(path)
        finally:
            with suppress(OSError):  # after a failure, what is still in the buffer
                file.close()
    except BaseException:
        part.unlink(missing_ok=True)
        raise


@contextmanager
def locked(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Keep other processes that do the same out of a folder, where the system and the disk can do that.

    Args:
        folder: it is made where there is none.
        wait: for another process to leave it, which is said; else BlockingIOError is raised.

    Yields:
        Whether it is locked; not on Windows, on network disks without locks, and where it cannot be made.
    """
    try:
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # what is wrong with the folder is said when the first file is written
        yield False
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            is_locked = True
        except BlockingIOError:
            if not wait:
                raise
            log.warning("%s: another process is writing there; waiting for it.", folder)
            fcntl.flock(handle, fcntl.LOCK_EX)
            is_locked = True
        except OSError:
            is_locked = False
        yield is_locked
    finally:
        os.close(handle)
