r"""What a judge says itself: its reply without the trace, and without what it quotes.

A judge often repeats the words `Final verdict: YES` of a response. Ambiguous words count as quoted: an unreadable reply
is requested again, but a wrong verdict is not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from hueval_metrics.answers.objects import Found, key_name, objects
from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.answers.text import Text
from hueval_metrics.languages.load import pattern, remembered, source

READ_LIMIT = 20_000  # characters, counted from the end; a verdict has 20, and a longer reply is a runaway generation

_FENCE = re.compile(r"```\w*")
_TURN = re.compile(r"<\|[a-z_]{2,24}\|>|</?s>|<(?:start|end)_of_turn>", re.IGNORECASE)  # of chat templates
_STRESS = re.compile(r"\*+|`+|(?<![^\W_])_+|_+(?![^\W_])")
_UNTICKED = re.compile(r"^\W{0,4}(?:\[ ?\]|☐)[^\n]*", re.MULTILINE)
_TICKED = re.compile(r"\[[xX✓✔]\]|[☑☒✅]")
_BLOCK_QUOTATION = re.compile(r"^[^\S\n]{0,3}>.*$", re.MULTILINE)
_SPAN = re.compile(
    r"""\\?"[^"\n]{0,400}"|[“„][^“”„"\n]{0,400}[”“"]|«[^«»\n]{0,400}»|`[^`\n]{0,400}`"""
    r"""|(?<![\w'])'[^'\n]{0,400}'(?![\w'])|[‘‚][^‘’\n]{0,400}[’‘](?!\w)"""
)
_SENTENCE_END = re.compile(r"[.!?。！？\n]")
_NEAR = 90  # characters behind a verb that introduces a quotation


def without_trace(reply: str) -> str:
    """A judge's reply without its reasoning trace.

    A reply that is one JSON object has no trace: tags inside its strings are quoted from the judged text.

    >>> without_trace("<think>INCORRECT? No.</think>CORRECT")
    'CORRECT'
    """
    whole = _FENCE.sub("", reply).strip()
    if whole.startswith("{") and whole.endswith("}"):
        try:
            json.loads(whole, strict=False)
            return whole
        except (ValueError, RecursionError):
            pass
    return strip_reasoning(reply, final_answer=False).response


def read_text(reply: str) -> Text:
    """The end of a judge's reply without its trace, as it is written; one that is a JSON string, its content."""
    turns = [turn for turn in _TURN.split(without_trace(reply)[-READ_LIMIT:]) if re.search(r"\w", turn)]
    text = turns[0].strip() if turns else ""
    if len(text) > 2 and text[0] == text[-1] == '"':
        with suppress(ValueError, RecursionError):
            text = str(json.loads(text, strict=False))
    return Text(text)


def folded(text: str) -> str:
    """The text case-folded, of the same length."""
    low = text.casefold()
    if len(low) == len(text):
        return low
    return "".join(char.casefold() if len(char.casefold()) == 1 else char.lower()[:1] for char in text)


@dataclass(frozen=True)
class JudgedKeys:
    """The keys of the judged text in objects that repeat it, as a collection; their values are not the judge's."""

    languages: tuple[str, ...]

    def __contains__(self, key: object) -> bool:
        name = key_name(str(key)).replace("_", " ")
        return bool(pattern("judged question", self.languages).fullmatch(name))

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1


def own_objects(text: Text, languages: tuple[str, ...]) -> list[tuple[Found, bool, bool]]:
    """The objects of a text in order, each with whether it is quoted, and whether it replaces those before it."""
    low, seen, made = folded(text.plain), 0, []
    forms, replacing = _around_quoted(languages), pattern("instead therefore last", languages)
    for found in sorted(objects(text), key=lambda one: one.start):
        if isinstance(found.value, list) and not any(isinstance(inner.value, dict) for _, inner in found.entries):
            continue
        before = low[max(seen, found.start - 300) : found.start]
        said = _SENTENCE_END.split(before.rstrip())[-1]
        behind = low[found.end : found.end + 60].partition("\n")[0]
        is_escaped = before.endswith('"') and '\\"' in text.plain[found.start : found.end]
        is_quoted = is_escaped or is_said_by_others(said, languages)
        is_quoted |= bool(forms["before"].search(said) or forms["behind"].match(behind))
        made.append((found, is_quoted, bool(replacing.search(before))))
        seen = found.end
    return made


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
    """The writer, right before a verb."""
    between = "|".join(source(key, languages) for key in ("unreal", "must", "links"))
    return re.compile(rf"{source('me', languages)}(?:\s(?:{between}|will))*\s\Z")


@remembered
def _around_quoted(languages: tuple[str, ...]) -> dict[str, re.Pattern[str]]:
    """What stands before words that are quoted ("the response is"), and behind ("is what the response asks for")."""
    of = {key: source(key, languages) for key in ("says", "judged", "links", "being")}
    return {
        "before": re.compile(rf"{of['judged']}(?:\s{of['being']})?[\s:\"'`]*(?:json)?\s*\Z"),
        "behind": re.compile(
            rf"[\"'`]?\s{{0,3}}(?:{of['links']}\s){{0,2}}(?:{of['being']}|,?\sas)\b"
            rf"[^.!?\n]{{0,60}}(?:{of['says']}|{of['judged']})"
        ),
    }


def without_objects(text: Text, found: list[Found]) -> str:
    """The text with a line break in place of each object; the length stays."""
    plain = list(text.plain)
    for one in found:
        plain[one.start : one.end] = "\n" * (one.end - one.start)
    return "".join(plain)


def unquoted(text: str, claim: re.Pattern[str]) -> str:
    """The text without markup, struck and unticked words, and quotations with more than a claim; the length stays.

    Args:
        text: readable.
        claim: matches a claim, in the case-folded text.
    """
    if _TICKED.search(text):
        text = _UNTICKED.sub(_blank, text)
    text = _STRESS.sub(_blank, _FENCE.sub(_blank, text))
    rest = _BLOCK_QUOTATION.sub(_blank, text)
    text = rest if re.search(r"\w", rest) else text

    def kept(span: re.Match[str]) -> str:
        inside = span[0].strip("\\\"'“”„«»`‘’‚ .!,").casefold()
        return span[0] if not claim.search(inside) or claim.fullmatch(inside) else _blank(span)

    return _SPAN.sub(kept, text)


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])
