"""The real server on loopback: uploads without end, slow clients, malformed heads, paths that lead elsewhere."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from leaderboard.tests.labelled import predictions, write_labelled
from leaderboard.tests.running import answered, descendants, free_port, hueval_site, initialised, site_env

MB = 2**20
UPLOAD_MB = 8
# As `hueval site serve`, but a client may be silent for a second instead of 20.
SERVE = """
from hueval_site.manage import slow_clients
slow_clients.SILENT_S = 1
from hueval_site.manage.run import serve
serve()
"""

pytestmark = [pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"), pytest.mark.process]


class Server:
    """A running site.

    Attributes:
        folder: its files.
        port: of loopback.
        token: of a member of staff.
        log: the file with what it writes.
        process: the parent of its processes.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.port, self.log = folder, free_port(), folder.with_suffix(".log")
        write_labelled(folder / "data", folder / "labels")
        named = {"workers": "1", "threads": "2", "upload_mb": str(UPLOAD_MB), "port": str(self.port)}
        self.env = site_env(folder, **named, boards="hulu_hucola")
        initialised(folder)
        added = hueval_site("user", "add", "a@example.org", "--staff", "--team", "Team", "--token", env=self.env)
        self.token = added.stdout.split()[0]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", SERVE], env=self.env, stdout=log, stderr=log, start_new_session=True
            )
        answered(f"http://127.0.0.1:{self.port}/health")

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=120)

    def ask(self, head: str | bytes, body: bytes = b"") -> bytes:
        """All that the server answers to these bytes, until it closes the connection."""
        with self.connect() as connection:
            try:
                connection.sendall(head if isinstance(head, bytes) else head.encode("latin-1"))
                connection.sendall(body)
            except OSError:  # it has answered and closed the connection
                pass
            return self.rest(connection)

    @staticmethod
    def rest(connection: socket.socket) -> bytes:
        found = b""
        try:
            while piece := connection.recv(2**16):
                found += piece
        except (TimeoutError, ConnectionResetError):
            pass
        return found

    def get(self, path: str, *headers: str) -> bytes:
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", "Connection: close", *headers, "", ""]
        return self.ask("\r\n".join(lines))

    def post_head(self, *headers: str, path: str = "/api/v1/submissions") -> str:
        fixed = (f"Host: 127.0.0.1:{self.port}", "Connection: close", f"Authorization: Bearer {self.token}")
        kind = "Content-Type: multipart/form-data; boundary=x"
        return "\r\n".join([f"POST {path} HTTP/1.1", *fixed, kind, *headers, "", ""])

    def memory(self) -> int:
        """Bytes of memory that its processes have for themselves, with the most that each ever had."""
        total = 0
        for pid in {self.process.pid, *descendants(self.process.pid)}:
            lines = Path(f"/proc/{pid}/status").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
        return total * 1024

    def disk(self) -> int:
        """Bytes that lie where uploads come in and are stored."""
        folders = [self.folder / "tmp", self.folder / "uploads"]
        return sum(path.stat().st_size for folder in folders for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Server]:
    found = Server(tmp_path_factory.mktemp("threats") / "site")
    yield found
    found.process.terminate()
    found.process.wait(240)


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.") else 0


def is_alive(server: Server) -> bool:
    return status_of(server.get("/health")) == 200


FILE = (
    b'--x\r\nContent-Disposition: form-data; name="card"\r\n\r\n'
    b'{"model_name": "Puli", "contamination": "none known"}\r\n'
    b'--x\r\nContent-Disposition: form-data; name="task"\r\n\r\nhulu_hucola\r\n'
    b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'
)


@pytest.mark.parametrize(
    "length",
    [str(2**30), "0" * 30 + str(2**30), "9" * 4000, "0" * 5000 + "1", "-1", "+1073741824", "1_073_741_824", "x"],
)
def test_a_gigabyte_is_refused_before_it_is_read(server, length):
    """However its length is written; the client may go on sending, and nothing of it is kept."""
    started = time.monotonic()
    answer = server.ask(server.post_head(f"Content-Length: {length}"), FILE)
    assert status_of(answer) in (400, 413, 0), answer[:200]
    if length.strip("0").isdigit() and len(length) < 40:
        assert status_of(answer) == 413
    assert time.monotonic() - started < 60
    assert server.disk() == 0 and is_alive(server)


def test_a_body_without_length_is_not_read_without_end(server):
    """Chunks for as long as the server takes them: none of it reaches memory or disk."""
    before = server.memory()
    sent, piece = 0, b"%x\r\n%s\r\n" % (MB, b"a" * MB)
    with server.connect() as connection:
        connection.sendall(server.post_head("Transfer-Encoding: chunked").encode())
        try:
            connection.sendall(b"%x\r\n%s\r\n" % (len(FILE), FILE))
            while sent < 2**30:
                connection.sendall(piece)
                sent += MB
            connection.sendall(b"0\r\n\r\n")
        except OSError:  # it closed the connection
            pass
        answer = server.rest(connection)
    assert status_of(answer) in (0, 400, 411, 413, 422)
    assert server.memory() - before < 20 * MB and server.disk() == 0 and is_alive(server)


def test_an_upload_of_the_largest_size_goes_to_the_disk_and_leaves_it(server):
    """One that is taken, of a member; one that is not, of nobody. Its parts are not kept in memory."""
    small = FILE + b"\r\n--x--\r\n"
    assert status_of(server.ask(server.post_head(f"Content-Length: {len(small)}"), small)) == 201  # imports what checks
    before = server.memory()
    body = FILE + b" " * (UPLOAD_MB * MB - 100) + b"\r\n--x--\r\n"
    for _ in range(3):
        answer = server.ask(server.post_head(f"Content-Length: {len(body)}"), body)
        assert status_of(answer) == 201 and b'"faulty"' in answer, answer[:300]
    stored = server.disk()
    assert stored <= 3 * UPLOAD_MB * MB
    head = server.post_head(f"Content-Length: {len(body)}", path="/en/accounts/login/")
    assert status_of(server.ask(head, body)) == 403
    head = server.post_head(f"Content-Length: {len(body)}").replace(server.token, "hueval_none")
    assert status_of(server.ask(head, body)) in (0, 401)  # without reading it, so the answer may be lost
    assert server.disk() == stored
    assert server.memory() - before < 20 * MB


def test_silent_clients_do_not_keep_the_threads(server):
    """Twice as many connections as threads, each with the beginning of a request and then nothing."""
    part = server.post_head("Content-Length: 1000000").encode() + FILE
    waiting = [server.connect() for _ in range(4)]
    try:
        for place, connection in enumerate(waiting):
            connection.sendall(part if place % 2 else b"GET / HTTP/1.1\r\nHost: ")
        started = time.monotonic()
        assert is_alive(server)
        assert time.monotonic() - started < 60  # each holds a thread for a second, and gunicorn lingers two more
        for connection in waiting:
            assert status_of(server.rest(connection)) in (0, 400, 408)
    finally:
        for connection in waiting:
            connection.close()
    assert server.disk() <= 3 * UPLOAD_MB * MB and not list((server.folder / "tmp").iterdir())


HOST = "Host: 127.0.0.1\r\n"
HEADS = {
    "another host": "GET /en/ HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "two hosts": f"GET /en/ HTTP/1.1\r\n{HOST}Host: evil.example\r\nConnection: close\r\n\r\n",
    "a host in the target": "GET http://evil.example/en/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    "a user in the host": "GET /en/ HTTP/1.1\r\nHost: 127.0.0.1@evil.example\r\nConnection: close\r\n\r\n",
    "no host": "GET /en/ HTTP/1.1\r\nConnection: close\r\n\r\n",
    "two lengths": f"POST /en/ HTTP/1.1\r\n{HOST}Content-Length: 1\r\nContent-Length: 100\r\n\r\na",
    "length and chunks": (
        f"POST /en/ HTTP/1.1\r\n{HOST}Content-Length: 60\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        f"GET /secret HTTP/1.1\r\n{HOST}\r\n"
    ),
    "chunks of no kind": f"POST /en/ HTTP/1.1\r\n{HOST}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "a chunk of no size": f"POST /en/ HTTP/1.1\r\n{HOST}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
    "a line of 100 KB": f"GET /{'a' * 100_000} HTTP/1.1\r\n{HOST}\r\n",
    "a header of 100 KB": f"GET /en/ HTTP/1.1\r\n{HOST}Accept-Language: {'hu,' * 33_000}\r\n\r\n",
    "cookies of 100 KB": f"GET /en/ HTTP/1.1\r\n{HOST}Cookie: {'a=b; ' * 20_000}\r\n\r\n",
    "10,000 headers": f"GET /en/ HTTP/1.1\r\n{HOST}" + "".join(f"X-{n}: a\r\n" for n in range(10_000)) + "\r\n",
    "a folded header": f"GET /en/ HTTP/1.1\r\n{HOST}X: a\r\n b\r\nConnection: close\r\n\r\n",
    "NUL in a header": f"GET /en/ HTTP/1.1\r\n{HOST}X: a\0b\r\n\r\n",
    "script as a method": f"<script>alert(1)</script> / HTTP/1.1\r\n{HOST}\r\n",
    "script as a header": f"GET /en/ HTTP/1.1\r\n{HOST}<script>alert(1)</script>: a\r\n\r\n",
    "script as a version": f"GET /en/ <script>alert(1)</script>\r\n{HOST}\r\n",
    "no HTTP": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "\0" * 200,
}


@pytest.mark.parametrize("why", HEADS)
def test_a_malformed_head_is_refused(server, why):
    """Nothing of it stands in the answer, nothing hidden in it is answered, and the server goes on."""
    answer = server.ask(HEADS[why])
    expected = (200,) if why == "no host" else (0, 400, 403, 404, 405, 408, 411, 413, 414, 431, 501)
    assert status_of(answer) in expected, answer[:200]
    assert b"evil.example" not in answer and b"<script" not in answer
    assert answer.count(b"HTTP/1.1 2") == (why == "no host") and b"secret" not in answer
    assert is_alive(server)


def test_preferences_that_are_long_cost_nothing(server):
    """As long as a header may be: languages, cookies, and a key of the session that is none."""
    languages = ",".join(f"x{n}-y;q=0.{n % 10}" for n in range(600))[:8000]
    for header in (f"Accept-Language: {languages}", f"Cookie: {'a=b; ' * 1600}", f"Cookie: sessionid={'é' * 3000}"):
        started = time.monotonic()
        assert status_of(server.get("/en/", header)) == 200
        assert time.monotonic() - started < 60


def test_no_path_leads_to_files_of_the_site(server):
    """Uploads, key, database, labels and logs: the server has no address for them, in whatever spelling."""
    upload = next((server.folder / "uploads").iterdir())
    inside = ["secret-key", "site.sqlite3", f"uploads/{upload.name}", "labels/hulu/hucola/cola_test.json"]
    assert all((server.folder / name).is_file() for name in inside)
    secret = (server.folder / "secret-key").read_bytes().strip()
    contents = [secret, b"SQLite format", b'"label":', b"root:x:0"]
    ups = ("", "../", "..%2f", "%2e%2e/", "%2e%2e%2f", "..%5c", "..%252f", "....//", ".//..//", "..;/", "%c0%ae%c0%ae/")
    starts = ("/", "/static/", "/static/pages/", "/en/tasks/hulu_hucola/data/", "/en/tasks/hulu_hucola/data/hulu/")
    names = [*inside, "etc/passwd", "../../../../../../etc/passwd"]
    n = 0
    with_token = f"Authorization: Bearer {server.token}"
    for start in starts:
        for up in ups:
            for name in names:
                for path in (f"{start}{up}{name}", f"{start}{up * 4}{name}"):
                    answer = server.get(path, with_token)
                    assert status_of(answer) in (301, 302, 400, 404), (path, answer[:100])
                    assert not [one for one in contents if one in answer], path
                    n += 1
    assert n > 500


def test_an_upload_is_downloaded_by_nobody(server):
    """There is no address for it, for its team neither: nothing that a person sent is served from this host."""
    key = next((server.folder / "uploads").iterdir()).stem
    for place in (f"/api/v1/submissions/{key}/file", f"/en/my/{key}/file/", f"/en/my/{key}.json", f"/media/{key}.json"):
        assert status_of(server.get(place, f"Authorization: Bearer {server.token}")) == 404


def test_two_uploads_at_the_same_time_do_not_race_past_the_limit(server):
    """Five at once on a board that takes two a day, by the real server with its threads."""
    body = FILE + json.dumps(predictions("hucola", 0.8)).encode() + b"\r\n--x--\r\n"
    clients = [server.connect() for _ in range(5)]
    for number, connection in enumerate(clients):
        named = body.replace(b"Puli", b"Puli %d" % number)
        connection.sendall(server.post_head(f"Content-Length: {len(named)}").encode() + named)
    answers = [server.rest(connection) for connection in clients]
    for connection in clients:
        connection.close()
    queued = sum(b'"state": "queued"' in answer for answer in answers)
    assert queued == 2, [status_of(answer) for answer in answers]


def test_the_log_has_no_secret_and_no_forged_line(server):
    """After all of the above: no token, no key; a line break in a path begins no line."""
    server.get("/en/%0a2026-01-01 00:00:00 INFO forged", "User-Agent: x")
    server.get("/en/%0aforged%0d%1b[31m")
    log = server.log.read_text()
    assert server.token not in log
    assert (server.folder / "secret-key").read_text().strip() not in log
    assert [line for line in log.splitlines() if line.startswith(("forged", "2026-01-01"))] == []
    assert "\x1b" not in log
    assert (server.folder / "secret-key").stat().st_mode & 0o077 == 0
