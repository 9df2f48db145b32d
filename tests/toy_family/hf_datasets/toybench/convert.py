"""Toybench: from JSON Lines, a file a config, to rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from hf_datasets.repo import Config, DatasetRepo, Row, Split
from hf_datasets.text_files import json_rows, refuse
from hf_datasets.toybench.schema import Letter, Review, Riddle
from hf_datasets.wording import first_fault


def read(folder: Path, config: str, split: str) -> Iterator[Row]:
    """The rows in file order; raises what `DatasetRepo` says of `read`."""
    table = REPO.table(config, split)
    path = table.file_in(folder)
    for place, row in json_rows(path):
        try:
            yield table.config.row.model_validate(row).model_dump()
        except ValidationError as error:
            refuse(path, f"{place}: {first_fault(table.config.row, error)}")


def _config(name: str, row: type[Review] | type[Riddle] | type[Letter], text: str) -> Config:
    return Config(name, row, (Split("test", file=f"{name}.jsonl"),), id_fields=("id",), text_fields=(text,))


REPO = DatasetRepo(
    name="toybench",
    title="Toybench",
    license="cc0-1.0",
    refuses_push=None,
    configs=(
        _config("reviews", Review, "text"),
        _config("riddles", Riddle, "question"),
        _config("letters", Letter, "request"),
    ),
    sources=(),
    read=read,
)
