"""Parts of the declaration of a board in `site.yaml`: its limits, its data, its example."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Address = Annotated[str, Field(pattern=r"^https?://[^\s/]+")]
# Below the folder of public data: no step up, and nothing absolute.
DataPath = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-][A-Za-z0-9_.-]*(/[A-Za-z0-9_-][A-Za-z0-9_.-]*)*$")]


class Entry(BaseModel):
    """What has no other keys than these, and does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(Entry):
    """How often one team may have a file of one task scored.

    Attributes:
        day, month, year: scored submissions in 24 hours, 30 days, 365 days.
        uploads_day: uploads of any outcome in 24 hours.
        public_year: rows made public in 365 days.
    """

    day: Annotated[float, Field(gt=0)] = 2
    month: Annotated[int, Field(ge=1)] = 8
    year: Annotated[int, Field(ge=1)] = 24
    uploads_day: Annotated[int, Field(ge=1)] = 50
    public_year: Annotated[int, Field(ge=1)] = 4


class Download(Entry):
    """Where the data of a task come from.

    Attributes:
        licence: SPDX identifier, or the words of the source; `unknown` where nobody could find it.
        url: of the source.
        files: paths below the folder of public data that the site offers itself; empty for a link alone.
    """

    licence: Annotated[str, Field(min_length=1)]
    url: Address
    files: tuple[DataPath, ...] = ()


class Example(Entry):
    """The row that the page of a task shows.

    Attributes:
        row: its place in the data, from 1.
        fields: what is shown of it, in this order; empty for all that is not hidden.
    """

    row: Annotated[int, Field(ge=1)] = 1
    fields: tuple[str, ...] = ()
