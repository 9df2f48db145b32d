"""The rows of Toybench (written for the tests), as pydantic models."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Text = Annotated[str, Field(pattern=r"\S")]
Label = Literal["jó", "rossz", "vegyes"]
LABELS: tuple[Label, ...] = ("jó", "rossz", "vegyes")


class Row(BaseModel):
    """What every row has."""

    model_config = ConfigDict(strict=True, extra="forbid")
    id: Text = Field(description="id of the row")
    genre: Literal["krími", "mese"] = Field(description="what kind of story it is about")


class Review(Row):
    """A review of a film."""

    film: Text = Field(description="the film; a film has several reviews")
    text: Text = Field(description="the review")
    label: Label = Field(description="what the reviewer thinks")


class Riddle(Row):
    """A question with choices."""

    question: Text = Field(description="the question")
    choices: list[str] = Field(min_length=2, description="what is on offer")
    answer: int = Field(ge=0, description="index of the right choice")


class Letter(Row):
    """A letter that asks for an answer."""

    request: Text = Field(description="what is asked")
    reference: Text = Field(description="what a good answer says")
