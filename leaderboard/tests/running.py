"""A site in processes of its own, as `hueval site` runs it, in a folder of its own."""

from __future__ import annotations

import atexit
import functools
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.preloaded import popen, run


def free_port() -> int:
    """A port of loopback that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def site_env(folder: Path, **settings: str) -> dict[str, str]:
    """The environment of a site in a folder: nothing of the tests' own site."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HUEVAL_SITE_", "DJANGO_"))}
    named = {f"HUEVAL_SITE_{name.upper()}": value for name, value in settings.items()}
    many = {"HUEVAL_SITE_FIRST_NUMBERS": "1000"}  # tests have more teams than a board takes in a month
    return kept | {"HUEVAL_SITE_DIR": str(folder), "HUEVAL_OFFLINE": "1"} | many | named


def hueval_site(*arguments: object, env: Mapping[str, str], timeout: float = 120) -> subprocess.CompletedProcess[str]:
    """Run one command of `hueval site` to its end."""
    command = [sys.executable, "-m", "hueval_metrics", "site", *map(str, arguments)]
    return run(command, env=dict(env), capture_output=True, timeout=timeout)


@functools.cache
def _template() -> Path:
    """A folder that `init` has filled, on SQLite: made once a process, since that takes seconds."""
    folder = Path(tempfile.mkdtemp(prefix="site-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    done = hueval_site("init", folder, env=site_env(folder))
    assert done.returncode == 0, done.stderr
    return folder


def initialised(folder: Path) -> Path:
    """The folder, as `hueval site init` leaves it, on SQLite."""
    return Path(shutil.copytree(_template(), folder, dirs_exist_ok=True))


@contextmanager
def started(*arguments: object, env: Mapping[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A command of `hueval site` that goes on; on leaving, it is asked to end, and killed if it does not."""
    command = [sys.executable, "-m", "hueval_metrics", "site", *map(str, arguments)]
    process = popen(
        command, env=dict(env), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(240)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def answered(url: str, within_s: float = 240.0) -> float:
    """Wait until a page answers; how long it took, in seconds."""
    start = time.monotonic()
    while time.monotonic() - start < within_s:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return time.monotonic() - start
        except urllib.error.HTTPError:
            return time.monotonic() - start
        except OSError:
            time.sleep(0.05)
    raise AssertionError(f"{url} did not answer within {within_s} s")


def descendants(pid: int) -> set[int]:
    """The processes that a process has started, and those that they have."""
    children: dict[int, set[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # ended meanwhile
            continue
        children.setdefault(int(fields[1]), set()).add(int(stat.parent.name))
    found: set[int] = set()
    new = {pid}
    while new:
        new = set().union(*(children.get(one, set()) for one in new)) - found
        found |= new
    return found


def gone(pids: set[int], within_s: float = 240.0) -> bool:
    """Whether processes end in time."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        if not any(_runs(pid) for pid in pids):
            return True
        time.sleep(0.1)
    return False


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
