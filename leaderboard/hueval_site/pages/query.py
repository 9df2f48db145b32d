"""What a reader asks a board for: order, filters, season and page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext_lazy as _

from hueval_site.pages.rows import Row
from hueval_site.submissions.models import OPENNESS, SETTINGS

PER_PAGE = 250
SIZES: Mapping[str, tuple[Any, float, float]] = {  # key → name, from, below (billions of parameters)
    "s": (_("below 3 billion"), 0, 3),
    "m": (_("3 to 10 billion"), 3, 10),
    "l": (_("10 to 40 billion"), 10, 40),
    "xl": (_("40 billion and more"), 40, float("inf")),
    "unknown": (_("not stated"), 0, 0),
}
COMPLETE = "all"
TEXTS = ("model", "team", "size", "published")  # columns besides the metrics that can order a board


@dataclass(frozen=True)
class Query:
    """One order and selection of rows; an empty field selects nothing.

    Attributes:
        sort: a column, with `-` before it for the largest first.
        complete: `COMPLETE` for models that are on every board of a family.
        size: key of `SIZES`.
        openness, setting: keys of `OPENNESS` and `SETTINGS`.
        since: the first year of publication.
        season: number of a closed season.
        page: from 1.
    """

    sort: str = ""
    complete: str = ""
    size: str = ""
    openness: str = ""
    setting: str = ""
    since: str = ""
    season: str = ""
    page: str = ""

    @classmethod
    def of(
        cls,
        given: Mapping[str, str],
        columns: Sequence[str],
        years: Sequence[str],
        seasons: Sequence[str] = (),
        *,
        is_family: bool = False,
    ) -> Query:
        """The query of an address, without what is unknown.

        Args:
            given: parameters of the address.
            columns: that can order the board.
            years: in which rows were published.
            seasons: numbers of the closed ones.
            is_family: whether it is about models over the boards of a family.
        """
        known = {
            "sort": {f"{sign}{name}" for name in (*columns, *TEXTS) for sign in ("", "-")},
            "complete": (COMPLETE,) if is_family else (),
            "size": SIZES,
            "openness": OPENNESS,
            "setting": SETTINGS,
            "since": years,
            "season": seasons,
        }
        found = {name: value for name, values in known.items() if (value := given.get(name, "")) in values}
        page = given.get("page", "")
        if page.isascii() and page.isdecimal() and int(page[:6]) > 1 and not page.startswith("0"):
            found["page"] = page[:6]
        return cls(**found)

    @property
    def text(self) -> str:
        """As part of an address, `?` included; empty for none."""
        given = {name: value for name, value in vars(self).items() if value}
        return f"?{urlencode(given)}" if given else ""

    def but(self, **changes: str) -> Query:
        """With other fields, and back to the first page."""
        return replace(self, **{"page": "", **changes})

    def on_page(self, number: int) -> Query:
        """The same, on another page; the first one has no number."""
        return replace(self, page=str(number) if number > 1 else "")

    @property
    def is_filtered(self) -> bool:
        """Whether it selects rows by what they are."""
        return any((self.complete, self.size, self.openness, self.setting, self.since))

    def selects(self, row: Row) -> bool:
        """Whether a row passes the filters; what papers published passes none, as their rows lack the fields."""
        if self.complete and not row.is_complete:
            return False
        if self.size:
            _name, least, below = SIZES[self.size]
            if (row.size is not None) if self.size == "unknown" else not (least <= (row.size or -1) < below):
                return False
        if any(wanted and wanted != given for wanted, given in self._choices(row)):
            return False
        return not self.since or bool(row.published and row.published.year >= int(self.since))

    def _choices(self, row: Row) -> list[tuple[str, str]]:
        return [(self.openness, row.openness), (self.setting, row.setting)]

    def ordered(self, rows: Sequence[Row], default: str) -> list[Row]:
        """The rows in the order asked for, those without a value last.

        Args:
            rows: any.
            default: the order where none is asked for, as `sort` has it.
        """
        sort = self.sort or default
        is_down, column = sort.startswith("-"), sort.removeprefix("-")
        by_name = sorted(rows, key=lambda row: (row.model.casefold(), row.team.casefold()))
        known = [row for row in by_name if _value(row, column) is not None]
        known.sort(key=lambda row: _value(row, column), reverse=is_down)
        return known + [row for row in by_name if _value(row, column) is None]


def _value(row: Row, column: str) -> Any:
    if column in ("model", "team", "openness", "licence"):
        return getattr(row, column).casefold() or None
    if column in ("size", "published"):
        return getattr(row, column)
    score = row.scores.get(column)
    return None if score is None else score.value
