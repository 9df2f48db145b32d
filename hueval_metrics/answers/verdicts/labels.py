r"""Read the label in a judge's reply: in a JSON object, on a line of its own, in a sentence, or as a letter.

Judges are asked for a JSON object or a single word, and write fences, lists, prose and reasoning around it. A label
counts where it is stated: alone, behind a cue such as "the verdict is", in capitals. One that is negated, doubted, a
case ("CORRECT would require …"), one of several or quoted is none. If a reply gives two labels without a decision
between them, it has no label, and the judge can be asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from hueval_metrics.answers.objects import Found, is_answer_key, key_name, spoken_key, under_key
from hueval_metrics.answers.reading import NOTHING, SEVERAL, UNREADABLE, Reading, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.answers.verdicts.claims import FINAL, PLACED, Claim, Labels, claims, verdict_key
from hueval_metrics.answers.verdicts.own_words import own_objects, read_text
from hueval_metrics.languages.load import pattern


def read_label(reply: str, labels: Labels) -> Reading[str]:
    """The label that a judge's reply gives.

    Args:
        reply: any text.
        labels: of the rubric.

    Returns:
        `answered` with one of the labels; else `nothing` (an empty reply), `several` or `unreadable`. The spans are
        ranges of the reply without its trace.

    >>> grades = Labels("evaluation", ("CORRECT", "INCORRECT"), {"correct": "CORRECT", "incorrect": "INCORRECT"})
    >>> read_label('{"evaluation": "Correct"}', grades).value, read_label("CORRECT\\nINCORRECT", grades).kind
    ('CORRECT', 'several')
    """
    text = read_text(reply)
    invented = re.search(labels.prompt, text.plain, re.IGNORECASE | re.MULTILINE)
    if invented and (own := _read(text.part(0, invented.start()), labels)).is_answered:
        return own
    return _read(text, labels)


def _read(text: Text, labels: Labels) -> Reading[str]:
    if not text.plain.strip():
        return NOTHING
    given, rest = own_objects(text, labels.languages, partial(_in_object, labels=labels))
    rest = without_markup(rest)
    stated = claims(rest.plain, labels)
    if not given:
        return _decided(rest, stated, "sentence")
    last, is_final = given[-1]
    opposed = {claim.label for claim in stated if claim.rank >= PLACED} - {last.value}
    if not is_final and (opposed or any(one.value != last.value for one, _ in given)):
        return SEVERAL
    return last


def _in_object(text: Text, found: Found, labels: Labels) -> Reading[str] | None:
    """The label in an object; without one where a key for it has none, or two; None if it has no such key, or ends."""
    read = [
        (label, value) for key, value in _entries(found) if (label := _flag(spoken_key(key), str(value.value), labels))
    ]
    asked = under_key(found, [labels.key])
    for value in asked or under_key(found, partial(_is_verdict_key, labels=labels)):
        for inner in under_key(value, partial(_is_verdict_key, labels=labels)) or [value]:
            texts = (leaf for leaf in inner.leaves() if isinstance(leaf.value, str))
            read += [(label, leaf) for leaf in texts if (label := _label_of(leaf.value, labels))]
    if len({label for label, _ in read}) == 1:
        label, value = read[0]
        return answered(label, (text.span(value.start, value.end),), "object")
    return UNREADABLE if (read or asked) and not found.is_cut else None


def _entries(found: Found) -> Iterator[tuple[str, Found]]:
    for key, value in found.entries:
        yield key, value
        yield from _entries(value)


def _label_of(text: str, labels: Labels) -> str | None:
    """The label that a text in an object states."""
    value = without_markup(readable(text))
    return _decided(value, claims(value.plain, labels), "object").value


def _flag(key: str, value: str, labels: Labels) -> str | None:
    """The label that a key such as `is_correct` or `same_meaning` gives with a value of yes or no."""
    said = value.strip().casefold()
    is_yes, is_no = (
        said == plain or pattern(meaning, labels.languages).fullmatch(said)
        for plain, meaning in (("true", "yes"), ("false", "no"))
    )
    label = _label_of(key.removeprefix("is "), labels) if is_yes or is_no else None
    return label if is_yes or not label else labels.other(label)


def _is_verdict_key(key: str, labels: Labels) -> bool:
    """Whether a key of an object names a verdict: `verdict`, `final_evaluation`, `answer`."""
    is_named = key_name(key) == labels.key or verdict_key(labels.languages).fullmatch(spoken_key(key))
    return bool(is_named) or is_answer_key(key, labels.languages)


def _decided(text: Text, stated: list[Claim], rule: str) -> Reading[str]:
    """The label that claims agree on: those from the last that is final on, else those of the highest rank."""
    if not stated:
        return UNREADABLE
    final = [claim.start for claim in stated if claim.rank == FINAL]
    best = max(claim.rank for claim in stated)
    kept = [claim for claim in stated if (claim.start >= final[-1] if final else claim.rank == best)]
    if len({claim.label for claim in kept}) > 1:
        return SEVERAL
    is_whole = len(text.plain.strip()) <= kept[-1].end - kept[-1].start + 6
    span = text.span(kept[-1].start, kept[-1].end)
    return answered(kept[-1].label, (span,), "whole" if is_whole else "line" if best == PLACED else rule)
