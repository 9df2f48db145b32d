"""A stand-in for the published file, and what the tests of its sources have in common."""

from __future__ import annotations

import json
import socket
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from hf_datasets.cache import blob_id
from hf_datasets.locate import Source, cache_folder, locate
from hf_datasets.openhueval.convert import REPO as REAL
from hf_datasets.repo import DatasetRepo
from hueval_metrics.errors import DataError
from tests.hf_datasets.rows import ROWS

NAME = "HuSimpleQA"
BODY = json.dumps(ROWS[NAME]).encode() + b"\n"
ID = blob_id(BODY)


def pinned(blob_ids: Mapping[str, str], **contents: str | None) -> DatasetRepo:
    """The data set with other git blob ids of its official files, and with other content hashes of their rows.

    Args:
        blob_ids: by the file's name without its ending; the content of these is not known, unless it is given.
        contents: by the config.
    """
    known = {name.lower(): None for name in blob_ids} | contents
    configs = []
    for config in REAL.configs:
        (split,) = config.splits
        configs.append(replace(config, splits=(replace(split, content=known.get(config.name, split.content)),)))
    sources = (replace(source, blob_id=blob_ids.get(Path(source.path).stem, source.blob_id)) for source in REAL.sources)
    return replace(REAL, configs=tuple(configs), sources=tuple(sources))


REPO = pinned({NAME: ID})
TABLE = REPO.table(NAME, "test")


def cached_path(name: str = NAME) -> Path:
    return cache_folder(TABLE) / f"{name}.jsonl"


def found(data_dir=None) -> tuple[Source, bytes]:
    """The source of the table, and the content of its file."""
    source = locate(TABLE, data_dir)
    return source, source.path.read_bytes()


def refused_address() -> str:
    """An address on the loopback where nobody listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{unused.getsockname()[1]}/data"


def put_in_cache(content: bytes = BODY) -> Path:
    path = cached_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


def mirror(hub, monkeypatch, body: bytes = BODY) -> str:
    """Let the server be the upstream repository; the address of the file."""
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{hub.url}/data/")
    hub.files[f"/data/{NAME}.jsonl"] = body
    return f"{hub.url}/data/{NAME}.jsonl"


def error_of(data_dir=None) -> str:
    """The one line that tells why the file is not found."""
    with pytest.raises(DataError) as error:
        locate(TABLE, data_dir)
    assert len(str(error.value).splitlines()) == 1
    return str(error.value)
