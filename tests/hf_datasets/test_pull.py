from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from hf_datasets.cache import blob_id, cache_dir, file_blob_id
from hf_datasets.fetch import RECORD, Pulled
from hf_datasets.pull import pull
from hf_datasets.repo import DatasetRepo, SourceFile, dataset_repo, names
from hueval_metrics.cli import main
from hueval_metrics.errors import DataError, InputError
from tests.each import each
from tests.fakes.hub_server import Fault, HubServer
from tests.hf_datasets.published import refused_address
from tests.hf_datasets.toy import toy_repo

COMMIT = "0123456789abcdef0123456789abcdef01234567"
BIG = bytes(range(256)) * 4096  # more than one read
FILES = {"corpus/big.bin": BIG, "corpus/dev.json": b'[{"a": 1}]\n', "train.jsonl": b'{"a": "\xc5\x91"}\n'}


@pytest.fixture
def server():
    with HubServer() as hub:
        hub.files = {f"/raw/{COMMIT}/{path}": body for path, body in FILES.items()}
        yield hub


@pytest.fixture
def toy(server):
    """A data set of three official files, of which the last has no recorded id."""
    ids = {path: blob_id(body) for path, body in FILES.items()} | {"train.jsonl": None}
    return toy_repo(*(SourceFile(path, f"{server.url}/raw/{COMMIT}/{path}", ids[path]) for path in FILES))


def folder() -> Path:
    return cache_dir() / "data" / "toy"


def on_disk(where: Path | None = None) -> dict[str, bytes]:
    where = where or folder()
    return {str(p.relative_to(where)): p.read_bytes() for p in sorted(where.rglob("*")) if p.is_file()}


def only_error(repo: DatasetRepo, revision: str | None = None) -> str:
    """The one line of the one file that cannot be had."""
    (error,) = [outcome for outcome in pull(repo, revision) if isinstance(outcome, DataError)]
    assert "\n" not in str(error)
    return str(error)


def test_all_files_come_and_are_not_asked_for_again(server, toy):
    pulled = list(pull(toy))
    assert [(p.source.path, p.fetched, p.blob_id) for p in pulled] == [(p, True, blob_id(b)) for p, b in FILES.items()]
    record = on_disk().pop(RECORD)
    assert {path: body for path, body in on_disk().items() if path != RECORD} == FILES
    assert json.loads(record) == {"train.jsonl": blob_id(FILES["train.jsonl"])}
    asked = len(server.calls)
    assert [p.fetched for p in pull(toy)] == [False] * 3
    assert len(server.calls) == asked


def test_what_is_said_of_a_file(toy):
    first, _, last = (str(p) for p in pull(toy))
    assert first == f"corpus/big: {folder()}/corpus/big.bin (fetched, git blob id {blob_id(BIG)})"
    assert last.endswith(f"git blob id {blob_id(FILES['train.jsonl'])}; not checked: its official id is not recorded)")


def test_a_damaged_copy_is_set_aside(toy):
    list(pull(toy))
    (folder() / "corpus/dev.json").write_bytes(b"damaged")
    (folder() / "train.jsonl").write_bytes(b"damaged, and known only by the record")
    assert [p.fetched for p in pull(toy)] == [False, True, True]
    found = on_disk()
    assert {path: found[path] for path in FILES} == FILES
    assert found["corpus/dev.json.damaged"] == b"damaged"


def test_a_copy_that_the_user_brought_is_kept_where_nothing_is_known(server, toy):
    folder().mkdir(parents=True)
    (folder() / "train.jsonl").write_bytes(b"brought")
    list(pull(toy))
    assert on_disk()["train.jsonl"] == b"brought"


@pytest.mark.parametrize("body", [b"<html>Log in</html>", b"PK\x03\x04zip"])
@pytest.mark.parametrize(("path", "checked"), [("corpus/dev.json", True), ("train.jsonl", False)])
def test_a_wrong_file_is_not_kept_and_overwrites_nothing(server, toy, path, checked, body):
    list(pull(toy))
    (folder() / path).write_bytes(b"mine")
    before = on_disk()
    url = f"/raw/{COMMIT}/{path}"
    server.files[url] = body
    error = only_error(toy)
    kind = "a web page or XML" if body.startswith(b"<") else "a zip archive"
    ids = f" (git blob id {blob_id(body)}, expected {blob_id(FILES[path])})" if checked else ""
    assert error == (
        f"{path} from {server.url}{url} is {kind}{ids}; nothing was kept. Try again, check proxy and mirror, or set "
        "HUEVAL_DATA_DIR"
    )
    assert on_disk() == before


def test_a_missing_file_does_not_keep_the_others_back(server, toy):
    del server.files[f"/raw/{COMMIT}/corpus/dev.json"]
    assert only_error(toy) == (
        f"corpus/dev was not found: {server.url}/raw/{COMMIT}/corpus/dev.json (HTTP 404 Not found). Run the command "
        "again: it goes on where it stopped"
    )
    assert set(on_disk()) == {"corpus/big.bin", "train.jsonl", RECORD}


def test_a_server_that_cannot_be_reached_is_asked_once(toy):
    gone = refused_address()
    repo = toy_repo(*(SourceFile(name, f"{gone}/{name}", None) for name in ("a", "b")), *toy.sources)
    errors = [outcome for outcome in pull(repo) if isinstance(outcome, DataError)]
    assert len(errors) == 1
    assert f"a was not found: {gone}/a (" in str(errors[0])
    assert "Connection refused" in str(errors[0])


# Resuming


def test_a_body_that_is_cut_short_is_completed_at_once(server, toy):
    server.faults = [Fault("GET .*big", "cut", times=2)]
    assert all(isinstance(outcome, Pulled) for outcome in pull(toy))
    half = len(BIG) // 2
    assert server.ranges[:3] == [None, f"bytes={half}-", f"bytes={half + half // 2}-"]


def test_a_lost_network_leaves_the_part_and_the_next_pull_goes_on(server, toy):
    server.faults = [Fault("GET .*big", "cut"), Fault("GET .*big", "lose")]
    outcomes = list(pull(toy))
    assert isinstance(outcomes[0], DataError)
    assert on_disk() == {"corpus/big.bin.part": BIG[: len(BIG) // 2]}
    server.restore()
    assert all(isinstance(outcome, Pulled) for outcome in pull(toy))
    assert f"bytes={len(BIG) // 2}-" in server.ranges
    assert {path: body for path, body in on_disk().items() if path != RECORD} == FILES


def test_a_body_that_never_gets_further_is_told(server, toy):
    server.files[f"/raw/{COMMIT}/corpus/dev.json"] = b"x"  # half of one byte is none
    server.faults = [Fault("GET .*dev", "cut", times=9)]
    assert "(broke off after 0 of 1 bytes). Run the command again" in only_error(toy)


def test_a_server_without_ranges_starts_over(server, toy):
    server.knows_ranges = False
    server.faults = [Fault("GET .*big", "cut")]
    assert [p.fetched for p in pull(toy)] == [True] * 3
    assert on_disk()["corpus/big.bin"] == BIG


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (BIG, "complete, but never renamed"),
        (BIG + b"more", "longer than the file"),
        (b"something else", "of another file: the hash tells"),
    ],
)
def test_an_odd_part_is_mended(toy, part, why):
    path = folder() / "corpus/big.bin.part"
    path.parent.mkdir(parents=True)
    path.write_bytes(part)
    assert all(isinstance(outcome, Pulled) for outcome in pull(toy)), why
    assert on_disk()["corpus/big.bin"] == BIG
    assert not path.exists()


def test_a_redirect_is_followed_with_the_range(server, toy):
    path = f"/raw/{COMMIT}/corpus/big.bin"
    server.files["/elsewhere"] = server.files.pop(path)
    server.redirects[path] = f"{server.url}/elsewhere"
    server.faults = [Fault("GET /elsewhere", "cut")]
    list(pull(toy))
    assert on_disk()["corpus/big.bin"] == BIG
    assert server.ranges[1] == f"bytes={len(BIG) // 2}-"


def test_not_an_http_address(tmp_path):
    repo = toy_repo(SourceFile("a.json", tmp_path.as_uri(), None))
    assert "(not an http or https address)" in only_error(repo)


# The disk


def test_a_full_disk_stops_the_pull_and_leaves_no_part(toy):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full, which takes every byte with ENOSPC")
    part = folder() / "corpus/big.bin.part"
    part.parent.mkdir(parents=True)
    part.symlink_to("/dev/full")
    with pytest.raises(DataError) as error:
        list(pull(toy))
    fix = "Free some space there or set HUEVAL_CACHE_DIR to another folder"
    assert str(error.value) == f"cannot write {part} (No space left on device). {fix}"
    assert on_disk() == {}


def test_a_cache_that_is_a_file(toy):
    cache_dir().parent.mkdir(parents=True, exist_ok=True)
    cache_dir().write_text("")
    with pytest.raises(DataError, match=r"cannot write .* \(Not a directory\)\. Free some space"):
        list(pull(toy))


# Settings


@pytest.mark.parametrize("variable", ["HUEVAL_OFFLINE", "HF_HUB_OFFLINE"])
def test_offline_asks_nobody_and_says_so_once(server, toy, monkeypatch, variable):
    list(pull(toy))
    (folder() / "corpus/dev.json").unlink()
    server.calls.clear()
    monkeypatch.setenv(variable, "1")
    outcomes = pull(toy)
    assert next(outcomes).fetched is False
    with pytest.raises(DataError) as error:
        next(outcomes)
    assert str(error.value) == (
        f"corpus/dev.json is not in {folder()}, and HUEVAL_OFFLINE or HF_HUB_OFFLINE is set. Unset it, or bring the "
        "cache from another machine"
    )
    assert server.calls == []


def test_a_mirror(server, monkeypatch):
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{server.url}/mirror/")
    server.files["/mirror/a%20b/x.json"] = b"{}"
    repo = toy_repo(SourceFile("a b/x.json", f"{refused_address()}/{COMMIT}/x.json", blob_id(b"{}")))
    assert [p.fetched for p in pull(repo)] == [True]


def test_a_mirror_with_a_password(server, monkeypatch):
    """It goes to the mirror, not to where that redirects to, and is never printed."""
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{server.url.replace('//', '//me:s%40cret@')}/mirror")
    server.redirects["/mirror/x.json"] = f"{server.cdn}/x"
    server.large["x"] = b"{}"
    repo = toy_repo(SourceFile("x.json", "https://upstream.invalid/x.json", blob_id(b"{}")))
    assert [p.fetched for p in pull(repo)] == [True]
    assert (server.logins, server.leaks) == (["Basic bWU6c0BjcmV0"], [])  # base64 of me:s@cret
    server.large["x"] = b"wrong"
    (folder() / "x.json").unlink()
    assert "cret" not in only_error(repo)


def test_the_hub_s_mirror(server, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    server.files[f"/datasets/o/n/resolve/{COMMIT}/x.json"] = b"{}"
    repo = toy_repo(SourceFile("x.json", f"https://huggingface.co/datasets/o/n/resolve/{COMMIT}/x.json", None))
    assert [p.fetched for p in pull(repo)] == [True]


def test_a_proxy(server, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    server.files["/x.json"] = b"{}"
    assert [p.fetched for p in pull(toy_repo(SourceFile("x.json", "http://upstream.invalid/x.json", None)))] == [True]
    assert server.calls == ["GET http://upstream.invalid/x.json"]


def test_another_revision_lies_beside_and_is_not_checked(server, toy):
    list(pull(toy))
    before = on_disk()
    server.files |= {path.replace(COMMIT, "v2"): body + b"new" for path, body in server.files.items()}
    assert [p.source.blob_id for p in pull(toy, "v2")] == [None] * 3
    assert on_disk() == before
    assert on_disk(cache_dir() / "data" / "toy@v2")["train.jsonl"] == FILES["train.jsonl"] + b"new"


@pytest.mark.parametrize("revision", ["", "../x", "a/b", "..", "é", "v2?x"])
def test_an_odd_revision_is_refused(toy, revision):
    with pytest.raises(InputError, match="expected a branch, tag or commit without slashes"):
        list(pull(toy, revision))


def test_a_mirror_has_one_revision(toy, monkeypatch):
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", refused_address())
    with pytest.raises(InputError, match="a mirror, which has one revision"):
        list(pull(toy, "main"))


@each("name", names())
def test_the_official_files_of_our_data_sets_do_not_move(name):
    sources = dataset_repo(name).sources
    paths = [PurePosixPath(source.path) for source in sources]
    assert len(set(paths)) == len(paths)
    assert not any(path.is_absolute() or ".." in path.parts for path in paths)
    assert all(re.fullmatch(r"https://.+/[0-9a-f]{40}/.+", source.url) for source in sources)
    assert all(source.blob_id is None or re.fullmatch("[0-9a-f]{40}", source.blob_id) for source in sources)


def test_no_official_files():
    with pytest.raises(InputError, match="no revision of Toy is pinned"):
        list(pull(toy_repo()))


def test_the_progress_bar_is_hidden_where_nobody_looks(toy, capfd):
    list(pull(toy))
    assert capfd.readouterr().err == ""


def test_file_blob_id_is_git_s(tmp_path):
    path = tmp_path / "big.bin"
    path.write_bytes(BIG)
    assert file_blob_id(path) == blob_id(BIG)
    if git := shutil.which("git"):
        environment = {"PATH": os.environ["PATH"]}
        done = subprocess.run([git, "hash-object", str(path)], capture_output=True, text=True, env=environment)
        assert file_blob_id(path) == done.stdout.strip()


def test_the_command(server, install, monkeypatch, capsys):
    install("tests.hf_datasets.toy.PINNED")
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{server.url}/mirror")
    server.files["/mirror/b.json"] = b"[]"
    assert main(["data", "pull", "toy"]) == 1
    printed = capsys.readouterr()
    assert [line.partition(":")[0] for line in printed.out.splitlines()] == ["b"]
    assert printed.err.startswith("hueval: a was not found: ")
    assert printed.err.count("\n") == 1
