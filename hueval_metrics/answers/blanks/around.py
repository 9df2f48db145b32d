"""What the text around an answer says of it: rejected, only a form, a heading of another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hueval_metrics.answers.decide import Token, tokens
from hueval_metrics.answers.names import folded
from hueval_metrics.answers.units import SENTENCE_END
from hueval_metrics.languages.load import pattern

_NEAR = 120  # characters before and behind an answer in which words refer to it
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*|__|[>\s]*[^\n]{0,90}:[\s*_`]*\Z)")


def is_unstated(text: str, start: int, end: int, languages: Sequence[str]) -> bool:
    """Whether the text around an answer rejects it, or calls it a form beside a refusal.

    >>> text = "Ez a forma: X. A megoldást nem tudom."
    >>> is_unstated(text, 12, 13, ("hu",)), is_unstated("Íme a kért forma: X", 18, 19, ("hu",))
    (True, False)
    """
    before, behind = text[max(0, start - _NEAR) : start].strip(" \n*•-"), text[end : end + _NEAR].strip(" \t\n`*_.,;")
    is_ended = before.endswith((".", "!", "?"))  # such a sentence is of what is before
    lead = "" if is_ended else SENTENCE_END.split(before)[-1]
    found = tokens(folded(lead), languages)
    turn = max((place for place, token in enumerate(found) if "but" in token.keys), default=-1)
    sentences = [*filter(str.strip, SENTENCE_END.split(behind)), ""]
    if _polarity(found, turn + 1) < 0 or any(_rejects(sentence, languages) for sentence in sentences[:4]):
        return True
    if not pattern("form", tuple(languages)).search(folded(f"{before} {sentences[0]}")):
        return False
    return is_refused(text[max(0, start - 4 * _NEAR) : start] + "\n" + text[end : end + 4 * _NEAR], languages)


def _rejects(sentence: str, languages: Sequence[str]) -> bool:
    """Whether a sentence points at what precedes it and rejects it; its first clause with a judgement decides."""
    found = tokens(folded(sentence), languages)
    points = next((place for place, token in enumerate(found) if "points_at" in token.keys), len(found))
    if sentence.rstrip(" *_`").endswith(":"):
        return False
    ends = (match.start() for match in re.finditer(r",|\Z", sentence))
    said = (_polarity([token for token in found if token.start < end], points) for end in ends)
    return next(filter(None, said), 0) < 0


def _polarity(found: Sequence[Token], start: int) -> int:
    """Whether words, from one of them on, reject (-1) or state (1) something in the end."""
    polarity = 0
    for place, token in enumerate(found):
        is_negated = any("not" in other.keys for other in found[max(0, place - 2) : place])
        if place >= start and token.keys & {"wrong", "right"}:
            polarity = 1 if ("right" in token.keys) != is_negated else -1
        elif place >= start and "answer" in token.keys and is_negated:
            polarity = -1
    return polarity


def is_refused(text: str, languages: Sequence[str]) -> bool:
    """Whether a text says that it gives no answer, or knows none."""
    return bool(pattern("refusal no_answer", tuple(languages)).search(folded(text)))


def is_final(line: str, languages: Sequence[str]) -> bool:
    """Whether a line says that the answers below it replace those above: a correction, or a heading of an answer.

    >>> is_final("**Végleges megoldás:**", ("hu",)), is_final("Indoklás:", ("hu",)), is_final("Szia!", ("hu",))
    (True, False, False)
    """
    low = folded(line)
    known = {key for token in tokens(low, languages) for key in token.keys}
    is_heading = bool(_HEADING.match(line)) and not pattern("aside because", tuple(languages)).search(low)
    return "instead" in known or (is_heading and bool(known & {"therefore", "answer", "right"}))


def is_open(between: str, languages: Sequence[str]) -> bool:
    """Whether the text between two answers leaves the choice between them open."""
    known = {key for token in tokens(folded(between), languages) for key in token.keys}
    return "or" in known and "instead" not in known
