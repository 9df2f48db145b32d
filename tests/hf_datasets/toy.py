"""A data set of two configs that is small enough to see whole, its card, and a converted folder of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from hf_datasets.cache import blob_id, file_sha256
from hf_datasets.contamination import GUIDS, guids_file, guids_section
from hf_datasets.converted import MANIFEST, Manifest, SplitFile
from hf_datasets.parquet import write_rows
from hf_datasets.repo import Config, DatasetRepo, Evaluation, SourceFile, Split

CARD = """---
license: cc-by-4.0
language: [hu, en]
pretty_name: Toy
size_categories: [n<1K]
configs:
  - config_name: folyok
    data_files: [{split: train, path: folyok/train.parquet}, {split: test, path: folyok/test.parquet}]
  - config_name: varosok
    data_files: [{split: test, path: varosok/test.parquet}]
---

# Toy

## Files and fields

`id` and `text`.

```text
# not a heading
```

## Source and collection

Written for the tests.

## Annotators

### Who they are

Nobody.

## Known irregularities

None that we know of.

## Intended use

Tests.

## Personal data

None.

## Contamination

Nobody trains on it.

## Licence, citation

CC-BY-4.0; not to be cited.

## Changelog

- 1: made.
"""


class Line(BaseModel):
    """A row."""

    id: str
    text: str


def config(name: str, *splits: str) -> Config:
    return Config(name, Line, tuple(Split(split, 2) for split in splits), ("id",), ("text",))


def toy_repo(*sources: SourceFile, refuses_push: str | None = None) -> DatasetRepo:
    configs = (config("folyok", "train", "test"), config("varosok", "test"))
    return DatasetRepo("toy", "Toy", "cc-by-4.0", refuses_push, configs, sources, lambda *_: iter(()))


REPO = toy_repo()
EVALUATED = replace(
    REPO, configs=(replace(REPO.configs[0], evaluation=Evaluation("folyo", "id", "text", "exact")), REPO.configs[1])
)
FORBIDDEN = toy_repo(refuses_push="nobody knows its licence")
WITHOUT_TOWNS = replace(REPO, configs=REPO.configs[:1])
PINNED = toy_repo(*(SourceFile(f"{name}.json", f"https://upstream.invalid/{name}", blob_id(b"[]")) for name in "ab"))

ROWS: dict[str, dict[str, list[dict[str, Any]]]] = {
    "folyok": {
        "train": [{"id": "1", "text": "Duna"}, {"id": "2", "text": "Tisza"}],
        "test": [{"id": "3", "text": "Körös"}, {"id": "4", "text": "Győr alatt a Rába"}],
    },
    "varosok": {"test": [{"id": "5", "text": "Szeged"}, {"id": "6", "text": "Hódmezővásárhely"}]},
}


def convert_toy(
    out: Path,
    rows: Mapping[str, Mapping[str, list[dict[str, Any]]]] = ROWS,
    card: str = CARD,
    version: str = "1.0",
    source: str | None = None,
) -> Path:
    """A converted folder with these rows, made from a file `source` where one is named."""
    configs: dict[str, dict[str, SplitFile]] = {}
    for name, splits in rows.items():
        for split, lines in splits.items():
            path = f"{name}/{split}.parquet"
            count, content = write_rows(lines, Line, out / path)
            configs.setdefault(name, {})[split] = SplitFile(count, content, path, file_sha256(out / path), source)
    sources = {"files": {source: {"git_blob_id": "1" * 40, "url": None}}} if source else {}
    (out / MANIFEST).write_bytes(Manifest("toy", version, sources, configs).to_json())
    write_card(out, card)
    (out / GUIDS).write_text(guids_file(REPO, rows), encoding="utf-8")
    return out


def write_card(out: Path, card: str) -> None:
    """The card of a conversion, with the GUIDs of all configs."""
    (out / "README.md").write_text(card + guids_section(REPO, ROWS), encoding="utf-8")
