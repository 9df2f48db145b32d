"""A data set as the user names it: a folder, converted or in upstream's layout, its name, or a Hub repository.

This module also detects which data set is in a folder in upstream's layout, and which files it consists of.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hf_datasets.cache import cache_dir
from hf_datasets.converted import Converted, is_converted, read_converted
from hf_datasets.network import hub_endpoint, offline, pinned, reason
from hf_datasets.repo import DatasetRepo, MissingError, Row, dataset_repo, dataset_repos, names
from hf_datasets.text_files import files_below
from hueval_metrics.errors import DataError, InputError
from hueval_metrics.one_line import one_line

_SUFFIXES = (".json", ".jsonl", ".csv", ".parquet")
_COMMIT = re.compile(r"[0-9a-f]{40}")
_ANSWER_S = 10.0  # for the first answer of the Hub


def open_data(named: str, name: str | None = None) -> Opened:
    """Find a data set and its form; its rows are not read yet.

    Args:
        named: its folder, or one that has it as its sub-folder NAME; or the name of a data set, for the copy in
            `HUEVAL_DATA_DIR`, or else in the cache; or `org/name@revision`, which is fetched from the Hub.
        name: which data set is in the folder; None for the one that is there.

    Raises:
        InputError: there is no such folder, or no known data set in it, or several, or not the one named.
        DataError: it cannot be fetched, or the manifest of a converted folder is damaged.
    """
    try:
        path = Path(named).expanduser()
        is_there = path.exists()
    except (OSError, RuntimeError, ValueError) as problem:  # too long, no permission, ~unknown, a NUL
        raise InputError(f"cannot look for {one_line(named)} ({one_line(problem, 80)}). Name a folder") from None
    if named in names() and not is_there:
        return _own_copy(dataset_repo(named))
    if (repo := pinned(named)) and not is_there:
        path = _snapshot(*repo)
    elif not path.is_dir():
        raise InputError(
            f"{one_line(named, 200)} is not a folder. Name one, or one of {', '.join(names())}, or a repository on the "
            "Hub as org/name@revision"
        )
    return _the_one_in(path, named, name)


def _own_copy(repo: DatasetRepo) -> Opened:
    """A data set on this machine, looked for in the same order as by the tasks."""
    name, own, also = repo.name, os.environ.get("HUEVAL_DATA_DIR"), ""
    if own:
        if found := in_folder(repo, Path(own).expanduser(), name):
            return found[0]
        also = f", and HUEVAL_DATA_DIR ({own}) does not have it"
    cached = cache_dir() / "data" / name
    if not cached.is_dir():
        raise InputError(f"{name} is not in the cache ({cached}){also}. Fetch it: hueval data pull {name}")
    return _the_one_in(cached, name, name)


def _the_one_in(path: Path, where: str, name: str | None) -> Opened:
    """The data set in a folder."""
    if is_converted(path):
        found_name = read_converted(path).manifest.name
        if name not in (None, found_name) and not is_converted(path / str(name)):
            raise InputError(f"{path} is {found_name}, not {name}. Leave --name out, or name another folder")
        name = name or found_name
    repos = [dataset_repo(name)] if name else list(dataset_repos())
    found = [forms[0] for repo in repos if (forms := in_folder(repo, path, where))]
    if len(found) == 1:
        return found[0]
    if found:
        several = [opened.repo.name for opened in found]
        raise InputError(f"{path} has several data sets: {', '.join(several)}. Name one: --name {several[0]}")
    titles = ", ".join(repo.title for repo in repos)
    raise InputError(f"{path} has no upstream file of {titles}. Fetch them: hueval data pull {name or 'NAME'}")


def in_folder(repo: DatasetRepo, folder: Path, where: str = "") -> list[Opened]:
    """The copies of a data set in a folder, in its sub-folder NAME or in itself: a converted one, one as upstream's.

    Raises:
        DataError: the manifest of a converted copy is damaged.
    """
    places = (folder / repo.name, folder)
    copies = [Opened(repo, place, where, read_converted(place)) for place in places if is_converted(place)]
    ours = [copy for copy in copies if copy.converted and copy.converted.manifest.name == repo.name]
    files = [Opened(repo, place, where) for place in places if place.is_dir() and _is_in(repo, place)]
    return ours[:1] + files[:1]


def _snapshot(repo: str, revision: str) -> Path:
    """The folder with all files of a repository on the Hub at the commit to which the revision points now."""
    folder = cache_dir() / "hub" / repo.replace("/", "--")
    if offline():
        if _COMMIT.fullmatch(revision) and (folder / revision).is_dir():
            return folder / revision
        raise DataError(
            f"{repo}@{revision} is not in the cache, and HUEVAL_OFFLINE or HF_HUB_OFFLINE is set. Unset it, or name a "
            "commit that was fetched before"
        )
    import huggingface_hub as hub

    try:
        info = hub.HfApi(endpoint=hub_endpoint()).dataset_info(repo, revision=revision, timeout=_ANSWER_S)
        commit = info.sha or ""
        if not _COMMIT.fullmatch(commit):
            raise ValueError("it named no commit")
        hub.snapshot_download(
            repo,
            repo_type="dataset",
            revision=commit,
            endpoint=hub_endpoint(),
            local_dir=folder / commit,  # real files; in the client's own cache they are links out of the folder
            ignore_patterns="*../*",  # names come from a server
        )
    except Exception as error:  # the client's exceptions come from requests or httpx, depending on its version
        raise DataError(
            f"{repo}@{revision} cannot be downloaded from {hub_endpoint()} ({reason(error)}). Check its name and "
            "revision; a private repository needs HF_TOKEN"
        ) from None
    return folder / commit


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


@dataclass(frozen=True)
class Opened:
    """A data set whose rows can be read.

    Attributes:
        repo: which data set.
        folder: its folder.
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
