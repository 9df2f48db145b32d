"""What the text around an answer says of it: rejected, only a form, a heading of another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hueval_metrics.answers.blanks.words import is_crossed
from hueval_metrics.answers.decide import Token, tokens
from hueval_metrics.answers.names import folded
from hueval_metrics.languages.load import pattern

_NEAR = 120  # characters before and behind an answer in which words refer to it
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*|__|[>\s]*[^\n]{0,90}:[\s*_`]*\Z)")
_SENTENCE = re.compile(r"[.!?…]+[)\"”*_]*\s+|\n\s*\n|(?<=[^:\s])\s*\n")
_WORD = re.compile(r"[^\W_]")
_FENCE = re.compile(r"```\w*")


def is_unstated(text: str, start: int, end: int, languages: Sequence[str]) -> bool:
    """Whether the text around an answer rejects it, or calls it a form beside a refusal.

    >>> text = "Ez a forma: X. A megoldást nem tudom."
    >>> is_unstated(text, 12, 13, ("hu",)), is_unstated("Íme a kért forma: X", 18, 19, ("hu",))
    (True, False)
    """
    before, behind = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    before, behind = _FENCE.sub(" ", before), _FENCE.sub(" ", behind)
    languages = tuple(languages)
    if _rejects_next(before, languages) or _rejects_last(behind, languages):
        return True
    if not pattern("form", languages).search(folded(f"{before} {behind.strip().split(chr(10))[0]}")):
        return False
    return is_refused(text[max(0, start - 4 * _NEAR) : start] + "\n" + text[end : end + 4 * _NEAR], languages)


def _rejects_next(before: str, languages: tuple[str, ...]) -> bool:
    """Whether the last sentence of a text rejects what stands behind it."""
    before = before.strip()
    sentence = _SENTENCE.split(before)[-1]
    if before.endswith((".", "!", "?")) and len(before) > len(sentence):
        return False  # it is said of what stands before
    if is_crossed(sentence[-4:]):
        return True
    found = tokens(folded(sentence), languages)
    turns = [place for place, token in enumerate(found) if "but" in token.keys]
    return _polarity(found, turns[-1] + 1 if turns else 0) < 0


def _rejects_last(behind: str, languages: tuple[str, ...]) -> bool:
    """Whether a text rejects what stands before it: at once, or in one of its next two sentences that points at it."""
    is_near = True
    for sentence in _SENTENCE.split(behind.strip(" \t\n`*_.,;"))[:3]:
        found = tokens(folded(sentence), languages)
        reason = next((place for place, token in enumerate(found) if token.keys & {"because", "if"}), len(found))
        found = found[:reason]
        points = next((place for place, token in enumerate(found) if "points_at" in token.keys), None)
        is_heading = sentence.rstrip(" *_`{[").endswith(":")
        if points is not None and not (is_heading and points):
            ends = [match.start() for match in re.finditer(r",|\Z", sentence) if match.start() > found[points].start]
            said = (_polarity([one for one in found if one.start < end], points) for end in ends)
            if next(filter(None, said), 0) < 0:
                return True
        first = found[0] if found else None
        if is_near and first and "wrong" in first.keys and not is_heading and not _WORD.search(sentence[: first.start]):
            return len(sentence) < _NEAR // 3
        is_near = False
    return False


def _polarity(found: Sequence[Token], start: int) -> int:
    """Whether words, from one of them on, reject (-1) or state (1) something in the end."""
    polarity = 0
    for place in range(start, len(found)):
        token = found[place]
        is_negated = any("not" in other.keys for other in found[max(0, place - 2) : place])
        follows = any("not" in other.keys for other in found[place + 1 : place + 2])
        if "wrong" in token.keys:
            polarity = 1 if is_negated else -1
        elif token.keys & {"right", "fits"} and "not" not in token.keys:
            polarity = -1 if is_negated else 1
        elif token.keys & {"answer", "points_at"} and (is_negated or (follows and "answer" in token.keys)):
            polarity = -1
    return polarity


def is_refused(text: str, languages: Sequence[str]) -> bool:
    """Whether a text says that it gives no answer, or knows none."""
    return bool(pattern("refusal no_answer", tuple(languages)).search(folded(text)))


def announces(line: str, languages: Sequence[str]) -> str:
    """What a line says of the answers below it: `final` (they replace those above), `aside` (no answers), or nothing.

    >>> announces("**Végleges megoldás:**", ("hu",)), announces("Indoklás:", ("hu",)), announces("Szia!", ("hu",))
    ('final', 'aside', '')
    """
    low = folded(line)
    found = frozenset().union(*(token.keys for token in tokens(low, languages))) if line.strip() else frozenset()
    if _HEADING.match(line):
        if "because" in found or pattern("aside", tuple(languages)).search(low):
            return "final" if "therefore" in found else "aside"
        return "final" if found & {"instead", "therefore", "answer", "right"} else ""
    return "final" if "instead" in found else ""


def is_open(between: str, languages: Sequence[str]) -> bool:
    """Whether the text between two answers leaves the choice between them open."""
    found = [token.keys for token in tokens(folded(between), languages)]
    return any("or" in keys for keys in found) and not any("instead" in keys for keys in found)
