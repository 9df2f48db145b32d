"""What requests and responses of the API look like; the description of the API is made of these."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import ConfigDict, Field
from pydantic.config import JsonDict

Texts = dict[str, str]  # language → text
# What CardForm takes, for the description; it is the form that refuses, with a text in the reader's language.
_LATIN = "[ -~\u00a1-\u00ac\u00ae-\u0130\u0132-\u0137\u0139-\u0148\u014a-\u017e]"
_TEXT = "[^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]"
_NAME = f"{_LATIN}*[0-9A-Za-z]{_LATIN}*"
_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"  # of a host's name
NAME: JsonDict = {"maxLength": 120, "pattern": f"^{_NAME}$"}
OPTIONAL_NAME: JsonDict = {"maxLength": 120, "pattern": f"^({_NAME})?$"}
TEXT: JsonDict = {"maxLength": 2000, "pattern": f"^{_TEXT}*[!-~]{_TEXT}*$"}
OPTIONAL_TEXT: JsonDict = {"maxLength": 2000, "pattern": f"^{_TEXT}*$"}
LINK: JsonDict = {"maxLength": 300, "pattern": f"^(https?://({_LABEL}\\.){{1,3}}[a-z]{{2,6}}(/[!-~]*)?)?$"}


class ShownCard(Schema):
    """The model card of a row."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)

    model_name: str = Field(description="name of the model", json_schema_extra=NAME)
    contamination: str = Field(
        description="whether the test data can have been in the training data", json_schema_extra=TEXT
    )
    size: float | None = Field(
        None, description="parameters, in billions", gt=0, json_schema_extra={"minimum": 0.0001, "maximum": 100_000}
    )
    openness: Literal["open", "closed"] = "open"
    licence: str = Field(
        "", description="of the model, such as Apache-2.0", json_schema_extra=OPTIONAL_NAME | {"maxLength": 60}
    )
    base: str = Field("", description="base model", json_schema_extra=OPTIONAL_NAME)
    training_data: str = Field("", json_schema_extra=OPTIONAL_TEXT)
    link: str = Field(
        "", description="URL of a page about the model; it is shown, and never opened", json_schema_extra=LINK
    )
    setting: Literal["zero-shot", "few-shot", "fine-tuned", "baseline", "human"] = Field(
        "zero-shot", description="baseline and human mark rows that have no rank; staff alone choose them, on the pages"
    )


class Card(ShownCard):
    """The model card of a submission. Fields that it does not have are refused."""

    setting: Literal["zero-shot", "few-shot", "fine-tuned"] = "zero-shot"


class ErrorBody(Schema):
    """What went wrong."""

    code: str = Field(description="a word for programs, the same in every language")
    message: str = Field(description="one line, in the language of Accept-Language (hu, en)")
    where: str | None = Field(description="the field at fault")


class Error(Schema):
    """Every response with a status of 400 or more."""

    error: ErrorBody


READ_ERRORS = dict.fromkeys((400, 404, 422, 503), Error) | {414: None}  # of what everybody may read; 414 is gunicorn's
OWN_ERRORS = READ_ERRORS | dict.fromkeys((401, 403, 429), Error)  # of what a token is needed for
CHANGE_ERRORS = OWN_ERRORS | dict.fromkeys((409, 413, 507), Error)


class Metric(Schema):
    """A column of a board."""

    name: str
    heading: str
    unit: str
    better: Literal["higher", "lower"] | None


class LimitsOut(Schema):
    """How often one team may have a file of one task scored."""

    day: float
    month: int
    year: int
    uploads_day: int = Field(description="uploads of any outcome in 24 hours")
    public_year: int = Field(description="rows made public in 365 days")


class DownloadFile(Schema):
    """A file of the public data that the site offers."""

    name: str
    size: int = Field(description="in bytes")
    sha256: str
    url: str


class DownloadOut(Schema):
    """Where the data come from."""

    licence: str
    url: str
    files: list[DownloadFile]


class TaskOut(Schema):
    """A task, which has one board."""

    name: str
    family: str
    title: str
    description: Texts
    why: Texts = Field(description="why these metrics")
    format: Texts = Field(description="what a file has to look like")
    example: dict[str, str] = Field(description="a row of the data")
    metrics: list[Metric] = Field(description="the first orders the board")
    answers_are_public: bool
    is_judged: bool
    limits: LimitsOut
    download: DownloadOut
    publications: list[str]
    season: int = Field(description="the open one")
    practice: str | None = Field(
        None, description="the board of its practice phase, to be named as the task; null without"
    )


class Tasks(Schema):
    """All tasks."""

    version: str = Field(description="of the software")
    site: str
    max_upload_bytes: int = Field(description="the largest file, and all files of an archive together")
    tasks: list[TaskOut]


class SeasonOut(Schema):
    """A span in which a board's rows are comparable."""

    number: int
    opened: datetime
    closed: datetime | None
    fixed: dict[str, Any] = Field(description="what a change of which opens a new season")


class Seasons(Schema):
    """The seasons of a board, the newest first."""

    task: str
    seasons: list[SeasonOut]


class Row(Schema):
    """A public row. Its result is rounded; exact scores are not public."""

    id: UUID
    model: str
    team: str
    size: float | None
    openness: str
    licence: str
    base: str
    setting: str
    link: str
    training_data: str
    contamination: str
    published: datetime
    result: dict[str, Any] = Field(description="scores with intervals, number of items, signature")


class BoardOut(Schema):
    """The public rows of one season of a board, the best first."""

    task: str
    season: SeasonOut
    metrics: list[Metric]
    count: int = Field(description="rows in all")
    next: str | None = Field(description="the address of the next page")
    rows: list[Row]


class Used(Schema):
    """How much of a limit is used."""

    used: int
    most: int


class AllowanceOut(Schema):
    """What a team may still do on a board."""

    task: str
    closed: str = Field(description="why the task takes nothing just now; empty where it does")
    left: int = Field(description="scored submissions that are left, by the tightest limit")
    uploads_left: int = Field(description="uploads of any outcome that are left today")
    next: datetime | None = Field(description="when the next one will be possible; null where it is now")
    used: dict[str, Used]


class FaultOut(Schema):
    """Something wrong with a file."""

    row: int | None
    text: str


class SubmissionOut(Schema):
    """A submission of one's team."""

    id: UUID
    task: str
    season: int
    state: str
    state_text: str
    reason: str = Field(description="of a failure or a refusal, or why nothing happens at present")
    is_final: bool = Field(description="nothing changes any more until the team or staff do something")
    place: int | None = Field(description="in the queue, 0 while it is being scored; lists leave it out")
    expected_s: int | None = Field(description="seconds until its result, by the recent ones")
    file: str
    sha256: str
    n_rows: int
    n_faults: int
    faults: list[FaultOut] = Field(description="the first; all that are kept are at /submissions/{id}/faults")
    card: ShownCard
    created: datetime
    queued: datetime | None
    scored: datetime | None
    published: datetime | None
    told: dict[str, Any] | None = Field(description="what a team is told of its score")
    told_text: str = Field(description="the same in words")
    url: str = Field(description="its page")


class Submitted(Schema):
    """What became of an upload: one submission a task."""

    submissions: list[SubmissionOut]
    allowances: list[AllowanceOut]


class Submissions(Schema):
    """The submissions of one's team, the newest first."""

    count: int
    next: str | None
    submissions: list[SubmissionOut]


class Faults(Schema):
    """All faults that are kept of a file."""

    n_faults: int
    faults: list[FaultOut]


Limit = Annotated[int, Field(ge=1, le=1000, description="the most rows of a page")]
Offset = Annotated[int, Field(ge=0, le=1_000_000, description="rows to skip")]
