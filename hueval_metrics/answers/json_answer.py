"""Find the JSON answers in a model's reply, parsed strictly if possible, else repaired.

Models write prose before the object, fences around it and single quotes in it, and may be cut off inside it. A repaired
object must still have the answer key, so that nothing is invented.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hueval_metrics.answers.json_objects import key_name
from hueval_metrics.answers.short import object_answer, short_answer_text

# The prompts ask for "answer" and "answers"; models also write the others. The most reliable keys come first.
ANSWER_KEYS = (
    frozenset({"final_answer", "final_answers", "végső_válasz", "végleges_válasz"}),
    frozenset({"answer", "answers", "válasz", "válaszok", "answer_list"}),
    frozenset({"correct_answer", "correct_answers", "helyes_válasz", "helyes_válaszok"}),
    frozenset({"solution", "solutions", "megoldás", "megoldások", "megfejtés", "megfejtések"}),
    frozenset({"result", "results", "eredmény", "output", "response", "blanks", "kitöltés", "kitöltések"}),
)
# Keys of values that are not the answer.
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
_REPAIR_LIMIT = 20_000  # characters; 30 blanks need 2,000, and repair is too slow for a runaway generation
_REPAIR_TRIES = 4
_ARRAY_TRIES = 200


class Answer(NamedTuple):
    """An answer in a text: the range of its object, and its value (any JSON type but null)."""

    start: int
    end: int
    value: Any


def find_answer(text: str) -> Any | None:
    """The value of the answer in the last object of a reply that has one, or the last list; as parsed JSON.

    Args:
        text: a reply without its reasoning trace; any length.

    >>> find_answer('Íme: {"answer": ["#0#A"]} Remélem, segít.')
    ['#0#A']
    """
    return object_answer(text)


def answer_text(response: str) -> str:
    """The short answer in a reply as text; the whole reply where there is none.

    >>> answer_text('{"answer": "Mátyás király", "confidence_score": 90}')
    'Mátyás király'
    """
    return short_answer_text(response)


def answers(text: str) -> Iterator[Answer]:
    """The answers in a reply, from the last to the first.

    Args:
        text: a reply without its reasoning trace; any length.

    Yields:
        The value of the answer key of each object that has one, or the object itself if its keys are blank ids. If
        there is none, the answer of an object that is cut off at the end, else the last list of strings or of pairs.
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
    """Spans of balanced braces; behind the last one quotes are ignored, as a stray quote may hide the closing brace."""
    if "{" not in text or "}" not in text:
        return []
    spans = [*_balanced(text, _STRUCTURE)]
    end = spans[-1][1] if spans else 0
    return spans + [(end + a, end + b) for a, b in _balanced(text[end:], _BRACES)]


def _balanced(text: str, tokens: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The outermost spans of balanced braces, left to right, in one pass."""
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
            in_string = not in_string and bool(open_at)  # a quote in prose does not open a string
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
    """The answer of a malformed object; None without a word in it, as in a mention such as `{answer: [...]}`."""
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
    """The answer in parsed JSON: the value of the outermost answer key, else the outermost object of blank ids."""
    level = data if isinstance(data, list) else [data]  # repair returns a list for several objects
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
    """Whether a value is a list of blanks: texts that begin with a mark."""
    return isinstance(value, list) and bool(value) and all(isinstance(v, str) and _MARKED.match(v) for v in value)


def _under_key(data: dict[str, Any]) -> Any | None:
    """The value of the most reliable answer key; of the inner one in `{"answer": {"answers": […]}}`."""
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
    """The object as an answer, if its keys are blank ids, or if it is the entry of one blank."""
    if data and all(_BLANK_KEY.fullmatch(key.strip()) for key in data):
        return data
    return entry(data)


def entry(data: Mapping[str, Any]) -> dict[str, Any] | None:
    """The entry of one blank as `{id: text}`; None for an object of another form.

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
    """The text of a blank's entry: its letter, its word, or both, for a later check that they agree.

    >>> entry_text({"letter": "E", "word": "Duna"})
    'E. Duna'
    """
    named = {key_name(key): value for key, value in data.items() if isinstance(value, (str, int, float))}
    letter, word = (next((named[key] for key in keys if key in named), None) for keys in (_ENTRY_LETTERS, _ENTRY_WORDS))
    if letter is None or word is None or letter == word:
        return word if letter is None else letter
    return f"{letter}. {word}"


def _last_array(text: str, objects: Sequence[tuple[int, int]]) -> Iterator[Answer]:
    """The last list of strings, or of pairs, outside of objects: the prompt shows a list, so models answer with one."""
    tail = max(0, len(text) - _REPAIR_LIMIT)
    inside = {place for start, end in objects[-_ARRAY_TRIES:] for place in range(max(start, tail), end)}
    starts = [match.start() for match in _ARRAY_START.finditer(text, tail) if match.start() not in inside]
    found: list[Answer] = []
    end = 0
    for start in starts[-_ARRAY_TRIES:]:
        if start < end or _OTHER_ARRAY.search(text[max(0, start - 20) : start]):
            continue
        value, end = _array_at(text, start)
        if value and (all(isinstance(item, str) for item in value) or all(map(_is_pair, value))):
            found.append(Answer(start, end, value))
    yield from found[-1:]


def _array_at(text: str, start: int) -> tuple[list[Any], int]:
    """The list that begins at a bracket, also with other quotes than JSON's, and its end; empty if it is malformed."""
    try:
        value, length = json.JSONDecoder(strict=False).raw_decode(text[start:])
        return value, start + length
    except (ValueError, RecursionError):
        end = text.find("]", start) + 1
    try:
        return json.loads(text[start:end].translate(_QUOTES).replace("'", '"')), end
    except (ValueError, RecursionError):
        return [], start


def _is_pair(item: Any) -> bool:
    return isinstance(item, list) and len(item) == 2 and isinstance(item[1], str)
