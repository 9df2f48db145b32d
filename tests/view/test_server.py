"""What the server of `hueval view` gives, and to whom: real requests to a real process."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
from urllib.parse import urlsplit

import pytest

from tests.each import each
from tests.harness.runs import hueval
from tests.view.conftest import NAME, RULE, answers, ended, header, text, views

pytestmark = pytest.mark.process


def raw(address, request):
    """The whole answer to bytes as they stand."""
    with socket.create_connection((urlsplit(address).hostname, urlsplit(address).port), timeout=60) as connection:
        connection.sendall(request)
        return b"".join(iter(lambda: connection.recv(65536), b"")).decode()


def ask(address, path=None, method="GET", body=None, **headers):
    """Status, headers and text of an answer."""
    parts = urlsplit(address)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    connection.request(method, parts.path if path is None else path, body, headers)
    answer = connection.getresponse()
    found = answer.status, dict(answer.getheaders()), answer.read().decode()
    connection.close()
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run that goes on: five of 28 answers, the third of them wrong."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        rows = answers(RULE, n=5, wrong=[2])
    folder = tmp_path_factory.mktemp("out")
    (folder / "model").mkdir()
    (folder / "model" / NAME).write_text(text(header(**{RULE: 28}), *rows), encoding="ascii")
    (folder / "secret.txt").write_text("secret", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def address(folder):
    with views() as view:
        yield view(folder)[0]


def test_the_page_and_the_progress(view, folder):
    address, process = view(folder)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", address)
    status, headers, page = ask(address)
    assert (status, headers["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert "org/model (live)" in page
    assert "connect-src &#39;self&#39;" in page
    status, headers, said = ask(address, urlsplit(address).path + "progress")
    assert (status, headers["Content-Type"]) == (200, "application/json; charset=utf-8")
    (run,) = json.loads(said)["runs"]
    assert [run[key] for key in ("model", "state", "done", "total", "per_minute", "left")] == [
        *("org/model", "running", 5, 28),
        *(60, 23),
    ]
    assert run["tasks"] == [{"task": "HuProverbRea 2CQ", "done": 5, "total": 28}]
    assert ended(process) == (130, "\nhueval: stopped.\n")


def test_nobody_keeps_frames_or_refers_to_it(address):
    for path in ("", "progress", "nothing"):
        _, headers, _ = ask(address, urlsplit(address).path + path)
        assert {name: headers[name] for name in headers if name not in ("Content-Type", "Content-Length", "Date")} == {
            "Cache-Control": "no-store",
            "Content-Security-Policy": "frame-ancestors 'none'",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "Server": "hueval",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }


@each("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND"])
def test_nothing_but_get(address, method):
    assert ask(address, method=method)[0] == 404


@each(
    "path",
    [
        *(
            "",
            "/",
            "/progress",
            "/favicon.ico",
            "/TOKEN",
            "/TOKENx/",
            "/token/",
            "//TOKEN/",
            "/x/../TOKEN/",
            "/./TOKEN/",
        ),
        *("/TOKEN/..", "/TOKEN/../secret.txt", "/TOKEN/secret.txt", "/TOKEN/model/" + NAME, "/TOKEN/%2e%2e/secret.txt"),
        *(
            "/TOKEN/../../../../etc/passwd",
            "/TOKEN//etc/passwd",
            "/TOKEN/progress/",
            "/TOKEN/?x=1",
            "/TOKEN/progress?x",
        ),
        *("/%00", "/TOKEN%00/", "/\u00e9\u0151/", "TOKEN/", "*", "/" + "x" * 5000 + "/"),
    ],
)
def test_all_else_is_not_found(address, path):
    token = urlsplit(address).path.strip("/")
    path = path.replace("TOKEN", token).replace("/token/", f"/{token.swapcase()}/")
    host = urlsplit(address).netloc
    answer = raw(address, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
    assert re.match(r"HTTP/1\.[01] 40[04] ", answer), answer[:200]
    assert "secret" not in answer and "root:" not in answer


@each("host", ["127.0.0.1", "127.0.0.1:PORT", "localhost:PORT", "localhost", "localhost:9999"])
def test_loopback_names_at_any_port_as_ssh_forwards_them(address, host):
    assert ask(address, Host=host.replace("PORT", str(urlsplit(address).port)))[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:PORT", "127.0.0.1.evil.example", "localhost.evil.example:PORT", "127.0.0.2"),
        *("0.0.0.0:PORT", "[::1]:PORT", "LOCALHOST.", "127.1:PORT", "2130706433", "localhost:", "localhost:x", ""),
        *("user@127.0.0.1", "127.0.0.1:1:2", "127.0.0.1 evil.example", "evil.example/127.0.0.1"),
    ],
)
def test_a_name_that_was_rebound_gets_nothing(address, host):
    host = host.replace("PORT", str(urlsplit(address).port))
    assert ask(address, Host=host)[0] in (400, 404)


@pytest.mark.parametrize("hosts", [[], ["127.0.0.1", "evil.example"], ["127.0.0.1", "127.0.0.1"]])
def test_one_host_and_no_other(address, hosts):
    lines = [f"GET {urlsplit(address).path} HTTP/1.1", *(f"Host: {host}" for host in hosts), "Connection: close"]
    assert re.match(r"HTTP/1\.[01] 40[04] ", raw(address, "\r\n".join([*lines, "", ""]).encode()))


def test_a_whole_address_of_another_host_gets_nothing(address):
    target = f"http://evil.example{urlsplit(address).path}"
    request = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
    assert re.match(r"HTTP/1\.[01] 40[04] ", raw(address, request.encode()))


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        *(("http://HOST", 200), ("https://HOST", 404), ("http://evil.example", 404), ("null", 404), ("", 404)),
        *(("http://localhost:PORT", 404), ("http://127.0.0.1:1", 404), ("http://HOST.evil.example", 404)),
    ],
)
def test_only_its_own_origin(address, origin, status):
    host, port = urlsplit(address).netloc, str(urlsplit(address).port)
    sent = {"Origin": origin.replace("HOST", host).replace("PORT", port)}
    assert ask(address, urlsplit(address).path + "progress", **sent)[0] == status


def test_it_listens_on_loopback_alone(address):
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for other in [*others, "127.0.0.2"]:
        with pytest.raises(OSError, match=r"refused|unreachable"):
            socket.create_connection((other, urlsplit(address).port), timeout=60).close()


def test_another_start_has_another_token(view, folder):
    (one, _), (two, _) = view(folder), view(folder)
    assert urlsplit(one).path != urlsplit(two).path
    assert ask(one, urlsplit(two).path)[0] == 404


def test_sigterm_ends_it_with_a_request_under_way(view, folder):
    address, process = view(folder)
    with socket.create_connection((urlsplit(address).hostname, urlsplit(address).port)) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        status, err = ended(process, signal.SIGTERM)
    assert (status, err) == (143, "\nhueval: stopped.\n")


def test_a_port_that_is_taken_is_one_line(folder):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        outcome = hueval("view", folder, "--port", port)
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == f"hueval: --port {port}: is in use. Name another, or 0 for any that is free\n"


@pytest.mark.parametrize("port", ["-1", "65536", "http", "1e3", "٧"])
def test_no_port(folder, port):
    outcome = hueval("view", folder, f"--port={port}")
    assert outcome.status == 2
    assert "is no port. A number from 0 to 65535" in outcome.err


MALFORMED = [
    b"\xff\xfe\x00 no method",
    b"GET /a\x00b HTTP/1.1",
    b"GET http://[::1/%zz HTTP/1.1",
    b"GET /%zz%ff HTTP/1.1",
    b"GET http://a:99999999/ HTTP/1.1",
    b"GET  HTTP/1.1",
    b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000,
    b"GET / HTTP/1.1\r\nContent-Length: many",
    b"GET / HTTP/1.1\r\nNa\x00me: x",
    b"PRI * HTTP/2.0",
]


def test_a_malformed_request_gets_an_answer_and_no_traceback(view, folder):
    address, process = view(folder)
    rest = b"\r\nHost: " + urlsplit(address).netloc.encode() + b"\r\nConnection: close\r\n\r\n"
    for start in MALFORMED:
        assert raw(address, start + rest).split(" ")[1] in ("400", "404"), start
    assert ask(address)[0] == 200
    assert ended(process) == (130, "\nhueval: stopped.\n")
