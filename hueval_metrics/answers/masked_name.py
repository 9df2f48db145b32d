"""Read which name a reply puts in the place of a mask: alone, in a sentence, in an object, or in the text filled in.

The name is returned as written, with its ending. A reply that names several without a decision names none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

from hueval_metrics.answers.decide import alternatives, decided, settled, statuses
from hueval_metrics.answers.names import Mention, folded, longest
from hueval_metrics.answers.objects import Found, answer_of, is_form, objects, outside, under_key
from hueval_metrics.answers.reading import NOTHING, REFUSED, SEVERAL, UNREADABLE, Reading, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.languages.load import pattern, remembered, source
from hueval_metrics.text.endings import is_same_name, plain_name
from hueval_metrics.text.names import names

MASK = "[MASK]"
_READ_LIMIT = 20_000  # characters from the end; a longer reply is a runaway generation
_CONTEXTS = (4, 2)  # words on either side of the mask by which a filled-in text is known, the surer first
_MOST_NAMES = 40  # that are compared; a text with more decides on none
_MOST_MENTIONS = 200  # the last ones; more are a runaway generation
_NEAR = 500  # characters of a text in which a name stands with its remarks
_MOST_WORDS, _LONGEST = 8, 80  # words and characters of a name
_QUOTES, _DASHES = "\"'„”“‟«»‘’‚", "-‐‑–—"
_OUTER = f" \t.,;:!?…()[]{{}}{_QUOTES}{_DASHES}"
_EMPHASIS = re.compile(r"[*_`#$>|]+|\\(?=[\[\]()])")
_EMPHASISED = re.compile(r"\*\*([^*\n]{1,80})\*\*|__([^_\n]{1,80})__|`([^`\n]{1,80})`")
_SPACES = re.compile(r"[ \t\u00a0]+")
_QUOTED = re.compile(rf"[{_QUOTES}]([^{_QUOTES}\n]{{1,80}})[{_QUOTES}]")
_END_OF_SENTENCE = re.compile(r"(?<=[^\W\d_A-ZÁÉÍÓÖŐÚÜŰ]{2})[.!?…]+(?=\s|\Z)")  # not "Dr. ", "II. "
_MASKED = re.compile(rf"{re.escape(MASK)}|\bMASK\b")
_AFTER_MASK = re.compile(rf"{re.escape(MASK)}\s?(?:[:=→]|[-=]>)\s*")
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
        quoted: texts of the article; a line of the reply that stands in them answers nothing.

    Returns:
        The name without quotes, emphasis and article.

    >>> query = "Az út [MASK] vezet."
    >>> [read_masked_name(reply, query).value for reply in ("**Gödöllőre**", "Az út Gödöllőre vezet.", "Vác vagy Eger")]
    ['Gödöllőre', 'Gödöllőre', None]
    """
    languages = tuple(languages)
    before = max(0, len(response) - _READ_LIMIT)
    text = readable(response[before:])
    if not any(map(str.isalnum, text.plain)):
        return NOTHING
    found = [*objects(text)]
    for one in found:
        if (values := _values(one, languages)) is not None:
            return _of_values(text, values, query, languages).moved(before)
    return _in_text(outside(text, found), query, languages, tuple(quoted), is_cut=before > 0).moved(before)


def _values(found: Found, languages: tuple[str, ...]) -> list[Found] | None:
    """What an object states; None where it has no answer."""
    if is_form(found):
        return None
    stated = (
        [one] if (one := answer_of(found, languages)) else under_key(found, lambda key: _is_name_key(key, languages))
    )
    leaves = [leaf for one in stated for leaf in one.leaves()]
    return leaves if stated else leaves if len(leaves := [*found.leaves()]) == 1 else None


def _is_name_key(key: str, languages: tuple[str, ...]) -> bool:
    return bool(pattern("name", languages).search(folded(key.replace("_", " "))))


def _of_values(text: Text, values: Sequence[Found], query: str, languages: tuple[str, ...]) -> Reading[str]:
    if len(values) != 1:
        return SEVERAL if values else UNREADABLE
    if not isinstance(values[0].value, str):
        return UNREADABLE
    reading = _in_text(text.part(values[0].start, values[0].end), query, languages, (), is_cut=False)
    return answered(reading.value or "", reading.spans, "object") if reading.is_answered else reading


def _in_text(
    text: Text, query: str, languages: tuple[str, ...], quoted: Sequence[str], *, is_cut: bool
) -> Reading[str]:
    text = without_markup(text)
    marked = [next(filter(None, match.groups())) for match in _EMPHASISED.finditer(text.plain)]
    text = text.sub(_EMPHASIS, "").sub(_SPACES, " ")
    plain = text.plain
    for match in _undenied(languages).finditer(folded(plain)):
        plain = plain[: match.start()] + " " * len(match[0]) + plain[match.end() :]

    def read(place: _Range, rule: str) -> Reading[str]:
        return answered(text.plain[slice(*place)], (text.span(*place),), rule)

    if filled := _filled_in(text.plain, _plain(query)):
        return read(filled, "sentence")
    cues = [*_AFTER_MASK.finditer(plain), *_cue(languages).finditer(folded(plain))]
    for cue in sorted(cues, key=lambda match: -match.end()):
        end = plain.find("\n", cue.end()) % (len(plain) + 1)
        if name := _name(plain, (cue.end(), end), languages):
            return read(name, "line")
    numbers = {match[0] for each in quoted for match in _NUMBERED.finditer(each)}
    plain = _NUMBERED.sub(lambda match: match[0] if match[0] in numbers else " " * len(match[0]), plain)
    known = {plain_name(_MASKED.sub("", line)) for each in (*quoted, query) for line in each.splitlines()}
    plain = _MASKED.sub(lambda mask: " " * len(mask[0]), plain)
    lines = [place for place in _lines(plain) if not _is_known(plain[slice(*place)], known)]
    if not lines:
        return NOTHING
    for start, end in lines:
        behind = _cue_behind(languages).search(folded(plain[start:end]))
        if behind and (name := _name(plain, (start, start + behind.start()), languages)):
            return read(name, "line")
    if len(lines) == 1 and not _END_OF_SENTENCE.search(plain[slice(*lines[0])].strip(" .!")):
        own = {word for each in quoted for word in plain_name(each).split()}
        if name := _name(plain, lines[0], languages, own=own or None if not is_cut else {""}):
            return read(name, "whole")
    told = "".join(plain[slice(*place)] + "\n" for place in lines)
    alone = [plain[slice(*place)].strip(_OUTER) for place in lines]
    groups = [
        [name for name in map(_trimmed, listed) if _is_name(name, languages)]
        for listed in (
            alone,
            marked,
            _QUOTED.findall(told),
            [part for line in alone for part in _pieces(languages).split(line)],
        )
    ]
    mentions = _mentions(plain, [*(name for group in groups for name in group), *names(told.split("\n"))])
    mentions = [mention for mention in mentions if any(start <= mention.start < end for start, end in lines)]
    among = [*dict.fromkeys(mention.candidate for mention in mentions)]
    mentions = mentions[-_MOST_MENTIONS:]
    if len(among) > _MOST_NAMES or len(alternatives(told, languages)) > 1:
        return SEVERAL
    outcome = decided(plain, mentions, languages, among=among, by_exclusion=True)
    if outcome.kind == "answered" and outcome.mention:
        return read((outcome.mention.start, outcome.mention.end), outcome.rule)
    said = statuses(plain, mentions, languages)
    stated = [mention for mention, status in said if status in ("stated", "named")]
    if len({mention.candidate for mention in stated}) == 1 and any(status == "open" for _, status in said):
        return read((stated[-1].start, stated[-1].end), "sentence")  # "Vác? Nem, Eger."
    for group in groups[:3]:  # the only one on a line, in bold, or in quotes
        only = {mention.candidate: mention for mention in stated if plain[mention.start : mention.end] in group}
        if len(only) == 1:
            ((_, mention),) = only.items()
            return read((mention.start, mention.end), "only")
    if mentions:
        return SEVERAL if outcome.kind == "several" else UNREADABLE
    low = folded(plain)
    if pattern("refusal", languages).search(low):
        return REFUSED
    return NOTHING if pattern("no_answer", languages).search(low) else UNREADABLE


def _mentions(text: str, listed: Sequence[str]) -> list[Mention]:
    """Where names stand in a text; forms of one name are one candidate."""
    candidates: list[str] = []
    found: list[Mention] = []
    for name in [*dict.fromkeys(filter(None, listed))][: _MOST_NAMES + 1]:
        same = next((other for other in candidates if is_same_name(name, other)), name)
        candidates.append(same)
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text):
            found.append(Mention(*match.span(), plain_name(same), "text"))
    return longest(found)


def _lines(text: str) -> Iterator[_Range]:
    """The lines with a letter."""
    start = 0
    for line in text.split("\n"):
        if line.strip(_OUTER):
            yield start, start + len(line)
        start += len(line) + 1


def _is_known(line: str, known: set[str]) -> bool:
    """Whether a line stands in the article, in part or as its beginning."""
    said = plain_name(line)
    return len(said) > _LONGEST // 4 and any(said in each or (each and each in said) for each in known)


@remembered
def _cue(languages: tuple[str, ...]) -> re.Pattern[str]:
    """What stands before an answer on its line."""
    noun = "|".join(source(key, languages) for key in ("answer", "name", "instead", "corrected"))
    return re.compile(rf"(?:{noun})[^\n.:=]{{0,30}}[:=]\s*(?=\S)")


@remembered
def _pieces(languages: tuple[str, ...]) -> re.Pattern[str]:
    """What stands between the parts of a line."""
    joined = rf"\s{source('and', languages)}\s|\s{source('or', languages)}\s"
    return re.compile(rf"{_ASIDE.pattern}|[?!:]\s|{_END_OF_SENTENCE.pattern}|{joined}", re.IGNORECASE)


@remembered
def _undenied(languages: tuple[str, ...]) -> re.Pattern[str]:
    """A negation that negates nothing ("nem más, mint"), and what is rejected behind a name ("…, nem pedig …")."""
    rather = source("rather_than", languages)
    undenied = rf"{source('not', languages)}\s+{source('only', languages)}(?:,?\s+{rather})?"
    return re.compile(rf"{undenied}|,\s+{rather}[^.,;\n]*")


@remembered
def _cue_behind(languages: tuple[str, ...]) -> re.Pattern[str]:
    """What stands behind an answer that a sentence calls so: "Gödöllő a hiányzó név"."""
    noun = rf"(?:{source('answer', languages)}|{source('name', languages)})"
    return re.compile(rf"\s+{source('article', languages)}\s+{noun}\W*\Z")


def _plain(text: str) -> str:
    return without_markup(readable(text)).sub(_EMPHASIS, "").sub(_SPACES, " ").plain.strip()


def _filled_in(text: str, query: str) -> _Range | None:
    """What stands at the mask where a text has the words around it, the last time."""
    before, masked, after = query.partition(MASK)
    left = [end.end() for end in _END_OF_SENTENCE.finditer(before)]
    before = before[left[-1] :] if left else before
    right = _END_OF_SENTENCE.search(f"{after} ")
    after = after[: right.end()] if right else after
    found = (_between(text, before, after, n_words) for n_words in _CONTEXTS) if masked else ()
    return next(filter(None, found), None)


def _between(text: str, before: str, after: str, n_words: int) -> _Range | None:
    """What stands between so many words of the sentence before the mask, and behind it."""
    left = " ".join(before.split()[-n_words:]).lstrip(_OUTER)
    right = " ".join(after.split()[:n_words]).rstrip(_OUTER)
    around, said = re.findall(r"\w+", f"{left} {right}".casefold()), text.casefold()
    if len(around) < 2 or not all(word in said for word in around):  # mostly so, and a pattern takes time to compile
        return None
    starts = rf"(?<!\w){_flexible(left)}" if left else rf"(?:\A|\n|[.!?:…] |[{_QUOTES}])"
    ends = rf"{_flexible(right)}(?!\w)" if right else r"[^\w\n]*(?:\n|\Z)"
    gaps = [r"\s+" if part else "" for part in (left and before[-1:].isspace(), right and after[:1].isspace())]
    pattern = rf"(?s:.*){starts}{gaps[0]}(?!\W*MASK)(?P<name>[^\n]{{1,80}}?){gaps[1]}{ends}"
    found = re.match(pattern, text, re.IGNORECASE)
    place = _stripped(text, *found.span("name")) if found else (0, 0)
    name = text[slice(*place)]
    is_one = bool(name) and len(name.split()) <= _MOST_WORDS and len(alternatives(name, ("hu",))) == 1
    return place if is_one else None


def _flexible(words: str) -> str:
    """A pattern of words that does not mind kinds of quotes and dashes."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    pattern = re.sub(rf"\\?[{_QUOTES}]", lambda _: f"[{_QUOTES}]", pattern)
    return re.sub(rf"\\?[{_DASHES}]", lambda _: f"[{_DASHES}]", pattern)


def _trimmed(name: str) -> str:
    return name.strip(_OUTER)


def _stripped(text: str, start: int, end: int, outer: str = _OUTER) -> _Range:
    part = text[start:end]
    start += len(part) - len(part.lstrip(outer))
    return start, max(start, start + len(part.strip(outer)))


def _name(text: str, place: _Range, languages: tuple[str, ...], *, own: Collection[str] | None = ()) -> _Range | None:
    """The range of the name that a short text is; behind a cue, of the only one that it has.

    Args:
        own: of a text that is the whole reply: the words one of which a name in small letters must be a form of; None
            for any; empty behind a cue.
    """
    start, end = place[0], min(place[1], place[0] + _NEAR)
    if sentence := _END_OF_SENTENCE.search(text, start, end):
        end = sentence.start()
    if len(alternatives(text[start:end], languages)) > 1:
        return None
    part = settled(text[start:end], languages)
    if part is None and pattern("not", languages).match(folded(text[start:end])):  # "Nem az MTI, a Reuters"
        start = start + text[start:end].rfind(", ") + 1
        part = settled(text[start:end], languages)
    if part is None:
        return None
    start, end = _without_article(text, start + part[0], start + part[1], languages)
    if quoted := _QUOTED.match(text, start, end):
        start, end = quoted.span(1)
    said = text[start:end]
    pieces = [piece for piece in _ASIDE.split(said) if any(map(str.isalnum, piece))]
    if len(pieces) > 1 and ", " in said and all(_is_name(_trimmed(piece), languages) for piece in pieces):
        return None  # a list
    start += said.find(pieces[0]) if pieces else 0
    start, end = _stripped(text, *_without_article(text, start, start + len((pieces or [""])[0]), languages))
    name = text[start:end]
    if _is_no_name(name, languages):
        return None
    if _is_name(name, languages):
        return start, end
    found = names([name])
    if name in found:
        return start, end
    if own == () and len(found) == 1 and not pattern("and", languages).search(folded(name)):
        at = start + name.find(found[0])
        return at, at + len(found[0])
    is_own = own is None or own == () or any(is_same_name(name, word) for word in own)
    return (start, end) if is_own and not found and len(name.split()) == 1 else None


def _without_article(text: str, start: int, end: int, languages: tuple[str, ...]) -> _Range:
    start, end = _stripped(text, start, end, " \t,:")
    article = pattern("article", languages).match(folded(text[start : start + 8]))
    if article and text[start + article.end() : start + article.end() + 1].isspace():
        return _stripped(text, start + article.end(), end, " \t")
    return start, end


def _is_no_name(text: str, languages: tuple[str, ...]) -> bool:
    """Whether a text says that there is no name, repeats the words of the question, or is too long for a name."""
    if len(text) > _LONGEST or len(text.split()) > _MOST_WORDS:
        return True
    low = folded(text.strip(_OUTER))
    keys = ("unknown_alone", "no_answer", "yes", "no", "neither", "answer", "name")
    is_said = not low or any(pattern(key, languages).fullmatch(low) for key in keys)
    return is_said or low == "mask"


def _is_name(text: str, languages: tuple[str, ...]) -> bool:
    """Whether each word has a capital or a digit, as a name alone; short words as "von der" may stand inside."""
    parts = text.split()
    if not 0 < len(parts) <= _MOST_WORDS or len(text) > _LONGEST or ", " in text:
        return False
    if _is_no_name(text, languages) or pattern(_NO_BEGINNING, languages).fullmatch(folded(parts[0].strip(_OUTER))):
        return False
    small = [word for word in parts if word == word.lower() and not any(map(str.isdigit, word))]
    no_part = pattern("and or not article", languages)
    return not small or (
        not {parts[0], parts[-1]} & {*small} and all(len(word) < 4 and not no_part.search(word) for word in small)
    )
