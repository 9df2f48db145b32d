from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.repo import MissingError
from hf_datasets.text_files import find_one, json_rows, text_lines
from hueval_metrics.records import DataError


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
