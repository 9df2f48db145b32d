"""Statements about a choice between two options: the sentences of a reasoning trace that decide."""

from __future__ import annotations

from collections.abc import Sequence

from hueval_metrics.answers.choice import read_choice
from hueval_metrics.answers.clauses import HEDGED, read
from hueval_metrics.answers.names import options_named
from hueval_metrics.answers.objects import objects
from hueval_metrics.answers.stated import WHOLE, Statement
from hueval_metrics.answers.statements.signs import LANGUAGES
from hueval_metrics.text.normalize import Key, compare_key


def choices(trace: str, options: Sequence[str], key: Key = compare_key) -> list[Statement]:
    """The statements that one of two options is right, `1` or `2`, in order.

    Args:
        trace: any text.
        options: the texts of the two.
        key: the form in which texts of options are compared.

    >>> [found.value for found in choices("Option 1 or 2? So option 2 fits.\\nNo, it is option 1.", ("ma", "tegnap"))]
    ['2', '1']
    """
    found = []
    inside = sorted((one.start, one.end) for one in objects(trace))
    for start, end in inside:
        place = read_choice(trace[start:end], options, LANGUAGES, key).value
        if place is not None:
            found.append(Statement(WHOLE, start, str(place + 1)))
    names = [one for one in options_named(trace, options, LANGUAGES) if not _is_in(one.start, inside)]
    for said in read(trace, names, LANGUAGES).said:
        if said.status == "stated" and said.weight != HEDGED:
            found.append(Statement(WHOLE, said.unit.start, str(said.unit.mention.candidate + 1)))
    return sorted(found, key=lambda one: one.start)


def _is_in(at: int, ranges: Sequence[tuple[int, int]]) -> bool:
    return any(start <= at < end for start, end in ranges)
