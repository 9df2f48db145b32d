"""The differences that an analysis of traces found, in sentences of every language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from hueval_metrics.reports.columns import row_name
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.reports.page.words import both, page_words, texts
from hueval_metrics.traces.measures import Cell, Test
from hueval_metrics.traces.report.figures import OUTCOMES
from hueval_metrics.traces.report.lookup import group_name
from hueval_metrics.traces.report.section_tables import bare, code
from hueval_metrics.traces.report.sentences import is_reported, is_significant, qualifiers
from hueval_metrics.words.texts import ENGLISH, each, numbers, same

if TYPE_CHECKING:
    from markupsafe import Markup

_LEAST_P = 0.001  # smaller ones are not told apart


def differences(tests: Sequence[Test]) -> list[Markup]:
    """A sentence for each significant difference, those of all replies together first."""
    return [_difference(test) for test in sorted(filter(is_significant, filter(is_reported, tests)), key=qualifiers)]


def tested(tests: Sequence[Test]) -> list[Markup]:
    """How many tests of each kind there were, and how many of them came out significant."""
    reported = [test for test in tests if is_reported(test)]
    found = []
    for kind in dict.fromkeys(test.between for test in reported):
        own = [test for test in reported if test.between == kind]
        found.append(both(f"trace_tested_{kind}", n=len(own), significant=sum(map(is_significant, own))))
    return found


def _difference(test: Test) -> Markup:
    """Which of two cells has more of what, by how much, and how sure that is."""
    from markupsafe import Markup

    is_within = test.between == "measures"
    sides = [_measure(one) for one in (test.measure, test.against)] if is_within else []
    sides = sides or [_side(cell, test.between) for cell in (test.first, test.second)]
    high, low = sides if test.difference > 0 else sides[::-1]
    ends = test.ci95
    if ends is not None and test.difference < 0:
        ends = (-ends[1], -ends[0])
    decimals = 0 if abs(test.difference) >= 100 else 2
    return both(
        "trace_difference_measures" if is_within else "trace_difference",
        where=each(lambda language: Markup(", ").join(_where(test, language))),
        measure=_measure(test.measure),
        high=high,
        low=low,
        difference=numbers(f"{number(abs(test.difference), decimals)} {interval(ends, decimals)}".strip()),
        p=numbers(f"< {_LEAST_P}" if test.p_holm < _LEAST_P else f"= {test.p_holm:.3f}"),
    )


def _measure(name: str) -> Mapping[str, Markup]:
    """The heading of a measure; its name where it has none, as of another version."""
    key = f"measure_{name}"
    return texts(key) if key in page_words().of(ENGLISH) else same(code(name))


def _where(test: Test, language: str) -> Iterator[str]:
    """What both cells of a test have in common."""
    cell = test.first
    if test.between != "models":
        yield bare(row_name(cell.run))
    yield group_name(cell.group, "" if test.between == "parts" else cell.part)[language]
    if test.between != "verdicts" and cell.verdict:
        yield OUTCOMES[cell.verdict][language]


def _side(cell: Cell, between: str) -> Mapping[str, Any]:
    """What is particular of a cell of a test."""
    if between == "models":
        return same(bare(row_name(cell.run)))
    if between == "parts":
        return {language: name.rpartition(", ")[2] for language, name in group_name(cell.group, cell.part).items()}
    return OUTCOMES.get(cell.verdict) or texts("all")
