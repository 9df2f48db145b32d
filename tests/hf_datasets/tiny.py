"""A data set of a few rows, as small as a test needs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from hf_datasets.opened import Opened
from hf_datasets.repo import Config, DatasetRepo, MissingError, Row, RowCheck, SourceFile, Split
from hueval_metrics.errors import DataError

DAMAGED = {"damaged": True}  # a row at which reading fails


class Tiny(BaseModel):
    """A row."""

    model_config = ConfigDict(strict=True)
    id: str
    text: str
    hint: str | None = None
    answer: str | None = None
    options: list[str] | None = None
    label: str | None = None


def row(number: int | str, text: str = "", **fields) -> Row:
    """A sound row; its text is one of its own where none is given."""
    empty = {"hint": None, "answer": None, "options": None, "label": None}
    return {"id": str(number), "text": text or f"{number}. mondat", **empty, **fields}


def rows(count: int, label: str | None = None, first: int = 0) -> list[Row]:
    return [row(number, label=label) for number in range(first, first + count)]


def tiny(
    tables: Mapping[str, list[Row]],
    folder: Path = Path("nowhere"),
    *,
    splits: tuple[Split, ...] | None = None,
    sources: tuple[SourceFile, ...] = (),
    checks: tuple[RowCheck, ...] = (),
    text_fields: tuple[str, ...] = ("text",),
    name: str = "tiny",
) -> Opened:
    """A data set with one config, `table`, and these rows in its splits."""

    def read(_: Path, config: str, split: str) -> Iterator[Row]:
        if split not in tables:
            raise MissingError(f"no {split}. Put it there")
        for number, entry in enumerate(tables[split], start=1):
            if entry is DAMAGED:
                raise DataError(f"{config}/{split} row {number} is cut short. Fix the row")
            yield entry

    config = Config(
        name="table",
        row=Tiny,
        splits=tuple(Split(split) for split in tables) if splits is None else splits,
        id_fields=("id",),
        text_fields=text_fields,
        question_fields=("text",),
        answer_fields=("answer",),
        label_field="label",
    )
    repo = DatasetRepo(name, name.title(), "other", None, (config,), sources, read, checks)
    return Opened(repo, folder, f"{name} folder")
