"""Unpack a zip archive that anybody may have made, in bounded time, memory and space.

What is refused is refused before anything is unpacked where the directory of the archive shows it, and otherwise at the
byte that is one too many. Members go to names of ours; their own are only read.
"""

from __future__ import annotations

import errno
import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.submission.predictions import WORDING
from hueval_metrics.submission.wording import Found, Texts
from hueval_metrics.text.files import open_file

MAX_MEMBERS = 1000
_MAX_DIRECTORY = 2**20  # bytes of the directory at the end; that of 1,000 members with long names has half of it
_ZIP = b"PK"
_CHUNK = 2**18
_END, _END_SIZE = b"PK\x05\x06", 22  # of the record at the end, which may have a comment of 64 KiB behind it
_LOCATOR, _LOCATOR_SIZE = b"PK\x06\x07", 20  # before it, where there is a second record of the zip64 format
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # other decompressors write without bound at a step
_ENCRYPTED = 0x1 | 0x40
_OF_SYSTEMS = frozenset({"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"})  # put there by systems, not by users


class ArchiveError(InputError):
    """An archive is not taken.

    Attributes:
        text: language → what is wrong and how to fix it, in one line.
    """

    def __init__(self, code: str, **values: object) -> None:
        fault = WORDING.fault(Found(code, None, values))
        super().__init__(fault.text["en"])
        self.text: Texts = fault.text


@dataclass(frozen=True)
class Member:
    """A file of an archive.

    Attributes:
        name: as the archive has it, folders included, fit for messages.
        path: where it was unpacked.
        size: in bytes.
    """

    name: str
    path: Path
    size: int


def is_archive(path: Path) -> bool:
    """Whether a file begins as zip archives do.

    Raises:
        OSError: it cannot be read.
    """
    with open_file(path) as file:
        return file.read(len(_ZIP)) == _ZIP


@contextmanager
def unpacked(path: Path, most: int, within: Path | None = None) -> Iterator[Sequence[Member]]:
    """Inside, the files of an archive lie in a temporary folder.

    Args:
        path: the archive.
        most: bytes of all files together.
        within: where the temporary folder is made; None for where the system has them.

    Yields:
        The files in the order of the archive; there is at least one.

    Raises:
        ArchiveError: it is damaged, too large, or has what no submission needs: links, encrypted files, other
            archives, names outside its own folder, or one name twice.
    """
    with tempfile.TemporaryDirectory(dir=within) as folder:
        try:
            _check_end(path)
            with zipfile.ZipFile(path) as archive:
                entries = _checked(archive.infolist(), most)
                members, left = [], most
                for number, entry in enumerate(entries):
                    target = Path(folder) / str(number)
                    with archive.open(entry) as source:
                        size = _copy(source, target, left, entry.filename, most)
                    left -= size
                    members.append(Member(one_line(entry.filename, 120), target, size))
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
            raise ArchiveError("zip_damaged", reason=one_line(error, 80) or "it ends too soon") from None
        except OSError as error:
            if error.errno != errno.EINVAL:  # such as a full disk, which is no fault of the archive
                raise
            raise ArchiveError("zip_damaged", reason="an offset in it is wrong") from None
        yield members


def _check_end(path: Path) -> None:
    """Refuse an archive by the record at its end, before its directory is read into memory."""
    with open_file(path) as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END_SIZE - 2**16))
        tail = file.read()
    place = len(tail) - _END_SIZE
    if not (place >= 0 and tail.startswith(_END, place) and tail.endswith(b"\0\0")):
        place = tail.rfind(_END)
    if place < 0 or len(tail) - place < _END_SIZE:
        raise ArchiveError("zip_damaged", reason="it has no directory")
    if tail[max(0, place - _LOCATOR_SIZE) : place].startswith(_LOCATOR):
        raise ArchiveError("zip_too_many", most=MAX_MEMBERS)  # zip64: above 65,535 members or 4 GiB
    n, directory = struct.unpack("<HL", tail[place + 10 : place + 16])
    if n > MAX_MEMBERS or directory > _MAX_DIRECTORY:
        raise ArchiveError("zip_too_many", most=MAX_MEMBERS)


def _checked(entries: Sequence[zipfile.ZipInfo], most: int) -> list[zipfile.ZipInfo]:
    """The files of an archive, none of which must be refused by what the directory says."""
    files = [entry for entry in entries if not entry.is_dir() and not _is_of_system(entry.filename)]
    if len(files) > MAX_MEMBERS:
        raise ArchiveError("zip_too_many", most=MAX_MEMBERS)
    if not files:
        raise ArchiveError("zip_empty")
    seen: set[str] = set()
    for entry in files:
        name = one_line(entry.filename, 120)
        mode = entry.external_attr >> 16
        if _leaves(entry.filename):
            raise ArchiveError("zip_path", name=name)
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            raise ArchiveError("zip_link", name=name)
        if entry.flag_bits & _ENCRYPTED:
            raise ArchiveError("zip_encrypted", name=name)
        if entry.compress_type not in _METHODS:
            raise ArchiveError("zip_method", name=name)
        if entry.filename in seen:
            raise ArchiveError("zip_twice", name=name)
        seen.add(entry.filename)
    if sum(entry.file_size for entry in files) > most:
        raise ArchiveError("zip_too_large", most=most // 2**20)
    return files


def _is_of_system(name: str) -> bool:
    return not _OF_SYSTEMS.isdisjoint(PurePosixPath(name).parts)


def _leaves(name: str) -> bool:
    """Whether a name leads out of the folder of its archive, on any system."""
    parts = name.replace("\\", "/").split("/")
    return parts[0] == "" or ".." in parts or parts[0].endswith(":") or "\0" in name


def _copy(source: IO[bytes], target: Path, left: int, name: str, most: int) -> int:
    """Unpack a file of at most `left` bytes.

    Returns:
        Its size in bytes.
    """
    size = 0
    with target.open("wb") as file:
        while chunk := source.read(_CHUNK):
            if size == 0 and chunk.startswith(_ZIP):
                raise ArchiveError("zip_nested", name=one_line(name, 120))
            size += len(chunk)
            if size > left:
                raise ArchiveError("zip_too_large", most=most // 2**20)
            file.write(chunk)
    return size
