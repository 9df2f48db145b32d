"""Read which name a reply puts in the place of a mask: alone, in a sentence, in an object, or in the text filled in.

The name is returned as written, with its ending. A reply that names several without a decision names none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from hueval_metrics.answers.decide import alternatives, decided, settled, statuses, unread
from hueval_metrics.answers.names import Mention, folded, longest
from hueval_metrics.answers.objects import Found, answer_of, is_form, objects, outside, spoken_key, under_key
from hueval_metrics.answers.reading import NOTHING, SEVERAL, UNREADABLE, Reading, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.languages.load import pattern, remembered, source
from hueval_metrics.text.endings import is_same_name, plain_name
from hueval_metrics.text.names import names

MASK = "[MASK]"
_READ_LIMIT = 20_000  # characters from the end; a longer reply is a runaway generation
_AROUND = 2  # words on either side of the mask by which a filled-in text is known
_MOST_NAMES = 40  # that are compared; a text with more decides on none
_MOST_MENTIONS = 200  # the last ones; more are a runaway generation
_NEAR = 500  # characters of a text in which a name is found with its remarks
_MOST_WORDS, _LONGEST = 8, 80  # words and characters of a name
_ARTICLE = 20  # characters of a line that is known to be of the article
_QUOTES, _DASHES = "\"'„”“‟«»‘’‚", "-‐‑–—"
_OUTER = f" \t.,;:!?…()[]{{}}{_QUOTES}{_DASHES}"
_EMPHASIS = re.compile(r"[*_`#$>|]+|\\(?=[\[\]()])")
_SPACES = re.compile(r"[ \t\u00a0]+")
_END_OF_SENTENCE = re.compile(r"(?<=[^\W\d_A-ZÁÉÍÓÖŐÚÜŰ]{2})[.!?…]+(?=\s|\Z)")  # not "Dr. ", "II. "
_MASKED = re.compile(rf"{re.escape(MASK)}|\bMASK\b")
_ASIDE = re.compile(r"\s[(\[]|\s[–—-]\s|[;,]\s")
_NUMBERED = re.compile(r"^\d{1,2}[.)]\s(?=\S)", re.MULTILINE)
_NO_BEGINNING = "filler perhaps therefore choose not yes no points_at instead if because"  # words that begin no name

_Range = tuple[int, int]


def read_masked_name(
    response: str, query: str, languages: Sequence[str] = ("hu",), quoted: Iterable[str] = ()
) -> Reading[str]:
    """The name that a reply puts in the place of the mask.

    Args:
        response: the reply without its reasoning trace, cut where the prompt begins again; any text.
        query: the text with `MASK` in it.
        languages: whose words are read; English is read, too.
        quoted: texts of the article; a line of the reply that is in them answers nothing.

    Returns:
        The name without quotes, emphasis and article.

    >>> query = "Az út [MASK] vezet."
    >>> [read_masked_name(reply, query).value for reply in ("**Gödöllőre**", "Az út Gödöllőre vezet.", "Vác vagy Eger")]
    ['Gödöllőre', 'Gödöllőre', None]
    """
    languages = tuple(languages)
    before = max(0, len(response) - _READ_LIMIT)
    text = readable(response[before:])
    found = [*objects(text)]
    for one in found:
        if (values := _values(one, languages)) is not None:
            if len(values) != 1:
                return SEVERAL if values else UNREADABLE
            reading = _in_text(text.part(values[0].start, values[0].end), query, languages, ())
            return (replace(reading, rule="object") if reading.is_answered else reading).moved(before)
    return _in_text(outside(text, found), query, languages, tuple(quoted)).moved(before)


def _values(found: Found, languages: tuple[str, ...]) -> list[Found] | None:
    """The texts that an object states; None where it has no answer."""
    if is_form(found):
        return None
    stated = answer_of(found, languages)
    named = [stated] if stated else under_key(found, lambda key: _has("name", spoken_key(key), languages))
    leaves = [leaf for one in named or [found] for leaf in one.leaves()]
    return [leaf for leaf in leaves if isinstance(leaf.value, str)] if named or len(leaves) == 1 else None


def _has(keys: str, text: str, languages: tuple[str, ...]) -> bool:
    return bool(pattern(keys, languages).search(folded(text)))


def _in_text(text: Text, query: str, languages: tuple[str, ...], quoted: Sequence[str]) -> Reading[str]:
    text = without_markup(text).sub(_EMPHASIS, "").sub(_SPACES, " ")
    plain = text.plain
    for match in _undenied(languages).finditer(folded(plain)):
        plain = plain[: match.start()] + " " * len(match[0]) + plain[match.end() :]

    def read(place: _Range, rule: str) -> Reading[str]:
        return answered(text.plain[slice(*place)], (text.span(*place),), rule)

    if filled := _filled_in(text.plain, _plain(query), languages):
        return read(filled, "sentence")
    for cue in reversed([*_cue(languages).finditer(folded(plain))][-_MOST_NAMES:]):
        end = plain.find("\n", cue.end()) % (len(plain) + 1)
        if name := _name(plain, cue.end(), end, languages):
            return read(name, "line")
    plain = _NUMBERED.sub(lambda number: " " * len(number[0]), plain)
    known = {plain_name(_MASKED.sub("", line)) for each in (*quoted, query) for line in each.splitlines()}
    plain = _MASKED.sub(lambda mask: " " * len(mask[0]), plain)
    lines = [place for place in _lines(plain) if not _is_known(plain[slice(*place)], known)]
    if not lines:
        return NOTHING
    (start, end), unquoted = lines[0], "".join(plain[slice(*place)] + "\n" for place in lines)
    is_one = len(lines) == 1 and end - start <= _NEAR
    if is_one and not _END_OF_SENTENCE.search(plain[start:end].strip(" .!")):
        own = {word for each in quoted for word in plain_name(each).split()}
        if name := _name(plain, start, end, languages, own or None):
            return read(name, "whole")
    listed = (part.strip(_OUTER) for line in unquoted.splitlines() for part in _pieces(languages).split(line))
    inside = (name for name in names(unquoted.split("\n")) if not _is_no_name(name, languages))
    mentions = _mentions(plain, [*(name for name in listed if _is_name(name, languages)), *inside])
    among = [*dict.fromkeys(mention.candidate for mention in mentions)]
    if len(among) > _MOST_NAMES or len(alternatives(unquoted, languages)) > 1:
        return SEVERAL
    outcome = decided(plain, mentions, languages, among=among, by_exclusion=True)
    if outcome.mention:
        return read((outcome.mention.start, outcome.mention.end), outcome.rule)
    said = statuses(plain, mentions, languages)
    stated = [mention for mention, status in said if status in ("stated", "named")]
    if len({mention.candidate for mention in stated}) == 1 and any(status == "open" for _, status in said):
        return read((stated[-1].start, stated[-1].end), "sentence")  # "Vác? Nem, Eger."
    if mentions:
        return SEVERAL if outcome.kind == "several" else UNREADABLE
    return unread(plain, languages)


def _mentions(text: str, listed: Sequence[str]) -> list[Mention]:
    """Where names are in a text; forms of one name are one candidate."""
    candidates: list[str] = []
    found: list[Mention] = []
    for name in [*dict.fromkeys(filter(None, listed))][: _MOST_NAMES + 1]:
        same = next((other for other in candidates if is_same_name(name, other)), name)
        candidates.append(same)
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            found.append(Mention(*match.span(), plain_name(same), "text"))
    return longest(found)[-_MOST_MENTIONS:]


def _lines(text: str) -> Iterator[_Range]:
    """The lines with a letter."""
    start = 0
    for line in text.split("\n"):
        if line.strip(_OUTER):
            yield start, start + len(line)
        start += len(line) + 1


def _is_known(line: str, known: set[str]) -> bool:
    """Whether a line is in the article, in part or as its beginning."""
    said = plain_name(line)
    return len(said) > _ARTICLE and any(said in each or (each and each in said) for each in known)


@remembered
def _cue(languages: tuple[str, ...]) -> re.Pattern[str]:
    """What precedes an answer on its line."""
    noun = "|".join(source(key, languages) for key in ("answer", "name", "instead"))
    return re.compile(rf"(?:{noun})[^\n.:=]{{0,30}}[:=]\s*(?=\S)")


@remembered
def _pieces(languages: tuple[str, ...]) -> re.Pattern[str]:
    """What is between the parts of a line, or behind a name that it calls the answer ("Eger a hiányzó név")."""
    said = rf"\s{source('article', languages)}\s+(?:{source('answer', languages)}|{source('name', languages)})"
    joined = rf"\s{source('and', languages)}\s|\s{source('or', languages)}\s"
    return re.compile(rf"{_ASIDE.pattern}|[?!:]\s|{_END_OF_SENTENCE.pattern}|{joined}|{said}", re.IGNORECASE)


@remembered
def _undenied(languages: tuple[str, ...]) -> re.Pattern[str]:
    """A negation that negates nothing ("nem más, mint"), and what is rejected behind a name ("…, nem pedig …")."""
    rather = source("rather_than", languages)
    undenied = rf"{source('not', languages)}\s+{source('only', languages)}(?:,?\s+{rather})?"
    return re.compile(rf"{undenied}|,\s+{rather}[^.,;\n]*")


def _plain(text: str) -> str:
    return without_markup(readable(text)).sub(_EMPHASIS, "").sub(_SPACES, " ").plain.strip()


def _filled_in(text: str, query: str, languages: tuple[str, ...]) -> _Range | None:
    """What is at the mask where a text has the words of its sentence around it, the last time."""
    before, masked, after = query.partition(MASK)
    before, after = _END_OF_SENTENCE.split(before)[-1], _END_OF_SENTENCE.split(after)[0]
    left = " ".join(before.split()[-_AROUND:]).lstrip(_OUTER)
    right = " ".join(after.split()[:_AROUND]).rstrip(_OUTER)
    around, said = re.findall(r"\w+", f"{left} {right}".casefold()), text.casefold()
    if not masked or len(around) < 2 or not all(word in said for word in around):  # a pattern takes time to compile
        return None
    starts = rf"(?<!\w){_flexible(left)}" if left else rf"(?:\A|\n|[.!?:…] |[{_QUOTES}])"
    ends = rf"{_flexible(right)}(?!\w)" if right else r"[^\w\n]*(?:\n|\Z)"
    place = rf"(?s:.*){starts}\s*(?!\W*MASK)(?P<name>[^\n]{{1,{_LONGEST}}}?)\s*{ends}"
    found = re.match(place, text, re.IGNORECASE)
    start, end = _without_article(text, *found.span("name"), languages) if found else (0, 0)
    return (start, end) if len(alternatives(text[start:end], languages)) == 1 else None


def _flexible(words: str) -> str:
    """A pattern of words that does not mind kinds of quotes and dashes."""
    flexible = r"\s+".join(map(re.escape, words.split()))
    flexible = re.sub(rf"\\?[{_QUOTES}]", lambda _: f"[{_QUOTES}]", flexible)
    return re.sub(rf"\\?[{_DASHES}]", lambda _: f"[{_DASHES}]", flexible)


def _name(
    text: str, start: int, end: int, languages: tuple[str, ...], own: Collection[str] | None = None
) -> _Range | None:
    """The range of the name that a short text is, with remarks or without.

    Args:
        own: the words one of which a name in small letters must be a form of; None for any.
    """
    end = min(end, start + _NEAR)
    if sentence := _END_OF_SENTENCE.search(text, start, end):
        end = sentence.start()
    part = settled(text[start:end], languages) if len(alternatives(text[start:end], languages)) == 1 else None
    if part is None:
        return None
    start, end = _without_article(text, start + part[0], start + part[1], languages)
    pieces = [piece for piece in _ASIDE.split(text[start:end]) if any(map(str.isalnum, piece))]
    if not pieces or (len(pieces) > 1 and all(_is_name(piece.strip(_OUTER), languages) for piece in pieces)):
        return None  # a list
    start += text[start:end].find(pieces[0])
    start, end = _without_article(text, start, start + len(pieces[0]), languages)
    name = text[start:end]
    found = names([name])
    if _is_no_name(name, languages):
        return None
    if _is_name(name, languages) or name in found:
        return start, end
    is_own = own is None or any(is_same_name(name, word) for word in own)
    return (start, end) if is_own and not found and len(name.split()) == 1 else None


def _without_article(text: str, start: int, end: int, languages: tuple[str, ...]) -> _Range:
    """A range without marks around it and an article before it."""
    article = pattern("article", languages).match(folded(text[start:end].lstrip(_OUTER)[:8]))
    part = text[start:end].lstrip(_OUTER)
    if article and part[article.end() : article.end() + 1].isspace():
        part = part[article.end() :].lstrip(_OUTER)
    return end - len(part), end - len(part) + len(part.rstrip(_OUTER))


def _is_no_name(text: str, languages: tuple[str, ...]) -> bool:
    """Whether a text says that there is no name, repeats the words of the question, or is too long for a name."""
    low = folded(text.strip(_OUTER))
    is_long = len(text) > _LONGEST or len(text.split()) > _MOST_WORDS
    keys = "unknown_alone no_answer yes no neither answer name"
    return is_long or low == "mask" or not re.search(r"\w", pattern(keys, languages).sub("", low))


def _is_name(text: str, languages: tuple[str, ...]) -> bool:
    """Whether each word has a capital or a digit, as a name alone; short words as "von der" may be inside."""
    if _is_no_name(text, languages) or ", " in text:
        return False
    parts = text.split()
    if pattern(_NO_BEGINNING, languages).fullmatch(folded(parts[0].strip(_OUTER))):
        return False
    small = [word for word in parts if word == word.lower() and not any(map(str.isdigit, word))]
    is_inside = not {parts[0], parts[-1]} & {*small} and all(len(word) < 4 for word in small)
    return is_inside and not any(_has("and or not article", word, languages) for word in small)
