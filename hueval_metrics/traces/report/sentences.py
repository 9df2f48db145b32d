"""What an analysis of traces found, in sentences: which differences are significant, and what was left out."""

from __future__ import annotations

from collections import Counter

from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name, task_name
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Cell, Test
from hueval_metrics.traces.report.lookup import family_of
from hueval_metrics.traces.report.texts import WORDS, say
from hueval_metrics.traces.results import TraceResults
from hueval_metrics.words.texts import ENGLISH, numerals, printed

ALPHA = 0.05
MOST = 20  # sentences; the others are counted
_DIGITS = {"tokens": 0, "tokens_after_settled": 0}
_COUNTED = ("no_trace", "cut", "looping", "several_blocks")


def part_name(group: str, code: str) -> str:
    """The title of a part of a pool of tasks; its code where none is declared."""
    family = family_of(group)
    return family.parts[code][printed()] if family and code in family.parts else escape.plain(code)


def differences(results: TraceResults) -> list[str]:
    """One sentence for each significant difference, those of all replies together first, then how many there are.

    Regret is reported only for verdicts that are not right: in a right reply, a correct thought is no regret.
    """
    tests = [test for test in results.tests if is_reported(test)]
    differing = sorted(filter(is_significant, tests), key=qualifiers)
    found = [_sentence(test) for test in differing[:MOST]]
    if len(differing) > MOST:
        found.append(say("more", n=len(differing) - MOST))
    pairs = Counter((test.between, _tested(test)) for test in tests)
    significant = Counter((test.between, _tested(test)) for test in differing)
    for between in dict.fromkeys(kind for kind, _ in pairs):
        own = {one[1]: (significant[one], n) for one, n in pairs.items() if one[0] == between}
        counts = ", ".join(say("measure_count", measure=name, significant=k, n=n) for name, (k, n) in own.items())
        found.append(say("significant", between=say(f"between.{between}"), counts=counts))
    if tests:
        found.append(say("tested"))
    if any(test.between == "measures" for test in tests):
        found.append(say("tested_measures"))
    tasks = Counter(task for run in results.runs for task in run.signatures)
    if any(n > 1 for n in tasks.values()) and not any(test.between == "models" for test in results.tests):
        found.append(say("not_compared"))
    return found


def left_out(results: TraceResults) -> list[str]:
    """A line for each run: what was read, and what steps have left out."""
    found = []
    for run in results.runs:
        counts: Counter[str] = Counter()
        for own in run.counts.values():
            counts.update(own)
        parts = ", ".join(say(f"counted.{name}", n=counts[name]) for name in _COUNTED if counts[name])
        omitted = ""
        for step, reasons in run.left_out.items():
            listed = ", ".join(f"{n} {escape.plain(reason)}" for reason, n in reasons.items() if n)
            omitted += say("left_out", step=escape.plain(step), reasons=listed) if listed else ""
        counted = say("of_which", counted=parts) if parts else ""
        about = {"run": row_name(run.label), "counted": counted, "left_out": omitted}
        found.append(say("replies", **about, n=counts["replies"]))
    return found


def is_reported(test: Test) -> bool:
    """Whether a test says what its measure is named after: of right replies a correct thought is no regret."""
    missed = VERDICTS[2:]
    return test.measure != "regret" or all(cell.verdict in missed for cell in (test.first, test.second))


def is_significant(test: Test) -> bool:
    """Whether the corrected p is small, and the interval excludes 0."""
    return test.p_holm < ALPHA and (test.ci95 is None or not test.ci95[0] <= 0 <= test.ci95[1])


def qualifiers(test: Test) -> int:
    """How many of part and verdict the replies compared are confined to, besides what differs."""
    return bool(test.first.part and test.first.part == test.second.part) + bool(
        test.first.verdict and test.first.verdict == test.second.verdict
    )


def _sentence(test: Test) -> str:
    """That the higher of the two is higher."""
    higher, lower = (test.first, test.second) if test.difference > 0 else (test.second, test.first)
    digits = _DIGITS.get(test.measure, 1)
    size = number(abs(test.difference), digits)
    if test.ci95 is not None:
        low, high = sorted(abs(end) for end in test.ci95)
        size += f" {interval((low, high), digits)}"
    p = "p < 0.001" if test.p_holm < 0.001 else f"p = {test.p_holm:.3f}"
    common = [
        "" if test.between == "models" else row_name(higher.run),
        task_name(higher.group),
        part_name(higher.group, higher.part) if higher.part and test.between != "parts" else "",
        escape.plain(higher.verdict) if higher.verdict and test.between != "verdicts" else "",
    ]
    about = {"where": ", ".join(filter(None, common)), "measure": _name(test.measure)}
    about |= {"difference": numerals(size), "p": numerals(p)}
    if test.between == "measures":
        one, other = (test.measure, test.against)[:: 1 if test.difference > 0 else -1]
        return say("higher_measure", **about | {"measure": _name(one), "other": _name(other)})
    first, second = (_named(cell, test.between) for cell in (higher, lower))
    return say("higher", **about, first=first, second=second)


def _named(cell: Cell, between: str) -> str:
    """What distinguishes a cell from the other one of a test."""
    if between == "models":
        return row_name(cell.run)
    return escape.plain(cell.verdict) if between == "verdicts" else part_name(cell.group, cell.part)


def _tested(test: Test) -> str:
    name = _name(test.measure)
    return say("against", measure=name, other=_name(test.against)) if test.against else name


def _name(measure: str) -> str:
    """The heading of a measure, in English its name in files."""
    headings = WORDS.of(printed()) if printed() != ENGLISH else {}
    return headings.get(f"measure_{measure}") or escape.plain(measure.replace("_", " "))
