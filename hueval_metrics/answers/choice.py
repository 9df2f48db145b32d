"""Read which of some numbered or lettered options a reply chooses.

The reply as a whole, then its last object that holds an answer, then its sentences are asked (`decide`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from hueval_metrics.answers.decide import decided, unread
from hueval_metrics.answers.names import LETTERS, options_named
from hueval_metrics.answers.objects import answer_of, key_name, objects
from hueval_metrics.answers.reading import NOTHING, UNREADABLE, Reading, answered
from hueval_metrics.answers.text import Text, readable, without_markup
from hueval_metrics.languages.load import words
from hueval_metrics.text.normalize import Key, compare_key

_KEYS = (  # of objects, beside the words for an answer and for an option
    *("number", "result", "correct", "selected", "choice", "option", "selected_option", "correct_option"),
    *("chosen_option", "best_option", "selected_choice", "correct_choice", "option_number"),
)
_EMPHASIS = re.compile(r"[*`$]+|\\[(\[\])]|(?<!\w)_+|_+(?!\w)|(?m:^)[ \t>]*#+")
_UNCHECKED = re.compile(r"\[\s{0,3}\]|\(\s{1,3}\)|☐")
_STRUCK_LINE = re.compile(r"(?m:^)\W{0,6}[1-8A-H]?\W{0,6}~~[^~\n]{1,500}~~[ \t]*(?m:$)")
_GLUED = re.compile(r"[^\W\d_]{3}_?(?=[1-8](?!\w))")
_RADIO = re.compile("[●◉○◯]")
_READ_LIMIT = 40_000  # characters, counted from the end, where a runaway generation has its choice
_NUMBERED = ("", "")  # two options whose texts are not known


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
    texts = [_plain(readable(option)).plain for option in options]
    asked = _Asked(texts, tuple(languages), key, is_numbered, tuple(nouns), by_exclusion)
    return _read(text, asked).moved(cut)


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
    """The first letter of an option in a reply, wherever it is; None without one.

    >>> first_letter("HKDSE: C", 4)
    'D'
    """
    return next((letter for letter in response if letter in LETTERS[:n_options]), None)


class _Asked(NamedTuple):
    """What is asked, and what is known of replies to it."""

    texts: list[str]
    languages: tuple[str, ...]
    key: Key
    is_numbered: bool
    nouns: tuple[str, ...]
    by_exclusion: bool


def _read(text: Text, asked: _Asked) -> Reading[int]:
    """The choice of the last object that makes one, else of the text as a whole, else of its sentences."""
    keys = (*_KEYS, *(key_name(word.rstrip("*")) for word in words("option", asked.languages)))
    for one in objects(text):
        value = answer_of(one, asked.languages, keys)
        found = _read(text.part(value.start, value.end), asked) if value else UNREADABLE
        if found.value is not None:
            is_json = text.plain[one.start] in "{["  # of which all is shown
            spans = (text.span(one.start, one.end),) if is_json else found.spans
            return answered(found.value, spans, "object")
    said = _plain(text)
    whole, n_options = asked.key(said.plain), len(asked.texts)
    same = [place for place, option in enumerate(asked.texts) if whole and asked.key(option) == whole]
    is_label = len(whole) == 1 and (whole.upper() in LETTERS[:n_options] or (asked.is_numbered and whole.isdigit()))
    if len(same) == 1 and not is_label:
        ends = [each.rstrip().endswith(("?", "？")) for each in (said.plain, asked.texts[same[0]])]
        if ends != [True, False]:  # the text of an option with a question mark behind it chooses none
            return answered(same[0], (text.span(0, len(text)),), "whole")
    names = options_named(said.plain, asked.texts, asked.languages, is_numbered=asked.is_numbered, nouns=asked.nouns)
    outcome = decided(
        said.plain,
        names,
        asked.languages,
        among=range(n_options),
        by_exclusion=asked.by_exclusion,
        nouns=asked.nouns,
    )
    if outcome.mention is None:
        return unread(said.plain, asked.languages) if outcome.kind == "unreadable" else Reading(outcome.kind)
    start, end, place, _ = outcome.mention
    is_whole = not said.plain[:start].strip() and not said.plain[end:].strip(" .\n")
    return answered(place, (said.span(start, end),), "whole" if is_whole else outcome.rule)


def _plain(text: Text) -> Text:
    """The text without markup, with empty boxes to tick as marks."""
    text = without_markup(text.sub(_STRUCK_LINE, "")).sub(_GLUED, lambda match: match[0].rstrip("_") + " ")
    text = text.sub(_UNCHECKED, "✗").sub(_EMPHASIS, " ")
    if len(set(_RADIO.findall(text.plain))) > 1:
        text = text.sub(_RADIO, lambda match: "✓" if match[0] in "●◉" else "✗")
    return text
