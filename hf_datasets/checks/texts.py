"""Faults in a text: invisible characters, wrong code pages, decomposed letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

from hf_datasets.checks.findings import Severity
from hueval_metrics.text import unspaced
from hueval_metrics.text.normalize import stream_safe

Sign = tuple[Severity, str, int]

_NAMES = {
    "\r": "carriage return",
    "\x85": "next line: many programs end a line there",
    "\xa0": "no-break space",
    "\ufffd": "replacement character: a letter was lost",
}
# Control (but tab and line feed), invisible, direction-changing, private and unpaired characters, and U+FFFD.
_HIDDEN = (
    "\x00-\x08\x0b-\x1f\x7f-\xa0\xad\u0600-\u0605\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ud800-\uf8ff\ufeff\ufff9-\ufffb\ufffd-\uffff"
)
# The bytes of a UTF-8 letter of two, read as Windows-1252 or ISO 8859-1, as "Ã©"; and of a quote or dash, as "â€“".
_TRAILING = "".join(sorted({bytes([b]).decode("cp1252", "ignore") or chr(b) for b in range(0x80, 0xC0)}))
_UTF8_MISREAD = f"[\u00c2-\u00c5][{re.escape(_TRAILING)}\x80-\xbf]|â[€\x80]"
_LATIN1_LOOKALIKE = "[õûÕÛ]"  # ISO 8859-1 has no ő and ű and shows these for their bytes
_SIGNS = re.compile(f"(?P<misread>{_UTF8_MISREAD})|(?P<lookalike>{_LATIN1_LOOKALIKE})|[{_HIDDEN}]")
_OFTEN_MEANT = "\r\xa0\xad\u200c\u200d\u200e\u200f"  # typography, emoji, Arabic; they still break a comparison
_WHOLE_WORD_BELOW = 4  # characters; a longer answer may have a suffix: Hungarian adds case endings to a word
_HANGUL = re.compile("[\uac00-\ud7a3]")  # particles follow a word of any length without a space
_NO_ENDINGS = ("vi",)  # languages whose words never change
# A capital of Vietnamese before a closing quotation mark or a dash looks like a misread letter.
_CLOSED_CAPITAL = re.compile(r"[ÂÃ][”’»…–—](?!\w)")
# Marks on Arabic letters are typed in another order than NFC has, and are shown in the same way.
_ARABIC_MARKS = re.compile("[\u064b-\u065f\u0670]+")
_CONTEXT = 20  # characters on each side of the place in an example


def texts_in(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a row, with the name of its field, which the entries of a list share.

    >>> list(texts_in({"a": "x", "b": [{"c": "y"}, {"c": "z"}], "d": None}))
    [('a', 'x'), ('b[].c', 'y'), ('b[].c', 'z')]
    """
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from texts_in(inner, f"{path}.{name}" if path else str(name))
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from texts_in(inner, f"{path}[]")


def signs(text: str, *, language: str | None = None) -> Iterator[Sign]:
    """The faults of a text, each kind once: severity, description, index of the first.

    Args:
        text: any text.
        language: of the row, ISO 639-1; Hungarian if it says none. õ and û are faults in a Hungarian row, also in its
            translations, which quote it; elsewhere they are letters, as in Vietnamese, Portuguese and French.

    >>> [what for _, what, _ in signs("KÃ©t sz\u0151l\u200b")]
    ['mojibake: UTF-8 read as Latin-1, such as Ã© for é', 'U+200B (zero width space)']
    """
    seen = set()
    for match in _SIGNS.finditer(text):
        if match.lastgroup == "misread":
            if language == "vi" and _CLOSED_CAPITAL.match(text, match.start()):
                continue
            sign: tuple[Severity, str] = ("warning", "mojibake: UTF-8 read as Latin-1, such as Ã© for é")
        elif match.lastgroup == "lookalike":
            if language not in (None, "hu"):
                continue
            sign = ("warning", "õ or û for ő or ű (ISO 8859-1)")
        elif "\ue000" <= match[0] <= "\uf8ff":
            sign = ("warning", "private-use character")
        elif "\ud800" <= match[0] <= "\udfff":
            sign = ("warning", "an unpaired surrogate")
        else:
            sign = ("note" if match[0] in _OFTEN_MEANT else "warning", _code_point(match[0]))
        if sign not in seen:
            seen.add(sign)
            yield *sign, match.start()
    if not text.isascii() and not unicodedata.is_normalized("NFC", stream_safe(text)):
        bare = _ARABIC_MARKS.sub("", text)
        if bare != text and unicodedata.is_normalized("NFC", stream_safe(bare)):
            yield "note", "Arabic vowel marks not in the order of NFC", 0
        else:
            yield "warning", "not NFC-normalized", 0


def snippet(text: str, at: int) -> str:
    """The characters around an index of a text."""
    start, end = max(0, at - _CONTEXT), at + _CONTEXT
    return f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"


def folded(value: Any) -> Any:
    r"""A text for comparison: NFC, casefolded, each run of white space as one blank.

    Lists and objects are folded entry by entry; other values are unchanged.

    >>> folded(["Az  A\u0301LOM\n", 3])
    ['az álom', 3]
    """
    if isinstance(value, str):
        if value.isascii():
            return " ".join(value.casefold().split())
        composed = unicodedata.normalize("NFC", stream_safe(value))
        return unicodedata.normalize("NFC", " ".join(composed.casefold().split()))
    if isinstance(value, Mapping):
        return {name: folded(inner) for name, inner in value.items()}
    return [folded(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def gives_away(question: str, answer: str, language: str | None = None) -> bool:
    """Whether a question contains an answer, both folded, from the start of a word; a short one as a whole word.

    In scripts without spaces it may be anywhere between two syllables.

    >>> gives_away("hol fekszik szegeden a szent péter?", "szeged"), gives_away("melyik az? óperencia", "per")
    (True, False)
    """
    at = question.find(answer) if len(answer) > 1 else -1
    while at >= 0:
        end = at + len(answer)
        before, behind = question[at - 1 : at], question[end : end + 1]
        inside_word = bool(before) and _joined(before, answer[0])
        takes_endings = len(answer) >= _WHOLE_WORD_BELOW and language not in _NO_ENDINGS
        goes_on = bool(behind) and not takes_endings and not _HANGUL.match(behind) and _joined(answer[-1], behind)
        cut = bool(behind) and unspaced.is_unspaced(behind) and unspaced.is_syllable(answer[-1], behind)
        if not inside_word and not goes_on and not cut:
            return True
        at = question.find(answer, at + 1)
    return False


def _joined(left: str, right: str) -> bool:
    """Whether two neighbours belong to one word."""
    if unspaced.is_unspaced(left) or unspaced.is_unspaced(right):
        return unspaced.is_unspaced(left) and unspaced.is_unspaced(right) and unspaced.is_syllable(left, right)
    return left.isalnum() and right.isalnum()


def _code_point(character: str) -> str:
    name = _NAMES.get(character) or unicodedata.name(character, "control character").lower()
    return f"U+{ord(character):04X} ({name})"
