"""Find the JSON answers in a model's reply, strictly read if possible, else repaired.

Models put prose before the object, fences around it, single quotes in it, and are cut off within it. A careful reader
finds the answer all the same; this module does, and invents nothing: a repaired object must still have the answer key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hueval_metrics.answers.json_objects import key_name

# The prompts ask for "answer" and "answers"; the others are what models write instead, the surest first.
ANSWER_KEYS = (
    frozenset({"final_answer", "final_answers", "végső_válasz", "végleges_válasz"}),
    frozenset({"answer", "answers", "válasz", "válaszok", "answer_list"}),
    frozenset({"correct_answer", "correct_answers", "helyes_válasz", "helyes_válaszok"}),
    frozenset({"solution", "solutions", "megoldás", "megoldások", "megfejtés", "megfejtések"}),
    frozenset({"result", "results", "eredmény", "output", "response", "blanks", "kitöltés", "kitöltések"}),
)
# An object may hold others that are not its answer.
_ASIDE_KEY = re.compile(
    r"(?:rejected|wrong|incorrect|draft|previous|first_guess|not_|alternative|example|question|options|instruction|"
    r"explanation|reason|elvetett|helytelen|hibás|rossz|téves|piszkozat|korábbi|példa|kérdés|lehetőség|magyaráz|indok)"
)
# One entry of a list: {"blank": "#0#", "option": "E"}.
_ENTRY_IDS = (
    *("id", "blank", "blank_id", "index", "mark", "marker", "position", "number", "no", "n", "jel", "hely", "sorszám"),
    *("placeholder", "gap", "slot", "key", "question", "kérdés", "azonosító", "üres_hely", "space"),
)
_ENTRY_LETTERS = ("letter", "option", "choice", "betű", "opció", "lehetőség", "option_letter")
_ENTRY_WORDS = ("answer", "válasz", "value", "word", "text", "solution", "megoldás", "szó", "fill", "érték", "selected")
_BLANK_KEY = re.compile(r"\W{0,3}\s*\d{1,6}\s*\W{0,3}|(?:blank|gap|hely|üres_hely)[\s_#-]{0,3}\d{1,6}#?", re.IGNORECASE)
_STRUCTURE = re.compile(r'[{}"\\]')
_BRACES = re.compile(r"[{}]")
_MENTION = re.compile(  # composed, decomposed or "v\\u00e1lasz"
    r"answer|v[^\"]{1,6}lasz|solution|megold|megfejt|result|eredm|output|response|blanks|kit[^\"]{1,6}lt", re.IGNORECASE
)
_WORTH_READING = re.compile(rf"{_MENTION.pattern}|[\"'„“»«]\s*\W?(?:#\s*)?\d|blank|hely|\bid\b|index", re.IGNORECASE)
_MARKED = re.compile(r"\W{0,3}#\s?\d{1,6}\s?#")
_UNQUOTED_MARK = re.compile(r"(?<=[\[,\s])(#\d{1,6}#[^\"'„“»«`,\]\n]{1,100})(?=[,\]\n])")
_ARRAY_START = re.compile(r"\[")
_OTHER_ARRAY = re.compile(r"(?:options?|questions?|lehetőségek|opciók|kérdések)\W{0,6}\Z", re.IGNORECASE)
_QUOTES = str.maketrans("„”“»«‟＂『』「」`", '"' * 12)
_REPAIR_LIMIT = 20_000  # characters; 30 blanks need 2,000, and repair is too slow to run over a runaway generation
_REPAIR_TRIES = 4
_ARRAY_TRIES = 200


class Answer(NamedTuple):
    """An answer in a text: where its object stands, and its value (any JSON type but null)."""

    start: int
    end: int
    value: Any


def find_answer(text: str) -> Any | None:
    """The value of the answer in a reply, as parsed JSON.

    Args:
        text: a reply without its reasoning trace; any length.

    Returns:
        The value of the last of `answers`; None when nothing was found.

    >>> find_answer('Íme: {"answer": ["#0#A"]} Remélem, segít.')
    ['#0#A']
    """
    last = next(answers(text), None)
    return None if last is None else last.value


def answers(text: str) -> Iterator[Answer]:
    """The answers in a reply, from the last to the first.

    Args:
        text: a reply without its reasoning trace; any length.

    Yields:
        The value under the answer key of each object that has one; an object itself when its keys are blank ids. Where
        there is none, that of an object that is cut off at the end; else the last list of a few flat ones.
    """
    spans = _spans(text)
    tries = _REPAIR_TRIES
    is_found = False
    for start, end in reversed(spans):
        if not _WORTH_READING.search(text, start, end):
            continue
        piece = text[start:end]
        value = _answer_of(_loads(piece))
        if value is None and tries and _is_repairable(piece):
            tries -= 1
            value = _repaired_answer(piece)
        if value is not None:
            is_found = True
            yield Answer(start, end, value)
    if is_found:
        return
    start = text.find("{", spans[-1][1] if spans else 0)
    tail = text[start:] if start >= 0 else ""  # an object cut off at the end of the text
    if _is_repairable(tail) and (value := _repaired_answer(tail)) is not None:
        yield Answer(start, len(text), value)
        return
    yield from _last_array(text, spans)


def _spans(text: str) -> list[tuple[int, int]]:
    """Spans of balanced braces; where a stray quote hides the end of the last object, quotes are ignored."""
    if "{" not in text or "}" not in text:
        return []
    spans = [*_balanced(text, _STRUCTURE)]
    end = spans[-1][1] if spans else 0
    return spans + [(end + a, end + b) for a, b in _balanced(text[end:], _BRACES)]


def _balanced(text: str, tokens: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """Spans of balanced braces that lie in no other balanced span, left to right, in one pass."""
    open_at: list[int] = []
    closed: list[tuple[int, int]] = []
    in_string = False
    skip = -1
    for match in tokens.finditer(text):
        at, token = match.start(), match.group()
        if token == "\\":
            skip = at + 1 if at != skip else -1  # the character after a backslash is literal
        elif at == skip:
            continue
        elif token == '"':
            in_string = not in_string and bool(open_at)  # quotes in prose open no string
        elif in_string:
            continue
        elif token == "{":
            open_at.append(at)
        elif open_at:
            start = open_at.pop()
            while closed and closed[-1][0] > start:
                closed.pop()
            closed.append((start, at + 1))
    yield from closed


def _loads(text: str) -> Any | None:
    try:
        return json.loads(text, strict=False)  # models write raw line breaks inside strings
    except (ValueError, RecursionError):
        return None


def _is_repairable(piece: str) -> bool:
    return len(piece) <= _REPAIR_LIMIT and bool(_MENTION.search(piece))


def _repaired_answer(piece: str) -> Any | None:
    """The answer of a broken object; None unless some of it can be read, as in a mention such as `{answer: [...]}`."""
    from json_repair import repair_json

    piece = _UNQUOTED_MARK.sub(r'"\1"', piece)
    for text in (piece, piece.translate(_QUOTES)):
        try:
            value = _answer_of(repair_json(text, return_objects=True, skip_json_loads=True))
            if value is not None and re.search(r"\w", str(value)):
                return value
        except (ValueError, RecursionError):
            continue
    return None


def _answer_of(data: Any) -> Any | None:
    """The answer in parsed JSON: what stands under the outermost answer key, else the outermost object of blank ids."""
    level = data if isinstance(data, list) else [data]  # repair returns a list when it sees several objects
    while level:
        objects = [item for item in level if isinstance(item, dict)]
        values = [value for value in map(_under_key, objects) if value is not None]
        values = values or [item for item in map(_by_ids, objects) if item]
        if values := values or [value for item in objects for value in _children(item) if _is_marked(value)]:
            return values[-1]
        level = [child for item in level if isinstance(item, (dict, list)) for child in _children(item)]
    return None


def _children(item: dict[str, Any] | list[Any]) -> Iterable[Any]:
    if isinstance(item, list):
        return item
    return (value for key, value in item.items() if not _ASIDE_KEY.match(key_name(key)))


def _is_marked(value: Any) -> bool:
    """Whether a list under any name is one of blanks: each text begins with a mark."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) and _MARKED.match(v) for v in value)


def _under_key(data: dict[str, Any]) -> Any | None:
    """The value of the surest answer key; of the inner one in `{"answer": {"answers": […]}}`."""
    if entry(data):
        return None
    found = None
    inner: Any = data
    while isinstance(inner, dict):
        named = {key_name(key): value for key, value in inner.items() if value is not None}
        tier = next((tier for tier in ANSWER_KEYS if not tier.isdisjoint(named)), frozenset())
        if (inner := next((named[key] for key in reversed(named) if key in tier), None)) is not None:
            found = inner
            if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict):
                inner = inner[0]
    return found


def _by_ids(data: dict[str, Any]) -> dict[str, Any] | None:
    """An object that is itself the answer: its keys are blank ids, or it is the entry of one blank."""
    if data and all(_BLANK_KEY.fullmatch(key.strip()) for key in data):
        return data
    return entry(data)


def entry(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The entry of one blank, as an object from its id to its text; None for an object of another form.

    >>> entry({"blank": "#0#", "option": "E"}), entry({"answer": "E"})
    ({'#0#': 'E'}, None)
    """
    if len(data) < 2:
        return None
    named = {key_name(key) or key.strip(): value for key, value in data.items()}
    ids = (str(named[key]) for key in (*_ENTRY_IDS, "#") if isinstance(named.get(key), (str, int)))
    id_ = next((text for text in ids if _BLANK_KEY.fullmatch(text.strip())), None)
    text = entry_text(data)
    return None if id_ is None or text is None else {id_: text}


def entry_text(data: Mapping[str, Any]) -> str | int | float | None:
    """What the entry of a blank fills in: its letter, its word, or both, which then must not contradict one another.

    >>> entry_text({"letter": "E", "word": "Duna"})
    'E. Duna'
    """
    named = {key_name(key): value for key, value in data.items() if isinstance(value, (str, int, float))}
    letter, word = (next((named[key] for key in keys if key in named), None) for keys in (_ENTRY_LETTERS, _ENTRY_WORDS))
    if letter is None or word is None or letter == word:
        return word if letter is None else letter
    return f"{letter}. {word}"


def _last_array(text: str, objects: Sequence[tuple[int, int]]) -> Iterator[Answer]:
    """The last list of strings, or of pairs, outside of objects: a model that was shown a list may answer with one."""
    tail = max(0, len(text) - _REPAIR_LIMIT)
    inside = {place for start, end in objects[-_ARRAY_TRIES:] for place in range(max(start, tail), end)}
    starts = [match.start() for match in _ARRAY_START.finditer(text, tail) if match.start() not in inside]
    decoder = json.JSONDecoder(strict=False)
    found: list[Answer] = []
    end = 0
    for start in starts[-_ARRAY_TRIES:]:
        if start < end or _OTHER_ARRAY.search(text[max(0, start - 20) : start]):
            continue
        for spelled in (text, None):
            try:
                if spelled is None:
                    close = text.find("]", start) + 1
                    value, length = json.loads(text[start:close].translate(_QUOTES).replace("'", '"')), close - start
                else:
                    value, length = decoder.raw_decode(text[start:])
            except (ValueError, RecursionError):
                continue
            if _is_answer_list(value):
                found.append(Answer(start, start + length, value))
            end = start + length
            break
    yield from found[-1:]


def _is_answer_list(value: Any) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(item, str) for item in value) or all(
        isinstance(item, list) and len(item) == 2 and isinstance(item[1], str) for item in value
    )
