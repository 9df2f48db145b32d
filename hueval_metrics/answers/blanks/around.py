"""What the text around an answer says of it: rejected, only a form, a heading of another one."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hueval_metrics.answers.decide import is_called_wrong, tokens
from hueval_metrics.answers.names import folded
from hueval_metrics.languages.load import pattern

_NEAR = 120  # characters before and behind an answer in which words refer to it
_HEADING = re.compile(r"\s*(?:#{1,6}\s|\*\*|__|[>\s]*[^\n]{0,90}:[\s*_`]*\Z)")
_FENCE = re.compile(r"```\w*")


def is_unstated(text: str, start: int, end: int, languages: Sequence[str]) -> bool:
    """Whether the text around an answer rejects it, or calls it a form beside a refusal.

    >>> text = "Ez a forma: X. A megoldást nem tudom."
    >>> is_unstated(text, 12, 13, ("hu",)), is_unstated("Íme a kért forma: X", 18, 19, ("hu",))
    (True, False)
    """
    before, behind = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    before = _FENCE.sub(" ", before).rstrip()
    near = f"{before}\n\ue001\n{_FENCE.sub(' ', behind).lstrip('` ')}" if before[-1:] != ":" else ""
    near = near or f"{before} \ue001 {_FENCE.sub(' ', behind)}"
    at = near.index("\ue001")
    if is_called_wrong(near, at, at + 1, languages):
        return True
    told = folded(before[-_NEAR:]) + " " + folded(behind.split("\n")[0])
    if not pattern("form", tuple(languages)).search(told):
        return False
    return is_refused(text[max(0, start - 4 * _NEAR) : start] + "\n" + text[end : end + 4 * _NEAR], languages)


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
