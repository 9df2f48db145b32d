"""A data set as the user names it: by a folder, converted or in upstream's layout, its name, or a Hub repository."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hf_datasets.cache import cache_dir
from hf_datasets.converted import Converted, is_converted, read_converted
from hf_datasets.folders import find_folder, upstream_folder
from hf_datasets.hub import pinned, snapshot
from hf_datasets.repo import DatasetRepo, MissingError, Row, dataset_repo, names
from hueval_metrics.records import InputError
from hueval_metrics.text.one_line import one_line


def open_data(named: str, name: str | None = None) -> Opened:
    """Find a data set and what it is; its rows are not read yet.

    Args:
        named: a folder; or the name of a data set, for the copy in `HUEVAL_DATA_DIR`, or else in our cache; or
            `org/name@revision`, which is fetched from the Hub into the cache.
        name: which data set lies in the folder; None for the one that is there.

    Raises:
        InputError: there is no such thing, or it is not a known data set.
        DataError: it cannot be fetched, or the manifest of a converted folder is damaged.
    """
    path, name = folder_of(named, name)
    if name and is_converted(path / name):  # as for upstream's layout: a folder may hold several
        path /= name
    if not is_converted(path):
        repo, folder = find_folder(path, name)
        return Opened(repo, folder, named)
    converted = read_converted(path)
    if name not in (None, converted.manifest.name):
        raise InputError(f"{path} is {converted.manifest.name}, not {name}. Leave --name out, or name another folder")
    return Opened(dataset_repo(converted.manifest.name), path, named, converted)


def folder_of(named: str, name: str | None = None) -> tuple[Path, str | None]:
    """The folder that is meant, fetched where it has to be, and which data set is meant; nothing in it is read.

    Args:
        named, name: as for `open_data`.

    Raises:
        InputError: there is no such thing.
        DataError: it cannot be fetched.
    """
    path, is_there = _look_for(named)
    repo = pinned(named)
    if named in names() and not is_there:
        path, name = _own_copy(named), named
    elif repo and not is_there:
        path = snapshot(*repo)
    elif not path.is_dir():
        raise InputError(
            f"{one_line(named, 200)} is not a folder. Name one, or one of {', '.join(names())}, or a repository on the "
            "Hub as org/name@revision"
        )
    return path, name


def _own_copy(name: str) -> Path:
    """Where a data set of ours lies, in the order in which the tasks look for it."""
    if own := os.environ.get("HUEVAL_DATA_DIR"):
        folder = Path(own).expanduser()
        for place in (folder / name, folder):
            if is_converted(place) and read_converted(place).manifest.name == name:
                return place
        if upstream := upstream_folder(dataset_repo(name), folder):
            return upstream
    cached = cache_dir() / "data" / name
    if not cached.is_dir():
        also = f", and HUEVAL_DATA_DIR ({own}) does not have it" if own else ""
        raise InputError(f"{name} is not in the cache ({cached}){also}. Fetch it: hueval data pull {name}")
    return cached


def _look_for(named: str) -> tuple[Path, bool]:
    """The path, and whether anything is there."""
    try:
        path = Path(named).expanduser()
        return path, path.exists()
    except (OSError, RuntimeError, ValueError) as problem:  # too long, no permission, ~nobody, a NUL
        raise InputError(f"cannot look for {one_line(named)} ({one_line(problem, 80)}). Name a folder") from None


@dataclass(frozen=True)
class Opened:
    """A data set whose rows can be read.

    Attributes:
        repo: which data set.
        folder: where it lies.
        where: the same as the user named it.
        converted: the converted folder; None for one in upstream's layout.
    """

    repo: DatasetRepo
    folder: Path
    where: str
    converted: Converted | None = None

    @property
    def is_sample(self) -> bool:
        """Whether it is the packaged sample."""
        return self.repo.is_sample(self.folder)

    def rows(self, config: str, split: str) -> Iterator[Row]:
        """The rows of a split, one at a time.

        Raises:
            MissingError: there is no file of this split.
            DataError: it cannot be read.
        """
        if self.converted is None:
            yield from self.repo.read(self.folder, config, split)
        elif split in self.converted.manifest.configs.get(config, {}):
            yield from self.converted.rows(config, split)
        else:
            raise MissingError(
                f"{self.where} has no {config}/{split}. Convert the data set again, or take another copy"
            )
