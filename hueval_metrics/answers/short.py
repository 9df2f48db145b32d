"""Read the short answer of a response alone: the value of an object, what a cue announces, or the whole text.

Prompts for short answers ask for an object with an answer and a confidence; models also write `Answer: Eger`, a
sentence, or the answer alone, with the confidence behind it. A form to fill in is no answer, nor what is called wrong.
"""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from hueval_metrics.answers.confidence import EMPHASIS, confidence_span, is_confidence
from hueval_metrics.answers.decide import alternatives, is_called_wrong, settled
from hueval_metrics.answers.json_values import Found
from hueval_metrics.answers.names import folded
from hueval_metrics.answers.objects import answer_of, is_aside, is_form, objects, outside
from hueval_metrics.answers.reading import NOTHING, REFUSED, SEVERAL, UNREADABLE, Reading, Span, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.languages.load import known, pattern, remembered, source, words

READ_LIMIT = 100_000  # characters, counted from the end
_MOST_OBJECTS = 500
_MOST_CUES = 100  # counted from the end
_LONGEST = 1_000  # characters of a reply that is an answer as a whole
_SHORT = 60  # characters of an answer that is alone in the first line of a longer reply
_WITH_REMARKS = 2 * _SHORT  # characters of a reply without a cue that may have remarks beside its answer
_HEADING_BEFORE = re.compile(r"[^\n.!?]{0,120}:?[\s*`]{0,9}(?:```\w{0,9}\s*)?\Z")
_SEPARATOR = re.compile(
    r"[\"'”*_`\s]{0,4}(?:\([^()\n]{0,30}\))?[*_ ]{0,3}(?:[:=|]>?|[–—]|\s-\s|->|→)[>*_ \t]{0,9}(?:\n\W*)?"
)
_HEADING = re.compile(r"[*_#:\s]*?\n[\s>*_#]*")
_LINE = re.compile(r"[^\n]{0,1000}")
_SENTENCE = re.compile(r"(?:[^\n.!?。！？]|[.!?](?=[^\s\"'”»)*_])){0,1000}")
_LIST_MARK = re.compile(r"[\s>#*_|•–—-]*(?:\d{1,2}[.)]\s+)?[*_\"'„“(]*")
_EMPHASISED = re.compile(r"\*\*([^*\n]{0,80}\w[^*\n:]{0,20})\*\*")
_GLOSS = re.compile(r"\s*[(（\[][^()（）\[\]\n]{0,120}[)）\]]?\s*\Z")
_CLAUSE_BEFORE = re.compile(r"(?:[,;(|–—，、،]\s*|(?<=[\n.:。])|\A)[^\n.,;:(|–—。，、،]{0,120}\Z")
_CLAUSE_BEHIND = re.compile(r"[^\n.,;|。]{0,60}[.。]?")
_SMALL_WORD = re.compile(r"\s[^\W\d_A-Z]{1,4}\s\Z")
_OUTER = "، |\t\n\r\"'„“”«»‘’`*_"
_DATED = re.compile(r"\s\S*\d[.]\Z")  # "1526. augusztus 29."
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
    if len(between) > 1 and all(len(said.value[start:end].split()) <= 3 for start, end in between):
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
    """The answer of a response, and the text that contains it."""
    text = readable(response)
    found = list(islice(objects(text), _MOST_OBJECTS))
    if said := next((said for one in found if (said := _in_object(text, one, languages))), None):
        return text, said
    marked = without_markup(outside(text, found))
    text = marked.sub(EMPHASIS, "")
    said = _in_text(text, languages)
    bold = [*_EMPHASISED.finditer(marked.plain)]
    if said and said.rule == "whole" and len(bold) == 1 and "\n" not in marked.plain.strip():
        return marked, _Said(*bold[0].span(1), bold[0][1], "only")
    return text, said


def _as_written(value: str, response: str, span: Span) -> str:
    """A value before compatibility forms were composed, where nothing else was done with it."""
    written = response[span.start : span.end]
    return written if unicodedata.normalize("NFKC", written) == unicodedata.normalize("NFKC", value) else value


def _opens(key: str, text: str, languages: tuple[str, ...]) -> bool:
    """Whether a phrase opens a short folded text, and no turn is behind it ("I don't know, but I think …")."""
    found = pattern(key, languages).search(text) if len(text) <= _WITH_REMARKS else None
    return found is not None and found.start() <= 40 and not pattern("but", languages).search(text, found.end())


def _in_object(text: Text, one: Found, languages: tuple[str, ...]) -> _Said | None:
    """The answer of an object; None for a form to fill in, and where the heading before it announces what is wrong."""
    value = None if is_form(one) else _value_of(one, languages)
    if value is None:
        return None
    before = _HEADING_BEFORE.search(text.plain, max(0, one.start - 200), one.start)
    start = before.start() if before else one.start
    said = " ".join(_texts(value, languages))
    is_wrong = start < one.start and _is_rejected(text.plain[start : one.end], one.start - start, languages)
    if is_wrong or _is_placeholder(said, languages):
        return None
    if "\\" in said:  # \\boxed{\\text{Eger}}
        said = without_markup(text.part(value.start, value.end)).plain
    return _Said(value.start, value.end, said, "object")


def _is_rejected(text: str, start: int, languages: tuple[str, ...]) -> bool:
    """Whether the heading before an object, up to `start`, announces what is wrong, and no correction of it."""
    heading = folded(text[:start])
    if pattern("wrong", languages).search(heading) and not pattern("right instead not", languages).search(heading):
        return True
    return is_called_wrong(text, start, len(text), languages)


def _is_placeholder(value: str, languages: tuple[str, ...]) -> bool:
    return pattern("placeholder", languages).fullmatch(folded(value).strip(_OUTER + ".()[]<>")) is not None


def _value_of(found: Found, languages: tuple[str, ...]) -> Found | None:
    """The answer of an object; the only other text beside a confidence."""
    if value := answer_of(found, languages):
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
    if not found.entries and found.value not in (None, [], {}):
        yield str(found.value)
    for key, value in found.entries:
        if not (is_confidence(key, languages) or is_aside(key, languages)):
            yield from _texts(value, languages)


def _in_text(text: Text, languages: tuple[str, ...]) -> _Said | None:
    """The answer of a text without objects."""
    shown = _without_confidence(text, languages)
    for found in reversed([*_announced(shown, languages)]):
        if said := _trimmed(shown, *found, languages):
            return said
    start, end = _bounds(shown, 0, len(shown))
    first = _LINE.match(shown, start, end)[0].rstrip(_OUTER)  # type: ignore[index]
    if len(first) <= _SHORT and not first.endswith((".", ":", "?", "!", ",")):
        end = start + len(first)
    rule = "whole" if shown == text.plain else "line"
    return _trimmed(shown, start, end, rule, languages, is_cued=False) if end - start <= _LONGEST else None


def _without_confidence(text: Text, languages: tuple[str, ...]) -> str:
    """The text with blanks in the place of the clause that states a confidence, unless that has the answer, too."""
    plain = text.plain
    if (span := confidence_span(text, languages)) is None:
        return plain
    start, end = span
    before = _CLAUSE_BEFORE.search(plain, max(0, start - 150), start)
    clause = before.start() if before else start
    if len(plain[clause:start].split()) <= 4:
        start = clause
    elif with_ := _SMALL_WORD.search(plain, clause, start):
        start = with_.start()
    end += len(_CLAUSE_BEHIND.match(plain, end)[0])  # type: ignore[index]
    shown = plain[:start] + " " * (end - start) + plain[end:]
    return shown if re.search(r"\w", shown) or not re.search(r"\w", plain[: span[0]] + plain[span[1] :]) else plain


@remembered
def _cue(languages: tuple[str, ...]) -> re.Pattern[str]:
    """What announces an answer: "The correct answer", with the copula behind it."""
    other = rf"(?:{'|'.join(source(key, languages) for key in ('therefore', 'right', 'article'))})"
    copula = rf"\s?(?:{source('copula', languages)})\s?(?:{source('article', languages)}\s)?"
    return re.compile(rf"(?:{other}\s?){{0,4}}{source('answer', languages)}(?:\s?{other}){{0,2}}(?P<copula>{copula})?")


def _announced(text: str, languages: tuple[str, ...]) -> Iterator[tuple[int, int, str]]:
    """The ranges that cues announce, sentences before lines, in order; each with how it was found."""
    lines = []
    for cue in deque(_cue(languages).finditer(folded(text)), maxlen=_MOST_CUES):
        start = cue.end()
        line = text.rfind("\n", 0, cue.start()) + 1
        is_first = _LIST_MARK.fullmatch(text, line, cue.start())
        name = text[start : start + 3].strip(_OUTER)[:1] if text[start : start + 1].isspace() else ""
        is_name = name.isdigit() or name.isupper() or (is_first and name.isalpha() and not name.islower())
        if separator := _SEPARATOR.match(text, start) or (is_first and _HEADING.match(text, start)):
            lines.append((separator.end(), _LINE.match(text, separator.end()).end(), "line"))  # type: ignore[union-attr]
        elif cue["copula"] or is_name:
            yield start, _SENTENCE.match(text, start).end(), "sentence"  # type: ignore[union-attr]
    yield from lines


def _bounds(text: str, start: int, end: int) -> tuple[int, int]:
    """A range without quotes, emphasis and white space around it."""
    part = text[start:end].lstrip(_OUTER)
    start = end - len(part)
    return start, start + len(part.rstrip(_OUTER))


def _trimmed(
    text: str, start: int, end: int, rule: str, languages: tuple[str, ...], *, is_cued: bool = True
) -> _Said | None:
    """A range without gloss, remarks and stop; None where its remarks take it back."""
    start, end = _bounds(text, start, end)
    if is_cued or len(text) <= _WITH_REMARKS:
        while gloss := _GLOSS.search(text, start + 1, end):
            if pattern("wrong", languages).search(folded(gloss[0])):
                return None
            end = gloss.start()
        turns = pattern("instead because" if is_cued else "instead", languages)
        if turns.search(folded(text[start:end])) and (range_ := settled(text[start:end], languages)):
            start, end = _bounds(text, start + range_[0], start + range_[1])
    value = text[start:end]
    is_name = _STOP.fullmatch(value) and not any(word[0].islower() for word in value.split())
    if is_name or (is_cued and not _DATED.search(value)):
        start, end = _bounds(text, start, start + len(value.rstrip(".。!,;، ")))
        value = text[start:end]
    if is_cued:
        value = value.removesuffix(next((verb for verb in words("verb_ending", languages) if value.endswith(verb)), ""))
    is_form = _is_placeholder(value, languages) or value.endswith((":", "："))
    return _Said(start, start + len(value), value, rule) if re.search(r"\w", value) and not is_form else None
