from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets import text_files
from hf_datasets.repo import MissingError
from hf_datasets.text_files import find_one, json_rows, text_lines
from hueval_metrics.records import DataError

FAULTS = [
    ("a zip in place of text", b"PK\x03\x04rest", "is a zip archive, expected JSON Lines"),
    ("a sign-in page", b"<!DOCTYPE html><html>", "is a web page or XML, expected JSON Lines"),
    ("UTF-16", "{}".encode("utf-16"), "is UTF-16 text, expected JSON Lines"),
    ("a NUL byte", b'{"a": 1}\n{"a\0": 2}\n', "line 2 contains a NUL byte, expected text"),
    ("Latin-2", b'{"a": "k\xf6r"}\n', "line 1 contains byte 0xf6, expected UTF-8"),
    ("cut off", b'{"a": 1}\n{"a": ', "line 2: is cut short or not JSON"),
    ("NaN is no JSON", b'{"a": NaN}\n', "line 1: is cut short or not JSON (NaN is not JSON)"),
    ("nested too deep", b"[" * 100_000, "line 1: is cut short or not JSON"),
    ("a row that is no object", b'\n["a"]\n', "line 2: is a list, expected an object"),
    ("null", b"null\n", "line 1: is null, expected an object"),
    ("nothing", b"", "is empty, expected a JSON object a line"),
    ("blank lines only", b"\xef\xbb\xbf\r\n \n", "is empty, expected a JSON object a line"),
]


@pytest.mark.parametrize(("content", "fault"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
def test_a_fault_is_one_line_with_file_and_line(tmp_path, content, fault):
    path = tmp_path / "hu_general.jsonl"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        list(json_rows(path))
    assert f"hu_general.jsonl {fault}" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_line_without_an_end_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(text_files, "MAX_LINE", 2**20)
    path = tmp_path / "hu_general.jsonl"
    path.write_bytes(b"{}\n" + b"x" * 2**22)
    with pytest.raises(DataError, match="line 2 is longer than 1 MiB, expected a row"):
        list(text_lines(path))


def test_a_folder_in_place_of_the_file(tmp_path):
    with pytest.raises(DataError, match=r"cannot read .* \(Is a directory\)"):
        list(text_lines(tmp_path))


@given(
    objects=st.lists(st.dictionaries(st.text(), st.text()), min_size=1),
    bom=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    end=st.sampled_from(["\n", "\r\n", "\n\n"]),
)
def test_whatever_was_written_is_read(tmp_path_factory, objects, bom, end):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_bytes(bom + end.join(map(json.dumps, objects)).encode())
    assert [row for _, row in json_rows(path)] == objects


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_data_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_bytes(content)
    try:
        assert all(isinstance(row, dict) for _, row in json_rows(path))
    except DataError as error:
        assert "\n" not in str(error)


def test_a_file_is_found_up_to_three_folders_deep(tmp_path):
    deep = tmp_path / "a" / "b" / "x.csv"
    for path in (deep, tmp_path / ".cache" / "x.csv", tmp_path / "a" / "b" / "c" / "x.csv"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert find_one(tmp_path, lambda path: path.name == "x.csv", "x.csv") == deep


def test_a_file_that_is_not_there(tmp_path):
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(MissingError, match=r"has no x\.csv\. Put the file there, or name another folder"):
        find_one(tmp_path, lambda path: path.name == "x.csv", "x.csv")


def test_a_file_that_is_there_twice(tmp_path):
    for folder in ("new", "old"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.csv").touch()
    with pytest.raises(DataError, match=r"has x\.csv twice: new/x\.csv and old/x\.csv\. Leave one of them there"):
        find_one(tmp_path, lambda path: path.name == "x.csv", "x.csv")
