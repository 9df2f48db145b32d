"""A data set as the user names it: by a folder, converted or in upstream's layout, its name, or a Hub repository.

And which data set lies in a folder in upstream's layout, and which files it is made of.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hf_datasets.cache import cache_dir
from hf_datasets.converted import Converted, is_converted, read_converted
from hf_datasets.hub import pinned, snapshot
from hf_datasets.repo import DatasetRepo, MissingError, Row, dataset_repo, dataset_repos, names
from hf_datasets.text_files import files_below
from hueval_metrics.records import DataError, InputError
from hueval_metrics.text.one_line import one_line

_SUFFIXES = (".json", ".jsonl", ".csv", ".parquet")


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
        if copy := converted_in(folder, name):
            return copy.folder
        if upstream := upstream_folder(dataset_repo(name), folder):
            return upstream
    cached = cache_dir() / "data" / name
    if not cached.is_dir():
        also = f", and HUEVAL_DATA_DIR ({own}) does not have it" if own else ""
        raise InputError(f"{name} is not in the cache ({cached}){also}. Fetch it: hueval data pull {name}")
    return cached


def converted_in(folder: Path, name: str) -> Converted | None:
    """The conversion of a data set, in the sub-folder of its name or in the folder itself; None where there is none.

    Raises:
        DataError: its manifest is damaged.
    """
    copies = (read_converted(place) for place in (folder / name, folder) if is_converted(place))
    return next((copy for copy in copies if copy.manifest.name == name), None)


def _look_for(named: str) -> tuple[Path, bool]:
    """The path, and whether anything is there."""
    try:
        path = Path(named).expanduser()
        return path, path.exists()
    except (OSError, RuntimeError, ValueError) as problem:  # too long, no permission, ~nobody, a NUL
        raise InputError(f"cannot look for {one_line(named)} ({one_line(problem, 80)}). Name a folder") from None


def find_folder(path: Path, name: str | None = None) -> tuple[DatasetRepo, Path]:
    """The data set in a folder, and where exactly it lies.

    Args:
        path: its folder in upstream's layout, or one that has it as its sub-folder NAME.
        name: which data set; None for the one that is there.

    Raises:
        InputError: the folder has no known data set, or several, or not the one named.
    """
    if not path.is_dir():
        raise InputError(f"{path} is not a folder. Name the folder that has the upstream files")
    repos = [dataset_repo(name)] if name else list(dataset_repos())
    found = [(repo, folder) for repo in repos if (folder := upstream_folder(repo, path))]
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(repo.name for repo, _ in found)
        raise InputError(f"{path} has several data sets: {names}. Name one: --name {found[0][0].name}")
    if is_converted(path):
        raise InputError(f"{path} is converted already. Name the folder that has the upstream files")
    titles = ", ".join(repo.title for repo in repos)
    raise InputError(f"{path} has no upstream file of {titles}. Fetch them: hueval data pull {name or 'NAME'}")


def upstream_folder(repo: DatasetRepo, path: Path) -> Path | None:
    """Where a data set lies in upstream's layout: in the sub-folder of its name, or in the folder itself, or not."""
    return next((folder for folder in (path / repo.name, path) if folder.is_dir() and _is_in(repo, folder)), None)


def source_files(repo: DatasetRepo, folder: Path) -> dict[str, Path]:
    """The official files that a folder has, by path below it; every data file where no official ones are listed.

    A file with the name of an official one and another ending counts too: some come as JSON and as Parquet.

    Raises:
        DataError: one of them is a link that leads out of the folder.
    """
    if repo.sources:
        paths = [found for source in repo.sources for found in _variants(folder / source.path) if found.is_file()]
    else:
        paths = [folder / path for path in files_below(folder) if path.suffix in _SUFFIXES]
    files = {path.relative_to(folder).as_posix(): path for path in sorted(paths)}
    for name, path in files.items():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise DataError(f"{folder / name} is a link that leads out of {folder}. Put the file itself there")
    return files


def _variants(path: Path) -> list[Path]:
    return [path] if path.exists() else [path.with_suffix(suffix) for suffix in _SUFFIXES]


def _is_in(repo: DatasetRepo, folder: Path) -> bool:
    for table in repo.tables():
        try:
            table.file_in(folder)
        except MissingError:
            continue
        except DataError:
            pass  # it is there, and damaged: the error is raised when it is read
        return True
    return False


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
        elif self.converted.manifest.has(config, split):
            yield from self.converted.rows(config, split)
        else:
            raise MissingError(
                f"{self.where} has no {config}/{split}. Convert the data set again, or take another copy"
            )
