"""An upstream that stops, lies about the size, changes, or sends something else; and a forged converted folder."""

from __future__ import annotations

import json
import os
import socket
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from hf_datasets.cache import blob_id, cache_dir, file_sha256
from hf_datasets.converted import MANIFEST
from hf_datasets.fetch import Pulled
from hf_datasets.load import load
from hf_datasets.pull import pull
from hf_datasets.repo import SourceFile
from hueval_metrics.errors import DataError
from tests.hf_datasets.toy import REPO, ROWS, convert_toy, toy_repo

BODY = bytes(range(256)) * 64
HALF = len(BODY) // 2
STALLS = b"\0stalls"  # at the end of an answer: the connection stays open, and nothing comes


def ok(body: bytes, length: object = None, status: str = "200 OK", *more: str) -> bytes:
    head = [
        f"HTTP/1.1 {status}",
        f"Content-Length: {len(body) if length is None else length}",
        "Connection: close",
        *more,
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


def part(body: bytes, content_range: str) -> bytes:
    return ok(body, None, "206 Partial Content", f"Content-Range: {content_range}")


@contextmanager
def upstream(*answers: bytes):
    """A server whose answers are these, one after another; then the last again."""
    ended, asked = Event(), []

    def serve(server: socket.socket) -> None:
        while not ended.is_set():
            try:
                connection, _ = server.accept()
            except OSError:
                return
            Thread(target=reply, args=(connection,), daemon=True).start()

    def reply(connection: socket.socket) -> None:
        with connection:
            asked.append(connection.recv(65536).decode())
            answer = answers[min(len(asked), len(answers)) - 1]
            connection.sendall(answer.removesuffix(STALLS))
            if answer.endswith(STALLS):
                ended.wait(60)

    with socket.create_server(("127.0.0.1", 0)) as server:
        Thread(target=serve, args=(server,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/f.bin", asked
        finally:
            ended.set()


def pulled(url: str, known: bytes | None = BODY) -> Pulled | DataError:
    (outcome,) = pull(toy_repo(SourceFile("f.bin", url, None if known is None else blob_id(known))))
    assert "\n" not in str(outcome)
    return outcome


def kept() -> dict[str, bytes]:
    folder = cache_dir() / "data" / "toy"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.startswith("f.bin")}


def test_an_upstream_that_stops_is_given_up_and_resumed(monkeypatch):
    monkeypatch.setattr("hf_datasets.fetch.PATIENCE_S", 0.5)
    stopped = ok(BODY[:HALF], len(BODY)) + STALLS
    nothing = ok(b"", HALF, "206 Partial Content", f"Content-Range: bytes {HALF}-{len(BODY) - 1}/{len(BODY)}") + STALLS
    with upstream(stopped, nothing) as (url, _):
        assert "timed out" in str(pulled(url))
    assert kept() == {"f.bin.part": BODY[:HALF]}
    with upstream(part(BODY[HALF:], f"bytes {HALF}-{len(BODY) - 1}/{len(BODY)}")) as (url, asked):
        assert isinstance(pulled(url), Pulled)
        assert f"Range: bytes={HALF}-" in asked[0]
    assert kept() == {"f.bin": BODY}


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (ok(BODY, len(BODY) + 5), f"broke off after {len(BODY):,} of {len(BODY) + 5:,} bytes"),
        (ok(BODY, len(BODY) - 5), "not the published file"),
        (ok(BODY, 3 * 2**30), "larger than 2048 MiB"),
        (ok(BODY, -1), "f.bin"),
        (ok(BODY[:9], "many"), "not the published file"),
        (ok(b""), "not the published file"),
        (ok(b"", None, "416 Range Not Satisfiable"), "416"),
        (b"nonsense\r\n\r\n", "nonsense"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "f.bin"),
        (ok(b"", None, "302 Found", "Location: file:///etc/passwd"), "f.bin"),
        (ok(b"", None, "302 Found", "Location: /f.bin"), "f.bin"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000, "headers"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_a_lie_is_one_line_and_no_file(answer, told):
    with upstream(answer) as (url, _):
        outcome = pulled(url)
    assert isinstance(outcome, DataError) or answer == ok(BODY, -1)  # which says nothing of the size
    assert told in str(outcome)
    assert isinstance(outcome, Pulled) or "f.bin" not in kept()


@pytest.mark.parametrize("given", ["bytes 0-9/10", "bytes */9", "lines 1-2/3", ""])
def test_a_part_of_another_place_is_not_appended(given):
    with upstream(ok(BODY[:HALF], len(BODY)), part(BODY, given), ok(BODY)) as (url, _):
        assert isinstance(pulled(url), Pulled)
    assert kept() == {"f.bin": BODY}


def test_a_file_that_changes_between_two_requests():
    """Where its hash is known, the mixture is dropped and all fetched again; where it is not, nothing is resumed."""
    other = bytes(reversed(BODY))
    rest = part(BODY[HALF:], f"bytes {HALF}-{len(BODY) - 1}/{len(BODY)}")
    with upstream(ok(other[:HALF], len(BODY)), ok(other[:HALF], len(BODY))) as (url, _):
        assert isinstance(pulled(url), DataError)
    with upstream(rest, ok(BODY)) as (url, _):
        assert isinstance(pulled(url), Pulled)
    assert kept() == {"f.bin": BODY}


def test_a_file_of_unknown_hash_is_never_put_together():
    other = bytes(reversed(BODY))
    with upstream(ok(other[:HALF], len(BODY)), ok(BODY)) as (url, asked):
        assert isinstance(pulled(url, None), Pulled)
    assert not [request for request in asked if "Range:" in request]
    assert kept() == {"f.bin": BODY}


# A converted folder whose manifest was made to fit


def forge(folder: Path, rows: list[dict]) -> None:
    """Other rows in the test split of the rivers, and a manifest with the right SHA-256."""
    file = folder / "folyok" / "test.parquet"
    file.unlink()
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.Table.from_pylist(rows), file)
    manifest = json.loads((folder / MANIFEST).read_bytes())
    manifest["source"] = {"files": {"f.json": {"git_blob_id": "0" * 40, "url": None}}}
    named = {"sha256": file_sha256(file), "rows": len(rows), "source": "f.json"}
    manifest["configs"]["folyok"]["test"] |= named
    (folder / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([{"id": "3", "text": "Duna"}, {"id": "4", "text": "Rába"}], "has other content than hueval.json says"),
        (ROWS["folyok"]["test"][:1], "has other content than hueval.json says"),
        (ROWS["folyok"]["test"] * 2, 'row 3 (id 3): "id" duplicates that in row 1'),
        ([{"id": "3"}], 'row 1 (id 3): "text" is missing'),
        ([{"id": 3, "text": "Duna"}], 'row 1 (id 3): "id" '),
        ([{"id": "3", "text": None}], 'row 1 (id 3): "text" '),
        ([{"id": "3", "text": ["Duna"]}], 'row 1 (id 3): "text" '),
        ([{"other": 1}], "row 1 (id None): "),
    ],
)
def test_a_forged_manifest(tmp_path, rows, told):
    folder = convert_toy(tmp_path / "toy")
    forge(folder, rows)
    with pytest.raises(DataError) as error:
        load(REPO, "folyok", "test", str(folder))
    assert told in str(error.value) and len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), lambda path: path.mkdir()])
def test_no_file_in_the_place_of_one(tmp_path, make):
    folder = convert_toy(tmp_path / "toy")
    file = folder / "folyok" / "test.parquet"
    file.unlink()
    make(file)
    with pytest.raises(DataError) as error:
        load(REPO, "folyok", "test", str(folder))
    assert len(str(error.value).splitlines()) == 1
