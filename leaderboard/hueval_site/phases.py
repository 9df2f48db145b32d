"""The phases of a board and their dates, as `site.yaml` declares them.

From `opens` on submissions are taken, from `freezes` on none is, and what is queued is scored; from `closes` on no
result becomes public, until staff open the results. A date that is missing never comes; a missing `opens` was always
there; without `freezes` submissions are taken until `closes`. Which dates are in force is stored
(submissions/begun.py): those of a phase that has begun do not move with the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Annotated

from pydantic import BeforeValidator, Field, model_validator

from hueval_site.board_parts import Entry, Limits

FIRST, LAST = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


class PhaseState(StrEnum):
    """Where a phase stands."""

    UPCOMING = "upcoming"
    OPEN = "open"
    FROZEN = "frozen"
    CLOSED = "closed"
    OPENED = "opened"  # closed, and staff have opened its results


def state_at(dates: Dates, now: datetime) -> PhaseState:
    """Where a phase stands at a time, as far as its dates tell."""
    if now < (dates.opens or FIRST):
        return PhaseState.UPCOMING
    if now >= (dates.closes or LAST):
        return PhaseState.CLOSED
    return PhaseState.FROZEN if now >= (dates.freezes or LAST) else PhaseState.OPEN


def written(time: datetime | None) -> str:
    """A date as `site.yaml` has it; `never` for none."""
    return "never" if time is None else f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _utc(value: object) -> object:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
        if isinstance(time, datetime) and time.utcoffset() == timedelta():
            return time.astimezone(UTC)
    except ValueError:
        pass
    raise ValueError("is no time in UTC. Write it with the date, the time and Z, such as 2027-03-01T12:00:00Z")


Time = Annotated[datetime | None, BeforeValidator(_utc)]


class Dates(Entry):
    """When a phase opens, freezes and closes; it is always open without dates."""

    opens: Time = None
    freezes: Time = None
    closes: Time = None

    @model_validator(mode="after")
    def _is_in_order(self) -> Dates:
        dates = {"opens": self.opens, "freezes": self.freezes, "closes": self.closes}
        given = [(name, time) for name, time in dates.items() if time is not None]
        for (first, before), (second, after) in pairwise(given):
            if after < before or (after == before and first == "opens"):
                raise ValueError(f"{second} ({written(after)}) is not after {first} ({written(before)})")
        return self

    @property
    def is_dated(self) -> bool:
        """Whether it has any date."""
        return self.opens is not None or self.freezes is not None or self.closes is not None


class PracticeLimits(Limits):
    """Those of practice: its labels are public, so they bound the work of the site alone."""

    day: Annotated[float, Field(gt=0)] = 20
    month: Annotated[int, Field(ge=1)] = 200
    year: Annotated[int, Field(ge=1)] = 1000


class Practice(Dates):
    """The practice phase.

    Attributes:
        variants: what differs from the board's: the public validation split.
        limits: how often.
    """

    variants: Annotated[Mapping[str, str | int], Field(min_length=1)]
    limits: PracticeLimits = PracticeLimits()


class Phases(Entry):
    """The phases of a board: dated ones follow one another; one without dates is open beside the other."""

    practice: Practice | None = None
    test: Dates = Dates()

    @model_validator(mode="after")
    def _do_not_overlap(self) -> Phases:
        both = (self.practice or Dates(), self.test)
        if all(one.is_dated for one in both):
            first, second = sorted(both, key=lambda one: one.opens or FIRST)
            if (first.closes or LAST) > (second.opens or FIRST):
                names = ("practice", "test") if first is self.practice else ("test", "practice")
                raise ValueError(
                    f"{names[0]} closes ({written(first.closes)}) after {names[1]} opens ({written(second.opens)}): "
                    "they overlap. Let one close before the other opens, or leave the dates of one out"
                )
        return self
