"""Read which of some numbered or lettered options a reply chooses.

The reply as a whole, then its last object that holds an answer, then its sentences are asked (`decide`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hueval_metrics.answers.decide import decided, unread
from hueval_metrics.answers.names import LETTERS, folded, options_named
from hueval_metrics.answers.objects import objects, under_key
from hueval_metrics.answers.reading import NOTHING, UNREADABLE, Reading, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.languages.load import words
from hueval_metrics.text.normalize import Key, compare_key
from hueval_metrics.text.write_json import json_text

_KEYS = ("number", "result", "correct", "selected", "choice", "option")  # of objects, beside the cues of an answer
_EMPHASIS = re.compile(r"[*`$]+|\\[(\[\])]|(?<!\w)_+|_+(?!\w)|(?m:^)[ \t>]*#+")
_CHECKED, _UNCHECKED = re.compile(r"[\[(]\s?[xX✓✔]\s?[\])]|[☑☒]"), re.compile(r"\[\s{0,3}\]|\(\s{1,3}\)|☐")
_STRUCK_LINE = re.compile(r"(?m:^)\W{0,6}[1-8A-H]?\W{0,6}~~[^~\n]{1,500}~~[ \t]*(?m:$)")
_GLUED = re.compile(r"[^\W\d_]{3}_?(?=[1-8](?!\w))")
_RADIO = re.compile("[●◉○◯]")
_TAG = re.compile(
    r"<(?:final_?)?answer>(.*?)</(?:final_?)?answer>|\\f?box(?:ed)?\s?\{((?:[^{}]|\{[^{}]*\})*)\}",
    re.IGNORECASE | re.DOTALL,
)
_READ_LIMIT = 40_000  # characters, counted from the end, where a runaway generation has its choice
_NUMBERED = ("", "")  # two options whose texts are not known
_DEPTH = 3  # of objects in strings in objects


def read_choice(
    response: str,
    options: Sequence[str] = _NUMBERED,
    languages: Sequence[str] = (),
    key: Key = compare_key,
    *,
    is_numbered: bool = True,
    nouns: Sequence[str] = (),
    by_exclusion: bool = False,
) -> Reading[int]:
    """Which of some options a reply chooses, by number, letter, ordinal or text; the value is its place, from 0.

    Args:
        response: the reply without its reasoning trace, cut where the prompt begins again; any text.
        options: the texts of the options, two to eight; each empty where they are not known.
        languages: ISO codes of the languages that replies are in; English is added.
        key: the form in which texts of options are compared.
        is_numbered: whether a number names an option; otherwise only letters do.
        nouns: further words for an option, as files of languages have them.
        by_exclusion: whether rejecting one of two options chooses the other.

    >>> [read_choice(text, ("Duna", "Tisza"), ("hu",)).value for text in ("Válasz: **2**", "1 vagy 2", "Tisza")]
    [1, None, 1]
    """
    if not response.strip():
        return NOTHING
    cut = max(0, len(response) - _READ_LIMIT)
    text = readable(response[cut:])
    asked = _Asked(
        [readable(option).plain for option in options], tuple(languages), key, is_numbered, tuple(nouns), by_exclusion
    )
    return _read(text, asked, 0).moved(cut)


def is_echo(said: str, prompt: str, options: Sequence[str] = ()) -> bool:
    r"""Whether several lines only repeat a part of the prompt, cut off anywhere, that is no option by itself.

    >>> is_echo("Option 1: Duna\nOption 2: Ti", "Choose.\nOption 1: Duna\nOption 2: Tisza\n")
    True
    >>> is_echo("Option 1: Duna", "Choose.\nOption 1: Duna\nOption 2: Tisza\n")
    False
    """
    said = said.strip()
    return "\n" in said and said in prompt and said not in options


def first_letter(response: str, n_options: int) -> str | None:
    """The first letter of an option in a reply, wherever it stands; None without one.

    >>> first_letter("HKDSE: C", 4)
    'D'
    """
    return next((letter for letter in response if letter in LETTERS[:n_options]), None)


class _Asked(NamedTuple):
    """What is asked, and what is known of replies to it."""

    options: list[str]
    languages: tuple[str, ...]
    key: Key
    is_numbered: bool
    nouns: tuple[str, ...]
    by_exclusion: bool


def _read(text: Text, asked: _Asked, depth: int) -> Reading[int]:
    options, languages, key, is_numbered, nouns, by_exclusion = asked
    if found := _in_object(text, asked, depth):
        return found
    plain = _plain(text)
    texts = [_plain(Text(option)).plain for option in options]
    whole = key(plain.plain)
    same = [place for place, option in enumerate(texts) if whole and key(option) == whole]
    is_label = len(whole) == 1 and (whole.upper() in LETTERS[: len(options)] or (is_numbered and whole.isdigit()))
    asks = plain.plain.rstrip().endswith(("?", "？")) and not options[same[0] if same else 0].rstrip().endswith("?")
    if len(same) == 1 and not is_label and not asks:
        return answered(same[0], (text.span(0, len(text)),), "whole")
    outcome = decided(
        plain.plain,
        options_named(plain.plain, texts, languages, is_numbered=is_numbered, nouns=nouns),
        languages,
        among=range(len(options)),
        by_exclusion=by_exclusion,
        nouns=nouns,
    )
    if outcome.mention is None:
        return unread(plain.plain, languages) if outcome.kind == "unreadable" else Reading(outcome.kind)
    place = outcome.mention.candidate
    if not isinstance(place, int):
        return UNREADABLE
    span = plain.span(outcome.mention.start, outcome.mention.end)
    is_whole = not plain.plain[: outcome.mention.start].strip() and not plain.plain[outcome.mention.end :].strip(" .\n")
    return answered(place, (span,), "whole" if is_whole else outcome.rule)


def _plain(text: Text) -> Text:
    """The text without markup, with boxes to tick as marks."""
    text = without_markup(text.sub(_STRUCK_LINE, "")).sub(_GLUED, lambda match: match[0].rstrip("_") + " ")
    text = text.sub(_UNCHECKED, "✗").sub(_CHECKED, "✓").sub(_EMPHASIS, " ")
    if len(set(_RADIO.findall(text.plain))) > 1:
        text = text.sub(_RADIO, lambda match: "✓" if match[0] in "●◉" else "✗")
    return text


def _in_object(text: Text, asked: _Asked, depth: int) -> Reading[int] | None:
    """What the last object of a reply says: a JSON object, a tag or a box; None where it holds no answer."""
    if depth >= _DEPTH:
        return None
    cues, nouns = (tuple(word.rstrip("*") for word in words(key, asked.languages)) for key in ("answer", "option"))
    for one in objects(text):
        values = under_key(one, lambda name: folded(name).startswith(cues))
        values = values or under_key(one, lambda name: folded(name).startswith((*_KEYS, *nouns)))
        for value in [found.value for found in values[-1:]]:
            said = Text(json_text(value) if isinstance(value, (dict, list)) else str(value))
            found = _read(said, asked, depth + 1)
            if found.is_answered:
                return Reading(found.kind, found.value, (text.span(one.start, one.end),), "object")
    for match in reversed([*_TAG.finditer(text.plain)]):
        group = 1 if match[1] is not None else 2
        found = _read(text.part(*match.span(group)), asked, depth + 1)
        if found.is_answered:
            return Reading(found.kind, found.value, found.spans, "object")
    return None
