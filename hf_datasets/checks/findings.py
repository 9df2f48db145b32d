"""What a check of a data set finds, and how findings of one kind are counted together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
EXAMPLES = 5  # of a finding; the count says how many there are
_KINDS = 200  # in a split; a check that words every row differently must not fill the memory


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of thing found in one place.

    Attributes:
        severity: `error`: the data are broken, incomplete or not the published ones. `warning`: they are what they
            are, but a score made with them may mislead. `note`: good to know.
        config: the table; for what stands in a file of the source, the file's path; empty for the whole data set.
        split: empty where it is not about one split.
        what: what was counted, in words.
        count: how often, at least 1.
        examples: the first few, each in one line; they may hold any character.
    """

    severity: Severity
    config: str
    split: str
    what: str
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """All that was found in a data set.

    Attributes:
        name: of the data set.
        where: what was checked, as the user knows it.
        rows: config → split → how many rows were read.
        findings: in the order of the configs, and of the splits in each.
    """

    name: str
    where: str
    rows: Mapping[str, Mapping[str, int]]
    findings: tuple[Finding, ...]

    def count(self, severity: Severity) -> int:
        """How many findings are of a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def is_sound(self) -> bool:
        """Whether there is no error."""
        return self.count("error") == 0


@dataclass
class Tally:
    """Findings as they are counted, row by row, each kind with its first examples."""

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
        """What was counted, errors first."""
        for severity in SEVERITIES:
            for kind, count in self._counts.items():
                if kind[0] == severity:
                    yield Finding(severity, self.config, self.split, kind[1], count, tuple(self._examples[kind]))
