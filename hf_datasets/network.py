"""Whether the network may be used, and how its failures and addresses are printed."""

from __future__ import annotations

import os
from urllib.error import HTTPError
from urllib.parse import urlsplit, urlunsplit

from hueval_metrics.records import DataError
from hueval_metrics.text.one_line import one_line


class UnavailableError(Exception):
    """A source cannot give a file; the text says why. Another source may."""


class UnreachableError(UnavailableError):
    """The server of a source cannot be reached, so it gives no other file either."""


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
    """Whether the user disabled the network, for us or for the Hub client."""
    return switched_on("HUEVAL_OFFLINE") or os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def hub_endpoint() -> str:
    """The address of the Hub: `HF_ENDPOINT`, as for the Hub's own client, else the public one."""
    return (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")


def without_password(url: str) -> str:
    """The address as it may be printed.

    >>> without_password("https://me:secret@mirror.example/data")
    'https://mirror.example/data'
    """
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def reason(error: Exception) -> str:
    """A network error in a few words."""
    if isinstance(error, HTTPError):
        return f"HTTP {error.code} {one_line(error.reason, 40)}"
    text = str(getattr(error, "reason", None) or error).strip() or type(error).__name__
    return one_line(text.splitlines()[0], 120)
