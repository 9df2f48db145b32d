"""The boards that families declare in `site.yaml`: task, hidden fields, columns, limits, texts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated

import yaml
from django.conf import settings
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from hueval_metrics.declare import Family, Metric
from hueval_metrics.records import InputError
from hueval_metrics.registry import TaskSpec, families, resolve, task_spec
from hueval_metrics.submission.formats import SubmissionFormat, Target

LANGUAGES = ("hu", "en")
Texts = Mapping[str, str]


class _Declared(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Limits(_Declared):
    """How often one team may have a file of one task scored.

    Attributes:
        day, month, year: scored submissions in 24 hours, 30 days, 365 days.
        per_day_checks: uploads of any outcome in 24 hours.
        public_year: rows made public in 365 days.
    """

    day: Annotated[float, Field(gt=0)] = 2
    month: Annotated[int, Field(ge=1)] = 8
    year: Annotated[int, Field(ge=1)] = 24
    per_day_checks: Annotated[int, Field(ge=1)] = 50
    public_year: Annotated[int, Field(ge=1)] = 4


class Download(_Declared):
    """Where the data of a task come from.

    Attributes:
        licence: SPDX identifier, or the words of the source.
        url: of the source.
        files: paths below the folder of public data that the site offers itself; empty for a link alone.
    """

    licence: str
    url: str
    files: tuple[str, ...] = ()


class Board(_Declared):
    """One board.

    Attributes:
        task: the task's name, which is also the board's.
        variants: key of `--metadata` → value, such as `split`.
        hidden: fields of the data that readers do not have; empty where the answers are public.
        metrics: columns, the first of which orders the board.
        format: dotted path of a `submission.formats.SubmissionFormat`.
        limits: how often.
        download: where the data come from.
        description, why: language → what the task asks for; why these metrics.
        publications: URLs.
    """

    task: str
    variants: Mapping[str, str | int] = Field(default_factory=dict)
    hidden: tuple[str, ...] = ()
    metrics: Annotated[tuple[str, ...], Field(min_length=1)]
    format: str = "hueval_metrics.submission.predictions.FORMAT"
    limits: Limits = Limits()
    download: Download
    description: Texts
    why: Texts
    publications: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_both_languages(self) -> Board:
        for name in ("description", "why"):
            if missing := [language for language in LANGUAGES if not getattr(self, name).get(language)]:
                raise ValueError(f"{name} has no text in {' and '.join(missing)}")
        return self

    @property
    def spec(self) -> TaskSpec:
        """The task."""
        return task_spec(self.task)

    @property
    def family(self) -> Family:
        """The family of the task."""
        return self.spec.family

    @property
    def title(self) -> str:
        """The task's title, as its paper calls it."""
        return self.spec.declared.title

    @property
    def first_metric(self) -> Metric:
        """The metric that orders the board."""
        return self.spec.metrics[self.metrics[0]]

    @property
    def headings(self) -> dict[str, str]:
        """Metric → heading of its column."""
        return {name: self.spec.declared.headline.get(name, name) for name in self.metrics}

    @property
    def is_judged(self) -> bool:
        """Whether a judge scores the answers."""
        return self.spec.rubric is not None

    @property
    def submission_format(self) -> SubmissionFormat:
        """The format of its files."""
        found: SubmissionFormat = resolve(self.format)
        return found

    @property
    def public_target(self) -> Target:
        """The task with what everybody may read."""
        return Target(self.task, self.variants, settings.CONFIG.data_dir)

    @property
    def hidden_target(self) -> Target:
        """The task with its reference answers; only the worker can read them where they are hidden."""
        folder = settings.CONFIG.labels_dir if self.hidden else settings.CONFIG.data_dir
        return Target(self.task, self.variants, folder)


@cache
def boards() -> Mapping[str, Board]:
    """Task → board, of all families in their order.

    Raises:
        InputError: a declaration has a fault.
    """
    return {board.task: board for family in families().values() if family.site for board in _read(family, family.site)}


def boards_of(family: str) -> list[Board]:
    """The boards of a family, in their order."""
    return [board for board in boards().values() if board.family.name == family]


class _File(_Declared):
    boards: Annotated[tuple[Board, ...], Field(min_length=1)]


def _read(family: Family, path: Path) -> tuple[Board, ...]:
    try:
        found = _File.model_validate(yaml.safe_load(path.read_text(encoding="utf-8"))).boards
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise InputError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}. Fix it there") from None
    for board in found:
        if board.task not in family.tasks:
            raise InputError(f"{path}: {board.task} is no task of {family.title}. Name one of its tasks")
        if unknown := [name for name in board.metrics if name not in board.spec.metrics]:
            raise InputError(f"{path}: {board.task} has no metric {', '.join(unknown)}. Name those of its declaration")
    return found
