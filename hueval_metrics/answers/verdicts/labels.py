r"""Read the label in a judge's reply: in a JSON object, on a line of its own, in a sentence, or as a letter.

Judges are asked for a JSON object or a single word, and write fences, lists, prose and reasoning around it. A label
counts where it is stated: alone, behind a cue such as "the verdict is", in capitals. One that is negated, doubted, a
case ("CORRECT would require …"), one of several or quoted is none. If a reply gives two labels without a decision
between them, it has no label, and the judge can be asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from hueval_metrics.answers.objects import BOXED, Found, key_name, under_key
from hueval_metrics.answers.reading import NOTHING, SEVERAL, UNREADABLE, Reading, Span, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.answers.verdicts.claims import FINAL, PLACED, Claim, Labels, verdict_key
from hueval_metrics.answers.verdicts.claims import claims as claims_of
from hueval_metrics.answers.verdicts.own_words import JudgedKeys, own_objects, read_text, without_objects
from hueval_metrics.languages.load import pattern

ANSWER_FORM = {"answer", "confidence_score"}  # keys that a prompt asks of the judged model: an object of its response


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
    given: list[tuple[Claim | None, bool]] = []
    for form in (text,) if text.plain.isascii() else (text, readable(text)):  # a full-width quote may end a string
        found = own_objects(form, labels.languages)
        for one, is_quoted, is_final in found:
            if not is_quoted and (read := _in_object(form, one, labels)) is not _ABSENT:
                given.append((read, is_final))
        if given:
            break
    text = without_markup(readable(Text(without_objects(form, [one for one, *_ in found]), form.starts, form.ends)))
    stated = claims_of(text.plain, labels)
    if not given:
        return _decided(text, stated, "sentence")
    last, is_final = given[-1]
    if len({claim and claim.label for claim, _ in given}) > 1 and not is_final:
        return SEVERAL
    opposed = {claim.label for claim in stated if claim.rank >= PLACED} - {last and last.label}
    if last is None or (opposed and not is_final):
        return SEVERAL if opposed else UNREADABLE
    return _answered(form, last, "object")


_ABSENT: Any = object()


def _in_object(text: Text, found: Found, labels: Labels) -> Any:
    """The claim of an object; None where a key of a verdict has no label, or two; `_ABSENT` without such a key."""
    if {key_name(key) for key, _ in found.entries} >= ANSWER_FORM:
        return _ABSENT
    skip = JudgedKeys(labels.languages)
    flags = under_key(found, lambda key: bool(_flag_label(key, labels)), skip)
    named = [(key, value) for key, value in _entries(found) if any(value is flag for flag in flags)]
    claims = [
        Claim(value.start, value.end, label, PLACED)
        for key, value in named
        if (label := _flag(key, value.value, labels))
    ]
    asked = under_key(found, lambda key: key_name(key) == labels.key, skip)
    for value in asked or under_key(found, lambda key: is_verdict_key(key, labels), skip):
        claims += filter(None, (_in_value(text, leaf, labels) for leaf in _leaves(value, labels)))
    if not claims:
        return None if asked else _ABSENT
    return claims[0] if len({claim.label for claim in claims}) == 1 else None


def _entries(found: Found) -> Iterator[tuple[str, Found]]:
    for key, value in found.entries:
        yield key, value
        yield from _entries(value)


def _leaves(value: Found, labels: Labels) -> Iterator[Found]:
    """The values in a value; of an object, those that name a verdict if there are any."""
    is_inner = isinstance(value.value, dict)
    inner = under_key(value, lambda key: is_verdict_key(key, labels) or key_name(key) == "value") if is_inner else []
    if not isinstance(value.value, (list, dict)):
        yield value
    for one in inner or [each for _, each in value.entries]:
        yield from _leaves(one, labels)


def _in_value(text: Text, leaf: Found, labels: Labels) -> Claim | None:
    """The label of a text in an object; none where the object goes on with another one, as the prompt's form does."""
    goes_on = re.match(r"[\"'”]?\s?(?:/(?!/)|\|)", text.plain[leaf.end : leaf.end + 4])
    if goes_on or not isinstance(leaf.value, str):
        return None
    value = without_markup(readable(leaf.value))
    label = _decided(value, claims_of(value.plain, labels), "object").value
    return Claim(leaf.start, leaf.end, label, PLACED) if label else None


def _flag(key: str, value: object, labels: Labels) -> str | None:
    """The label that a key of yes or no gives with a value."""
    said, label = str(value).strip().casefold(), _flag_label(key, labels)
    if said == "true" or pattern("yes", labels.languages).fullmatch(said):
        return label
    is_no = said == "false" or pattern("no", labels.languages).fullmatch(said)
    return labels.other(label) if label and is_no else None


def _flag_label(key: str, labels: Labels) -> str | None:
    """The label that yes means under a key such as `is_correct` or `same_meaning`; None for other keys."""
    name = key_name(key).removeprefix("is_").replace("_", " ")
    for meaning, label in {**labels.words, **labels.likeness}.items():
        match = pattern(meaning, labels.languages).match(name)
        rest = name[match.end() :].strip() if match else ""
        if match and labels.other(label) and (not rest or pattern("means", labels.languages).fullmatch(rest)):
            return label
    return None


def is_verdict_key(key: str, labels: Labels) -> bool:
    """Whether a key of an object names a verdict: `verdict`, `final_evaluation`."""
    name = key_name(key)
    return (
        name in labels.keys
        or name in (labels.key, BOXED)
        or bool(verdict_key(labels.languages).fullmatch(name.replace("_", " ")))
    )


def _answered(text: Text, claim: Claim, rule: str) -> Reading[str]:
    span: Span = text.span(claim.start, claim.end)
    return answered(claim.label, (span,), rule)


def _decided(text: Text, claims: list[Claim], rule: str) -> Reading[str]:
    """The label that claims agree on: those from the last that is final on, else those of the highest rank."""
    if not claims:
        return UNREADABLE
    final = [claim.start for claim in claims if claim.rank == FINAL]
    best = max(claim.rank for claim in claims)
    kept = [claim for claim in claims if (claim.start >= final[-1] if final else claim.rank == best)]
    if len({claim.label for claim in kept}) > 1:
        return SEVERAL
    is_whole = len(text.plain.strip()) <= kept[-1].end - kept[-1].start + 6
    return _answered(text, kept[-1], "whole" if is_whole else "line" if best == PLACED else rule)
