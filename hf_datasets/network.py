"""Settings of the network from the environment, and how its failures and addresses are printed."""

from __future__ import annotations

import os
import re
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit

from hueval_metrics.errors import DataError
from hueval_metrics.one_line import one_line

PUBLIC_HUB = "https://huggingface.co"
_PINNED = re.compile(r"(?P<repo>[\w.-]+/[\w.-]+)@(?P<revision>[\w./-]+)", re.ASCII)


def switched_on(variable: str) -> bool:
    """Whether an environment variable is set to 1, true, yes or on.

    Raises:
        DataError: it is set to something that is neither yes nor no.
    """
    value = os.environ.get(variable, "").strip().casefold()
    if value in ("1", "true", "yes", "on"):
        return True
    if value in ("", "0", "false", "no", "off"):
        return False
    raise DataError(f'{variable} is "{value}", expected 1 or 0. Set it to 1 to switch it on, or unset it')


def offline() -> bool:
    """Whether the user disabled the network, for hueval or for the Hub client."""
    return switched_on("HUEVAL_OFFLINE") or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def hub_endpoint() -> str:
    """The address of the Hub: `HF_ENDPOINT`, as for the Hub's own client, else the public one."""
    return (os.environ.get("HF_ENDPOINT") or PUBLIC_HUB).rstrip("/")


def pinned(text: str) -> tuple[str, str] | None:
    """Repository and revision in `org/name@revision`; None where the text has another form.

    >>> pinned("org/kviz@v1")
    ('org/kviz', 'v1')
    """
    match = _PINNED.fullmatch(text)
    return (match["repo"], match["revision"]) if match else None


def hub_repo(name: str) -> tuple[str, str] | None:
    """Repository and revision that `HUEVAL_HUB_REPO` names for a data set; None when it names none.

    The variable has entries separated by commas: `org/name@revision` for every data set, `NAME=org/name@revision` for
    the data set NAME alone.

    Raises:
        DataError: an entry has another form.
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


def without_password(url: str) -> str:
    """The address without user name and password, for messages.

    >>> without_password("https://me:secret@mirror.example/data")
    'https://mirror.example/data'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def reason(error: Exception) -> str:
    """A network error in a few words; those of the Hub where it sends some."""
    if isinstance(error, HTTPError):
        return f"HTTP {error.code} {one_line(error.headers.get('X-Error-Message') or error.reason, 80)}"
    text = str(getattr(error, "reason", None) or error).strip() or type(error).__name__
    return one_line(text.splitlines()[0], 120)
