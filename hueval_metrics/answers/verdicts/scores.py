r"""Read the score in a judge's reply: from 1 to 10, in a JSON object, a table, or prose.

Several scores are a verdict only if they are equal, or if one of them is called final or overall. Scores of
imagined answers ("a perfect one would get 10") and quoted scores are not the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hueval_metrics.answers.names import folded
from hueval_metrics.answers.objects import Found, key_name, spoken_key, under_key
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.answers.verdicts.own_words import (
    by_me,
    is_said_by_others,
    own_objects,
    read_text,
    unquoted,
)
from hueval_metrics.languages.load import cardinals, pattern, remembered, source

LOWEST, HIGHEST = 1, 10
LANGUAGES = ("hu", "zh")  # of judges

Read = tuple[float | None, str | None]  # a score, or the reason why there is none

_NONE, _SEVERAL = "no score", "several scores"
_OVERALL_SCORE, _SCORE, _RATED = range(3)  # the kinds of scores in a text, in order of precedence
_HALF = re.compile(r"(?<=\d)\s?½")
_SENTENCE_END = re.compile(r"[.!?]\s|\n")
_SENTENCE = re.compile(r"[^.!?;\n]*[.!?;\n]|[^.!?;\n]+")


def read_score(reply: str) -> Read:
    """The score in a judge's reply, and the reason if there is none.

    Fractions are kept. A number outside of 1 to 10, or a range, is not a score and never clamped.

    >>> read_score('{"strengths": "…", "weaknesses": "…", "score": "8/10"}'), read_score("Score: 11")
    ((8.0, None), (None, 'score out of range'))
    """
    found, rest = own_objects(read_text(_HALF.sub(".5", reply)), LANGUAGES, _in_object)
    text = _own_words(rest.plain)
    stated = list(_in_text(text))
    if not found:
        best = min((kind for kind, *_ in stated), default=None)
        places = [place for kind, place, _ in stated if kind == best]
        between = text[slice(*places[-2:])] if len(places) > 1 else ""
        is_final = bool(pattern("instead therefore last", LANGUAGES).search(between))
        return _one_of([read for kind, _, read in stated if kind == best], is_final)
    # A plain {"score": 10} may be quoted from the response: objects with the requested reasons take precedence.
    best = max(has_reasons for (_, has_reasons), _ in found)
    scored = [(read, is_final) for (read, has_reasons), is_final in found if has_reasons == best]
    is_final = scored[-1][1]
    score, problem = _one_of([read for read, _ in scored], is_final)
    opposed = {read[0] for kind, _, read in stated if kind <= _SCORE} - {score, None}
    return (None, _SEVERAL) if opposed and not is_final else (score, problem)


def _in_object(_: Text, data: Found) -> tuple[Read, bool] | None:
    """The score under its most reliable name, and whether reasons are beside it; None if it has none of the names."""
    has_reasons = not all(_key_kind(key) for key, _ in data.entries)
    for kind in (3, 2, 1):
        if values := under_key(data, lambda key, kind=kind: _key_kind(key) == kind):  # type: ignore[misc]
            read = _one_of([_of_value(value) for value in values])
            if read[1] != _NONE:
                return read, has_reasons
    return None


def _key_kind(key: str) -> int:
    """How reliable a key names a score: 3 an overall score, 2 a score, 1 an evaluation; 0 another key."""
    named = _forms()["key"].fullmatch(spoken_key(key))
    return next((kind for kind in (3, 2, 1) if named and named[kind]), 0)


def _of_value(value: Found) -> Read:
    """The score of a JSON value: a number, a text, or a list or an object with one score in it."""
    inner = under_key(value, lambda key: key_name(key) == "value" or _key_kind(key) >= 2)
    leaves = [leaf.value for one in inner or [value] for leaf in one.leaves()]
    if len(leaves) != 1:
        return None, _SEVERAL
    if isinstance(leaves[0], str):
        text = folded(without_markup(readable(leaves[0][:200])).plain)
        return _number(text, _forms()["opening"].match(text).end())  # type: ignore[union-attr]
    is_number = isinstance(leaves[0], (int, float)) and not isinstance(leaves[0], bool)
    return _in_range(leaves[0]) if is_number else (None, _NONE)


def _of(keys: str) -> str:
    """The source of a pattern for the words of some keys."""
    return f"(?:{'|'.join(source(key, LANGUAGES) for key in keys.split())})"


@remembered
def _forms() -> Mapping[str, re.Pattern[str]]:
    """The patterns, for case-folded text."""
    word = "|".join(sorted(_words(), key=len, reverse=True))
    tens = "|".join(each for each, value in _words().items() if value == HIGHEST)
    digits, half = r"[0-9]{1,9}(?:[.,][0-9]{1,9})?", rf"(?:\s{_of('half')})?"
    number = rf"(?:[-−–]?{digits}(?![0-9])|(?:{word})\b)"
    scale = rf"\s{{0,4}}(?:[/⁄]|{_of('out_of')})\s{{0,4}}(?:{_of('links')}\s)?(?:10|{tens})(?![.,]?[0-9])"
    of_ten, points = number + scale, _of("points")
    noun, end = _of("score verdict last"), r"[^\w\n]{0,9}(?:\n|\Z)"
    of_text = rf"(?:(?:\s{_of('links')}){{0,2}}\s{_of('judged answer')})?"
    rates = rf"(?:{_of('rates')}|{_of('me')}(?:\s\w+)?\s{_of('grades')})"
    opening = r"[^\w\n−–-]{0,12}"
    sources = {
        "read": rf"(?P<sign>[-−–])?(?:(?P<digits>{digits})(?![0-9]){half}"
        rf"|(?P<word>{word})\b{half}(?=[^\w\n]{{0,9}}(?:\Z|\n|{_of('out_of points')})))[\"']?(?:{scale})?",
        # Behind a number that is no score: a range, another scale, a percentage.
        "no_score": rf"[ \t\"']{{0,4}}(?:[-−–~/⁄→]|{_of('or and out_of links')}|,\s{_of('maybe')})"
        rf"[ \t\"']{{0,4}}(?:[0-9<]|(?:{word})\b)|[ \t.,]{{0,3}}[0-9]|\s?[%?]|\+",
        # Behind a colon or the like; at the end of the line; or on the next line.
        "named": rf"(?<![\w-])(?P<noun>{noun}(?:\s{noun}){{0,2}})(?:\s?[\[(][^()\[\]\n]{{0,30}}[)\]])?{of_text}"
        rf"(?:[\"'”\\\s]{{0,9}}(?:[:=|→>]|[-–—](?=\s)|{_of('being out_of')}){opening}"
        rf"|\s{{1,9}}(?=(?:{of_ten}|{number}){end}))(?={number})",
        # Behind a verb; before one on the line; of ten as a sentence of its own; as the last line.
        "given": rf"{rates}[^.!?\n0-9]{{0,60}}?[\s\"'](?={number})"
        rf"|(?<![\w.,/-])(?=(?:{of_ten}|{number}[- ]?{points})[^\n]{{0,100}}?{rates})"
        rf"|(?:\A|\n|[.!?]\s)[^\w\n]{{0,9}}(?={of_ten}\s?(?:[^\w\s]|\Z|\n))"
        rf"|(?:\A|\n)[^\w\n]{{0,29}}(?=(?:{of_ten}|{number})\s?{points}?\W{{0,9}}\Z)",
        "claim": rf"{noun}\W[^\d\n]{{0,12}}{number}|{of_ten}",
        "opening": opening,
        "key": rf"({_of('verdict')})|({_of('score')})|({_of('last')}(?:\s{_of('score')})?)",
    }
    return {name: re.compile(form) for name, form in sources.items()}


@remembered
def _words() -> Mapping[str, int]:
    return {word: number for number, row in enumerate(cardinals(LANGUAGES), 1) for word in row}


def _own_words(text: str) -> str:
    """The text without quotations, imagined scores and emphasis, case-folded."""
    kept = []
    for sentence in _SENTENCE.findall(folded(unquoted(without_markup(Text(text)).plain, _forms()["claim"]))):
        cases = (match.start() for match in pattern("unreal if", LANGUAGES).finditer(sentence))
        case = next((at for at in cases if not by_me(LANGUAGES).search(sentence, max(0, at - 40), at)), None)
        begin = None if case is None else max(sentence.rfind(mark, 0, case) for mark in ":,–(") + 1
        kept.append(sentence[:begin])
    return "".join(kept).strip()


def _in_text(text: str) -> Iterator[tuple[int, int, Read]]:
    """The scores in a text: kind, position and score of each."""
    forms = _forms()
    for match in forms["named"].finditer(text):
        start = match.start()
        if not _is_said(text, start) and not pattern("confidence", LANGUAGES).search(text, max(0, start - 20), start):
            is_overall = pattern("last", LANGUAGES).search(match["noun"])
            yield _OVERALL_SCORE if is_overall else _SCORE, start, _number(text, match.end())
    for match in forms["given"].finditer(text):
        if not _is_said(text, match.end()):
            yield _RATED, match.start(), _number(text, match.end())


def _is_said(text: str, at: int) -> bool:
    return is_said_by_others(_SENTENCE_END.split(text[max(0, at - 90) : at])[-1], LANGUAGES)


def _one_of(reads: Sequence[Read], is_final: bool = False) -> Read:
    """The score if all agree; of different scores the last, if it is announced as final."""
    scores = {score for score, _ in reads if score is not None}
    if len(scores) > 1:
        return reads[-1] if is_final else (None, _SEVERAL)
    return (scores.pop(), None) if scores else (*reads, (None, _NONE))[0]


def _number(text: str, at: int) -> Read:
    """The score at a position in a case-folded text."""
    match = _forms()["read"].match(text, at)
    if match is None:
        return None, _NONE
    if _forms()["no_score"].match(text, match.end()):
        return None, _SEVERAL
    number = float(match["digits"].replace(",", ".")) if match["digits"] else float(_words()[match["word"]])
    number += 0.5 * bool(pattern("half", LANGUAGES).search(match[0]))
    return _in_range(-number if match["sign"] else number)


def _in_range(number: float) -> Read:
    return (float(number), None) if LOWEST <= number <= HIGHEST else (None, "score out of range")
