"""A report of a check, for people and for programs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict

from hf_datasets.checks.findings import SEVERITIES, Finding, Report

_EXAMPLE = " " * 10
_NARROWEST = 40


def as_text(report: Report, width: int) -> str:
    """The report as lines of plain text, in the order of the configs, errors first in each.

    Args:
        report: what was found.
        width: of the terminal, in characters.
    """
    counts = ", ".join(f"{count} {severity}{'s' * (count != 1)}" for severity, count in _counts(report).items())
    lines = [f"{report.name}: {report.where}"]
    groups = dict.fromkeys(["", *(finding.config for finding in report.findings), *report.rows])
    for group in groups:
        findings = [finding for finding in report.findings if finding.config == group]
        rows = ", ".join(f"{split} {count:,}" for split, count in report.rows.get(group, {}).items())
        if findings or rows:
            lines += ["", *wrapped(": ".join(filter(None, [group or "all", rows and f"{rows} rows"])), width)]
        for severity in SEVERITIES:
            for finding in findings:
                if finding.severity == severity:
                    lines += _lines(finding, width)
    return "\n".join([*lines, "", f"{counts}."]) + "\n"


def as_json(report: Report) -> str:
    """The report as JSON, ASCII only, with every field of a finding."""
    findings = [asdict(finding) for finding in report.findings]
    counts = {f"{severity}s": count for severity, count in _counts(report).items()}
    whole = {"name": report.name, "where": report.where, "rows": report.rows, **counts, "findings": findings}
    return json.dumps(whole, indent=2) + "\n"


def escaped(text: str) -> str:
    r"""A text in which every character can be seen, and none moves the cursor.

    >>> escaped("a\x1b[2J\u200b\xa0ő")
    'a\\x1b[2J\\u200b\\xa0ő'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def wrapped(text: str, width: int, first: str = "", later: str = "  ") -> list[str]:
    """A text in lines that fit the terminal, escaped; spaces inside a line stay, for columns.

    Args:
        text: any text.
        width: of the terminal, in characters; at least _NARROWEST is taken.
        first, later: what the first line and the others begin with.
    """
    lines = textwrap.TextWrapper(max(width, _NARROWEST), first, later, replace_whitespace=False, break_on_hyphens=False)
    return lines.wrap(escaped(text))


def _counts(report: Report) -> dict[str, int]:
    return {severity: report.count(severity) for severity in SEVERITIES}


def _lines(finding: Finding, width: int) -> Iterator[str]:
    head = f"{finding.severity:8}{finding.split:11}{finding.count:>9,}  "
    yield from wrapped(head + finding.what, width, "  ", " " * (len(head) + 2))
    for example in finding.examples:
        yield from wrapped(example, width, _EXAMPLE, _EXAMPLE + "  ")
