"""Read regular files only, write files atomically, and lock a folder against other processes."""

from __future__ import annotations

import errno
import logging
import os
import secrets
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Any

from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.foreign import parse_json

MAX_BYTES = 2**28  # of a file that is read into memory; the largest results file has a tenth of it
_BUFFER = 2**20
_SHARED, _PRIVATE = 0o666, 0o600  # minus the user's umask

log = logging.getLogger(__name__)


def open_file(path: Path) -> BufferedReader:
    """Open a regular file for reading. The path is untrusted: it may name a pipe, or a link to a device.

    Raises:
        OSError: it cannot be opened, or is a folder, pipe or device; reading those can block or never end.
    """
    file: BufferedReader = BufferedReader(FileIO(path, opener=_without_waiting), _BUFFER)
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "not an ordinary file", str(path))
    return file


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """The content of a regular file.

    Raises:
        OSError: as for `open_file`, or the file is larger than `limit` bytes.
    """
    with open_file(path) as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise OSError(errno.EFBIG, f"larger than {limit // 2**20} MiB", str(path))
    return content


def read_text(path: Path, limit: int = MAX_BYTES) -> str:
    """The text of a regular file in UTF-8, without a byte order mark.

    Raises:
        OSError: as for `read_bytes`.
        UnicodeDecodeError: it is not UTF-8.
    """
    return read_bytes(path, limit).decode("utf-8-sig")


def read_own_json(path: Path, missing: str, broken: str) -> Any:
    """The JSON value in a file that a command of ours has written.

    Args:
        path: the file.
        missing, broken: how to fix it where it cannot be read, and where it is no JSON.

    Raises:
        InputError: it cannot be read, or is no JSON.
    """
    try:
        return parse_json(read_text(path))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}). {missing}") from None
    except ValueError as error:
        raise InputError(f"{path}: not valid JSON ({one_line(error, 80)}). {broken}") from None


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # opening a pipe without a writer would block


def write_whole(
    path: Path, content: bytes, error: type[HuevalError] = InputError, fix: str = "", *, private: bool = False
) -> None:
    """Write a file atomically: another process sees all of it or nothing. Missing folders are created.

    Args:
        path: the file; an existing one is replaced.
        content: its bytes.
        error: type of the exception to raise.
        fix: advice for the error message.
        private: whether only the owner can read it (mode 0600); otherwise the umask decides.

    Raises:
        HuevalError: of type `error`: the folder or file cannot be written. No partial file is left.
    """
    with whole_file(path, error, fix, private=private) as write:
        write(content)


@contextmanager
def whole_file(
    path: Path, error: type[HuevalError] = InputError, fix: str = "", *, private: bool = False
) -> Iterator[Callable[..., int]]:
    """Write a file in pieces; it is renamed to its path when the `with` block succeeds.

    Args:
        path, error, fix, private: as for `write_whole`.

    Yields:
        A function that writes the next piece, after cutting the file to a size if one is given; it returns the size.

    Raises:
        HuevalError: as for `write_whole`; the yielded function raises it as well.
    """

    @contextmanager
    def as_hueval_error() -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            advice = fix or "Free some space there or choose another folder"
            raise error(f"cannot write {path} ({problem.strerror}). {advice}") from None

    def write(content: bytes, cut_to: int | None = None) -> int:
        with as_hueval_error():
            if cut_to is not None:
                file.truncate(file.seek(cut_to))
            file.write(content)
        return file.tell()

    with as_hueval_error():
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        mode = _PRIVATE if private else _SHARED
        file = open(part, "xb", _BUFFER, opener=partial(os.open, mode=mode))  # noqa: SIM115  closed below
    try:
        yield write
        with as_hueval_error():
            file.close()
            part.replace(path)
    except BaseException:
        with suppress(OSError):  # flushing the buffer may fail again
            file.close()
        part.unlink(missing_ok=True)
        raise


def check_outside(output: Path, folders: Iterable[Path]) -> None:
    """Raise InputError where the folder of `--output` is one of the runs that are read, or inside one."""
    place = output.resolve()
    for folder in folders:
        if folder.resolve() in (place, *place.parents):
            raise InputError(f"--output {output}: is in the run {folder}, which stays as it is. Name another")


@contextmanager
def locked(folder: Path, *, wait: bool = True) -> Iterator[bool]:
    """Lock a folder against other processes that use this function.

    Args:
        folder: created if it is missing.
        wait: whether to wait for another process, with a warning; otherwise BlockingIOError is raised.

    Yields:
        Whether the folder is locked; False on Windows, on network disks without locks, and if it cannot be created.
    """
    try:
        import fcntl

        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    except (ImportError, OSError):  # writing the first file reports what is wrong with the folder
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
