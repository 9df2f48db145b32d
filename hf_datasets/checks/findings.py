"""Findings of a check of a data set, counted by kind, and the report of them."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal, get_args

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
EXAMPLES = 5  # of a finding; the count says how many there are
_EXAMPLE = " " * 10
_NARROWEST = 40
_KINDS = 200  # in a split; bounds the memory where a check has another text for every row


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of fault or fact in one split.

    Attributes:
        severity: `error`: the data are broken, incomplete or not the published ones. `warning`: they may distort a
            score. `note`: for information.
        config: the table; for a source file, its path; empty for the whole data set.
        split: empty where the finding is not about one split.
        what: what was counted, in words.
        count: at least 1.
        examples: the first few, each in one line; they may contain any character.
    """

    severity: Severity
    config: str
    split: str
    what: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """All findings in a data set.

    Attributes:
        name: of the data set.
        where: what was checked, as the user named it.
        rows: config → split → number of rows read.
        findings: in the order of the configs, and of the splits in each.
    """

    name: str
    where: str
    rows: Mapping[str, Mapping[str, int]]
    findings: tuple[Finding, ...]

    def count(self, severity: Severity) -> int:
        """Number of findings of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def is_sound(self) -> bool:
        """Whether there is no error."""
        return self.count("error") == 0


@dataclass
class Tally:
    """A counter of findings, with the first examples of each kind."""

    config: str
    split: str
    _counts: dict[tuple[Severity, str], int] = field(default_factory=dict)
    _examples: dict[tuple[Severity, str], list[str]] = field(default_factory=dict)

    def add(self, severity: Severity, what: str, example: str = "") -> None:
        """Count one more."""
        kind = (severity, what)
        if kind not in self._counts and len(self._counts) >= _KINDS:
            kind = (severity, "more kinds, not listed")
        self._counts[kind] = self._counts.get(kind, 0) + 1
        examples = self._examples.setdefault(kind, [])
        if example and len(examples) < EXAMPLES:
            examples.append(example)

    def findings(self) -> Iterator[Finding]:
        """The findings, errors first."""
        for severity in SEVERITIES:
            for kind, count in self._counts.items():
                if kind[0] == severity:
                    yield Finding(severity, self.config, self.split, kind[1], count, tuple(self._examples[kind]))


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
    r"""A text in which every character is visible, and none moves the cursor.

    >>> escaped("a\x1b[2J\u200b\xa0ő")
    'a\\x1b[2J\\u200b\\xa0ő'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def wrapped(text: str, width: int, first: str = "", later: str = "  ") -> list[str]:
    """A text in lines that fit the terminal, escaped; spaces inside a line are kept, for columns.

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
