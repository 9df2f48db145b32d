r"""Read the score in a judge's reply: from 1 to 10, in a JSON object, a table, or prose.

Several scores are a verdict only if they are equal, or if one of them is called final or overall. Scores of parts
("accuracy score: 5"), of imagined answers ("a perfect one would get 10") and quoted scores are not the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from hueval_metrics.answers.objects import BOXED, Found, key_name, under_key
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.answers.verdicts.labels import ANSWER_FORM
from hueval_metrics.answers.verdicts.own_words import (
    JudgedKeys,
    by_me,
    folded,
    is_said_by_others,
    own_objects,
    read_text,
    unquoted,
    without_objects,
)
from hueval_metrics.languages.load import cardinals, pattern, remembered, source

LOWEST, HIGHEST = 1, 10
LANGUAGES = ("hu", "zh")  # of judges

Read = tuple[float | None, str | None]  # a score, or the reason why there is none

_NONE, _SEVERAL = "no score", "several scores"
_OVERALL_SCORE, _SCORE, _RATED, _PART = range(4)  # the kinds of scores in a text, in order of precedence
_IN_A_SCORE = {"value", "number", "érték"}
_HALF = re.compile(r"(?<=\d)\s?½")
_TABLE_ROW = re.compile(r"^\s*\|(.+)\|\s*$", re.MULTILINE)
_SENTENCE_END = re.compile(r"[.!?]\s|\n")
_OPEN = r"[\"'“”„\\\s~≈<>\[($:|*]{0,12}"


def read_score(reply: str) -> Read:
    """The score in a judge's reply, and the reason if there is none.

    Fractions are kept. A number outside of 1 to 10, or a range, is not a score and never clamped.

    >>> read_score('{"strengths": "…", "weaknesses": "…", "score": "8/10"}'), read_score("Score: 11")
    ((8.0, None), (None, 'score out of range'))
    """
    text = read_text(_HALF.sub(".5", reply))
    scored: list[tuple[Read, bool]] = []
    for form in (text,) if text.plain.isascii() else (text, readable(text)):  # a full-width quote may end a string
        found = [one for one in own_objects(form, LANGUAGES) if {key for key, _ in one[0].entries} != {BOXED}]
        if scored := _in_objects(found):
            break
    around = _own_words(readable(without_objects(form, [one for one, *_ in found])).plain)
    if scored:
        is_final = scored[-1][1]
        score, problem = _one_of([read for read, _ in scored], is_final)
        opposed = {read[0] for kind, _, read in _in_text(around) if kind <= _SCORE} - {score, None}
        return (None, _SEVERAL) if opposed and not is_final else (score, problem)
    return _of_text(around)


def _in_objects(objects: Sequence[tuple[Found, bool, bool]]) -> list[tuple[Read, bool]]:
    """The scores of the judge's own objects, each with whether the words before it announce a final decision.

    A plain {"score": 10} may be quoted from the response, so objects with the requested reasons take precedence.
    """
    found: list[tuple[Read, bool, bool]] = []
    for data, is_quoted, is_final in objects:
        names = {key_name(key) for key, _ in data.entries}
        read = None if names >= ANSWER_FORM or is_quoted else _in_object(data)
        if read:
            has_reasons = any(isinstance(value.value, str) and not _key_kind(key) for key, value in data.entries)
            found.append((read, is_final, has_reasons))
    best = any(has_reasons for *_, has_reasons in found)
    return [(read, is_final) for read, is_final, has_reasons in found if has_reasons == best]


def _in_object(data: Found) -> Read | None:
    """The score under its most reliable name; None if the object has none of the names."""
    for kind in (3, 2, 1):
        if values := under_key(data, lambda key, kind=kind: _key_kind(key) == kind, JudgedKeys(LANGUAGES)):  # type: ignore[misc]
            read = _one_of([_of_value(value) for value in values])
            if read[1] != _NONE or kind == 2:
                return read
    return None


def _key_kind(key: str) -> int:
    """How reliable a key names a score: 3 an overall score, 2 a score, 1 an evaluation; 0 another key."""
    name, forms = key_name(key).replace("_", " "), _forms()
    return next((kind for kind in (3, 2, 1) if forms[f"key{kind}"].fullmatch(name)), 0)


def _of_value(value: Found) -> Read:
    """The score of a JSON value: a number, a text, a list of one, or an object that contains it."""
    for _ in range(4):
        if isinstance(value.value, dict):
            inner = under_key(value, lambda key: key_name(key) in _IN_A_SCORE or _key_kind(key) == 2)
            inner = inner or under_key(value, lambda key: _key_kind(key) == 3) or [one for _, one in value.entries]
            if len(inner) != 1:
                return None, _SEVERAL if inner else _NONE
            value = inner[0]
        elif isinstance(value.value, list) and len(value.entries) == 1:
            value = value.entries[0][1]
    if isinstance(value.value, (list, dict)):
        return None, _SEVERAL if value.value else _NONE
    if isinstance(value.value, str):
        text = folded(unquoted(without_markup(readable(value.value[:200])).plain, re.compile(r"(?!)")))
        return _number(text, _forms()["opening"].match(text).end())  # type: ignore[union-attr]
    if isinstance(value.value, (int, float)) and not isinstance(value.value, bool):
        return _in_range(value.value)
    return None, _NONE


def _of(keys: str) -> str:
    """The source of a pattern for the words of some keys."""
    return f"(?:{'|'.join(source(key, LANGUAGES) for key in keys.split())})"


@remembered
def _forms() -> Mapping[str, re.Pattern[str]]:
    """The patterns, for case-folded text."""
    word = "|".join(sorted(_words(), key=len, reverse=True))
    tens = "|".join(each for each, value in _words().items() if value == HIGHEST) or "(?!)"
    ten = rf"(?:10(?:[.,]0)?|{tens})(?![.,]?[0-9])(?:-\w{{2,4}})?"
    digits, half = r"[0-9]{1,9}(?:[.,][0-9]{1,9})?", rf"(?:\s{_of('half')})?"
    number = rf"(?:[-−–]?{digits}(?![0-9])|(?:{word})\b)"
    out_of = rf"(?:{_of('points')}\s)?(?:[/⁄]|{_of('out_of')})"
    of_ten = rf"{number}\s?{out_of}\s?(?:{_of('links')}\s)?{ten}"
    noun, end = _of("score verdict last"), r"[^\w\n]{0,9}(?:$|\Z)"
    of_text = rf"(?:(?:\s{_of('links')}){{0,2}}\s{_of('judged answer')})?"
    rates = rf"(?:{_of('rates')}|{_of('me')}(?:\s(?:will|{_of('unreal links')}))?\s{_of('grades')})"
    sources = {
        "number": number,
        "read": rf"(?P<sign>[-−–])?(?:(?P<digits>{digits})(?![0-9]){half}"
        rf"|(?P<word>{word})\b{half}(?=[^\w\n]{{0,9}}(?:\Z|\n|{_of('out_of points')})|\s?[/⁄.,;|]))"
        rf"(?P<of_ten>[\s\"']{{0,4}}{out_of}\s{{0,4}}(?:{_of('links')}\s)?{ten})?",
        # Behind a number that is no score: a range, another scale, a percentage, an imagined score.
        "no_score": rf"[ \t\"']{{0,4}}(?:[-−–~/⁄→]|\b(?:to\b|{_of('or and out_of')})|,\s{_of('maybe')})"
        rf"[ \t\"']{{0,4}}(?:[0-9<]|(?:{word})\b)"
        rf"|[ \t]{{1,3}}[0-9]|[.,]?[0-9]|\s?[%?]|\+|-[\"'\s]*\Z|\s{_of('unreal must')}",
        # Behind a colon or the like; at the end of the line; or on the next line.
        "named": rf"(?<![\w-])(?P<noun>{noun}(?:\s{noun}){{0,2}})(?:\s?[\[(][^()\[\]\n]{{0,30}}[)\]])?{of_text}"
        rf"(?:[\"'”\\\s]{{0,9}}(?:[:=|→>]|[-–—](?=\s)|{_of('being')}|\bof\b){_OPEN}"
        rf"|[ \t](?=(?:{of_ten}|{number}){end})"
        rf"|[ \t]{{0,4}}\n{{1,2}}[ \t]{{0,4}}(?={number}(?:\s?/\s?10)?{end}))(?={number})",
        "rates": rates,
        "given": rf"{rates}[^.!?\n0-9]{{0,60}}?[\s\"'](?={number})|\[\[(?={number}\]\])"
        rf"|\b10-\w{{2,4}}\s(?={number})|(?<![\w.,/-])(?={of_ten}|{number}[- ]?{_of('points')})",
        "alone": rf"\W{{0,29}}(?:{of_ten}|{number}(?:-\w{{2,4}})?{half})\s?{_of('points')}?\W{{0,9}}",
        "opens": rf"(?:\A|\n|[.!?]\s)(?:[^\w\n]{{0,9}}{_of('therefore')})?[^\w\n]{{0,9}}\Z",
        "closes": rf"{of_ten}(?:[^\w\n]{{0,9}}(?:\Z|\n|(?<=[.!])\s)|\s?[–—,:(-])",
        "claim": rf"{noun}(?:\s(?:of|is)\s|[^\w\n]{{1,12}}){number}(?:\s?/\s?10)?|{of_ten}",
        "opening": rf"(?:{noun}\W{{0,3}})?{_OPEN}",
        "key3": rf"{_of('last')}(?:\s{_of('score verdict')})?",
        "key2": _of("score"),
        "key1": _of("verdict"),
    }
    return {name: re.compile(form, re.MULTILINE if name == "named" else 0) for name, form in sources.items()}


@remembered
def _words() -> Mapping[str, int]:
    return {word: number for number, row in enumerate(cardinals(LANGUAGES), 1) for word in row}


def _own_words(text: str) -> str:
    """The text without quotations, imagined scores and emphasis, case-folded."""
    text = folded(unquoted(without_markup(Text(text)).plain, _forms()["claim"]))
    made, at = [], 0
    for match in pattern("imagined unreal if", LANGUAGES).finditer(text):
        if match.start() < at or by_me(LANGUAGES).search(text[max(0, match.start() - 40) : match.start()]):
            continue
        begin = max(text.rfind(mark, at, match.start()) for mark in ".!?;:,\n–(")
        end = re.compile(r"[.!?;\n]|\Z").search(text, match.end()).start()  # type: ignore[union-attr]
        made.append(text[at : max(at, begin + 1)])
        at = end
    return " ".join([*made, text[at:]])


def _of_text(text: str) -> Read:
    """The score that a judge's own words give: an overall score, else a named score, else a rating."""
    claims = list(_in_text(text))
    for kind in (_OVERALL_SCORE, _SCORE, _RATED, _PART):
        if of_kind := [(place, read) for of, place, read in claims if of == kind]:
            last, read = of_kind[-1]
            before = max((place for place, other in of_kind if other != read), default=last)
            is_final = bool(pattern("instead therefore last", LANGUAGES).search(text, before, last))
            return _one_of([read for _, read in of_kind], is_final)
    line = text.strip().rpartition("\n")[2]
    number = _forms()["number"].search(line)
    return _number(line, number.start()) if number and _forms()["alone"].fullmatch(line) else (None, _NONE)


def _in_text(text: str) -> Iterator[tuple[int, int, Read]]:
    """The scores in a text: kind, position and score of each."""
    forms = _forms()
    small = pattern("links me rates being last verdict answer score judged therefore and article", LANGUAGES)
    for match in forms["named"].finditer(text):
        said = re.split(r"[.!?;:|,\n]", text[max(0, match.start() - 60) : match.start()])[-1]
        read = _number(text, match.end())
        is_noun = pattern("score last", LANGUAGES).search(match["noun"]) or forms["closes"].match(text, match.end())
        if not is_noun or pattern("confidence", LANGUAGES).search(said) or _is_said(text, match.start()):
            continue
        is_overall = pattern("last", LANGUAGES).search(said + match["noun"])
        kind = _OVERALL_SCORE if is_overall else _PART if re.search(r"\w", small.sub("", said)) else _SCORE
        yield kind, match.start(), read
    for match in forms["given"].finditer(text):
        if (match[0] or _is_rating(text, match.start())) and not _is_said(text, match.start()):
            yield _RATED, match.start(), _number(text, match.end())
    yield from _in_columns(text)


def _is_said(text: str, at: int) -> bool:
    return is_said_by_others(_SENTENCE_END.split(text[max(0, at - 90) : at])[-1], LANGUAGES)


def _is_rating(text: str, at: int) -> bool:
    """Whether "7/10" is a sentence of its own, or its line is about rating."""
    line = text[max(0, at - 200) : at].rpartition("\n")[2] + text[at : at + 100].partition("\n")[0]
    if _forms()["rates"].search(line):
        return True
    opens = _forms()["opens"].search(text, max(0, at - 40), at)
    return bool(opens and _forms()["closes"].match(text, at))


def _in_columns(text: str) -> Iterator[tuple[int, int, Read]]:
    """The scores in the columns of a table whose heading is a name for a score."""
    column = -1
    for row in _TABLE_ROW.finditer(text):
        cells = row[1].split("|")
        headed = [place for place, cell in enumerate(cells) if _key_kind(cell) >= 2]
        if headed and not re.search("[0-9]", row[1]):
            column = headed[-1]
        elif 0 <= column < len(cells) and (number := re.match(rf"\s*(?={_forms()['number'].pattern})", cells[column])):
            is_overall = pattern("last", LANGUAGES).search(cells[0])
            yield _OVERALL_SCORE if is_overall else _SCORE, row.start(), _number(cells[column], number.end())


def _one_of(reads: Sequence[Read], is_final: bool = False) -> Read:
    """The score if all agree; of different scores the last, if it is announced as final."""
    scores = {score for score, _ in reads if score is not None}
    if len(scores) > 1:
        return reads[-1] if is_final else (None, _SEVERAL)
    problems = [problem for _, problem in reads if problem != _NONE]
    return (scores.pop(), None) if scores else (None, problems[0] if problems else _NONE)


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
