"""Which data set lies in a folder in upstream's layout, and which files it is made of."""

from __future__ import annotations

from pathlib import Path

from hf_datasets.converted import is_converted
from hf_datasets.repo import DatasetRepo, MissingError, dataset_repo, dataset_repos
from hueval_metrics.records import DataError, InputError

_SUFFIXES = (".json", ".jsonl", ".csv", ".parquet")
_DEEP = 3  # folders; a data set's folder, not a whole disk


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
        below = (path for deep in range(1, _DEEP + 1) for path in folder.glob("/".join("*" * deep)))
        paths = [path for path in below if path.suffix in _SUFFIXES and path.is_file()]
    files = {path.relative_to(folder).as_posix(): path for path in sorted(paths)}
    for name, path in files.items():
        if not path.resolve().is_relative_to(folder.resolve()):
            raise DataError(f"{folder / name} is a link that leads out of {folder}. Put the file itself there")
    return {name: path for name, path in files.items() if "/." not in f"/{name}"}


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
