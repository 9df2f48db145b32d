"""A converted folder: a Parquet file for each split, the card, and the manifest `hueval.json`.

    OUT/README.md   OUT/<config>/<split>.parquet   OUT/hueval.json

The manifest is written last, so a folder that has one is complete. Every file is checked against the manifest's SHA-256
before its first row is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from hf_datasets.cache import file_sha256
from hf_datasets.parquet import parquet_rows
from hf_datasets.repo import Row
from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_bytes
from hueval_metrics.text.foreign import parse_json
from hueval_metrics.text.write_json import json_text

MANIFEST = "hueval.json"
FORMAT = 1
_NAME = re.compile(r"\w[\w.-]*", re.ASCII)
_AGAIN = "Convert again (hueval data convert) or take a fresh copy"


@dataclass(frozen=True, slots=True)
class SplitFile:
    """One split of a converted folder.

    Attributes:
        rows: number of rows.
        content: their `repo.content_hash`.
        file: the path below the folder, always `<config>/<split>.parquet`.
        sha256: of the file.
        source: the path of the file from which they were made; None in manifests of earlier versions.
    """

    rows: int
    content: str
    file: str
    sha256: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of `hueval.json`.

    Attributes:
        name: of the dataset repository.
        hueval: the version of this library that converted it.
        source: `{"files": {path: {"git_blob_id": …, "url": …}}}` for every file that was read; `url` is null where the
            file is not the official one.
        configs: config → split → its file.
    """

    name: str
    hueval: str
    source: Mapping[str, Mapping[str, Mapping[str, str | None]]]
    configs: Mapping[str, Mapping[str, SplitFile]]

    def to_json(self) -> bytes:
        """The manifest as JSON."""
        text = json_text({"format": FORMAT, **asdict(self)}, indent=2)
        return text.encode() + b"\n"

    def __str__(self) -> str:
        """One line a split: its rows and their content hash."""
        files = [(config, split, file) for config, splits in self.configs.items() for split, file in splits.items()]
        width = max(len(config) for config, _, _ in files)
        return "\n".join(
            f"{config:{width}}  {split:10}  {file.rows:>7,}  {file.content}" for config, split, file in files
        )

    @property
    def tables(self) -> dict[str, dict[str, int]]:
        """Rows by config and split."""
        return {config: {split: file.rows for split, file in files.items()} for config, files in self.configs.items()}

    @property
    def files(self) -> set[str]:
        """The paths of all splits."""
        return {file.file for files in self.configs.values() for file in files.values()}

    def has(self, config: str, split: str) -> bool:
        """Whether there is such a split."""
        return split in self.configs.get(config, {})

    def blob_id(self, path: str) -> str | None:
        """The git blob id of a source file, by its path; None where it was not read."""
        return self.source.get("files", {}).get(path, {}).get("git_blob_id")


def is_converted(folder: Path) -> bool:
    """Whether a folder is a converted one."""
    return (folder / MANIFEST).is_file()


def read_converted(folder: Path) -> Converted:
    """A converted folder, its manifest read.

    Raises:
        DataError: it has no manifest, or the manifest cannot be read.
    """
    try:
        content = read_bytes(folder / MANIFEST)
    except FileNotFoundError:
        raise DataError(f"{folder} has no {MANIFEST}, so it is not a converted data set. {_AGAIN}") from None
    except OSError as error:
        raise DataError(f"cannot read {folder / MANIFEST} ({error.strerror}). Fix its permissions") from None
    return Converted(folder, parse_manifest(content, str(folder / MANIFEST)))


def parse_manifest(content: bytes, where: str) -> Manifest:
    """Parse a manifest.

    Args:
        content: of a `hueval.json`.
        where: the file's path or address, for messages.

    Raises:
        DataError: it is not a manifest, or of a later format.
    """
    try:
        version = parse_json(content.decode())["format"]
        if type(version) is int and version > FORMAT:
            raise DataError(f"{where} has format {version}, and this version of hueval reads {FORMAT}. Update hueval")
        manifest = TypeAdapter(Manifest).validate_json(content, strict=True)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise DataError(f"{where} is damaged ({one_line(place, 80)}: {one_line(fault['msg'], 80)}). {_AGAIN}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{where} is damaged ({one_line(error, 80)}). {_AGAIN}") from None
    for config, splits in manifest.configs.items():
        for split, file in splits.items():
            if file.file != f"{config}/{split}.parquet" or not _NAME.fullmatch(config) or not _NAME.fullmatch(split):
                raise DataError(f"{where} names {one_line(file.file, 80)}, expected <config>/<split>.parquet. {_AGAIN}")
    return manifest


@dataclass(frozen=True)
class Converted:
    """A converted folder.

    Attributes:
        folder: its path.
        manifest: its manifest.
    """

    folder: Path
    manifest: Manifest
    _checked: set[str] = field(default_factory=set, repr=False, compare=False)

    def entry(self, config: str, split: str) -> SplitFile:
        """The manifest's entry for a split that the copy has."""
        return self.manifest.configs[config][split]

    def path(self, config: str, split: str) -> Path:
        """The Parquet file of a split that the copy has, checked against the manifest the first time.

        Raises:
            DataError: the file is missing, cannot be read or has another SHA-256.
        """
        entry = self.entry(config, split)
        path = self.folder / entry.file
        if entry.file in self._checked:
            return path
        try:
            found = file_sha256(path)
        except FileNotFoundError:
            raise DataError(f"{path} is missing, and {MANIFEST} lists it. {_AGAIN}") from None
        except OSError as error:
            raise DataError(f"cannot read {path} ({error.strerror}). Fix its permissions") from None
        if found != entry.sha256:
            raise DataError(f"{path} is damaged or was changed (SHA-256 {found}, expected {entry.sha256}). {_AGAIN}")
        self._checked.add(entry.file)
        return path

    def rows(self, config: str, split: str) -> Iterator[Row]:
        """The rows of a split, in bounded memory; the file is checked at the call, not at the first row.

        Raises:
            DataError: as for `path`; the iterator: a row group cannot be read.
        """
        return _rows(self.path(config, split))


def _rows(path: Path) -> Iterator[Row]:
    import pyarrow as pa

    try:
        yield from parquet_rows(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} is not a valid Parquet file ({one_line(error, 80)}). {_AGAIN}") from None
