"""From a folder in upstream's layout to a converted one, which `datasets.load_dataset` and the Hub read without code.

The same input gives the same bytes. Everything is written to a folder beside the target, renamed when complete, so that
after a full disk or a kill the target is unchanged.
"""

from __future__ import annotations

import logging
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from hf_datasets.cache import file_blob_id, file_sha256
from hf_datasets.card import CARD, read_card, size_category
from hf_datasets.contamination import GUIDS, guids_file, guids_section
from hf_datasets.converted import MANIFEST, Manifest, SplitFile, is_converted, read_converted
from hf_datasets.evaluation import EVALUATION, evaluation_file
from hf_datasets.opened import source_files
from hf_datasets.parquet import write_rows
from hf_datasets.repo import Config, DatasetRepo, MissingError, Split, Table
from hueval_metrics.errors import DataError, InputError
from hueval_metrics.signals import signals_held
from hueval_metrics.text.files import locked, read_text, write_whole
from hueval_metrics.version import __version__

SHOWN = 5  # splits that are left out and reported each in a line of its own
_log = logging.getLogger(__name__)


def convert(repo: DatasetRepo, src: Path, out: Path) -> Manifest:
    """Convert a data set; splits whose source file is missing are left out, with a warning and a note in the card.

    Counts and contents that differ from those of the official files cause a warning, not an error: a corrected copy is
    allowed.

    Args:
        repo: the data set.
        src: its folder in upstream's layout.
        out: a new or empty folder, or an earlier conversion of the same data set, which is replaced.

    Returns:
        The manifest that was written.

    Raises:
        InputError: `out` contains other files.
        DataError: a source file is damaged or leads out of `src`, there is none, or `out` cannot be written. Nothing is
            left behind then, and `out` is as it was.
    """
    out = out.resolve()
    if out.exists():
        with locked(out.parent):  # another conversion may be replacing it
            _check_target(repo, out)
    files = source_files(repo, src)
    try:
        part = out.with_name(f".{out.name}.{secrets.token_hex(4)}")
        part.mkdir(parents=True)
    except OSError as error:
        raise DataError(f"cannot write {out} ({error.strerror}). Choose another folder") from None
    missing: dict[str, MissingError] = {}
    try:
        configs = {config.name: found for config in repo.configs if (found := _write(repo, config, src, part, missing))}
        if not configs:
            raise DataError(
                f"{src} has no file of {repo.title}. Name its folder, or fetch it: hueval data pull {repo.name}"
            )
        _warn(repo, src, configs, missing)
        manifest = Manifest(repo.name, __version__, {"files": _origins(repo, files)}, configs)
        write_whole(part / CARD, (_card(repo, manifest) + guids_section(repo, configs)).encode(), DataError)
        write_whole(part / GUIDS, guids_file(repo, configs).encode(), DataError)
        if evaluation := evaluation_file(repo, manifest.tables):
            write_whole(part / EVALUATION, evaluation.encode(), DataError)
        write_whole(part / MANIFEST, manifest.to_json(), DataError)
        with locked(out.parent):  # another conversion to the same folder may have come so far
            _put(part, out)
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    return manifest


def _check_target(repo: DatasetRepo, out: Path) -> None:
    """Refuse a target with files that no conversion of this data set wrote."""
    if not out.exists():  # a conversion that was replacing it has failed
        return
    if not out.is_dir():
        raise InputError(f"{out} is a file. Name a new folder")
    there = {path.relative_to(out).as_posix() for path in out.rglob("*") if not path.is_dir()}
    if not there:
        return
    if not is_converted(out):
        raise InputError(f"{out} contains other files, such as {min(there)}. Name a new folder")
    try:
        earlier = read_converted(out).manifest
    except DataError:
        raise InputError(f"{out} contains a damaged conversion. Delete it, or name a new folder") from None
    if earlier.name != repo.name:
        raise InputError(f"{out} contains a conversion of {earlier.name}. Name a new folder")
    if foreign := there - earlier.files - {CARD, EVALUATION, GUIDS, MANIFEST}:
        raise InputError(f"{out} contains files that no conversion wrote, such as {min(foreign)}. Name a new folder")


def _origins(repo: DatasetRepo, files: Mapping[str, Path]) -> dict[str, dict[str, str | None]]:
    """Hash and address of each source file. The folder's own path is left out: it differs between machines."""
    urls = {(source.path, source.blob_id): source.url for source in repo.sources}
    found = {path: file_blob_id(file) for path, file in files.items()}
    return {path: {"git_blob_id": blob_id, "url": urls.get((path, blob_id))} for path, blob_id in found.items()}


def _write(
    repo: DatasetRepo, config: Config, src: Path, part: Path, missing: dict[str, MissingError]
) -> dict[str, SplitFile]:
    """Write the splits of a config that the source has; the others are added to `missing`."""
    files = {}
    for split in config.splits:
        try:
            path = Table(repo, config, split).file_in(src)
        except MissingError as error:
            if not split.optional:
                missing[f"{config.name} {split.name}"] = error
            continue
        name = f"{config.name}/{split.name}.parquet"
        rows, content = write_rows(repo.read(src, config.name, split.name), config.row, part / name)
        source = path.relative_to(src).as_posix()
        files[split.name] = SplitFile(rows, content, name, file_sha256(part / name), source)
    return files


def _warn(
    repo: DatasetRepo, src: Path, configs: Mapping[str, Mapping[str, SplitFile]], missing: Mapping[str, MissingError]
) -> None:
    """Warn of missing splits and of differences from the official files."""
    for split, error in list(missing.items())[:SHOWN]:
        _log.warning("%s is left out: %s", split, error)
    if more := list(missing)[SHOWN:]:
        _log.warning("%d more splits are left out, from %s to %s; the card lists them", len(more), more[0], more[-1])
    if repo.is_sample(src):
        _log.warning("%s is the packaged sample of %s, not the benchmark", src, repo.title)
        return
    for name, files in configs.items():
        config = repo.config(name)
        for split, file in files.items():
            for difference in _differences(config.split(split), file):
                _log.warning("%s %s: %s", name, split, difference)
        rows = sum(file.rows for split, file in files.items() if not config.split(split).optional)
        if config.printed not in (None, rows):
            _log.warning("%s: %s rows, and the paper prints %s", name, f"{rows:,}", f"{config.printed:,}")


def _differences(split: Split, file: SplitFile) -> Iterator[str]:
    """The differences between a split and the official file."""
    if split.rows not in (None, file.rows):
        yield f"{file.rows:,} rows, and the official file has {split.rows:,}"
    elif split.content not in (None, file.content):
        yield f"other rows than the official file's (content {file.content}, expected {split.content})"
    elif split.rows is None and split.printed not in (None, file.rows):
        yield f"{file.rows:,} rows, and the paper prints {split.printed:,}"


def _card(repo: DatasetRepo, manifest: Manifest) -> str:
    """The card with only the files that were written (the Hub reports an error for a listed file that is missing).

    Its size category is that of the rows that were written, too.
    """
    import yaml

    fields, body = read_card(repo)
    left_out = [
        f"{config.name}/{split.name}"
        for config in repo.configs
        for split in config.splits
        if not split.optional and not manifest.has(config.name, split.name)
    ]
    size = size_category(sum(rows for splits in manifest.tables.values() for rows in splits.values()))
    written = {
        config: [{"split": split, "path": file.file} for split, file in files.items()]
        for config, files in manifest.configs.items()
    }
    listed = {entry["config_name"]: entry.get("data_files") for entry in fields["configs"]}
    if (listed, fields["size_categories"]) == (written, [size]):
        return read_text(repo.folder / CARD)
    entries = [{**entry, "data_files": written.get(entry["config_name"])} for entry in fields["configs"]]
    fields["configs"] = [entry for entry in entries if entry["data_files"]]
    fields["size_categories"] = [size]
    head = yaml.safe_dump(fields, allow_unicode=True, sort_keys=False, width=120)
    note = f"\n> This copy is not complete. Left out: {', '.join(left_out)}.\n" if left_out else ""
    return f"---\n{head}---\n{note}{body}"


def _put(part: Path, out: Path) -> None:
    """Rename the finished folder; an earlier conversion is deleted only after that has succeeded."""
    earlier = part.with_name(f"{part.name}.earlier")
    try:
        with signals_held():  # a stop between the two would leave no folder
            if out.exists():
                out.rename(earlier)
            try:
                part.rename(out)
            except OSError:
                if earlier.exists():
                    earlier.rename(out)
                raise
            shutil.rmtree(earlier, ignore_errors=True)
    except OSError as error:
        raise DataError(f"cannot write {out} ({error.strerror}). Choose another folder") from None
