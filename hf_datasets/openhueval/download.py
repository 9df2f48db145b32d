"""Fetching one file: from a dataset repository on the Hugging Face Hub, or over plain HTTP. One attempt, short waits.

Neither function checks or keeps what it fetched; `sources` does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import Request, build_opener

from hf_datasets.network import UnavailableError, reason

CONNECT_S = 5.0  # a server that answers at all does so within a second or two; offline clusters often drop packets
DOWNLOAD_S = 120.0
SIZE_CAP = 64 * 2**20  # the largest file has 2 MB
_CHUNK = 2**16

T = TypeVar("T")


class NotThereError(UnavailableError):
    """The repository is there, and has no such file."""


def from_hub(repo: str, revision: str, filename: str) -> bytes:
    """A file of a dataset repository, through huggingface_hub (its proxies, token and `HF_ENDPOINT` apply).

    Raises:
        NotThereError: the repository has no such file.
        UnavailableError: no such repository or revision, no access, or the Hub cannot be reached.
    """
    import huggingface_hub as hub

    endpoint = (os.environ.get("HF_ENDPOINT") or "https://huggingface.co").rstrip("/")
    try:
        url = hub.hf_hub_url(repo, filename, repo_type="dataset", revision=revision, endpoint=endpoint)
        # hf_hub_download retries an unreachable Hub for half a minute, this call does not.
        size = _within(CONNECT_S, lambda: hub.get_hf_file_metadata(url, timeout=CONNECT_S)).size
        _check_size(size)
        with TemporaryDirectory() as folder:
            path = hub.hf_hub_download(
                repo, filename, repo_type="dataset", revision=revision, endpoint=endpoint, cache_dir=folder
            )
            return Path(path).read_bytes()
    except UnavailableError:
        raise
    except hub.errors.EntryNotFoundError as error:
        raise NotThereError(reason(error)) from None
    except Exception as error:  # the client's exceptions come from requests or httpx, depending on its version
        raise UnavailableError(reason(error)) from None


def from_url(url: str) -> bytes:
    """The body of a GET request; the usual proxy variables apply.

    Raises:
        UnavailableError: the server cannot be reached, refuses, breaks off or sends too much.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise UnavailableError("not an http or https address")
    request = Request(url, headers={"User-Agent": "hueval"})
    opener = build_opener()  # urlopen would keep the proxies that were set at its first call
    deadline = time.monotonic() + DOWNLOAD_S
    try:
        with _within(CONNECT_S, lambda: opener.open(request, timeout=CONNECT_S)) as response:
            announced = response.headers.get("Content-Length", "")
            _check_size(int(announced) if announced.isdigit() else None)
            body = bytearray()
            while chunk := response.read(_CHUNK):
                body += chunk
                _check_size(len(body))
                if time.monotonic() > deadline:
                    raise UnavailableError(f"not done within {DOWNLOAD_S:.0f} s")
    except (OSError, ValueError, HTTPException) as error:
        raise UnavailableError(reason(error)) from None
    if announced.isdigit() and len(body) != int(announced):
        raise UnavailableError(f"broke off after {len(body)} of {announced} bytes")
    return bytes(body)


def _within(seconds: float, work: Callable[[], T]) -> T:
    """The result of a call that may hang: name look-ups know no time-out, and each address of a host gets its own."""
    done: list[T] = []
    failed: list[Exception] = []

    def run() -> None:
        try:
            done.append(work())
        except Exception as error:
            failed.append(error)

    worker = Thread(target=run, daemon=True)
    worker.start()
    worker.join(seconds)
    if failed:
        raise failed[0]
    if not done:
        raise TimeoutError(f"no answer within {seconds:.0f} s")
    return done[0]


def _check_size(size: int | None) -> None:
    if size is not None and size > SIZE_CAP:
        raise UnavailableError(f"larger than {SIZE_CAP // 2**20} MiB, which no file of the benchmark is")
