"""The entries of a JSON array, one at a time: memory grows with the longest entry, not with the file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NoReturn

from hueval_metrics.one_line import one_line

LONGEST = 2**24  # characters of an entry; the longest known row has 3,000
_CHUNK = 2**16
_SLACK = 16  # a token that the end of the buffer cuts (`-Infinity`, `\ud83d\ude00`) begins at most so far before it
_SOLID = re.compile(r"[^ \t\n\r]")


class JsonFaultError(Exception):
    """The content of a file is wrong. The text continues a message that begins with the file's name."""


def array_entries(pieces: Iterable[str]) -> Iterator[object]:
    """The entries of a JSON array.

    Args:
        pieces: the file's text, cut anywhere.

    Raises:
        JsonFaultError: the text is not an array, an entry is not JSON or longer than LONGEST, or the text is cut off.

    >>> list(array_entries(['[{"a": 1}, tr', 'ue]']))
    [{'a': 1}, True]
    """
    text = _Unread(iter(pieces))
    if (first := text.next_character()) != "[":
        kind = {"": "empty", "{": "an object"}.get(first, "no JSON array")
        raise JsonFaultError(f"is {kind}, expected a JSON array with an object a row")
    text.at += 1
    count, after = 0, text.next_character()
    while after != "]":
        count += 1
        yield text.value(f"row {count}")
        after = text.next_character()
        if not after:
            raise JsonFaultError(f"is cut off after row {count}")
        if after not in ",]":
            raise JsonFaultError(f"has {one_line(repr(after))} after row {count}, expected a comma or ]")
        text.at += after == ","
    text.at += 1
    if text.next_character():
        raise JsonFaultError(f"has text behind the array of {count} rows, expected its end")


def utf8_pieces(file: BinaryIO) -> Iterator[str]:
    """The text of a file, piece by piece, without a byte order mark.

    Raises:
        JsonFaultError: a NUL byte, or not UTF-8; the message has the line.
    """
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    line = 1
    while True:
        chunk = file.read(_CHUNK)
        if (nul := chunk.find(b"\0")) >= 0:
            raise JsonFaultError(f"line {line + chunk.count(10, 0, nul)} contains a NUL byte, expected text")
        try:
            yield decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            line += error.object.count(10, 0, error.start)
            if not chunk:
                raise JsonFaultError(f"line {line} is cut short inside a character") from None
            found = error.object[error.start]
            raise JsonFaultError(f"line {line} contains byte 0x{found:02x}, expected UTF-8") from None
        line += chunk.count(10)
        if not chunk:
            return


def _no_constant(spelling: str) -> NoReturn:
    raise ValueError(f"{spelling} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


class _Unread:
    """A buffer over the part of a text that was not parsed yet.

    Attributes:
        at: index of its first character.
    """

    def __init__(self, pieces: Iterator[str]) -> None:
        self._pieces = pieces
        self._text = ""
        self._ended = False
        self.at = 0

    def next_character(self) -> str:
        """The first character that is not white space, which is not consumed; empty at the end."""
        while not (found := _SOLID.search(self._text, self.at)):
            if self._ended:
                return ""
            self.at = len(self._text)
            self._extend()
        self.at = found.start()
        return found[0]

    def value(self, place: str) -> object:
        """Parse a value; `place` names it in error messages."""
        self.next_character()
        while len(self._text) - self.at <= LONGEST:
            try:
                value, end = _DECODER.raw_decode(self._text, self.at)
                if self._ended or end < len(self._text) - _SLACK:  # else 12 may be the beginning of 123, or of 12.5
                    self.at = end
                    return value
            except json.JSONDecodeError as error:
                open_end = error.msg.startswith("Unterminated") or error.pos >= len(self._text) - _SLACK
                if self._ended or not open_end:
                    raise JsonFaultError(f"{place}: is cut short or not JSON ({error.msg})") from None
            except (ValueError, RecursionError) as error:  # ValueError: NaN, a number of 5,000 digits
                raise JsonFaultError(f"{place}: is not JSON ({one_line(error, 80)})") from None
            self._extend()
        raise JsonFaultError(f"{place}: is longer than {LONGEST // 2**20} MiB, which no row is")

    def _extend(self) -> None:
        """Double the buffer, so that a long value is scanned a few times, not once for each piece."""
        parts = [self._text[self.at :]]
        missing = max(len(parts[0]), _CHUNK)
        while missing > 0 and not self._ended:
            piece = next(self._pieces, None)
            self._ended = piece is None
            parts.append(piece or "")
            missing -= len(parts[-1])
        self._text = "".join(parts)
        self.at = 0
