"""From a judge's reply to the segments of a trace, or to the classes of its Reasoning segments: what rubrics share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hueval_metrics.one_line import one_line
from hueval_metrics.records import UNREADABLE, Verdict
from hueval_metrics.traces.segments.classes import DIMENSIONS, REASONING, category_of, class_of
from hueval_metrics.traces.segments.coverage import Parting, bounds_of
from hueval_metrics.traces.segments.paragraphs import paragraphs
from hueval_metrics.traces.segments.reply import Entry, entries

LOST = "lost text: "  # begins the problem of a reply that can be read, and is not the whole trace


class UnreadableError(ValueError):
    """A reply is not what was asked for; the message says what is wrong, for the judge and for the row."""


def schema(key: str, categories: Sequence[str], fields: Mapping[str, str]) -> Mapping[str, Any]:
    """The JSON schema of a reply with a list of segments.

    Args:
        key: of the list.
        categories: that a segment may have.
        fields: of a segment besides its category → their types.
    """
    properties = {name: {"type": kind} for name, kind in fields.items()}
    segment = {
        "type": "object",
        "properties": {**properties, "category": {"type": "string", "enum": list(categories)}},
        "required": [*fields, "category"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {key: {"type": "array", "items": segment}},
        "required": [key],
        "additionalProperties": False,
    }


def verdict(read: Callable[[], Any], label: str, reply: str, rubric: str) -> Verdict:
    """What was read as the `data` of a verdict, or a verdict with the problem as `error`.

    Args:
        read: reads the reply.
        label: of the verdict.
        reply: the judge's.
        rubric: name and version.
    """
    try:
        return Verdict(label=label, raw=reply, rubric=rubric, data=read())
    except UnreadableError as problem:
        return Verdict(raw=reply, rubric=rubric, error=one_line(f"{UNREADABLE}: {problem}", 300))


def correction(found: Verdict, form: str) -> str:
    """What a judge is sent after a reply that could not be used: the problem, and the form.

    >>> correction(Verdict(error="unreadable: no list of segments"), "Reply with JSON.")
    'The problem: no list of segments. Reply with JSON.'
    """
    problem = (found.error or "").removeprefix(f"{UNREADABLE}: ")
    return f"The problem: {problem}. {form}" if problem else form


def segments_of(reply: str, trace: str) -> list[list[Any]]:
    """The segments that a judge copied: `[start, end, category, name]` each, the name as the judge wrote it.

    Raises:
        UnreadableError: there are none, a category is unknown, or the texts are not the trace.
    """
    found = _entries(reply)
    names = [_name(entry, number) for number, entry in enumerate(found, 1)]
    bounds = bounds_of(trace, [_text(entry, number) for number, entry in enumerate(found, 1)])
    if isinstance(bounds, Parting):
        raise UnreadableError(f"{LOST}{bounds}")
    return _segments(bounds, names)


def ranges_of(reply: str, trace: str) -> list[list[Any]]:
    """The segments that a judge gave as ranges of paragraphs, as `segments_of` returns them.

    Raises:
        UnreadableError: likewise.
    """
    found = _entries(reply)
    names = [_name(entry, number) for number, entry in enumerate(found, 1)]
    starts = paragraphs(trace)
    bounds, due = [0], 1
    for number, entry in enumerate(found, 1):
        first, last = _whole(entry.get("from")), _whole(entry.get("to"))
        if first is None or last is None:
            raise UnreadableError(f'segment {number} has no numbers "from" and "to"')
        if first != due or not first <= last <= len(starts):
            raise UnreadableError(
                f"{LOST}segment {number} is from {first} to {last} where a range from {due} to at most "
                f"{len(starts)} was expected"
            )
        due = last + 1
        bounds.append(starts[last] if last < len(starts) else len(trace))
    if due <= len(starts):
        raise UnreadableError(f"{LOST}paragraphs {due} to {len(starts)} are in no segment")
    return _segments(bounds, names)


def classes_of(reply: str, categories: Sequence[str]) -> list[list[str] | None]:
    """The class in each dimension of each Reasoning segment, None for every other segment.

    Segments are matched by order, count and category; judges shorten their texts, which are not looked at.

    Args:
        reply: the judge's.
        categories: of the segments that were sent.

    Raises:
        UnreadableError: other segments came back, or a class is unknown.
    """
    found = _entries(reply)
    if len(found) != len(categories):
        raise UnreadableError(f"{len(found)} segments came back where {len(categories)} were sent")
    classes: list[list[str] | None] = []
    for number, (entry, category) in enumerate(zip(found, categories, strict=True), 1):
        if category_of(_name(entry, number)) != category:
            raise UnreadableError(f"segment {number} came back as another category than {category}")
        classes.append(_classes(entry, number) if category == REASONING else None)
    return classes


def _entries(reply: str) -> Sequence[Entry]:
    found = entries(reply)
    if not found:
        raise UnreadableError("no list of segments in JSON")
    return found


def _text(entry: Entry, number: int) -> str:
    text = entry.get("text")
    if not isinstance(text, str):
        raise UnreadableError(f'segment {number} has no "text"')
    return text


def _name(entry: Entry, number: int) -> str:
    name = entry.get("category", entry.get("categoty"))  # the public template has the misprint
    if not isinstance(name, str) or category_of(name) is None:
        raise UnreadableError(f"segment {number} has an unknown category ({one_line(str(name), 40)})")
    return name


def _classes(entry: Entry, number: int) -> list[str]:
    by_key = {key.replace("_", "").replace("dimenzió", "dimension"): value for key, value in entry.items()}
    classes = []
    for dimension in range(len(DIMENSIONS)):
        said = by_key.get(f"dimension{dimension + 1}")
        found = class_of(dimension, said)
        if found is None:
            raise UnreadableError(
                f"segment {number} has an unknown class of Dimension{dimension + 1} ({one_line(str(said), 40)})"
            )
        classes.append(found)
    return classes


def _whole(value: object) -> int | None:
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _segments(bounds: Sequence[int], names: Sequence[str]) -> list[list[Any]]:
    return [
        [start, end, category_of(name), name] for start, end, name in zip(bounds[:-1], bounds[1:], names, strict=True)
    ]
