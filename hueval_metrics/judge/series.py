"""Which series a model belongs to, by its name: a judge may favour models of its own."""

from __future__ import annotations

import re

from hueval_metrics.judge.lexical import JUDGE as LEXICAL

_REPEATS = re.compile(r"\*\d+\Z")  # of a judge that is asked several times


def once(name: str) -> str:
    """The name of a judge without how often it is asked.

    >>> once("toy-4o*3")
    'toy-4o'
    """
    return _REPEATS.sub("", name)


def series_of(name: str) -> str | None:
    """The series of a model or a judge, the first word of its name; None where it has none.

    >>> series_of("org/Toy2.5-7B-Instruct"), series_of("toy-4o*3"), series_of("toy-a+toy-b")
    ('toy', 'toy', None)
    """
    if name == LEXICAL or "+" in name:  # a panel has several
        return None
    found = re.match(r"[^\W\d_]+", once(name).rpartition("/")[2].casefold())
    return found[0] if found else None
