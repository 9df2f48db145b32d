r"""Read the score in a judge's reply: from 1 to 10, in a JSON object, a table, or prose.

Several scores are a verdict only if they are equal, or if one of them is called final or overall. Scores of parts
("accuracy score: 5"), of imagined answers ("a perfect one would get 10") and quoted scores are not the verdict.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hueval_metrics.answers.json_objects import JsonObject, key_name, under_key
from hueval_metrics.answers.verdicts.labels import ANSWER_FORM, RESPONSE_KEYS, STRONG
from hueval_metrics.answers.verdicts.quotations import is_quoted, plain_letters, readings, without_quotations

LOWEST, HIGHEST = 1, 10

Read = tuple[float | None, str | None]  # a score, or the reason why there is none

_NONE, _SEVERAL = "no score", "several scores"
_OVERALL_SCORE, _SCORE, _RATED, _PART = range(4)  # the kinds of scores in a text, in order of precedence

_NAMES = frozenset(("score", "rating", "pontszám", "pontszam", "osztályzat", "osztalyzat"))
_LOOSE_NAMES = frozenset(
    {*("grade", "points", "mark", "marks", "pont", "pontok", "pontozás", "értékelés", "ertekeles", "evaluation")}
)
_OVERALL = frozenset(("final", "overall", "total", "végső", "végleges", "összesített", "összes", "összesen"))
# Names for a score, the most reliable first. Values of the first and last of these may also be texts.
_KEYS = (
    _OVERALL | {"összpontszám"} | {f"{start}_{name}" for start in _OVERALL for name in _NAMES | _LOOSE_NAMES},
    _NAMES,
    _LOOSE_NAMES,
)
_IN_A_SCORE = frozenset(("value", "score", "rating", "number", "érték", "pontszám"))
_REASONS = frozenset(("strengths", "weaknesses", "erősségek", "gyengeségek", "erossegek", "gyengesegek"))

_WORDS = {
    word: number
    for language in (
        "one two three four five six seven eight nine ten",
        "egy kettő három négy öt hat hét nyolc kilenc tíz",
    )
    for number, word in enumerate(language.split(), 1)
}
_WORD = "|".join(_WORDS)
_TEN = r"(?:10(?:[.,]0)?|ten|tíz)(?![.,]?[0-9])(?:-?ből)?"
_NUMBER = rf"(?:[-−–]?[0-9]{{1,9}}(?:[.,][0-9]{{1,9}})?(?![0-9])|(?:{_WORD})\b)"
_READ = re.compile(
    rf"(?P<sign>[-−–])?(?:(?P<digits>[0-9]{{1,9}}(?:[.,][0-9]{{1,9}})?)(?![0-9])|(?P<word>{_WORD})\b"
    r"(?P<half>\s(?:and a half|és fél))?(?=[^\w\n]{0,9}(?:\Z|\n|(?:out of|of|a|points?|pont\w*)\b)|\s?[/⁄.,;|]))"
    rf"(?P<of_ten>[\s\"']{{0,4}}(?:[/⁄]|out of|of|a)\s{{0,4}}(?:the\s)?{_TEN})?",
    re.IGNORECASE,
)
# Text behind a number that is not a score: a range, another scale, a percentage, an imagined score.
_NO_SCORE = re.compile(
    rf"[ \t\"']{{0,4}}(?:[-−–~/⁄]|\b(?:to|or|and|vagy|és|(?:out )?of)\b)[ \t\"']{{0,4}}(?:[0-9<]|(?:{_WORD})\b)"
    r"|[ \t]{1,3}[0-9]|[.,]?[0-9]|\s?%|\s(?:would|could|lenne|kellene)\b",
    re.IGNORECASE,
)
_OF_TEN = rf"{_NUMBER}\s?(?:[/⁄]|out of|a)\s?{_TEN}"
_NOUN = (
    r"(?:scores?|rating|pontszám\w{0,3}|osztályzat\w{0,3}|pontozás\w{0,3}|értékelés\w{0,3}|overall|összesen|összesítve)"
)
_OPEN = r"[\"'“”„\\\s~≈<>\[($:|]{0,12}(?:boxed\{)?"
_NAMED = re.compile(  # behind a colon or the like; at the end of the line; or on the next line
    rf"(?<![\w-]){_NOUN}(?:\s?[\[(][^()\[\]\n]{{0,30}}[)\]])?(?:\s(?:for|of) (?:this|the) (?:response|answer))?"
    rf"(?:[\"'”\\\s]{{0,9}}(?:[:=|→>]|[-–—](?=\s)|\b(?:is|of)\b){_OPEN}|[ \t](?={_NUMBER}[^\w\n]{{0,9}}$)"
    rf"|[ \t]{{0,4}}\n{{1,2}}[ \t]{{0,4}}(?={_NUMBER}(?:\s?/\s?10)?[^\w\n]{{0,9}}$))(?={_NUMBER})",
    re.IGNORECASE | re.MULTILINE,
)
_GIVEN = re.compile(
    r"\bI(?:['’](?:d|ll)| would| will)?\s(?:give|rate|score|grade|assign|award)\b[^.!?\n0-9]{0,60}?[\s\"']"
    rf"(?={_NUMBER})|\[\[(?={_NUMBER}\]\])|\b(?:10-ből|tízből)\s(?={_NUMBER})"
    rf"|(?<![\w.,/-])(?={_OF_TEN}|{_NUMBER}[- ]?(?:es|pontot|pontra)\b)",
    re.IGNORECASE,
)
# "3 out of 10" may count facts; it is a score if it is a sentence of its own, or its line is about rating.
_RATING = re.compile(
    r"\bI['’]d\b|\[\[|\b(?:rat|giv|scor|grad|award|assign|deserv|értékel|pont|adok|adnék|adom)", re.IGNORECASE
)
_ALONE = re.compile(
    rf"\W{{0,20}}(?:boxed\W)?\W{{0,9}}(?:{_OF_TEN}|{_NUMBER})\s?(?:points?|pont)?\W{{0,9}}", re.IGNORECASE
)
_OPENS = re.compile(r"(?:\A|\n|[.!?]\s)[^\w\n]{0,9}\Z")
_CLOSES = re.compile(rf"{_OF_TEN}[^\w\n]{{0,9}}(?:\Z|\n|(?<=[.!])\s)", re.IGNORECASE)
_CLAIM = rf"{_NOUN}(?:\s(?:of|is)\s|[^\w\n]{{1,12}}){_NUMBER}(?:\s?/\s?10)?|{_OF_TEN}"
_IMAGINED = re.compile(
    r"\b(?:(?:perfect|ideal|flawless|better|best|excellent|improved|complete|tökéletes|ideális|hibátlan|jobb)\s"
    r"(?:response|answer|reply|one|score|válasz)|(?<!\bI )would (?:have|get|earn|deserve|need|require|score|receive"
    r"|warrant|merit|justify)|if|unless|ha|lenne|volna|kapna)\b[^.!?;\n]{0,300}",
    re.IGNORECASE,
)
_SAID_BEFORE = re.compile(r"[^.!?;:|,\n]{0,60}\Z")
_OF_OTHERS = frozenset(("confidence", "confidence_score", "bizonyosság", "magabiztosság"))
# Words before "score" with which it is the score of the whole response.
_PLAIN = frozenset(
    {
        *("a", "an", "the", "my", "your", "this", "so", "thus", "therefore", "hence", "is", "it", "its", "i", "give"),
        *("assign", "award", "with", "and", "az", "ez", "így", "tehát", "ezért", "judge", "wb", "response", "answer"),
        "válasz",
    }
)
_FINAL = re.compile(rf"\b{STRONG}\b", re.IGNORECASE)
_FENCE_OR_EMPHASIS = re.compile(r"```\w*|[*`]+|(?<!\w)_+|_+(?!\w)")
_TABLE_ROW = re.compile(r"^\s*\|(.+)\|\s*$", re.MULTILINE)


def read_score(reply: str) -> Read:
    """The score in a judge's reply without its trace, and the reason if there is none.

    Fractions are kept. A number outside of 1 to 10, or a range, is not a score and never clamped.

    >>> read_score('{"strengths": "…", "weaknesses": "…", "score": "8/10"}'), read_score("Score: 11")
    ((8.0, None), (None, 'score out of range'))
    """
    around = ""
    for form, objects, text in readings(reply):
        around = _own_words(text)
        if scored := _in_objects(form, objects):
            is_final = scored[-1][1]
            score, problem = _one_of([read for read, _ in scored], is_final)
            opposed = {read[0] for kind, _, read in _in_text(around) if kind <= _SCORE} - {score, None}
            return (None, _SEVERAL) if opposed and not is_final else (score, problem)
    return _of_text(around)


def _in_objects(text: str, objects: Sequence[JsonObject]) -> list[tuple[Read, bool]]:
    """The scores of the judge's own objects, each with whether the words before it announce a final decision.

    A plain {"score": 10} may be quoted from the response, so objects with the requested reasons take precedence.
    """
    found: list[tuple[Read, bool, bool]] = []
    seen = 0
    for start, end, data in objects:
        names = set(map(key_name, data))
        read = None if names >= ANSWER_FORM else _in_object(data)
        if read and not is_quoted(text, start, end, seen):
            is_final = bool(_FINAL.search(text, max(seen, start - 300), start))
            found.append((read, is_final, not names.isdisjoint(_REASONS)))
        seen = end
    best = any(has_reasons for *_, has_reasons in found)
    return [(read, is_final) for read, is_final, has_reasons in found if has_reasons == best]


def _in_object(data: Mapping[str, Any]) -> Read | None:
    """The score under its most reliable name; None if the object has none of the names."""
    for keys in _KEYS:
        if values := under_key(data, keys, skip=RESPONSE_KEYS):
            read = _one_of([_of_value(value) for value in values])
            if read[1] != _NONE or "score" in keys:
                return read
    return None


def _of_value(value: Any) -> Read:
    """The score of a JSON value: a number, a text, a list of one, or an object that contains it."""
    for _ in range(4):
        if isinstance(value, dict):
            value = under_key(value, _IN_A_SCORE) or under_key(value, _OVERALL) or list(value.values())
        if isinstance(value, list) and len(value) == 1:
            value = value[0]
    if isinstance(value, (list, dict)):
        return None, _SEVERAL if value else _NONE
    if isinstance(value, str):
        text = _FENCE_OR_EMPHASIS.sub("", plain_letters(value[:200]))
        opened = re.match(rf"(?:{_NOUN})?{_OPEN}", text, re.IGNORECASE)
        return _number(text, opened.end() if opened else 0)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _in_range(value)
    return None, _NONE


def _own_words(text: str) -> str:
    """The text without quotations, imagined scores and emphasis, in plain letters."""
    text = without_quotations(re.sub(r"```\w*", " ", plain_letters(text)), _CLAIM)
    return _IMAGINED.sub(" ", _FENCE_OR_EMPHASIS.sub("", text))


def _of_text(text: str) -> Read:
    """The score that a judge's own words give: an overall score, else a named score, else a rating."""
    claims = list(_in_text(text))
    for kind in (_OVERALL_SCORE, _SCORE, _RATED, _PART):
        if of_kind := [(place, read) for of, place, read in claims if of == kind]:
            last, read = of_kind[-1]
            before = max((place for place, other in of_kind if other != read), default=last)
            return _one_of([read for _, read in of_kind], is_final=bool(_FINAL.search(text, before, last)))
    number = re.search(_NUMBER, text, re.IGNORECASE)
    return _number(text, number.start()) if number and _ALONE.fullmatch(text.strip()) else (None, _NONE)


def _in_text(text: str) -> Iterator[tuple[int, int, Read]]:
    """The scores in a text: kind, position and score of each."""
    for match in _NAMED.finditer(text):
        said = _SAID_BEFORE.search(text, max(0, match.start() - 60), match.start())
        words = {word.casefold() for word in re.findall(r"\w+", said[0] if said else "")}
        if words.isdisjoint(_OF_OTHERS):
            is_overall = words & _OVERALL or match[0].casefold().startswith(("overall", "össze"))
            kind = _OVERALL_SCORE if is_overall else _SCORE if words <= _PLAIN else _PART
            yield kind, match.start(), _number(text, match.end())
    for match in _GIVEN.finditer(text):
        if match[0] or _is_rating(text, match.start()):
            yield _RATED, match.start(), _number(text, match.end())
    yield from _in_columns(text)


def _is_rating(text: str, at: int) -> bool:
    """Whether "7/10" is a sentence of its own, or its line is about rating."""
    line = text[max(0, at - 200) : at].rpartition("\n")[2] + text[at : at + 100].partition("\n")[0]
    if _RATING.search(line):
        return True
    opens = _OPENS.search(text, max(0, at - 20), at)
    return bool(opens and _CLOSES.match(text, at))


def _in_columns(text: str) -> Iterator[tuple[int, int, Read]]:
    """The scores in the columns of a table whose heading is a name for a score."""
    column = -1
    for row in _TABLE_ROW.finditer(text):
        cells = row[1].split("|")
        headed = [place for place, cell in enumerate(cells) if key_name(cell) in _KEYS[0] | _KEYS[1]]
        if headed and not re.search("[0-9]", row[1]):
            column = headed[-1]
        elif 0 <= column < len(cells) and (number := re.match(rf"\s*(?={_NUMBER})", cells[column], re.IGNORECASE)):
            is_overall = not _OVERALL.isdisjoint(key_name(cells[0]).split("_"))
            yield _OVERALL_SCORE if is_overall else _SCORE, row.start(), _number(cells[column], number.end())


def _one_of(reads: Sequence[Read], is_final: bool = False) -> Read:
    """The score if all agree; of different scores the last, if it is announced as final."""
    scores = {score for score, _ in reads if score is not None}
    if len(scores) > 1:
        return reads[-1] if is_final else (None, _SEVERAL)
    problems = [problem for _, problem in reads if problem != _NONE]
    return (scores.pop(), None) if scores else (None, problems[0] if problems else _NONE)


def _number(text: str, at: int) -> Read:
    """The score at a position in a text."""
    match = _READ.match(text, at)
    if match is None:
        return None, _NONE
    if _NO_SCORE.match(text, match.end()):
        return None, _SEVERAL
    word = _WORDS.get((match["word"] or "").casefold())
    number = float(match["digits"].replace(",", ".")) if word is None else word + 0.5 * bool(match["half"])
    return _in_range(-number if match["sign"] else number)


def _in_range(number: float) -> Read:
    return (float(number), None) if LOWEST <= number <= HIGHEST else (None, "score out of range")
