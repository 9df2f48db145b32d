"""`hueval data pull`: fetch all official files of a data set into the cache.

Files keep upstream's layout, `<cache>/data/NAME/…`. Those of another revision than the pinned one are in
`<cache>/data/NAME@REVISION/…`, for a look at what upstream changed; hueval itself never reads them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

from hf_datasets.cache import cache_dir
from hf_datasets.fetch import (
    Pulled,
    UnavailableError,
    UnreachableError,
    WrongFileError,
    address,
    fetch_official,
    in_cache,
)
from hf_datasets.network import offline, without_password
from hf_datasets.repo import DatasetRepo, SourceFile
from hueval_metrics.errors import DataError, InputError

_COMMIT = re.compile(r"(?<=/)[0-9a-f]{40}(?=/)")
_REVISION = re.compile(r"[\w.-]*\w", re.ASCII)


def pull(repo: DatasetRepo, revision: str | None = None) -> Iterator[Pulled | DataError]:
    """Fetch the official files that the cache does not have, one after the other.

    Args:
        repo: the data set.
        revision: a branch, tag or commit of upstream in place of the pinned commits. The hashes of its files are
            unknown, so they are not checked.

    Yields:
        Each file, or the error where it cannot be fetched; of a server that cannot be reached only the first.

    Raises:
        InputError: there are no official files, or none at another revision.
        DataError: the cache cannot be written, or a file is missing and the network is switched off.
    """
    folder = cache_dir() / "data" / (f"{repo.name}@{revision}" if revision else repo.name)
    unreachable: set[str] = set()
    for source in _at_revision(repo, revision):
        url = address(source)
        server = urlsplit(url).netloc
        not_found = f"{source.short_name} was not found: {without_password(url)}"
        if at_hand := in_cache(source, folder):
            yield at_hand
        elif offline():
            raise DataError(
                f"{source.path} is not in {folder}, and HUEVAL_OFFLINE or HF_HUB_OFFLINE is set. Unset it, or bring "
                "the cache from another machine"
            )
        elif server not in unreachable:
            try:
                yield fetch_official(source, folder)
            except UnreachableError as problem:
                unreachable.add(server)
                yield DataError(
                    f"{not_found} ({problem}); nothing else was tried there. Connect to the network, set its proxy, or "
                    "name a mirror with HUEVAL_UPSTREAM_URL"
                )
            except UnavailableError as problem:
                yield DataError(f"{not_found} ({problem}). Run the command again: it goes on where it stopped")
            except WrongFileError as problem:
                yield problem


def _at_revision(repo: DatasetRepo, revision: str | None) -> tuple[SourceFile, ...]:
    if not repo.sources:
        raise InputError(
            f"no revision of {repo.title} is pinned, so it cannot be pulled. Download its files by hand (its card says "
            "where) and name their folder: hueval data convert SRC OUT"
        )
    if revision is None:
        return repo.sources
    if not _REVISION.fullmatch(revision):
        raise InputError(f'the revision is "{revision}", expected a branch, tag or commit without slashes')
    if os.environ.get("HUEVAL_UPSTREAM_URL"):
        raise InputError(
            "HUEVAL_UPSTREAM_URL names a mirror, which has one revision. Unset it, or leave out --revision"
        )
    if fixed := [source.path for source in repo.sources if not _COMMIT.search(source.url)]:
        raise InputError(f"{fixed[0]} of {repo.title} has no other revisions. Leave out --revision")
    return tuple(replace(s, url=_COMMIT.sub(revision, s.url), blob_id=None) for s in repo.sources)
