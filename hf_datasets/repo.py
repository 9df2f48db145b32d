"""The declaration of a dataset repository: its configs and splits, the schema of their rows, its official files.

Each folder beside this file is one repository. Its `convert.py` makes a `DatasetRepo` named `REPO`. The modules of this
folder locate, read, convert, check and publish every data set, and name none.
"""

from __future__ import annotations

import hashlib
import json
import logging
import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import hf_datasets
from hueval_metrics.errors import DataError, InputError
from hueval_metrics.one_line import one_line

Row = dict[str, Any]

_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
RowCheck = Callable[[str, str, Row], Iterable[str]]

_GITHUB_OR_HUB = re.compile(
    r"https://(?:raw\.githubusercontent\.com/|huggingface\.co/datasets/)(?P<repo>[^/]+/[^/]+)/(?:resolve/)?"
    r"(?P<revision>[0-9a-f]{40})/"
)
_log = logging.getLogger(__name__)


class MissingError(DataError):
    """A folder has no file of a config's split; the other splits can still be read."""


class FileFaultError(DataError):
    """The content of a data file is wrong.

    Attributes:
        fault: what is wrong, with the file's name and the place in it. The whole text adds the fix, which depends on
            whether the file is the user's or ours.
    """

    def __init__(self, fault: str, fix: str) -> None:
        super().__init__(f"{fault}. {fix}")
        self.fault = fault


@dataclass(frozen=True)
class SourceFile:
    """One official file at a pinned revision.

    Attributes:
        path: its path below the data set's folder, as in upstream's repository, such as `kviz/dev.json`.
        url: its address.
        blob_id: its git blob id, as `git hash-object` prints it; None where it is unknown.
    """

    path: str
    url: str
    blob_id: str | None

    @property
    def short_name(self) -> str:
        """The path without its suffix, as printed to users."""
        return self.path.removesuffix(Path(self.path).suffix)

    @property
    def published(self) -> tuple[str, str] | None:
        """The repository on GitHub or the Hub and the commit in its address; None for an address elsewhere.

        >>> SourceFile("a.json", f"https://raw.githubusercontent.com/org/kviz/{'0' * 40}/a.json", None).published
        ('org/kviz', '0000000000000000000000000000000000000000')
        """
        match = _GITHUB_OR_HUB.match(self.url)
        return (match["repo"], match["revision"]) if match else None


@dataclass(frozen=True)
class Split:
    """One split of a config.

    Attributes:
        name: `train`, `validation` or `test`.
        rows: number of rows of the official file; None where it could not be counted.
        content: the `content_hash` of its rows; None likewise.
        printed: number of rows that the paper prints, where the file has another.
        file: the path of its file below the data set's folder, as in upstream's repository.
        optional: whether a source may lack it, as rows that are not of the benchmark: nothing reports that it is not
            there, and it is neither counted nor compared with the other splits.
    """

    name: str
    rows: int | None = None
    content: str | None = None
    printed: int | None = None
    file: str = ""
    optional: bool = False


@dataclass(frozen=True)
class Evaluation:
    """A task of `eval.yaml` (`evaluation.py`), for one config. Its score is that of Inspect's scorer, not ours.

    Attributes:
        task: its id, the short name of our task on the same rows.
        input: the field with the question.
        target: the field with the answer; with `choices` the index of the right one.
        scorer: of Inspect's list.
        choices: the field with the options; None for an open question.
        split: of the config.
    """

    task: str
    input: str
    target: str
    scorer: str
    choices: str | None = None
    split: str = "test"


@dataclass(frozen=True)
class Config:
    """One table of a repository, as `datasets.load_dataset(REPO, CONFIG)` knows it.

    Attributes:
        name: in lower case.
        row: the schema of a row; its field descriptions are those of the card.
        splits: in the order train, validation, test.
        id_fields: the fields that identify a row within its split.
        text_fields: the texts of a row; rows with the same texts are duplicates.
        question_fields, answer_fields: fields for the check that no question contains its answer; empty where that
            check makes no sense.
        label_field: the field whose distribution is compared between splits; None where there is none.
        printed: number of rows that the paper prints for all splits together, where it gives no numbers by split.
        evaluation: its task in the Hub's `eval.yaml`; None where no scorer there scores it.
        release: names its rows; other rows under its name, as new questions, are another release, with another
            contamination GUID.
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
    evaluation: Evaluation | None = None
    release: str = "1"

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
        title: its name as its authors spell it.
        license: the identifier that the Hub uses, `other` where configs differ.
        refuses_push: why others may not publish its rows, in one line; None when they may.
        configs: its tables.
        sources: the official files.
        read: from a folder in upstream's layout, a config's name and a split's, the converted rows, one at a time, each
            checked against the schema. Raises DataError in one line: file, row, field, how to fix it; MissingError
            where the folder has no file of that split.
        checks: further checks of a row for `hueval data check`.
        find: from a folder in upstream's layout, a config's name and a split's, the file; None where it is always
            at `Split.file`. Raises DataError; MissingError where there is none.
        home: the folder with the card and the sample; None for the one beside this file.
    """

    name: str
    title: str
    license: str
    refuses_push: str | None
    configs: tuple[Config, ...]
    sources: tuple[SourceFile, ...]
    read: Callable[[Path, str, str], Iterator[Row]]
    checks: tuple[RowCheck, ...] = ()
    find: Callable[[Path, str, str], Path] | None = field(default=None, kw_only=True)
    home: Path | None = field(default=None, kw_only=True)

    @property
    def folder(self) -> Path:
        """The folder with its card (`README.md`) and its sample (`sample/`, in upstream's layout)."""
        return self.home or _HERE / self.name

    @property
    def sample(self) -> Path:
        """The folder of its packaged sample, whose rows are neither those of the official files nor as many."""
        return self.folder / "sample"

    def is_sample(self, folder: Path) -> bool:
        """Whether a folder is that of the packaged sample."""
        return folder.resolve() == self.sample.resolve()

    def config(self, name: str) -> Config:
        """A config by name, in any letter case.

        Raises:
            InputError: there is none of this name; the message names the nearest.
        """
        return _named(name.lower(), self.configs, f"{self.name} has no config")

    def table(self, config: str, split: str) -> Table:
        """A split of a config by their names.

        Raises:
            InputError: there is none of this name.
        """
        known = self.config(config)
        return Table(self, known, known.split(split))

    def tables(self) -> Iterator[Table]:
        """All splits of all configs."""
        return (Table(self, config, split) for config in self.configs for split in config.splits)


@dataclass(frozen=True)
class Table:
    """A split of a config of a dataset repository: the rows that a task needs."""

    repo: DatasetRepo
    config: Config
    split: Split

    @property
    def official(self) -> SourceFile | None:
        """The official file that has its rows; None where none is pinned."""
        return next((source for source in self.repo.sources if source.path == self.split.file), None)

    def file_in(self, folder: Path) -> Path:
        """Its file in a folder in upstream's layout.

        Raises:
            MissingError: there is none.
            DataError: it cannot be looked for, or something else has its name.
        """
        if self.repo.find is not None:
            return self.repo.find(folder, self.config.name, self.split.name)
        path = folder / str(self)
        if not exists(path):
            raise MissingError(f"{path} does not exist. Put it there, or fetch it: hueval data pull {self.repo.name}")
        if not path.is_file():
            raise DataError(f"{path} is not a file. Move it away and put the data file there")
        return path

    def __str__(self) -> str:
        """The name of its file, as upstream lays it out."""
        return self.split.file or f"{self.config.name}/{self.split.name}"


_HERE = Path(__file__).parent


def names() -> tuple[str, ...]:
    """The names of all data sets in alphabetical order.

    They are the folders beside this file that have a `convert.py`, and the families of other distributions that declare
    their data by a dotted path.
    """
    return tuple(sorted(_paths()))


def dataset_repo(name: str) -> DatasetRepo:
    """A dataset repository by name.

    Raises:
        InputError: there is none of this name.
        DataError: its module is broken; the text names it.
    """
    paths = _paths()
    if name not in paths:
        raise InputError(f'there is no data set "{name}". One of: {", ".join(sorted(paths))}')
    where = next((str(file) for file in _converters() if file.parent.name == name), paths[name])
    try:
        repo = pkgutil.resolve_name(paths[name])
    except Exception as error:  # whatever a module raises, the other data sets stay usable
        fault = f"{type(error).__name__}: {one_line(error, 80)}"
        raise DataError(f"{where} cannot be imported ({fault}). Fix it, or remove it") from None
    if not isinstance(repo, DatasetRepo) or repo.name != name:
        raise DataError(f"{where} is not the DatasetRepo {name}. Fix it, or remove it")
    return repo


def _paths() -> dict[str, str]:
    """Name of a data set → dotted path of its `DatasetRepo`."""
    from hueval_metrics.registry import families

    others = {family.name: family.data for family in families().values() if re.search(r"[.:]", family.data)}
    return others | {file.parent.name: f"{__package__}.{file.parent.name}.convert:REPO" for file in _converters()}


def _converters() -> Iterator[Path]:
    """The `convert.py` of every folder of this package."""
    return (file for folder in hf_datasets.__path__ for file in Path(folder).glob("*/convert.py"))


def dataset_repos() -> Iterator[DatasetRepo]:
    """All dataset repositories; a broken one is skipped with a warning."""
    for name in names():
        try:
            yield dataset_repo(name)
        except DataError as error:
            _log.warning("%s", error)


def exists(path: Path) -> bool:
    """Whether anything has this path.

    Raises:
        DataError: the permissions do not allow looking.
    """
    try:
        path.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        raise DataError(f"cannot look for {path} ({error.strerror}). Fix the permissions or the path") from None
    return True


def content_hash(rows: Iterable[Mapping[str, Any]]) -> str:
    """The SHA-256 of converted rows in order; it does not depend on the format of the file.

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
