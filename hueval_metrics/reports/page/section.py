"""What a feature adds to the page: a section, and what it found in the reasoning trace of each answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.page.packing import Piece
from hueval_metrics.runs.items import Item

if TYPE_CHECKING:
    from hueval_metrics.reports.page.pictures import Picture


class Findings(Protocol):
    """What was found in the trace of one reply."""

    @property
    def tokens(self) -> int | None:
        """Of the trace; None where they were not counted."""

    @property
    def bits(self) -> int:
        """What items are filtered by, in the order of `Section.findable`."""

    def trace_of(self, item: Item) -> str | None:
        """The trace that was read; None where the item has another reply."""

    def shown(self, trace: Piece) -> Mapping[str, Any]:
        """What the page shows of it, as JSON; offsets are UTF-16 units of what is kept of the trace."""


@dataclass(frozen=True)
class Section:
    """A section behind the figures of the page.

    Attributes:
        id: of the section, and the key of its heading among the feature's words.
        template: a Jinja2 file, which gets `section`: what `values` returns.
        values: (pictures of the figures, label of a run → number of replies that are not those that were read) → the
            values of the template.
        figures: of the section; they are saved with those of the page.
        findings: (index of a run, item) → what was found in its trace; the page has those of one section.
        findable: the names of what items can be filtered by.
        words: keys of the texts that the scripts of the section use.
        scripts, styles: files that are joined to those of the page.
        where: the declaration of the feature, for a warning; set by `reports.analyses`.
    """

    id: str
    template: Path
    values: Callable[[Sequence[Picture], Mapping[str, int]], object]
    figures: Sequence[Figure] = ()
    findings: Callable[[int, Item], Findings | None] | None = None
    findable: Sequence[str] = ()
    words: Sequence[str] = ()
    scripts: Sequence[Path] = ()
    styles: Sequence[Path] = ()
    where: str = ""


def with_findings(sections: Sequence[Section]) -> Section | None:
    """The section whose findings the answers show: the first that has some."""
    return next((section for section in sections if section.findings is not None), None)
