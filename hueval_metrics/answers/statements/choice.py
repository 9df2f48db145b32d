"""Statements about a choice between two options: the sentences of a reasoning trace that decide."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hueval_metrics.answers.choice import read_choice
from hueval_metrics.answers.objects import objects
from hueval_metrics.answers.stated import WHOLE, Statement
from hueval_metrics.answers.statements.sentences import is_asserted, sentences
from hueval_metrics.answers.statements.signs import echoes, lowered
from hueval_metrics.text.normalize import Key, compare_key

_NAMES = re.compile(
    r"(?<![\w.,#-])[12](?![\w%]|[.,]\d)|\b(?:first|second|former|latter|első\w{0,3}|második\w{0,3}|előbbi\w{0,3}|utóbbi\w{0,3})\b|"
    r"\b(?:option|choice|answer|opció|lehetőség|válasz)\s?:?\s[ab]\b"
)
_DECIDES = re.compile(
    r"\b(?:(?:it|that) is|it's|that's|answer|correct|right|choose|choosing|chose|pick|"
    r"select\w*|go(?:ing)? with|best|better|fits?|suits|"
    r"matches|match|align\w*|captur\w+|reflect\w*|convey\w*|correspond\w*|"
    r"more (?:likely|appropriate|accurate|suitable|plausible)|most|makes (?:more |the most )?sense|so|therefore|thus|"
    r"hence|válasz\w*|helyes\w*|választ\w*|illik|illeszked\w+|megfelel\w*|jobb\w*|legjobb\w*|tehát|ezért|így|tükröz\w*|"
    r"kifejez\w*|valószínűbb|pontosabb\w*|fejezi ki|felel meg|adja vissza)\b"
)
_OPEN = re.compile(  # "the first option would be correct if", "let me look at option 2"
    r"\b(?:maybe|perhaps|possibly|might|may|could|whether|let['’]?s (?:see|look|check|consider)|let me|i need to|"
    r"i have to|between|talán|esetleg|lehet|vajon|nézzük|meg kell|kell (?:választ|dönt)\w*|között|közül kell)\b"
)
_LONGEST = 600  # characters of a sentence that can decide


def choices(trace: str, options: Sequence[str], key: Key = compare_key) -> list[Statement]:
    """The statements that one of two options is right, `1` or `2`, in order.

    Args:
        trace: any text.
        options: the texts of the two.
        key: the form in which texts of options are compared.

    >>> [found.value for found in choices("Option 1 or 2? So option 2 fits.\\nNo, it is option 1.", ("ma", "tegnap"))]
    ['2', '1']
    """
    low = lowered(trace)
    repeated = echoes(trace, options)
    inside = sorted((one.start, one.end) for one in objects(trace))
    names = [match.span() for match in _NAMES.finditer(low) if not _is_in(match.start(), inside)]
    found = [
        Statement(WHOLE, start, str(option))
        for start, end in inside
        if (option := _option(trace[start:end], options, key))
    ]
    for start, end, first, _ in sentences(trace, names):
        said = low[start:end]
        if end - start > _LONGEST or not _DECIDES.search(said) or _OPEN.search(said) or _is_in(start, repeated):
            continue
        if not is_asserted(said, 0, len(said.rstrip())):
            continue
        if option := _option(trace[start:end], options, key):
            found.append(Statement(WHOLE, names[first][0], str(option)))
    return sorted(found, key=lambda one: one.start)


def _option(text: str, options: Sequence[str], key: Key) -> int | None:
    found = read_choice(text, options, ("hu",), key).value
    return None if found is None else found + 1


def _is_in(place: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= place < end for start, end in ranges)
