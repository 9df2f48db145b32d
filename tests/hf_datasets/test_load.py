from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.cache import blob_id, cache_dir, file_blob_id
from hf_datasets.convert import convert
from hf_datasets.load import load
from hf_datasets.openhueval.convert import REPO, converted
from hf_datasets.openhueval.published import BLOB_IDS
from hf_datasets.openhueval.schema import MODELS
from hf_datasets.repo import content_hash, dataset_repo, names
from hueval_metrics.errors import DataError, InputError
from tests.helpers import shared
from tests.hf_datasets.published import pinned
from tests.hf_datasets.rows import ROWS, as_converted

QA = ROWS["HuSimpleQA"]


def rows(name, data_dir=None, repo=REPO):
    loaded = load(repo, name, data_dir=data_dir)
    return loaded.rows, loaded.source


LINE = json.dumps(QA, ensure_ascii=False).encode()
SECOND = LINE.replace(b"q-1", b"q-2")


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("HuSimpleQA.jsonl", LINE)
    return buffer.getvalue()


@pytest.mark.parametrize("name", ROWS)
def test_rows_keep_all_their_fields(folder_with, name):
    row = {**ROWS[name], "added": {"by": ["us"]}}
    read, source = rows(name, str(folder_with(name, [row])))
    assert read == [as_converted(name, extra='{"added": {"by": ["us"]}}')]
    assert (source.origin, source.sample) == ("folder", False)


@pytest.mark.parametrize(
    ("name", "count", "gold", "blanks"),
    [
        ("HuMatchingFIB", 278, "answer", 2525),
        ("HuStandardFIB", 93, "answers", 727),
        ("HuProverbRea", 1135, "context", None),
    ],
)
def test_published_files(real_data, name, count, gold, blanks):
    read, source = rows(name, str(real_data))
    assert len(read) == count
    assert source.blob_id == BLOB_IDS[name]
    assert blanks in (None, sum(len(row[gold]) for row in read))


@pytest.mark.parametrize("name", ROWS)
def test_packaged_sample(monkeypatch, name):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    read, source = rows(name)
    assert len(read) >= 12
    assert (source.origin, source.sample) == ("sample", True)


@pytest.mark.parametrize(
    ("why", "content"),
    [
        ("plain", LINE + b"\n" + SECOND + b"\n"),
        ("no last line feed", LINE + b"\n" + SECOND),
        ("Windows line ends", LINE + b"\r\n" + SECOND + b"\r\n"),
        ("byte order mark", b"\xef\xbb\xbf" + LINE + b"\n" + SECOND),
        ("blank lines", b"\n" + LINE + b"\n  \t\n\r\n" + SECOND + b"\n\n"),
    ],
)
def test_tolerated_files(folder_with, why, content):
    read, _ = rows("HuSimpleQA", str(folder_with("HuSimpleQA", content)))
    assert [row["qid"] for row in read] == ["q-1", "q-2"], why


def test_a_line_ends_at_a_line_feed_only(folder_with):
    row = {**QA, "question": "Egy\u0085kettő\u2028három\u000cnégy\u001eöt?"}
    content = json.dumps(row, ensure_ascii=False).encode()
    read, _ = rows("HuSimpleQA", str(folder_with("HuSimpleQA", content)))
    assert read == [as_converted("HuSimpleQA", question=row["question"])]


def changed(**fields) -> bytes:
    return json.dumps({**QA, **fields}).encode()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "HuSimpleQA.jsonl is empty, expected a JSON object a line. Put the rows back in "),
        (b"\n \r\n", "HuSimpleQA.jsonl is empty, expected a JSON object a line. Put the rows back in "),
        (b"\xef\xbb\xbf", "HuSimpleQA.jsonl is empty, expected a JSON object a line. Put the rows back in "),
        (LINE + b"\n" + SECOND[:35], "line 2 (qid q-2): is cut short or not JSON (Unterminated string"),
        (SECOND[: SECOND.index(b"\xc3") + 1], "HuSimpleQA.jsonl line 1: is cut short inside a character. Fix the line"),
        (b'{"qid": "q', "HuSimpleQA.jsonl line 1: is cut short or not JSON (Unterminated string starting at"),
        (LINE + SECOND, "HuSimpleQA.jsonl line 1 (qid q-1): is cut short or not JSON (Extra data"),
        (changed(x=float("nan")), "HuSimpleQA.jsonl line 1 (qid q-1): is cut short or not JSON (NaN is not JSON)"),
        (b'{"x": ' + b"9" * 5000 + b"}", "HuSimpleQA.jsonl line 1: is cut short or not JSON (Exceeds the limit"),
        (b"[" * 200_000, "HuSimpleQA.jsonl line 1: is cut short or not JSON ("),
        (b"[" + LINE + b"]", "HuSimpleQA.jsonl line 1: is a list, expected an object. Fix the line in "),
        (b'"q-1"', "HuSimpleQA.jsonl line 1: is a string, expected an object. Fix the line in "),
        (b"null", "HuSimpleQA.jsonl line 1: is null, expected an object. Fix the line in "),
        (LINE + b"\n" + changed(qid="q-2", answer=[]), 'line 2 (qid q-2): "answer" is a list, expected a string. Fix'),
        (changed(qid=7), 'HuSimpleQA.jsonl line 1: "qid" is 7, expected a string. Fix the row in '),
        (changed(hu_specific_dim="sport"), '(qid q-1): "hu_specific_dim" is "sport", expected one of: Language; '),
        (LINE + b"\n\n" + LINE, 'line 3 (qid q-1): "qid" duplicates that in line 1, expected once. Drop'),
        (LINE + b"\n\xe9\n", "HuSimpleQA.jsonl line 2 contains byte 0xe9, expected UTF-8. Save it as UTF-8 in "),
        (LINE + b"\n" + SECOND[:9] + b"\0" * 9, "HuSimpleQA.jsonl line 2 contains a NUL byte, expected text. Replace"),
        (LINE.decode().encode("utf-16"), "HuSimpleQA.jsonl is UTF-16 text, expected JSON Lines. Unpack or replace"),
        (LINE + b"\n" + b" " * (16 * 2**20 + 1), "HuSimpleQA.jsonl line 2 is longer than 16 MiB, expected a row."),
        (zipped(), "HuSimpleQA.jsonl is a zip archive, expected JSON Lines. Unpack or replace it in "),
        (gzip.compress(LINE), "HuSimpleQA.jsonl is a gzip archive, expected JSON Lines. Unpack or replace it in "),
        (b"\n<!DOCTYPE html>\n<p>404", "HuSimpleQA.jsonl is a web page or XML, expected JSON Lines. Unpack or replace"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n",
            "HuSimpleQA.jsonl is a git-lfs pointer (run git lfs pull where it came from), expected JSON Lines",
        ),
    ],
)
def test_refused_files(folder_with, content, told):
    folder = folder_with("HuSimpleQA", content)
    with pytest.raises(DataError) as error:
        rows("HuSimpleQA", str(folder))
    line = str(error.value)
    assert told in line
    assert "\n" not in line
    assert line.endswith(f"in {folder}/openhueval/HuSimpleQA.jsonl, or pull a fresh copy: hueval data pull openhueval")


def test_the_id_of_huwildbench(folder_with):
    folder = folder_with("HuWildBench", [ROWS["HuWildBench"], ROWS["HuWildBench"]])
    with pytest.raises(DataError, match=r'line 2 \(qid w-1\): "session_id" duplicates that in line 1'):
        rows("HuWildBench", str(folder))


def test_a_qid_cannot_break_the_line(folder_with):
    folder = folder_with("HuSimpleQA", [{**QA, "qid": "q\n" * 100, "answer": 1}])
    with pytest.raises(DataError, match=r"^HuSimpleQA.jsonl line 1 \(qid q q q [q ]*…\): [^\n]*$"):
        rows("HuSimpleQA", str(folder))


def test_an_unknown_config_or_split():
    with pytest.raises(InputError, match=r'openhueval has no config "husimpleq"\. Did you mean husimpleqa\?'):
        load(REPO, "husimpleq")
    with pytest.raises(InputError, match=r'husimpleqa has no split "train"'):
        load(REPO, "husimpleqa", "train")


def test_a_published_file_that_breaks_the_schema_is_our_fault(hub, monkeypatch):
    body = changed(answer=5)
    repo = pinned({"HuSimpleQA": blob_id(body)})
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{hub.url}/data")
    hub.files["/data/HuSimpleQA.jsonl"] = body
    for _ in ("downloaded", "from the cache"):
        with pytest.raises(
            DataError, match=r"expected a string\. This is the published file, byte for byte, so the sch"
        ):
            rows("HuSimpleQA", repo=repo)


def test_a_bad_sample_is_our_fault_too(monkeypatch, tmp_path):
    (tmp_path / "sample").mkdir()
    (tmp_path / "sample" / "HuSimpleQA.jsonl").write_bytes(changed(answer=5))
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    with pytest.raises(DataError, match=r"expected a string\. This is the packaged sample: reinstall hueval$"):
        rows("HuSimpleQA", repo=replace(REPO, home=tmp_path))


def test_a_file_is_parsed_once_until_it_changes(folder_with):
    folder = folder_with("HuSimpleQA", LINE)
    first = load(REPO, "husimpleqa", data_dir=folder)
    assert load(REPO, "HuSimpleQA", data_dir=str(folder)).rows is first.rows
    folder_with("HuSimpleQA", SECOND)
    second = load(REPO, "husimpleqa", data_dir=folder)
    assert [row["qid"] for row in second.rows] == ["q-2"]
    assert second.content != first.content


def test_the_newest_rows_are_kept(folder_with, monkeypatch):
    monkeypatch.setattr("hf_datasets.load._KEPT", 1)
    one = folder_with("HuSimpleQA", LINE)
    first = load(REPO, "husimpleqa", data_dir=one)
    sample = load(REPO, "husimpleqa", data_dir=REPO.sample)  # more than one row: kept, and the first are dropped
    assert load(REPO, "husimpleqa", data_dir=REPO.sample).rows is sample.rows
    again = load(REPO, "husimpleqa", data_dir=one)
    assert again.rows == first.rows
    assert again.rows is not first.rows


@pytest.mark.parametrize("name", names())
def test_every_data_set_is_loaded_and_says_from_where(monkeypatch, tmp_path, name):
    """The same rows from the sample, from a folder, from its conversion, and from a conversion in the cache."""
    repo = dataset_repo(name)
    convert(repo, repo.sample, tmp_path / "out")
    shutil.copytree(tmp_path / "out", cache_dir() / "data" / name)
    unpinned = replace(repo, sources=())  # the sample is not the official file, which alone may lie in the cache
    table = next(table for table in repo.tables() if (tmp_path / "out" / table.config.name).is_dir())
    config, split = table.config.name, (tmp_path / "out" / table.config.name).glob("*.parquet").__next__().stem
    path = repo.table(config, split).file_in(repo.sample)
    expected = list(repo.read(repo.sample, config, split))
    for origin, found_in, data_dir in (
        ("folder", repo, repo.sample),
        ("folder", repo, tmp_path / "out"),
        ("cache", unpinned, None),
        ("sample", repo, None),
    ):
        if origin == "sample":
            monkeypatch.setenv("HUEVAL_SAMPLE", "1")
        loaded = load(found_in, config, split, data_dir)
        assert loaded.rows == expected
        assert loaded.provenance == {
            "file": repo.table(config, split).split.file,
            "git_blob_id": file_blob_id(path),
            "content": content_hash(expected),
            "repo": None,
            "revision": None,
            "origin": origin,
            "sample": origin == "sample",
        }


def test_the_official_files_of_another_data_set():
    loaded = load(dataset_repo("hulu"), "hurte", "validation", shared("data", "hulu"))
    assert len(loaded.rows) == 243
    assert loaded.provenance == {
        "file": "hurte/rte_dev.json",
        "git_blob_id": "d52330ea98bae8cce9e4a7298d8f28f33b913284",
        "content": "6958c4b3d280a93c14ded77d15da00ba6e57a405264e00fe611c5a393f829b38",
        "repo": "nytud/HuRTE",
        "revision": "f24a6365e189201cf32744b8202b8ecd9d9e4342",
        "origin": "folder",
        "sample": False,
    }


@pytest.mark.process
def test_the_loader_is_cheap_to_import():
    code = "import sys, hf_datasets.load, hf_datasets.openhueval.convert; print([m for m in HEAVY if m in sys.modules])"
    heavy = ["datasets", "huggingface_hub", "lm_eval", "torch", "numpy", "requests"]
    done = subprocess.run(
        [sys.executable, "-c", code.replace("HEAVY", repr(heavy))],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[]\n"


PIECES = st.sampled_from([LINE, SECOND, b"\n", b"\r", b"{", b"}", b'"', b"\\ud800", b"\xef\xbb\xbf", b"\0", b"[", b"<"])


@pytest.mark.parametrize("name", ["HuSimpleQA", "HuMatchingFIB"])
@given(content=st.one_of(st.binary(), st.lists(PIECES).map(b"".join)))
def test_any_bytes_give_rows_or_a_one_line_error(tmp_path_factory, name, content):
    folder = tmp_path_factory.mktemp("any")
    (folder / f"{name}.jsonl").write_bytes(content)
    try:
        assert list(REPO.read(folder, name, "test"))
    except DataError as error:
        assert len(str(error).splitlines()) == 1


LEAF = st.none() | st.booleans() | st.integers() | st.text(max_size=9)
JSON = (
    LEAF
    | st.lists(LEAF, max_size=3)
    | st.lists(st.dictionaries(st.sampled_from(["role", "content"]), LEAF), max_size=2)
)


@given(name=st.sampled_from(list(ROWS)), fields=st.dictionaries(st.sampled_from([*QA, "turn", "options"]), JSON))
def test_any_field_value_gives_rows_or_a_one_line_error(tmp_path_factory, name, fields):
    content = json.dumps({**ROWS[name], **fields}).encode()
    folder = tmp_path_factory.mktemp("any")
    (folder / f"{name}.jsonl").write_bytes(content)
    try:
        assert list(REPO.read(folder, name, "test")) == [converted(MODELS[name], {**ROWS[name], **fields})]
    except DataError as error:
        assert len(str(error).splitlines()) == 1
