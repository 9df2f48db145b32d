r"""The text of a reply as a reader sees it, each character with its place in the reply.

Readers search a readable form: compatibility forms composed (NFKC), invisible characters, HTML, LaTeX commands and
Markdown escapes removed. `Text.span` gives what was found there back as a range of the reply.

>>> text = without_markup(readable("Válasz: **ａ** &amp; \\boxed{ｂ}"))
>>> text.plain, text.span(text.plain.index("b"), len(text.plain))
('Válasz: **a** & b', Span(start=27, end=28))
"""

from __future__ import annotations

import html
import re
import unicodedata
from array import array
from collections.abc import Callable
from dataclasses import dataclass

from hueval_metrics.answers.reading import Span
from hueval_metrics.text.normalize import stream_safe

_CLUSTER = re.compile(
    "[\u1100-\u11ff]+|\\w[^\\w\\s\x00-\x7f]*|[^\x00-\x7f]"
)  # what may compose: a letter and its marks
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0e\ufe0f\ufeff]+")
_ESCAPED_MARK = re.compile(r"\\{1,4}#")
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,8}\d?);", re.IGNORECASE)
_LINE_TAG = re.compile(r"</?(?:tr|li|p|div|br|ul|ol|pre)\b[^<>]{0,100}>|</t[dh]>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:[A-Za-z][A-Za-z0-9]{1,15}|[abipsu])(?:\s[^<>]{0,200})?/?>")  # "<F>" is an option
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(s|del|strike)>[^<>\n]{0,200}</\1>", re.IGNORECASE)
_TEX = re.compile(r"\\(?:f?box(?:ed)?|text|textbf|mathrm|mathbf|textit)\s?\{([^{}]{0,2000})\}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Text:
    """A text made of a reply.

    Attributes:
        plain: the text.
        starts, ends: where each of its characters begins and ends in the reply; None where the text is the reply.
    """

    plain: str
    starts: array[int] | None = None
    ends: array[int] | None = None

    def __len__(self) -> int:
        return len(self.plain)

    def span(self, start: int, end: int) -> Span:
        """The range of the reply of which a range of the text was made."""
        if self.starts is None or self.ends is None:
            return Span(start, end)
        if start >= end:
            at = self.starts[start] if start < len(self.starts) else self.ends[-1] if self.ends else 0
            return Span(at, at)
        return Span(self.starts[start], self.ends[end - 1])

    def part(self, start: int, end: int) -> Text:
        """A range of the text, with the same places in the reply."""
        starts, ends = self._places()
        return Text(self.plain[start:end], starts[start:end], ends[start:end])

    def sub(self, pattern: re.Pattern[str], made: str | int | Callable[[re.Match[str]], str]) -> Text:
        """The text with what a pattern matches replaced, in linear time.

        Args:
            pattern: any pattern that matches no empty text.
            made: the text in its place, as it is; the number of a group of the match, whose characters keep their
                places, as those of any text of the same length do; or a function that makes the text.
        """
        parts: list[str] = []
        starts, ends = array("l"), array("l")
        known: tuple[array[int], array[int]] | None = None
        done = 0
        for match in pattern.finditer(self.plain):
            start, end = match.span()
            group = made if isinstance(made, int) else 0
            new = made if isinstance(made, str) else match[group] if isinstance(made, int) else made(match)
            if new == match[0]:
                continue
            known = known or self._places()
            parts += self.plain[done:start], new
            starts += known[0][done:start]
            ends += known[1][done:start]
            if len(new) == match.end(group) - match.start(group):
                starts += known[0][match.start(group) : match.end(group)]
                ends += known[1][match.start(group) : match.end(group)]
            else:
                starts += array("l", [known[0][start]] * len(new))
                ends += array("l", [known[1][end - 1]] * len(new))
            done = end
        if known is None:
            return self
        return Text("".join(parts) + self.plain[done:], starts + known[0][done:], ends + known[1][done:])

    def _places(self) -> tuple[array[int], array[int]]:
        if self.starts is None or self.ends is None:
            return array("l", range(len(self.plain))), array("l", range(1, len(self.plain) + 1))
        return self.starts, self.ends


def readable(reply: str | Text) -> Text:
    r"""The reply without compatibility forms and invisible characters, with marks and HTML entities unescaped.

    HTML entities inside JSON strings are kept, since an unescaped quote would end the string.

    >>> readable("｛&quot;answer&quot;：[&quot;\\#0\\#Ａ&quot;]｝").plain
    '{"answer":["#0#A"]}'
    """
    text = reply if isinstance(reply, Text) else Text(reply)
    if not text.plain.isascii():
        text = text.sub(_INVISIBLE, "")
        text = _composed(text)
    if '"' not in text.plain:
        text = text.sub(_ENTITY, lambda match: html.unescape(match[0]))
    return text.sub(_ESCAPED_MARK, "#")


def _composed(text: Text) -> Text:
    """NFKC, letter by letter, so that offsets hold."""
    if unicodedata.is_normalized("NFKC", text.plain):
        return text
    return text.sub(_CLUSTER, lambda match: match[0] if match[0].isascii() else _nfkc(match[0]))


def _nfkc(cluster: str) -> str:
    return unicodedata.normalize("NFKC", stream_safe(cluster))


def without_markup(text: Text) -> Text:
    r"""The text without HTML, LaTeX commands and struck-through text; table rows and cells remain separated.

    >>> without_markup(readable("~~A~~ <b>F</b> &amp; $\\text{G}$")).plain
    ' F & $G$'
    """
    text = text.sub(_STRUCK, "")
    if "<" in text.plain:
        text = text.sub(_LINE_TAG, "\n").sub(_TAG, "")
    if "&" in text.plain:
        text = text.sub(_ENTITY, lambda match: html.unescape(match[0]))
    for _ in range(2 if "\\" in text.plain else 0):  # \boxed{\text{F}}
        text = text.sub(_TEX, 1)
    return text
