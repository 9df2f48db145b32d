"""Debian's PostgreSQL on loopback in a temporary folder, for as long as a test or a command needs it.

    python -m leaderboard.tests.postgres python -m pytest leaderboard/tests

The command finds its address in HUEVAL_TEST_DATABASE (leaderboard/tests/conftest.py). Where PostgreSQL is not
installed, the command is left out, and a line says so; in CI that is a fault.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

USER = "postgres"  # who runs it where we are root: PostgreSQL refuses to
START_S = 240
SETTINGS = {  # of a database that nobody needs after a power cut
    "listen_addresses": "127.0.0.1",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "logging_collector": "off",
}
ABSENT = "PostgreSQL is not installed (Debian: apt-get install postgresql)"


def binaries() -> Path | None:
    """The folder with `initdb` and `postgres`, of the newest version; None where there is none."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    on_path = shutil.which("postgres")
    return max(found, key=lambda path: int(path.parent.name)) if found else Path(on_path).parent if on_path else None


class Server:
    """A server with an empty cluster; `stop` and `start` make the database go away and come back."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = _free_port()
        self.password = secrets.token_urlsafe(16)
        self._process: subprocess.Popen[bytes] | None = None
        self._user = USER if os.getuid() == 0 else None
        if self._user:
            owner = pwd.getpwnam(USER)
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        secret = folder / "password"
        secret.write_text(self.password, encoding="ascii")
        secret.chmod(0o644)  # in a folder that only its owner opens
        self._run(
            "initdb", "-D", str(self.data), "-U", "hueval", "-A", "scram-sha-256", f"--pwfile={secret}", "-E", "UTF8"
        )

    @property
    def data(self) -> Path:
        """The folder of the cluster."""
        return self.folder / "data"

    @property
    def url(self) -> str:
        """Its address, as `HUEVAL_SITE_DATABASE` takes it."""
        return f"postgresql://hueval:{self.password}@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        command = [self._binary("postgres"), "-D", self.data, "-k", self.folder, "-p", str(self.port), *settings]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                user=self._user,
                start_new_session=True,
            )
        end = time.monotonic() + START_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"PostgreSQL does not start: {(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop it at once; connections are cut."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # "fast" in PostgreSQL's words
            self._process.wait(START_S)

    def _answers(self) -> bool:
        ready = [self._binary("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        return subprocess.run(ready, check=False).returncode == 0

    def _run(self, name: str, *arguments: str) -> None:
        done = subprocess.run(
            [self._binary(name), *arguments], cwd="/", user=self._user, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr[-2000:]}")

    @staticmethod
    def _binary(name: str) -> Path:
        folder = binaries()
        if folder is None:
            raise RuntimeError(ABSENT)
        return folder / name


@contextlib.contextmanager
def postgresql() -> Iterator[Server]:
    """A running server, gone with all its data afterwards.

    Raises:
        RuntimeError: it is not installed (`binaries` tells before), or does not start.
    """
    folder = Path(tempfile.mkdtemp(prefix="hueval-postgresql-"))
    try:
        server = Server(folder)
        try:
            server.start()
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(command: list[str]) -> int:
    """Run a command beside a server; returns its exit status."""
    if binaries() is None:
        print(f"tests on PostgreSQL are left out: {ABSENT}", file=sys.stderr)
        return 1 if "CI" in os.environ else 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the server is stopped
    with postgresql() as server:
        return subprocess.run(command, env=os.environ | {"HUEVAL_TEST_DATABASE": server.url}, check=False).returncode


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
