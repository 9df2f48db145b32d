"""OpenHuEval as a converted copy: in a folder, in the cache, or on the Hub.

A converted copy stands for the published file that it was made from, so that results from either have one signature:
its manifest has the git blob id, and the content hash proves it where ours is known.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from hf_datasets.cache import cache_dir
from hf_datasets.converted import MANIFEST, Converted, is_converted, parse_manifest, read_converted
from hf_datasets.network import UnavailableError
from hf_datasets.openhueval.download import from_hub
from hf_datasets.openhueval.published import BLOB_IDS, CONTENT, FAMILY, SPLIT, config_of
from hueval_metrics.records import DataError
from hueval_metrics.text.files import write_whole

DISK_MEND = "Free some space there or set HUEVAL_CACHE_DIR to another folder"


def copy_in(name: str, folder: Path) -> Converted | None:
    """The converted copy in a folder, if it has the file's rows.

    Args:
        name: the file's name without its ending, a key of BLOB_IDS.
        folder: may have anything in it.

    Raises:
        DataError: the copy's manifest is damaged.
    """
    if not is_converted(folder):
        return None
    copy = read_converted(folder)
    return copy if copy.manifest.name == FAMILY and config_of(name) in copy.manifest.configs else None


def blob_id_of(name: str, copy: Converted) -> str:
    """The git blob id of the file that a copy's rows come from.

    Raises:
        DataError: the copy does not say, or says the published file and holds other rows.
    """
    where = copy.folder / MANIFEST
    recorded = copy.manifest.blob_id(f"{name}.jsonl")
    if recorded is None:
        raise DataError(f"{where} does not say which file the rows of {name} come from. Convert again")
    content = copy.manifest.split(config_of(name), SPLIT).content
    if recorded == BLOB_IDS[name] and content != CONTENT.get(name, content):
        raise DataError(
            f"{where} says that {config_of(name)} is the published {name}.jsonl, but its content is not ({content}, "
            f"expected {CONTENT[name]}). Convert again with this version of hueval"
        )
    return recorded


def kept_copy(name: str, repo: str, revision: str) -> Converted | None:
    """The converted copy of a file that was fetched from the Hub earlier; None when there is none, or a damaged one."""
    try:
        copy = copy_in(name, _folder(repo, revision))
        if copy:
            copy.path(config_of(name), SPLIT)
    except DataError:  # it is fetched again
        return None
    return copy


def fetch_copy(name: str, repo: str, revision: str) -> Converted:
    """Fetch the converted copy of a file from the Hub into the cache, hash-checked.

    Args:
        name: the file's name without its ending, a key of BLOB_IDS.
        repo, revision: where it is published.

    Raises:
        UnavailableError: the repository has no converted copy, or cannot be reached.
        DataError: what it has is damaged, or not made from the published file; nothing is kept then.
    """
    label = f"{repo}@{revision}"
    config, file = config_of(name), f"{config_of(name)}/{SPLIT}.parquet"
    content = from_hub(repo, revision, MANIFEST)
    copy = Converted(_folder(repo, revision), parse_manifest(content, f"{MANIFEST} of {label}"))
    if config not in copy.manifest.configs:
        raise UnavailableError(f"its {MANIFEST} lists no {config}")
    if blob_id_of(name, copy) != BLOB_IDS[name]:
        raise DataError(
            f"{config} of {label} was not made from the published {name}.jsonl; nothing was kept. Name another "
            "repository or revision, or set HUEVAL_DATA_DIR"
        )
    rows = from_hub(repo, revision, file)
    expected = copy.manifest.split(config, SPLIT).sha256
    if (found := hashlib.sha256(rows).hexdigest()) != expected:
        raise DataError(
            f"{file} of {label} is not the one that its {MANIFEST} lists (SHA-256 {found}, expected {expected}); "
            "nothing was kept. Try again, or name another revision"
        )
    write_whole(copy.folder / file, rows, DataError, DISK_MEND)
    write_whole(copy.folder / MANIFEST, content, DataError, DISK_MEND)
    return copy


def _folder(repo: str, revision: str) -> Path:
    return cache_dir() / "hub" / f"{repo}@{revision}".replace("/", "--")
