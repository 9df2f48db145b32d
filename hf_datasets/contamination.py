"""Contamination GUIDs: a string for each config and release that is published with the data and nowhere else.

A corpus that has the string has the data set's page or files too; a model that completes it was trained on them. The
idea is the canary of BIG-bench (Srivastava et al., arXiv:2206.04615). A GUID is derived from the names of data set,
config and release, so no file of this library has it; rows are hashed and licensed, so it is in none, nor in a
prompt.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID, uuid5

from hf_datasets.repo import Config, DatasetRepo

GUIDS = "contamination_guids.txt"
_NAMESPACE = UUID("f58353cd-d6e0-4e62-a7a0-a7841df60331")
_ABOUT = (
    "Each config is published with a string of its own that occurs nowhere else. Leave documents that contain one out "
    "of training data. A model that completes one was trained on this page or the files beside it."
)


def contamination_guid(repo: DatasetRepo, config: Config) -> str:
    """The GUID of a config in its current release, as text: a UUID of version 5."""
    return str(uuid5(_NAMESPACE, f"{repo.name}\n{config.name}\n{config.release}"))


def guids_file(repo: DatasetRepo, tables: Iterable[str]) -> str:
    """The file beside the data: a line a config that was converted."""
    lines = [f"{config.name} release {config.release}: {guid}" for config, guid in _guids(repo, tables)]
    return "\n".join([_ABOUT, "", *lines, ""])


def guids_section(repo: DatasetRepo, tables: Iterable[str]) -> str:
    """The section of the card."""
    rows = [f"| `{config.name}` | {config.release} | {guid} |" for config, guid in _guids(repo, tables)]
    head = ["", "## Canary GUIDs", "", _ABOUT, "", "| config | release | GUID |", "|---|---|---|"]
    return "\n".join([*head, *rows, ""])


def without_guid(text: str, repo: DatasetRepo, tables: Iterable[str]) -> list[str]:
    """The converted configs whose GUID is not in a text, the card's or the file's."""
    return [config.name for config, guid in _guids(repo, tables) if guid not in text]


def _guids(repo: DatasetRepo, tables: Iterable[str]) -> Iterator[tuple[Config, str]]:
    written = set(tables)
    return ((config, contamination_guid(repo, config)) for config in repo.configs if config.name in written)
