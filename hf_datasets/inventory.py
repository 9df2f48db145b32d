"""`hueval data list`: the data sets, their size and licence, and the copies on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from hf_datasets.cache import cache_dir
from hf_datasets.opened import Opened, in_folder
from hf_datasets.repo import DatasetRepo, dataset_repos
from hueval_metrics.errors import DataError


def inventory() -> str:
    """One line for each data set: configs, rows, licence, and its copies in the cache and in HUEVAL_DATA_DIR."""
    table = [("data set", "configs", "rows", "licence", "on this machine")]
    for repo in dataset_repos():
        fix = f"hueval data pull {repo.name}" if repo.sources else "its card says where to get it"
        holdings = "; ".join(_holdings(repo)) or f"no ({fix})"
        table.append((repo.name, f"{len(repo.configs)}", _rows(repo), repo.license, holdings))
    return _aligned(table, numbers=(1, 2))


def contents(repo: DatasetRepo) -> str:
    """One line for each split: its rows, and the number that the paper prints where it differs; also for all splits.

    Optional splits are left out.
    """
    table = [("config", "split", "rows", "in print")]
    for config in repo.configs:
        for split in (split for split in config.splits if not split.optional):
            counted, printed = (f"{count:,}" if count is not None else "" for count in (split.rows, split.printed))
            table.append((config.name, split.name, counted, printed))
        if config.printed is not None:
            table.append((config.name, "all", "", f"{config.printed:,}"))
    return _aligned(table, numbers=(2, 3))


def _rows(repo: DatasetRepo) -> str:
    """The number of rows of all splits; the paper's number for those that could not be counted."""
    counts: list[int | None] = []
    for config in repo.configs:
        splits = [split for split in config.splits if not split.optional]
        in_splits = [split.printed if split.rows is None else split.rows for split in splits]
        counts += [config.printed] if None in in_splits and config.printed is not None else in_splits
    known = sum(count for count in counts if count is not None)
    if not known:
        return "?"
    about = "" if all(split.rows is not None for config in repo.configs for split in config.splits) else "~"
    return f"{about}{known:,}{'+' if None in counts else ''}"


def _holdings(repo: DatasetRepo) -> Iterator[str]:
    """The copies on this machine, such as `cache: 3 of 5 files`."""
    places: list[tuple[str, Path]] = [("cache", cache_dir() / "data")]
    if named := os.environ.get("HUEVAL_DATA_DIR"):
        places.insert(0, ("HUEVAL_DATA_DIR", Path(named).expanduser()))
    for label, place in places:
        try:
            for found in in_folder(repo, place):
                yield f"{label}: {_extent(found)}"
        except DataError:
            yield f"{label}: damaged conversion"


def _extent(found: Opened) -> str:
    """How much of a data set a copy has."""
    repo = found.repo
    if found.converted:
        return f"{len(found.converted.manifest.configs)} of {len(repo.configs)} configs, converted"
    there = sum((found.folder / source.path).is_file() for source in repo.sources)
    return f"{there} of {len(repo.sources)} files" if repo.sources else "files"


def _aligned(table: Sequence[Sequence[str]], numbers: Sequence[int]) -> str:
    """The rows in columns; those of numbers are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = []
    for row in table:
        cells = enumerate(zip(row, widths, strict=True))
        shown = (cell.rjust(width) if place in numbers else cell.ljust(width) for place, (cell, width) in cells)
        lines.append("  ".join(shown).rstrip())
    return "\n".join(lines)
