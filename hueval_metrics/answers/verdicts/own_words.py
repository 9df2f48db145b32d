r"""What a judge says itself: its reply without the trace, and without what it quotes.

A judge often repeats the words `Final verdict: YES` of a response. Ambiguous words count as quoted: an unreadable reply
is requested again, but a wrong verdict is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TypeVar

from hueval_metrics.answers.names import folded
from hueval_metrics.answers.objects import BOXED, Found, key_name, objects, outside, spoken_key
from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.answers.run_on import answered_part
from hueval_metrics.answers.text import Text, readable
from hueval_metrics.languages.load import pattern, remembered, source

READ_LIMIT = 20_000  # characters, counted from the end; a verdict has 20, and a longer reply is a runaway generation

Value = TypeVar("Value")

_FENCE = re.compile(r"```\w*")
_MARKUP = re.compile(  # fences, stress, unticked boxes, quoted lines
    r"```\w*|\*+|`+|(?<![^\W_])_+|_+(?![^\W_])|^\W{0,4}(?:\[ ?\]|☐)[^\n]*|^[^\S\n]{0,3}>.*$", re.MULTILINE
)
_SPAN = re.compile(
    r"""\\?"[^"\n]{0,400}"|[“„][^“”„"\n]{0,400}[”“"]|«[^«»\n]{0,400}»"""
    r"""|(?<![\w'])'[^'\n]{0,400}'(?![\w'])|[‘‚][^‘’\n]{0,400}[’‘](?!\w)"""
)
_SENTENCE_END = re.compile(r"[.!?。！？\n]")
_OF_JUDGED = {"answer", "confidence_score"}  # the keys of the object that a prompt asks of the judged model
_NEAR = 90  # characters behind a verb that introduces a quotation


def without_trace(reply: str) -> str:
    """A judge's reply without its reasoning trace, and without the turns that it invents.

    A reply that is one JSON object has neither: tags inside its strings are quoted from the judged text.

    >>> without_trace("<think>INCORRECT? No.</think>CORRECT")
    'CORRECT'
    """
    whole = _FENCE.sub("", reply).strip()
    with suppress(ValueError, RecursionError):
        if isinstance(json.loads(whole, strict=False), dict):
            return whole
    response = strip_reasoning(reply, final_answer=False).response
    return answered_part(response)


def read_text(reply: str) -> Text:
    """The end of a judge's reply without its trace, as it is written."""
    return Text(without_trace(reply)[-READ_LIMIT:].strip())


def own_objects(
    text: Text, languages: tuple[str, ...], read: Callable[[Text, Found], Value | None]
) -> tuple[list[tuple[Value, bool]], Text]:
    """What a judge's objects say, each with whether it replaces those before; and the readable text without them.

    Args:
        text: from `read_text`.
        languages: ISO codes; English is added.
        read: what an object of a text says; None where it says nothing.
    """
    said: list[tuple[Value, bool]] = []
    text = text if "{" in text.plain else readable(text)  # a full-width quote in JSON ends no string
    forms, replacing = _around_quoted(languages), pattern("instead therefore last", languages)
    low, seen = folded(text.plain), 0
    named = (one for one in objects(text) if isinstance(one.value, dict) and BOXED not in one.value)
    found = sorted(named, key=lambda one: one.start)
    for one in found:
        before = low[max(seen, one.start - 300) : one.start]
        sentence = _SENTENCE_END.split(before.rstrip())[-1]
        behind = low[one.end : one.end + 60].partition("\n")[0]
        is_quoted = (
            forms["before"].search(sentence)
            or forms["behind"].match(behind)
            or is_said_by_others(sentence, languages)
            or (len(found) > 1 and before.endswith('"') and '\\"' in text.plain[one.start : one.end])
            or {key_name(key) for key, _ in one.entries} >= _OF_JUDGED
        )
        value = None if is_quoted else read(text, _without_judged(one, languages))
        said += [] if value is None else [(value, bool(replacing.search(before)))]
        seen = one.end
    return said, readable(outside(text, found))


def _without_judged(found: Found, languages: tuple[str, ...]) -> Found:
    """An object without the keys of the judged text, where it repeats them; their values are not the judge's."""
    judged = pattern("judged question", languages).fullmatch
    kept = [(key, one) for key, one in found.entries if not judged(spoken_key(key))]
    return replace(found, entries=tuple((key, _without_judged(one, languages)) for key, one in kept))


def is_said_by_others(before: str, languages: tuple[str, ...]) -> bool:
    """Whether the words before something, in its sentence, introduce it as said by another one.

    >>> is_said_by_others("the response says ", ()), is_said_by_others("i say ", ())
    (True, False)
    """
    near = before[-_NEAR:]
    verbs = list(pattern("says", languages).finditer(near))
    return bool(verbs) and not by_me(languages).search(near, 0, verbs[-1].start())


@remembered
def by_me(languages: tuple[str, ...]) -> re.Pattern[str]:
    """The writer, before a verb."""
    between = "|".join(source(key, languages) for key in ("unreal", "must", "links"))
    return re.compile(rf"{source('me', languages)}(?:\s(?:{between}|will))*\s\Z")


@remembered
def _around_quoted(languages: tuple[str, ...]) -> dict[str, re.Pattern[str]]:
    """What precedes quoted words ("the response is"), and what follows them ("is what the response asks for")."""
    of = {key: source(key, languages) for key in ("says", "judged", "links", "being")}
    return {
        "before": re.compile(rf"{of['judged']}(?:\s{of['being']})?[\s:\"'`]*(?:json)?\s*\Z"),
        "behind": re.compile(
            rf"[\"'`]?\s{{0,3}}(?:{of['links']}\s){{0,2}}(?:{of['being']}|,?\sas)\b"
            rf"[^.!?\n]{{0,60}}(?:{of['says']}|{of['judged']})"
        ),
    }


def unquoted(text: str, claim: re.Pattern[str]) -> str:
    """The text without markup, struck and unticked words, and quotations with more than a claim; the length stays.

    Args:
        text: readable.
        claim: matches a claim, in the case-folded text.
    """
    text = _MARKUP.sub(_blank, text)

    def kept(span: re.Match[str]) -> str:
        inside = span[0].strip("\\\"'“”„«»`‘’‚ .!,").casefold()
        return span[0] if not claim.search(inside) or claim.fullmatch(inside) else _blank(span)

    return _SPAN.sub(kept, text)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
