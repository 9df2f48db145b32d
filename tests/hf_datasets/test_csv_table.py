from __future__ import annotations

import csv
import io

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from hf_datasets.csv_table import csv_rows
from hueval_metrics.records import DataError

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


@pytest.mark.parametrize(("content", "fault"), [case[1:] for case in FAULTS], ids=[case[0] for case in FAULTS])
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
def test_whatever_was_written_is_read(tmp_path_factory, table, bom, end, quoting):
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
