"""Read whether a judge calls an answer right, wrong or not attempted: by a word, or by a letter (SimpleQA, 2024).

A letter is read as its label where it stands as one: alone, as a value, behind a colon or a word such as "option". The
article "a" of English and Hungarian, initials and the letters of a list are none. When in doubt a letter is left
unread, since an unreadable reply is requested again and a wrong verdict is not.
"""

from __future__ import annotations

import re
from functools import cache

from hueval_metrics.answers.json_objects import READ_LIMIT
from hueval_metrics.answers.verdicts.labels import LabelReader

LABELS = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
LETTERS = dict(zip("ABC", LABELS, strict=True))
KEY = "evaluation"  # the JSON key that judges are asked for

# Words that stand for a label where they are the whole reply or value.
_ALONE = {
    **dict.fromkeys(("HELYES", "RIGHT"), "CORRECT"),
    **dict.fromkeys(("HELYTELEN", "HIBÁS", "TÉVES", "WRONG"), "INCORRECT"),
    **dict.fromkeys(
        ("NEM VÁLASZOLT", "NEM PRÓBÁLTA", "NEM PRÓBÁLKOZOTT", "NEM KÍSÉRELTE MEG", "NOT ANSWERED", "NO ATTEMPT"),
        "NOT_ATTEMPTED",
    ),
}
_FLAGS = dict.fromkeys(("is_correct", "correct", "helyes"), ("CORRECT", "INCORRECT"))

_LETTER = r"[ABCＡＢＣАС]"  # the last two are Cyrillic; the third letter of the Cyrillic alphabet looks like B
_LATIN = str.maketrans("ＡＢＣАС", "ABCAC")
_NOUN = (
    r"(?:option|choice|letter|grade|label|verdict|category|rating|answer|evaluation|decision|judge?ment|classification"
    r"|döntés\w{0,4}|ítélet\w{0,4}|értékelés\w{0,4}|válasz\w{0,4}|címke|betű\w{0,4}|lehetőség\w{0,4})"
)
_ACT = r"(?:choose|select|pick|grade|rate|mark|label|classify|assign|give|választom|adom)"
_OPENING = r"[\"'“„‘«`*_(\[{<|$]"
_NOT_ITS_OWN = "".join(rf"(?<!\b{word}\s)" for word in ("predicted", "gold", "given", "model", "user", "reference"))
# Before a letter: nothing, punctuation that opens a value, or words that announce one.
_BEFORE = re.compile(
    rf"(?:\A|\n|[:：=;；→>|]|(?-i:(?<!\b[A-Z]))[,，]|[.!?…](?=\s)|[。！？]|{_OPENING}|\\(?:boxed|text)\{{"
    rf"|{_NOT_ITS_OWN}\b{_NOUN}(?:\s(?:would be|should be|is|was))?(?:\s(?:an?|the|az?))?\s"
    rf"|\b{_ACT}\s(?:(?:it|this|that|the (?:response|answer))\s)?(?:(?:as|to be|with)\s)?(?:(?:an?|the|az?)\s)?"
    rf"|\b(?:not|but|nem|hanem|so|thus|hence|therefore|tehát|ezért|így)\s)(?:\s|{_OPENING}){{0,9}}\Z",
    re.IGNORECASE,
)
_CLOSING = r"[\"'”“’»`*_)\]}>$\\]"
# Behind it: the end, punctuation, or the reason. A full stop before another initial is a part of a name.
_BEHIND = re.compile(
    rf"{_CLOSING}{{0,9}}(?:\s*\Z|[ \t]*\n|\.(?!\s?[A-Z]\.|\w)|[:;!<|：；！。，]|,(?!\s?[A-Z]\b)|\s?[–—]|\s[-=](?=\s)"
    rf"|\s{{0,3}}{_CLOSING}|\s\(|\s(?:because|since|as|mert|mivel)\b|\sis (?:my|the) (?:final )?{_NOUN})"
)
# "B: INCORRECT" names its label twice.
_CAPITAL = re.compile(
    rf"(?<![\w\-&/.])(?<!\w['’])(?P<letter>{_LETTER})(?![\w&/+\-]|['’]\w)"
    r"(?P<twice>[ \t:.=()\[\]*–—-]{1,6}(?P<word>(?i:NOT[ _-]?ATTEMPTED|INCORRECT|CORRECT))(?!\w))?"
)
# A small letter is one where it is the whole reply, line or value.
_SMALL = re.compile(
    r"(?:\A|\n|[:=])[^\w\n]{0,9}(?<![\w\-'’.])(?P<letter>[abc])(?=[^\w\n]{0,9}(?:\Z|\n))"
    r"|[:=]\s{0,3}[\"'](?P<quoted>[abc])(?=[\"'])"
)
_WIDE = re.compile(r"[：；，。！？](?=[A-Ca-c])")  # no space follows them
_AROUND = 60  # characters before a letter that are looked at


def read_attempt(reply: str, *, letters: bool = False) -> str | None:
    """The label that a judge's reply gives.

    Args:
        reply: any text.
        letters: whether A, B and C stand for the labels.

    Returns:
        One of LABELS; None if there is none, or several without a decision.

    >>> read_attempt('{"evaluation": "Correct"}'), read_attempt("As an AI, B", letters=True)
    ('CORRECT', 'INCORRECT')
    """
    return _reader().read(_in_words(reply) if letters else reply)


@cache
def _reader() -> LabelReader:
    return LabelReader(KEY, LABELS, _ALONE, flags=_FLAGS)


def _in_words(reply: str) -> str:
    """The reply with the label in place of each letter that stands for it, so that letters and words read alike."""
    head, tail = reply[:-READ_LIMIT], _WIDE.sub(r"\g<0> ", reply[-READ_LIMIT:])
    tail = _SMALL.sub(_word_of_small, tail)
    return head + _CAPITAL.sub(lambda match: _word_of(match, tail), tail)


def _word_of_small(match: re.Match[str]) -> str:
    letter = match["letter"] or match["quoted"]
    return match[0][:-1] + LETTERS[letter.upper()]


def _word_of(match: re.Match[str], reply: str) -> str:
    start, end = match.start("letter"), match.end("letter")
    if not (_BEFORE.search(reply[max(0, start - _AROUND) : start]) and (match["twice"] or _BEHIND.match(reply, end))):
        return match[0]
    label = LETTERS[match["letter"].translate(_LATIN)]
    is_other = match["twice"] and re.sub("[ -]", "_", match["word"].upper()).replace("NOTA", "NOT_A") != label
    return f"{label} or {match['word']}" if is_other else label + (match["twice"] or "")
