"""What a dataset repository of ours is: its configs and splits, the rows in them, where they come from, its card.

Each folder beside this file is one repository. Its `convert.py` makes a `DatasetRepo` named `REPO`; what all of them
have in common (reading, converting, checking, publishing) stands in the modules of this folder and knows no dataset.
"""

from __future__ import annotations

import hashlib
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from hueval_metrics.records import DataError, InputError

NAMES = ("openhueval", "hulu", "kolassimpleqa", "hkmmlu")

Row = dict[str, Any]

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
RowCheck = Callable[[str, str, Row], Iterable[str]]


class MissingError(DataError):
    """A folder has no file of a config's split: the others may be read all the same."""


@dataclass(frozen=True)
class SourceFile:
    """One official file, at a revision that does not move.

    Attributes:
        path: where it lies below the dataset's folder, as upstream lays it out, such as `hucola/cola_dev.json`.
        url: its address.
        blob_id: its git blob id, as `git hash-object` prints it; None where nobody could compute it yet.
    """

    path: str
    url: str
    blob_id: str | None


@dataclass(frozen=True)
class Split:
    """One split of a config.

    Attributes:
        name: `train`, `validation` or `test`.
        rows: how many rows the official file has; None where it could not be counted.
        content: the `content_hash` of its rows; None likewise.
        printed: how many rows the paper prints, where the file has another number.
    """

    name: str
    rows: int | None = None
    content: str | None = None
    printed: int | None = None


@dataclass(frozen=True)
class Config:
    """One table of a repository, as `datasets.load_dataset(REPO, CONFIG)` knows it.

    Attributes:
        name: in lower case.
        row: the schema of a row; its field descriptions are those of the card.
        splits: in the order train, validation, test.
        id_fields: what tells rows of a split apart.
        text_fields: what a reader of a row reads; rows that agree in all of them are duplicates.
        question_fields, answer_fields: the texts that must not give each other away; empty where that says nothing.
        label_field: whose values should not be skewed; None where there is none.
        printed: how many rows the paper prints for all splits together, where it does not tell them apart.
    """

    name: str
    row: type[BaseModel]
    splits: tuple[Split, ...]
    id_fields: tuple[str, ...]
    text_fields: tuple[str, ...]
    question_fields: tuple[str, ...] = ()
    answer_fields: tuple[str, ...] = ()
    label_field: str | None = None
    printed: int | None = None

    def split(self, name: str) -> Split:
        """One of the splits by name.

        Raises:
            InputError: there is none of this name.
        """
        return _named(name, self.splits, f"{self.name} has no split")


@dataclass(frozen=True)
class DatasetRepo:
    """One dataset repository.

    Attributes:
        name: of its folder here, in the cache, and below a data folder.
        title: as a person reads it.
        license: the identifier that the Hub uses, `other` where configs differ.
        refuses_push: why its rows may not be published by others, in one line; None when they may.
        configs: its tables.
        sources: the official files.
        read: from a folder in upstream's layout, a config's name and a split's, the converted rows, one at a time, each
            checked against the schema. Raises DataError in one line: file, row, field, how to mend it; MissingError
            where the folder has no file of that split.
    """

    name: str
    title: str
    license: str
    refuses_push: str | None
    configs: tuple[Config, ...]
    sources: tuple[SourceFile, ...]
    read: Callable[[Path, str, str], Iterator[Row]]
    checks: tuple[RowCheck, ...] = ()

    @property
    def folder(self) -> Path:
        """The folder with its card (`README.md`) and its sample (`sample/`, in upstream's layout)."""
        return Path(__file__).parent / self.name

    @property
    def sample(self) -> Path:
        """The folder of its packaged sample, whose rows are neither those of the official files nor as many."""
        return self.folder / "sample"

    def is_sample(self, folder: Path) -> bool:
        """Whether a folder is that of the packaged sample."""
        return folder.resolve() == self.sample.resolve()

    @cached_property
    def config_names(self) -> tuple[str, ...]:
        """The names of its tables."""
        return tuple(config.name for config in self.configs)

    def config(self, name: str) -> Config:
        """One of its tables by name, in any letter case.

        Raises:
            InputError: there is none of this name; the message names the nearest.
        """
        return _named(name.lower(), self.configs, f"{self.name} has no config")


def dataset_repo(name: str) -> DatasetRepo:
    """A dataset repository of ours by name.

    Raises:
        InputError: there is none of this name.
    """
    if name not in NAMES:
        raise InputError(f'there is no data set "{name}". One of: {", ".join(NAMES)}')
    repo: DatasetRepo = importlib.import_module(f"hf_datasets.{name}.convert").REPO
    return repo


def content_hash(rows: Iterable[Mapping[str, Any]]) -> str:
    """The SHA-256 of converted rows in order: the same whatever file they lay in, and in whatever form.

    >>> content_hash([{"b": 1, "a": "ő"}]) == content_hash([{"a": "ő", "b": 1}])
    True
    """
    digest = hashlib.sha256()
    for row in rows:
        digest.update(canonical(row))
    return digest.hexdigest()


def canonical(row: Mapping[str, Any]) -> bytes:
    r"""A row as one line of JSON in one spelling.

    >>> canonical({"b": [None, True], "a": "ő"})
    b'{"a":"\xc5\x91","b":[null,true]}\n'
    """
    return _ENCODER.encode(row).encode("utf-8", "surrogatepass") + b"\n"


def _named(name: str, known: Iterable[Any], fault: str) -> Any:
    by_name = {entry.name: entry for entry in known}
    if name in by_name:
        return by_name[name]
    near = get_close_matches(name, by_name, n=1, cutoff=0.6)
    shown = list(by_name)[:12]
    hint = f"Did you mean {near[0]}?" if near else f"One of: {', '.join(shown)}{', …' * (len(by_name) > len(shown))}"
    raise InputError(f'{fault} "{name}". {hint}')
