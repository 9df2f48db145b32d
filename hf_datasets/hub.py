"""Files of dataset repositories on the Hugging Face Hub, through huggingface_hub: its proxies and token apply.

`HUEVAL_HUB_REPO` names where data sets are published: `org/name@revision`, asked for every data set, or
`NAME=org/name@revision` for the data set NAME alone; several are split by commas.
"""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from hf_datasets.cache import cache_dir
from hf_datasets.fetch import answer_within, check_size, written
from hf_datasets.network import UnavailableError, hub_endpoint, offline, reason
from hueval_metrics.records import DataError

_PINNED = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)@(?P<revision>[\w./-]+)", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")
_ANSWER_S = 10.0  # for the first answer of the Hub


class NotThereError(UnavailableError):
    """The repository is there, and has no such file."""


def pinned(text: str) -> tuple[str, str] | None:
    """Repository and revision in `org/name@revision`; None where the text is something else.

    >>> pinned("org/kviz@v1")
    ('org/kviz', 'v1')
    """
    match = _PINNED.fullmatch(text)
    return (match["repo"], match["revision"]) if match else None


def hub_repo(name: str) -> tuple[str, str] | None:
    """Repository and revision that `HUEVAL_HUB_REPO` names for a data set; None when it names none.

    Raises:
        DataError: an entry is not of the form org/name@revision.
    """
    found: dict[str, tuple[str, str]] = {}
    for entry in filter(None, map(str.strip, os.environ.get("HUEVAL_HUB_REPO", "").split(","))):
        data_set, _, text = entry.rpartition("=")
        repo = pinned(text)
        if repo is None:
            raise DataError(
                f'HUEVAL_HUB_REPO is "{entry}", expected org/name@revision. Pin the revision: add @ and a commit'
            )
        found.setdefault(data_set, repo)
    return found.get(name, found.get(""))


def kept_folder(repo: str, revision: str) -> Path:
    """Where single files of a repository are kept; whole ones are by their commit, see `snapshot`."""
    return cache_dir() / "hub" / f"{repo}@{revision}".replace("/", "--")


def download(repo: str, revision: str, filename: str, path: Path) -> None:
    """Fetch one file; it is neither checked nor given another name than `path`.

    Raises:
        NotThereError: the repository has no such file.
        UnavailableError: no such repository or revision, no access, too large, or the Hub cannot be reached.
        DataError: the file cannot be written.
    """
    import huggingface_hub as hub

    endpoint = hub_endpoint()
    try:
        url = hub.hf_hub_url(repo, filename, repo_type="dataset", revision=revision, endpoint=endpoint)
        # hf_hub_download retries an unreachable Hub for half a minute, this call does not.
        check_size(answer_within(lambda seconds: hub.get_hf_file_metadata(url, timeout=seconds)).size)
        with TemporaryDirectory() as folder:
            fetched = hub.hf_hub_download(
                repo, filename, repo_type="dataset", revision=revision, endpoint=endpoint, cache_dir=folder
            )
            with written(path):
                shutil.move(Path(fetched).resolve(), path)
    except (UnavailableError, DataError):
        raise
    except hub.errors.EntryNotFoundError as error:
        raise NotThereError(reason(error)) from None
    except Exception as error:  # the client's exceptions come from requests or httpx, depending on its version
        raise UnavailableError(reason(error)) from None


def snapshot(repo: str, revision: str) -> Path:
    """The folder with all files of a dataset repository at the commit that the revision is now.

    Raises:
        DataError: it cannot be fetched.
    """
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
    except Exception as error:  # as above
        raise DataError(
            f"{repo}@{revision} cannot be downloaded from {hub_endpoint()} ({reason(error)}). Check its name and "
            "revision; a private repository needs HF_TOKEN"
        ) from None
    return folder / commit
