from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hf_datasets.repo import MissingError
from hf_datasets.text_files import csv_rows, files_below, find_one, json_rows, text_lines
from hueval_metrics.errors import DataError
from tests.each import each


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


def test_a_folder_that_has_settled_is_listed_once(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.csv").touch()
    for folder in (tmp_path / "a", tmp_path):
        os.utime(folder, (1, 1))
    listed = []
    monkeypatch.setattr(os, "scandir", lambda path, scandir=os.scandir: listed.append(path) or scandir(path))
    assert files_below(tmp_path) == files_below(tmp_path) == (Path("a/x.csv"),)
    assert listed == [tmp_path, tmp_path / "a"]
    (tmp_path / "a" / "y.csv").touch()
    assert files_below(tmp_path) == (Path("a/x.csv"), Path("a/y.csv"))
    (tmp_path / "a" / "x.csv").unlink()  # at once, while the stamp of the folder may be the same
    assert files_below(tmp_path) == (Path("a/y.csv"),)
    (tmp_path / "a" / "y.csv").unlink()
    (tmp_path / "a").rmdir()
    assert files_below(tmp_path) == files_below(tmp_path / "a") == ()


def test_a_folder_that_may_not_be_read(tmp_path, monkeypatch):
    (tmp_path / "a").mkdir()
    (tmp_path / "x.csv").touch()
    forbidden = [tmp_path / "a"]

    def scandir(path, scandir=os.scandir):
        if path in forbidden:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert files_below(tmp_path) == (Path("x.csv"),)
    forbidden.append(tmp_path)
    with pytest.raises(DataError, match=r"cannot read .* \(Permission denied\)\. Fix its permissions"):
        find_one(tmp_path, lambda path: True, "x.csv")


def test_a_file_that_is_there_twice(tmp_path):
    for folder in ("new", "old"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.csv").touch()
    with pytest.raises(DataError, match=r"has x\.csv twice: new/x\.csv and old/x\.csv\. Leave one of them there"):
        find_one(tmp_path, lambda path: path.name == "x.csv", "x.csv")


# CSV

HEADER = b"input,output\n"
FAULTS = [
    ("nothing", b"", "is empty, expected a table with the columns input, output"),
    ("a header alone", HEADER, "has a header and no rows"),
    ("no header", "佢哋,他们\n".encode(), 'has no column called "input" (it has 佢哋, 他们), expected input, output'),
    ("a column twice", b"input,Input,output\na,b,c\n", 'has 2 columns called "input"'),
    ("a cell too few", HEADER + b"a,b\nc\n", "row 2 (line 3) has not 2 cells as the header has but 1"),
    ("a comma that is not quoted", HEADER + b"a,b,c\n", "row 1 (line 2) has not 2 cells as the header has but 3"),
    ("a quotation mark never closed", HEADER + b'a,b\nc,"d\ne,f\n', "what follows line 2 is not CSV"),
    ("a quotation mark not doubled", HEADER + b'a,"b "c" d"\n', "what follows line 1 is not CSV"),
    ("an open quotation mark takes all", HEADER + b'a,"b' + b"\nc,d" * 40_000, "what follows line 1 is not CSV (field"),
    ("old Mac line ends", b"input,output\ra,b\r", "what follows line 0 is not CSV (new-line"),
    ("a NUL byte", HEADER + b"a,\0\n", "line 2 contains a NUL byte"),
    ("a zip", b"PK\x03\x04", "is a zip archive, expected text"),
    ("Big5", HEADER + "\u4f60,\u6211\n".encode("big5"), "line 2 contains byte 0xa7, expected UTF-8"),
]


@each(("content", "fault"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
def test_a_fault_is_one_line_with_file_and_row(tmp_path, content, fault):
    path = tmp_path / "can2man.csv"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        list(csv_rows(path, ("input", "output")))
    assert f"can2man.csv {fault}" in str(error.value)
    assert "\n" not in str(error.value)


def test_columns_are_found_by_name(tmp_path):
    path = tmp_path / "x.csv"
    path.write_bytes(b"\xef\xbb\xbf,OUTPUT, Input \r\n0,b,a\r\n\r\n1,d,c\r\n")
    assert list(csv_rows(path, ("input", "output"))) == [
        ("row 1 (line 2)", {"input": "a", "output": "b"}),
        ("row 2 (line 4)", {"input": "c", "output": "d"}),
    ]


cells = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)


@given(
    table=st.lists(st.tuples(cells, cells), min_size=1),
    bom=st.booleans(),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_whatever_csv_was_written_is_read(tmp_path_factory, table, bom, end, quoting):
    # csv.writer leaves a bare carriage return unquoted, and such a file says something else.
    assume(quoting == csv.QUOTE_ALL or not any("\r" in cell for row in table for cell in row))
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end, quoting=quoting).writerows([("input", "output"), *table])
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(text.getvalue().encode("utf-8-sig" if bom else "utf-8"))
    found = [(row["input"], row["output"]) for _, row in csv_rows(path, ("input", "output"))]
    assert found == [tuple(cell.replace("\r\n", "\n") for cell in row) for row in table]


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_data_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(HEADER + content)
    try:
        assert all(row.keys() == {"input", "output"} for _, row in csv_rows(path, ("input", "output")))
    except DataError as error:
        assert "\n" not in str(error)
