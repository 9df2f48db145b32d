"""Which sources of a file stand ready, told without the network: for `hueval doctor`."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from hf_datasets.cache import blob_id
from hf_datasets.converted import Converted
from hf_datasets.network import offline, switched_on, without_password
from hf_datasets.openhueval.copies import copy_in, kept_copy
from hf_datasets.openhueval.published import BLOB_IDS, SPLIT, config_of
from hf_datasets.openhueval.sources import (
    Origin,
    cached_path,
    file_in,
    hub_repo,
    named_folder,
    sample_path,
    upstream_url,
)
from hueval_metrics.records import DataError
from hueval_metrics.text.files import read_bytes

State = tuple[bool | None, str]


@dataclass(frozen=True, slots=True)
class Availability:
    """What one source would give.

    Attributes:
        origin: the step of the resolution, as in `Source.origin`.
        has_file: True or False; None when only the network could tell.
        what: the path or address, or why there is none.
        enable: what the user sets to make it serve.
    """

    origin: Origin
    has_file: bool | None
    what: str
    enable: str


def reachable_sources(name: str, data_dir: str | os.PathLike[str] | None = None) -> list[Availability]:
    """The five sources of a file in the order in which they are tried; never raises over a bad setting, tells it.

    Args:
        name: the file's name without its ending, a key of `published.BLOB_IDS`.
        data_dir: as for `loader.rows`.
    """
    steps: tuple[tuple[Origin, Callable[[], State], str], ...] = (
        ("sample", lambda: _sample(name), "HUEVAL_SAMPLE=1"),
        ("folder", lambda: _folder(name, data_dir), "data_dir=DIR or HUEVAL_DATA_DIR=DIR, with openhueval/ in it"),
        ("cache", lambda: _cache(name), "hueval data pull openhueval (HUEVAL_CACHE_DIR moves the cache)"),
        ("hub", lambda: _hub(name), "HUEVAL_HUB_REPO=org/name@revision"),
        ("upstream", lambda: _upstream(name), "a network connection (HUEVAL_UPSTREAM_URL names a mirror)"),
    )
    return [Availability(origin, *_told(look), enable) for origin, look, enable in steps]


def _told(look: Callable[[], State]) -> State:
    try:
        return look()
    except (DataError, OSError) as error:
        return False, str(error)


def _sample(name: str) -> State:
    path = sample_path(name)
    return path.is_file(), f"{path} ({'switched on' if switched_on('HUEVAL_SAMPLE') else 'not switched on'})"


def _folder(name: str, data_dir: str | os.PathLike[str] | None) -> State:
    named = named_folder(data_dir)
    if named is None:
        return False, "no folder is named"
    found = file_in(name, *named)
    return True, str(found if isinstance(found, Path) else _file_of(name, found))


def _cache(name: str) -> State:
    path = cached_path(name)
    if not path.is_file():
        copy = copy_in(name, path.parent)
        return (True, str(_file_of(name, copy))) if copy else (False, f"no {path}")
    intact = blob_id(read_bytes(path)) == BLOB_IDS[name]
    return intact, str(path) if intact else f"{path} is damaged"


def _hub(name: str) -> State:
    repo = hub_repo()
    if repo and (copy := kept_copy(name, *repo)):
        return True, str(_file_of(name, copy))
    if offline():
        return False, "HUEVAL_OFFLINE or HF_HUB_OFFLINE is set"
    return (None, "@".join(repo)) if repo else (False, "no repository is named")


def _upstream(name: str) -> State:
    return (
        (False, "HUEVAL_OFFLINE or HF_HUB_OFFLINE is set")
        if offline()
        else (None, without_password(upstream_url(name)))
    )


def _file_of(name: str, copy: Converted) -> Path:
    return copy.folder / copy.manifest.split(config_of(name), SPLIT).file
