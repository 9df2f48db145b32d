"""The data that a task was measured on: the official file, a repository on the Hub, or unpublished data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from hf_datasets.repo import DatasetRepo, SourceFile, dataset_repo
from hueval_metrics.errors import InputError
from hueval_metrics.one_line import one_line

SPLIT = "test"  # of a task whose signature names no other
_HASH = re.compile(r"[0-9a-f]{12}")
_REVISION = re.compile(r"\w[\w./-]*", re.ASCII)


class HubRepo(NamedTuple):
    """A dataset repository on the Hub: its id and, where known, its revision."""

    id: str
    revision: str | None


def hub_repo(named: str) -> HubRepo:
    """The repository in `org/name` or `org/name@revision`.

    Raises:
        InputError: it is none.

    >>> hub_repo("my-org/toybench@v1.0")
    HubRepo(id='my-org/toybench', revision='v1.0')
    """
    name, at, revision = named.partition("@")
    if not is_repo_id(name) or (at and not _REVISION.fullmatch(revision)):
        raise InputError(f"--dataset is {one_line(named, 80)!r}, expected org/name or org/name@revision")
    return HubRepo(name, revision or None)


def is_repo_id(name: str) -> bool:
    """Whether a text is the id of a repository on the Hub, with its namespace; such a text is also a safe path.

    >>> is_repo_id("org/name"), is_repo_id("name"), is_repo_id("../name"), is_repo_id("org/na me")
    (True, False, False, False)
    """
    from huggingface_hub.utils import HFValidationError, validate_repo_id

    try:
        validate_repo_id(name)
    except HFValidationError:
        return False
    return "/" in name


def data_source(name: str, config: str, blob_id: str, provenance: Mapping[str, Any], hub: HubRepo | None) -> DataSource:
    """The data that a task was measured on.

    Args:
        name, config: the data set, and its config with the task's rows.
        blob_id: the first digits of the data's git blob id, from the signature; empty when unknown.
        provenance: of a live run, from its results file, not validated.
        hub: the repository that the user named; None to take it from the run.
    """
    repo, own = dataset_repo(name), _hub_of(provenance)
    digits = blob_id if _HASH.match(blob_id) else None
    official = next((file for file in repo.sources if digits and (file.blob_id or "").startswith(digits)), None)
    return DataSource(repo, config, blob_id, official, hub or own, is_published=bool(official or own))


def _hub_of(known: Mapping[str, Any]) -> HubRepo | None:
    """The repository that a live run loaded its data from; None if it was another source."""
    name, revision = known.get("repo"), known.get("revision")
    if known.get("origin") != "hub" or not isinstance(name, str) or not is_repo_id(name):
        return None
    return HubRepo(name, revision if isinstance(revision, str) and _REVISION.fullmatch(revision) else None)


@dataclass(frozen=True)
class DataSource:
    """The data that a task was measured on.

    Attributes:
        repo: our data set.
        config: the config with the rows; several tasks may share one.
        blob_id: the first digits of the data file's git blob id; empty when unknown.
        official: the official file, if it was used.
        hub: the repository with the data, as named by the user or the run; None if neither names one.
        is_published: whether the run shows that its data are published.
    """

    repo: DatasetRepo
    config: str
    blob_id: str
    official: SourceFile | None
    hub: HubRepo | None
    is_published: bool

    @property
    def title(self) -> str:
        """The title for readers."""
        return f"{self.repo.title} {self.config}"
