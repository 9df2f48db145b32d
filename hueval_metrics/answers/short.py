"""Read the short answer of a response alone: the value of an object, what a cue announces, or the whole text.

Prompts for short answers ask for an object with an answer and a confidence; models also write `Answer: Eger`, a
sentence, or the answer alone, with the confidence behind it. A form to
fill in, and what is called wrong, are no answer.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from hueval_metrics.answers.confidence import confidence_span, is_confidence
from hueval_metrics.answers.decide import alternatives, is_called_wrong, settled
from hueval_metrics.answers.json_values import Found
from hueval_metrics.answers.names import folded
from hueval_metrics.answers.objects import answer_of, is_answer_key, is_aside, is_form, objects, outside, under_key
from hueval_metrics.answers.reading import NOTHING, REFUSED, SEVERAL, UNREADABLE, Reading, Span, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.languages.load import known, pattern, remembered, source, words

READ_LIMIT = 100_000  # characters, counted from the end
_MOST_OBJECTS = 500
_MOST_CUES = 100  # counted from the end
_LONGEST = 1_000  # characters of a reply that is an answer as a whole
_SHORT = 60  # characters of an answer that stands alone in the first line of a longer reply
_HEADING_BEFORE = re.compile(r"[^\n.!?]{0,120}:?[\s*`]{0,9}(?:```\w{0,9}\s*)?\Z")
_SEPARATOR = re.compile(r"[\"'”*_`\s]{0,4}(?:\([^()\n]{0,30}\))?[*_ ]{0,3}(?:[:=|]>?|[–—]|\s-\s|->|→)[>*_ \t]{0,9}")
_HEADING = re.compile(r"[*_#:\s]*?\n+[\s>*_#]*")
_LINE = re.compile(r"[^\n]{0,1000}")
_SENTENCE = re.compile(r"(?:[^\n.!?。！？]|[.!?](?=[^\s\"'”»)*_])){0,1000}")
_LIST_MARK = re.compile(r"[\s>#*_|•–—-]*(?:\d{1,2}[.)]\s+)?[*_\"'„“(]*")
_EMPHASISED = re.compile(r"\*\*([^*\n]{1,80})\*\*")
_GLOSS = re.compile(r"\s*[(（\[][^()（）\[\]\n]{0,120}[)）\]]?\s*\Z")
_EMPHASIS = re.compile(r"\*+|`+|(?<!\w)_+|_+(?!\w)")
_CLAUSE_BEFORE = re.compile(r"(?:[,;(|–—，、،]\s*|(?<=[\n.:。])|\A)[^\n.,;:(|–—。，、،]{0,120}\Z")
_CLAUSE_BEHIND = re.compile(r"[^\n.,;|。]{0,60}")
_SMALL_WORD = re.compile(r"\s[^\W\d_A-Z]{1,4}\s\Z")
_OUTER = "، |\t\n\r\"'„“”«»‘’`*_"
_DATED = re.compile(r"\s\S*\d[.]\Z")  # "1526. augusztus 29."
_QUOTED = re.compile(r"[\"„“«»](.{1,200}?)[\"”“«»]")
_STOP = re.compile(r"(?:[^\W\d_][^\s.]*|\d+)(?:[\s-]+(?:[^\W\d_][^\s.]*|\d+)){0,3}[.。]")


class _Said(NamedTuple):
    """An answer in a text: its range, its value, and how it was found; no range where it is not clear."""

    start: int
    end: int
    value: str
    rule: str


def short_answer(response: str, languages: Sequence[str] = ()) -> Reading[str]:
    """The short answer that a response gives.

    Args:
        response: the response without its reasoning trace, cut where the prompt begins again; any text.
        languages: of the response, ISO 639-1; all that are known if empty.

    Returns:
        The answer, as the response writes it, without its confidence, quotes and emphasis. `nothing` where the model
        says that it does not know, `several` where it leaves the choice open.

    >>> short_answer('{"válasz": "Eger", "bizonyosság": 90}'), short_answer("A válasz: **Eger** (90%)").value
    (Reading(kind='answered', value='Eger', spans=(Span(start=12, end=16),), rule='object'), 'Eger')
    >>> short_answer('{"answer": "…", "confidence_score": 0}').kind, short_answer("Eger vagy Buda").kind
    ('nothing', 'several')
    """
    languages = tuple(languages) or known()
    before = max(0, len(response) - READ_LIMIT)
    text, said = _said(response[before:], languages)
    if said is None:
        is_refused = pattern("refusal", languages).search(folded(text.plain)) is not None
        return REFUSED if is_refused else UNREADABLE if re.search(r"\w", text.plain) else NOTHING
    low = folded(said.value).strip(_OUTER + ".!。")
    if _opens("refusal", low, languages):
        return REFUSED
    if not low or pattern("unknown_alone", languages).fullmatch(low) or _opens("no_answer", low, languages):
        return NOTHING
    between = alternatives(said.value, languages)
    if len(between) > 1 and all(len(said.value[a:b].split()) <= 3 for a, b in between):
        return SEVERAL
    span = text.span(said.start, said.end)
    value = _as_written(said.value, response[before:], span)
    return answered(value, (Span(before + span.start, before + span.end),), said.rule)


def short_answer_text(response: str, languages: Sequence[str] = ()) -> str:
    """The text of the short answer, of one that says that there is none, too; the whole response where it has none.

    >>> short_answer_text("Válasz: Nem tudom")
    'Nem tudom'
    """
    text, said = _said(response[-READ_LIMIT:], tuple(languages) or known())
    if said is None:
        return response
    return _as_written(said.value, response[-READ_LIMIT:], text.span(said.start, said.end))


def _said(response: str, languages: tuple[str, ...]) -> tuple[Text, _Said | None]:
    """The answer of a response, and the text in which it stands."""
    text = readable(response)
    said, rest = _in_object(text, languages)
    if said is not None:
        return text, said
    marked = without_markup(rest)
    text = marked.sub(_EMPHASIS, "")
    said = _in_text(text, languages)
    bold = [match for match in _EMPHASISED.finditer(marked.plain) if re.search(r"\w", match[1])]
    if said and said.rule == "whole" and len(bold) == 1 and "\n" not in marked.plain.strip() and bold[0][1][-1] != ":":
        return marked, _Said(*bold[0].span(1), bold[0][1], "only")
    return text, said


def object_answer(response: str, languages: Sequence[str] = ()) -> Any | None:
    """The value of the answer in the last object of a response that has one, or the last list; None without one."""
    languages = tuple(languages) or known()
    text = readable(response)
    found = [one for one in islice(objects(text), _MOST_OBJECTS) if not is_form(one)]
    stated = (value for one in found if (value := answer_of(one, languages)) is not None)
    lists = (one for one in found if isinstance(one.value, list))
    value = next(stated, None) or next(lists, None)
    return None if value is None else _raw(value, text, response)


def is_null_answer(response: str, languages: Sequence[str] = ()) -> bool:
    """Whether the last object of a response has null, or an empty list, for its answer."""
    languages = tuple(languages) or known()
    one = next(objects(readable(response)), None)
    values = under_key(one, lambda key: is_answer_key(key, languages)) if one else []
    return bool(values) and all(value.value in (None, [], "") for value in values)


def _raw(found: Found, text: Text, response: str) -> Any:
    """A value with its texts as the response writes them."""
    if isinstance(found.value, dict):
        return {key: _raw(value, text, response) for key, value in found.entries}
    if isinstance(found.value, list):
        return [_raw(value, text, response) for _, value in found.entries]
    if isinstance(found.value, str):
        return _as_written(found.value, response, text.span(found.start, found.end))
    return found.value


def _as_written(value: str, response: str, span: Span) -> str:
    """A value before compatibility forms were composed, where nothing else was done with it."""
    written = response[span.start : span.end]
    return written if unicodedata.normalize("NFKC", written) == unicodedata.normalize("NFKC", value) else value


def _opens(key: str, text: str, languages: tuple[str, ...]) -> bool:
    """Whether a phrase opens a short folded text, and no turn is behind it ("I don't know, but I think …")."""
    found = pattern(key, languages).search(text)
    is_there = found is not None and found.start() <= 30 and len(text) <= 120
    return is_there and not (found and pattern("but", languages).search(text, found.end()))


def _in_object(text: Text, languages: tuple[str, ...]) -> tuple[_Said | None, Text]:
    """The answer of the last object that has one, and the text outside of objects."""
    found = list(islice(objects(text), _MOST_OBJECTS))
    for one in found:
        value = None if is_form(one) else _value_of(one, languages)
        if value is None:
            continue
        said = " ".join(_texts(value, languages))
        before = _HEADING_BEFORE.search(text.plain, max(0, one.start - 200), one.start)
        start = before.start() if before else one.start
        before_it = text.plain[start : one.start]
        is_wrong = _is_rejected(folded(before_it), languages) or (
            bool(before_it)
            and is_called_wrong(text.plain[start : one.end], one.start - start, one.end - start, languages)
        )
        if not is_wrong and not pattern("placeholder", languages).fullmatch(folded(said).strip(_OUTER + ".")):
            part = without_markup(text.part(value.start, value.end))  # \boxed{\text{Eger}}
            said = part.plain.strip() if isinstance(value.value, str) and "\\" in said else said
            return _Said(value.start, value.end, said, "object"), text
    return None, outside(text, found)


def _is_rejected(heading: str, languages: tuple[str, ...]) -> bool:
    """Whether a heading announces what is wrong, and no correction of it."""
    turned = pattern("right instead not", languages).search(heading)
    return turned is None and pattern("wrong", languages).search(heading) is not None


def _value_of(found: Found, languages: tuple[str, ...]) -> Found | None:
    """The answer of an object; the only other text beside a confidence."""
    if (value := answer_of(found, languages)) is not None:
        return value
    if not any(is_confidence(key, languages) for key, _ in found.entries):
        return None
    others = [
        value
        for key, value in found.entries
        if isinstance(value.value, str) and not is_confidence(key, languages) and not is_aside(key, languages)
    ]
    return others[0] if len(others) == 1 else None


def _texts(found: Found, languages: tuple[str, ...]) -> Iterator[str]:
    """The texts and numbers of a value, in order, besides a confidence and remarks."""
    if not found.entries:
        if found.value not in (None, [], {}):
            yield str(found.value)
        return
    for key, value in found.entries:
        if not (key and (is_confidence(key, languages) or is_aside(key, languages))):
            yield from _texts(value, languages)


def _in_text(text: Text, languages: tuple[str, ...]) -> _Said | None:
    """The answer of a text without objects."""
    plain = text.plain
    low = folded(plain)
    shown, hidden = _without_confidence(text, languages)
    if not re.search(r"\w", shown):
        shown, hidden = plain, low
    for found in reversed([*_announced(shown, hidden, languages)]):
        if said := _trimmed(shown, *found, languages):
            return said
    start, end = _bounds(shown, 0, len(shown))
    lines = [line for line in shown[start:end].split("\n") if line.strip()]
    if len(lines) > 1 and len(lines[0]) <= _SHORT and not lines[0].rstrip(_OUTER).endswith((".", ":", "?", "!", ",")):
        end = start + len(lines[0])
    rule = "whole" if shown == plain else "line"
    return _trimmed(shown, start, end, rule, languages, is_cued=False) if start < end <= start + _LONGEST else None


def _without_confidence(text: Text, languages: tuple[str, ...]) -> tuple[str, str]:
    """The text, and its folded form, with blanks in the place of the clause that states a confidence."""
    plain, low = text.plain, folded(text.plain)
    if (span := confidence_span(text, languages)) is None:
        return plain, low
    start, end = span
    before = _CLAUSE_BEFORE.search(plain, max(0, start - 150), start)
    clause = before.start() if before else start
    if len(plain[clause:start].split()) <= 4:
        start = clause
    elif with_ := _SMALL_WORD.search(plain, clause, start):
        start = with_.start()
    end += len(_CLAUSE_BEHIND.match(plain, end)[0])  # type: ignore[index]
    blank = " " * (end - start)
    return plain[:start] + blank + plain[end:], low[:start] + blank + low[end:]


@remembered
def _cue(languages: tuple[str, ...]) -> re.Pattern[str]:
    """What announces an answer: "The correct answer", with the copula behind it."""
    other = rf"(?:{'|'.join(source(key, languages) for key in ('therefore', 'right', 'article'))})"
    copula = rf"\s?(?:{source('copula', languages)})\s?(?:{source('article', languages)}\s)?"
    return re.compile(rf"(?:{other}\s?){{0,4}}{source('answer', languages)}(?:\s?{other}){{0,2}}(?P<copula>{copula})?")


def _announced(text: str, low: str, languages: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """The ranges that cues announce, sentences before lines, in order; each with how it was found."""
    sentences, lines = [], []
    for cue in deque(_cue(languages).finditer(low), maxlen=_MOST_CUES):
        line = text.rfind("\n", 0, cue.start()) + 1
        is_first = _LIST_MARK.fullmatch(text, line, cue.start()) is not None
        separator = _SEPARATOR.match(text, cue.end())
        if separator is None and is_first and (heading := _HEADING.match(text, cue.end())):
            separator = heading
        if separator:
            end = _LINE.match(text, separator.end()).end()  # type: ignore[union-attr]
            start = separator.end()
            if not re.search(r"\w", text[start:end]):
                below = re.compile(r"\W*").match(text, end)
                start = below.end() if below else end
                end = _LINE.match(text, start).end()  # type: ignore[union-attr]
            if start < end:
                lines.append((start, end, "line"))
        elif cue["copula"] or _begins_name(text[cue.end() : cue.end() + 3], is_first):
            end = _SENTENCE.match(text, cue.end()).end()  # type: ignore[union-attr]
            if re.search(r"\w", text[cue.end() : end]):
                sentences.append((cue.end(), end, "sentence"))
    yield from sentences
    yield from lines


def _begins_name(text: str, is_first: bool) -> bool:
    """Whether a name or number stands behind a blank; without capitals only where the cue begins its line."""
    first = text.strip(_OUTER)[:1]
    is_uncased = first.isalpha() and first.lower() == first.upper()
    return text[:1].isspace() and (first.isdigit() or first.isupper() or (is_uncased and is_first))


def _bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without quotes, emphasis and white space around it, and without the stop behind a name."""
    while start < end and text[start] in _OUTER:
        start += 1
    while start < end and text[end - 1] in _OUTER:
        end -= 1
    return start, end


def _trimmed(
    text: str, start: int, end: int, rule: str, languages: tuple[str, ...], *, is_cued: bool = True
) -> _Said | None:
    """A range without gloss, remarks and stop; None where its remarks take it back."""
    start, end = _bounds(text, start, end)
    quoted = _QUOTED.match(text, start - 1 if start else 0, end + 1)
    if quoted and quoted.end() >= end:
        return _Said(*quoted.span(1), quoted[1], rule) if start < end else None
    if rule != "whole" or len(text) <= 2 * _SHORT:
        gloss = _GLOSS.search(text, start, end)
        while gloss and gloss.start() > start:
            if pattern("wrong", languages).search(folded(gloss[0])):
                return None
            end = gloss.start()
            gloss = _GLOSS.search(text, start, end)
        low = folded(text[start:end])
        if pattern("instead because" if is_cued else "instead", languages).search(low) and (
            range_ := settled(text[start:end], languages)
        ):
            start, end = start + range_[0], start + range_[1]
    start, end = _bounds(text, start, end)
    value = text[start:end]
    is_name = _STOP.fullmatch(value) is not None and all(not word[0].islower() for word in value.split())
    if is_name or (is_cued and not _DATED.search(value)):
        end -= len(value) - len(value.rstrip(".。!,;، "))
        start, end = _bounds(text, start, end)
    value = text[start:end]
    if is_cued:
        value = value.removesuffix(next((verb for verb in words("verb_ending", languages) if value.endswith(verb)), ""))
        end = start + len(value)
    is_form = pattern("placeholder", languages).fullmatch(folded(value))
    is_heading = not is_cued and value.endswith((":", "："))
    is_text = re.search(r"\w", value) is not None
    return _Said(start, end, value, rule) if is_text and not is_form and not is_heading else None
