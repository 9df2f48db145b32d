"""What an analysis of traces found, in sentences: which differences are significant, and what was left out."""

from __future__ import annotations

from collections import Counter

from hueval_metrics.reports import escape
from hueval_metrics.reports.columns import row_name, task_name
from hueval_metrics.reports.formats import interval, number
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Cell, Test
from hueval_metrics.traces.report.lookup import family_of
from hueval_metrics.traces.results import TraceResults

ALPHA = 0.05
MOST = 20  # sentences; the others are counted
_DIGITS = {"tokens": 0, "tokens_after_settled": 0}
_COUNTED = {
    "no_trace": "without a trace",
    "cut": "cut off",
    "looping": "in a loop",
    "several_blocks": "with several blocks",
}


def part_name(group: str, code: str) -> str:
    """The title of a part of a pool of tasks; its code where none is declared."""
    family = family_of(group)
    return family.parts[code]["en"] if family and code in family.parts else escape.plain(code)


def differences(results: TraceResults) -> list[str]:
    """One sentence for each significant difference, those of all replies together first, then how many there are.

    Regret is told of verdicts that are not right only: of right replies a correct thought is none.
    """
    tests = [test for test in results.tests if is_told(test)]
    told = sorted(filter(is_significant, tests), key=qualifiers)
    found = [_sentence(test) for test in told[:MOST]]
    if len(told) > MOST:
        found.append(f"And {len(told) - MOST} more, within parts and verdicts; --format csv lists all.")
    pairs = Counter((test.between, _tested(test)) for test in tests)
    significant = Counter((test.between, _tested(test)) for test in told)
    for between in dict.fromkeys(kind for kind, _ in pairs):
        counts = ", ".join(f"{one[1]} {significant[one]} of {n}" for one, n in pairs.items() if one[0] == between)
        found.append(f"Significant between {between}: {counts}.")
    if tests:
        found.append(
            "Permutation tests over questions (of two models on yes or no McNemar's), at 5 % after Holm's correction "
            "over the tests of one measure between verdicts, between parts and between models. Models are compared "
            "over the questions of both."
        )
    if any(test.between == "measures" for test in tests):
        found.append("Measures of one model: the part of each question in their difference has a random sign.")
    tasks = Counter(task for run in results.runs for task in run.signatures)
    if any(n > 1 for n in tasks.values()) and not any(test.between == "models" for test in results.tests):
        found.append("Models are not compared: no two runs have questions in common that a tested measure applies to.")
    return found


def left_out(results: TraceResults) -> list[str]:
    """A line for each run: what was read, and what steps have left out."""
    found = []
    for run in results.runs:
        counts: Counter[str] = Counter()
        for own in run.counts.values():
            counts.update(own)
        told = [f"{counts[name]} {words}" for name, words in _COUNTED.items() if counts[name]]
        n = counts["replies"]
        line = f"{row_name(run.label)}: {n} {'reply' if n == 1 else 'replies'}"
        line += f", of which {', '.join(told)}" if told else ""
        for step, reasons in run.left_out.items():
            listed = ", ".join(f"{n} {escape.plain(reason)}" for reason, n in reasons.items() if n)
            line += f"; left out of {escape.plain(step)}: {listed}" if listed else ""
        found.append(line + ".")
    return found


def is_told(test: Test) -> bool:
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
    told = number(abs(test.difference), digits)
    if test.ci95 is not None:
        low, high = sorted(abs(end) for end in test.ci95)
        told += f" {interval((low, high), digits)}"
    p = "p < 0.001" if test.p_holm < 0.001 else f"p = {test.p_holm:.3f}"
    told = f"by {told}, {p}."
    common = [
        "" if test.between == "models" else row_name(higher.run),
        task_name(higher.group),
        part_name(higher.group, higher.part) if higher.part and test.between != "parts" else "",
        escape.plain(higher.verdict) if higher.verdict and test.between != "verdicts" else "",
    ]
    where = ", ".join(filter(None, common))
    if test.between == "measures":
        one, other = (test.measure, test.against)[:: 1 if test.difference > 0 else -1]
        return f"{where}: {_name(one)} higher than {_name(other)}, {told}"
    first, second = (_named(cell, test.between) for cell in (higher, lower))
    return f"{where}: {_name(test.measure)} higher for {first} than for {second}, {told}"


def _named(cell: Cell, between: str) -> str:
    """What tells a cell from the other one of a test."""
    if between == "models":
        return row_name(cell.run)
    return escape.plain(cell.verdict) if between == "verdicts" else part_name(cell.group, cell.part)


def _tested(test: Test) -> str:
    return _name(test.measure) + (f" against {_name(test.against)}" if test.against else "")


def _name(measure: str) -> str:
    return escape.plain(measure.replace("_", " "))
