r"""Whether the texts that a judge returned are the trace that it was given, piece by piece, and where each begins.

White space at the joints does not count, and neither do escapes of JSON: judges write `\n` for a line break once too
often, or once too rarely for a `\boxed` of the trace. Everything else counts: what is lost, changed, added, reordered,
or shortened with "…" is not the trace. All functions take linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile

from hueval_metrics.judge.templates import json_string

OPENING, CLOSING = "<think>", "</think>"  # around the trace in the printed examples; the trace comes without them
_BEFORE, _SHOWN = 24, 48  # characters in a message, up to the place and from there
_WHITE = re.compile(r"\s*")
# A run of backslashes and what it escapes, however often the text was escaped; or surrogates, in pairs or alone.
_ESCAPE = re.compile(
    r"\\+u(?P<high>d[89ab][0-9a-f]{2})\\+u(?P<low>d[c-f][0-9a-f]{2})"
    r"|\\+u(?P<code>[0-9a-f]{4})"
    r"|\\+(?P<control>(?-i:[bfnrt]))"
    r"|\\+(?=[\x00-\x1f\"'/\x7f-\U0010ffff])"
    r"|(?P<other>\\+)"
    r"|(?P<pair>[\ud800-\udbff][\udc00-\udfff])"
    r"|(?P<half>[\ud800-\udfff])",
    re.IGNORECASE,
)
_CONTROLS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class Parting:
    """The first place where texts part from the trace.

    Attributes:
        segment: number of the text, from 1; one more than there are where the trace goes on after the last.
        expected: how the trace goes on there, from a few characters before that are the same; empty at its end.
        came: how the text goes on, likewise; empty where there is none.
    """

    segment: int
    expected: str
    came: str

    def __str__(self) -> str:
        expected, came = json_string(self.expected), json_string(self.came)
        if not self.came:
            return f"after segment {self.segment - 1} the text goes on with {expected}"
        if not self.expected:
            return f"segment {self.segment} goes on after the end of the text, with {came}"
        return f"segment {self.segment} has {came} where the text has {expected}"


def bounds_of(trace: str, texts: Sequence[str]) -> list[int] | Parting:
    r"""The offsets between which the texts are in the trace.

    Args:
        trace: any text.
        texts: consecutive pieces of it; the first may begin with `<think>`, and the last end with `</think>`.

    Returns:
        One offset more than there are texts, from 0 to the length of the trace: white space between two pieces belongs
        to the first. Or where the texts part from the trace; an empty text is none of its pieces.

    >>> bounds_of("First, #0#.\n\nSo A.", ["<think>First, #0#.", "So A."])
    [0, 13, 18]
    >>> print(bounds_of("First, #0#.\n\nSo A.", ["First, …", "So A."]))
    segment 1 has "First, …" where the text has "First, #0#.\n\nSo A."
    """
    texts = _without_tags(trace, texts)
    ends = _ends(trace, texts)
    if isinstance(ends, Parting):
        plain, offsets = _plain(trace)
        ends = _ends(plain, [_ESCAPE.sub(_unescaped, text) for text in texts])
        if isinstance(ends, Parting):
            return ends
        ends = [offsets.in_text(end) for end in ends]
    return [0, *(_end_of_white(trace, end) for end in ends[:-1]), len(trace)]


def _ends(trace: str, texts: Sequence[str]) -> list[int] | Parting:
    """Where each piece ends."""
    ends: list[int] = []
    at = 0
    for number, text in enumerate(texts, 1):
        at, piece = _end_of_white(trace, at), text.strip()
        if not piece or not trace.startswith(piece, at):
            same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(piece, trace[at:], strict=False)))
            return Parting(number, _around(trace, at, same), _around(piece, 0, same))
        at += len(piece)
        ends.append(at)
    at = _end_of_white(trace, at)
    return ends if ends and at == len(trace) else Parting(len(ends) + 1, _around(trace, at, 0), "")


def _end_of_white(text: str, at: int) -> int:
    found = _WHITE.match(text, at)
    return found.end() if found else at


def _around(text: str, start: int, same: int) -> str:
    """What is around the place where a piece of a text, from its start, is no longer the same."""
    return text[start + max(0, same - _BEFORE) : start + same + _SHOWN]


def _without_tags(trace: str, texts: Sequence[str]) -> list[str]:
    texts = list(texts)
    if texts and not trace.lstrip().startswith(OPENING):
        texts[0] = texts[0].lstrip().removeprefix(OPENING)
    if texts and not trace.rstrip().endswith(CLOSING):
        texts[-1] = texts[-1].rstrip().removesuffix(CLOSING)
    return texts


@dataclass(frozen=True)
class _Offsets:
    """Offsets of a text without escapes → offsets of the text with them.

    Attributes:
        ends: where each replacement ends in the text without.
        saved: how much shorter the text is by then.
    """

    ends: Sequence[int]
    saved: Sequence[int]

    def in_text(self, at: int) -> int:
        place = bisect_right(self.ends, at)
        return at + (self.saved[place - 1] if place else 0)


def _plain(text: str) -> tuple[str, _Offsets]:
    r"""A text as it is compared, and its offsets: escapes are undone, one or several times, and also where the trace
    itself has them (`\boxed` begins with one). A backslash that escapes nothing stays, once. Half a surrogate pair,
    which no request can carry, is U+FFFD.
    """
    pieces: list[str] = []
    ends: list[int] = []
    lost: list[int] = []
    seen = length = 0
    for match in _ESCAPE.finditer(text):
        (start, end), new = match.span(), _unescaped(match)
        length += start - seen + len(new)
        pieces += text[seen:start], new
        ends.append(length + (not new))  # a backslash that is left out goes with the character that it escapes
        lost.append(end - start - len(new))
        seen = end
    return "".join([*pieces, text[seen:]]), _Offsets(ends, list(accumulate(lost)))


def _unescaped(match: re.Match[str]) -> str:
    kind, found = match.lastgroup, match[match.lastgroup or 0]
    if kind == "code":
        character = chr(int(found, 16))
        return "\ufffd" if "\ud800" <= character <= "\udfff" else character
    if kind == "control":
        return _CONTROLS[found]
    if kind == "low":
        return bytes.fromhex(match["high"] + found).decode("utf-16-be")
    if kind == "pair":
        return found.encode("utf-16", "surrogatepass").decode("utf-16")
    return {"other": "\\", "half": "\ufffd"}.get(kind or "", "")
