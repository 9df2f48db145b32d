"""The mock judge of `shared/bench` and the clients of `judge_clients.py`, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from measure import shared

CLIENTS = Path(__file__).with_name("judge_clients.py")


@contextmanager
def mock_judge(*options: str) -> Iterator[str]:
    """The base address of a mock judge with these options, which runs while the `with` block lasts."""
    mock = subprocess.Popen(
        [sys.executable, str(shared("bench/mock_judge.py")), "--port", "0", *options], stdout=subprocess.PIPE, text=True
    )
    try:
        assert mock.stdout is not None
        yield mock.stdout.readline().split()[-1]
    finally:
        mock.kill()
        mock.communicate()


def control(url: str, path: str, data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What a mock says to GET, or to POST where there is data."""
    body = None if data is None else json.dumps(data).encode()
    with urllib.request.urlopen(url.removesuffix("/v1") + path, body) as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def start(client: str, url: str, calls: int, connections: int, folder: str, *options: str) -> subprocess.Popen[str]:
    """A client, with its cache in a folder."""
    command = [sys.executable, str(CLIENTS), client, url, str(calls), str(connections), *options]
    env = os.environ | {"HUEVAL_CACHE_DIR": folder, "HUEVAL_QUIET": "1"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a client took; ends this process when the client failed."""
    output, errors = process.communicate()
    if process.returncode:
        raise SystemExit(f"a client failed:\n{errors[-2000:]}")
    found: dict[str, Any] = json.loads(output)
    return found
