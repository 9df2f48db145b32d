"""Read which name a reply puts in the place of a mask: the name alone, in a sentence, as JSON, or the text filled in.

The name is returned as written, with its ending. A reply that names several without a decision names none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from hueval_metrics.answers.json_answer import find_answer
from hueval_metrics.answers.json_objects import JsonObject, json_objects, outside, under_key
from hueval_metrics.answers.plain_text import readable, without_markup
from hueval_metrics.answers.remarks import alternatives, settled
from hueval_metrics.text.endings import plain_name
from hueval_metrics.text.names import names, without_article
from hueval_metrics.text.normalize import stream_safe

MASK = "[MASK]"
_KEYS = (
    *("név", "nev", "hiányzó_név", "kitakart_név", "maszkolt_név", "elrejtett_név", "tulajdonnév", "mask", "maszk"),
    *("name", "missing_name", "entity", "entitás"),
)
_READ_LIMIT = 20_000  # characters from the end; a longer reply is a runaway generation
_CONTEXTS = (4, 2)  # words on either side of the mask by which a filled-in text is known, the surer first
_MOST_WORDS, _LONGEST = 8, 80  # words and characters of a name
_NO_NAME = frozenset({"igen", "nincs", "nincs ilyen", "ismeretlen", "mask", "none", "null", "unknown", "na", "semmi"})
_QUOTES, _DASHES = "\"'„”“‟«»‘’‚", "-‐‑–—"
_OUTER = f" \t.,;:!?…()[]{{}}{_QUOTES}{_DASHES}"
_EMPHASIS = re.compile(r"[*_`#$>|]+|\\(?=[\[\]()])")
_EMPHASISED = re.compile(r"\*\*([^*\n]{1,80})\*\*|__([^_\n]{1,80})__|`([^`\n]{1,80})`")
_QUOTED = re.compile(rf"[{_QUOTES}]([^{_QUOTES}\n]{{1,80}})[{_QUOTES}]")
_END_OF_SENTENCE = re.compile(r"(?<=[a-záéíóöőúüű]{2})[.!?…]+(?=\s)")  # not "Dr. ", "II. "
_ASIDE = re.compile(r"\s[(\[]|\s[–—-]\s|[;,]\s")

_HIDDEN = (
    r"(?:hiányzó|kitakart|elrejtett|maszkolt|kimaszkolt|keresett|kihagyott|helyes|végső|missing|masked|hidden|correct)"
)
_NAME = r"(?:tulajdonn[eé]v|név|szó|kifejezés|válasz|megoldás|megfejtés|answer|name|entity|word)\w{0,4}"
_FILLER = (
    r"(?:\s(?:az?|is|the|tehát|így|szerintem|ezért|pedig|valószínűleg|biztosan|feltehetően|nem más,? mint|"
    r"az?\s(?:következő|alábbi)))*"
)
_MASKED = re.escape(MASK)
_FITS = r"(?:kerül|illik|illeszkedik|áll|való|írható|kell|szerepel|volt|van|lenne|jön|jó)"
_CAPITAL = rf"[{_QUOTES}]?[A-ZÁÉÍÓÖŐÚÜŰ\d]"
_CUES = (
    re.compile(rf"(?i:(?:\b{_HIDDEN}\s|\b){_NAME}{_FILLER})\s?[:=]\s*(?P<name>[^\n]+)"),
    re.compile(rf"(?i:\b{_HIDDEN}\s{_NAME}{_FILLER})\s(?P<name>{_CAPITAL}[^\n]*)"),
    re.compile(rf"(?P<name>[^\n.:!?]{{1,80}}?)\s(?i:(?:lehet\s|volt\s)?az?\s{_HIDDEN}\s{_NAME})"),
    re.compile(rf"{_MASKED}\s?(?:[:=→]|[-=]>)\s*(?P<name>[^\n]+)"),
    re.compile(rf"{_MASKED}\s(?i:hely(?:ére|én|ett){_FILLER})\s(?P<name>{_CAPITAL}[^\n]*?)\s(?i:{_FITS})\b"),
    re.compile(rf"(?P<name>[^\n.:!?]{{1,80}}?)\s(?i:{_FITS}\sa)\s{_MASKED}\s(?i:hely)"),
)
_GIVEN = rf"(?<!\w){_CAPITAL}[^\s,;.()]{{0,40}}(?:\s{_CAPITAL}[^\s,;.()]{{0,40}}){{0,7}}"
_REJECTED = re.compile(  # "nem pedig az Újpest", "a Reuters nem"
    rf"\b(?i:nem|sem|not)\s(?:pedig\s)?(?:az?\s|the\s)?({_GIVEN})"
    rf"|(?:\baz?\s)?({_GIVEN})\W{{1,4}}(?:nem|sem|not)\b(?!\s(?:csak|only))"
)
_REJECTS = re.compile(rf"\W*(?:(?:és|de|and|but)\s)?(?:{_REJECTED.pattern})\W*")  # a clause that says no more
_AFFIRMED = re.compile(r"\s(?:igen|yes)\W*\Z")


def read_masked_name(response: str, query: str) -> str | None:
    """The name that a reply puts in the place of the mask.

    Args:
        response: the reply without its reasoning trace, cut where the prompt begins again; any text.
        query: the text with `MASK` in it.

    Returns:
        The name without quotes, emphasis and article; None when the reply gives none, or several.

    >>> query = "Az út [MASK] vezet."
    >>> [read_masked_name(reply, query) for reply in ("**Gödöllőre**", "Az út Gödöllőre vezet.", "Vác vagy Eger")]
    ['Gödöllőre', 'Gödöllőre', None]
    """
    response = unicodedata.normalize("NFC", stream_safe(response[-_READ_LIMIT:]))
    objects = [*json_objects(response)]
    if (stated := _in_json(response, objects)) is not None:
        text = stated[0] if len(stated) == 1 and isinstance(stated[0], str) else ""
    else:
        text = outside(response, objects)
    return _in_text(text, query)


def _in_json(response: str, objects: Sequence[JsonObject]) -> list[Any] | None:
    """The values that the last object or list states; None where there is none."""
    for _, _, data in reversed(objects):
        if values := under_key(data, _KEYS) or (list(data.values()) if len(data) == 1 else []):
            return [item for value in values for item in (value if isinstance(value, list) else [value])]
    value = find_answer(response) if "{" in response or '["' in response else None
    return value if value is None or isinstance(value, list) else [value]


def _in_text(text: str, query: str) -> str | None:
    text = without_markup(readable(text))
    marked = [next(filter(None, found)) for found in _EMPHASISED.findall(text)]
    plain = _plain(text)
    if filled := _filled_in(plain, _plain(query)):
        return filled
    cued = sorted((match for cue in _CUES for match in cue.finditer(plain)), key=lambda match: match.start("name"))
    if name := next(filter(None, (_name(match["name"]) for match in reversed(cued))), None):
        return name
    lines = [line for line in plain.split("\n") if line.strip(_OUTER) and MASK not in line]
    if len(lines) == 1 and (name := _name(lines[0])):
        return name
    alone = [line for line in lines if _is_name(line.strip(_OUTER))]
    told = " ".join(lines)
    rejected = {plain_name(without_article(match[1] or match[2])) for match in _REJECTED.finditer(told)}
    for candidates in (alone, marked, _QUOTED.findall(told), names(lines) if len(alternatives(told)) == 1 else []):
        if candidates:
            return _only(name for name in candidates if plain_name(name) not in rejected)
    return None


def _plain(text: str) -> str:
    return re.sub(r"[ \t\u00a0]+", " ", _EMPHASIS.sub("", text)).strip()


def _filled_in(text: str, query: str) -> str | None:
    """What stands at the mask where a text has the words around it, the last time."""
    before, masked, after = query.partition(MASK)
    left = [end.end() for end in _END_OF_SENTENCE.finditer(before)]
    before = before[left[-1] :] if left else before
    right = _END_OF_SENTENCE.search(f"{after} ")
    after = after[: right.end()] if right else after
    found = (_between(text, before, after, n_words) for n_words in _CONTEXTS) if masked else ()
    return next(filter(None, found), None)


def _between(text: str, before: str, after: str, n_words: int) -> str | None:
    """What stands between so many words of the sentence before the mask, and behind it."""
    left = " ".join(before.split()[-n_words:]).lstrip(_OUTER)
    right = " ".join(after.split()[:n_words]).rstrip(_OUTER)
    words, said = re.findall(r"\w+", f"{left} {right}".casefold()), text.casefold()
    if len(words) < 2 or not all(word in said for word in words):  # mostly so, and a pattern takes time to compile
        return None
    starts = rf"(?<!\w){_flexible(left)}" if left else rf"(?:\A|\n|[.!?:…] |[{_QUOTES}])"
    ends = rf"{_flexible(right)}(?!\w)" if right else r"[^\w\n]*(?:\n|\Z)"
    gaps = [r"\s+" if part else "" for part in (left and before[-1:].isspace(), right and after[:1].isspace())]
    pattern = rf"(?s:.*){starts}{gaps[0]}(?!\W*MASK)(?P<name>[^\n]{{1,80}}?){gaps[1]}{ends}"
    found = re.match(pattern, text, re.IGNORECASE)
    name = found["name"].strip(_OUTER) if found else ""
    return name if name and len(name.split()) <= _MOST_WORDS and len(alternatives(name)) == 1 else None


def _flexible(words: str) -> str:
    """A pattern of words that does not mind kinds of quotes and dashes."""
    pattern = r"\s+".join(map(re.escape, words.split()))
    pattern = re.sub(rf"\\?[{_QUOTES}]", lambda _: f"[{_QUOTES}]", pattern)
    return re.sub(rf"\\?[{_DASHES}]", lambda _: f"[{_DASHES}]", pattern)


def _name(text: str) -> str | None:
    """The name that a short text is, or the only one that it has."""
    sentence = _END_OF_SENTENCE.split(text)[0]
    decided = settled(sentence) or settled(_without_rejected(sentence))
    if decided is None or len(alternatives(decided)) > 1:
        return None
    decided = decided.strip(" \t")
    if quoted := _QUOTED.match(without_article(decided)):
        decided = quoted[1]
    parts = [part.strip(_OUTER) for part in _ASIDE.split(decided) if any(map(str.isalnum, part))]
    if len(parts) > 1 and all(map(_is_name, parts)) and ", " in decided:
        return None  # a list
    name = without_article(parts[0]) if parts else ""
    if plain_name(name) in _NO_NAME or len(name.split()) > _MOST_WORDS or len(name) > _LONGEST:
        return None
    if _is_name(name):
        return name
    found = names([name])
    if len(found) == 1 or name in found:
        return name if name in found else found[0]
    return name if not found and 0 < len(name.split()) <= 2 else None


def _without_rejected(sentence: str) -> str:
    """A sentence without the clauses that only reject a name; "az MTI" of "a Reuters nem, az MTI igen"."""
    clauses = re.split(r"(?<=[,;])\s|\s(?=és\snem\s|and\snot\s)", sentence)
    kept = [clause for clause in clauses if not _REJECTS.fullmatch(clause)]
    return _AFFIRMED.sub("", " ".join(kept).strip(" ,;"))


def _is_name(text: str) -> bool:
    """Whether each word has a capital or a digit, as a name alone."""
    words = text.split()
    is_short = 0 < len(words) <= _MOST_WORDS and plain_name(text) not in _NO_NAME
    return is_short and all(word != word.lower() or any(map(str.isdigit, word)) for word in words)


def _only(candidates: Iterable[str]) -> str | None:
    found = {plain_name(name): name for candidate in candidates if (name := _name(candidate))}
    return next(iter(found.values())) if len(found) == 1 else None
