"""Rows go into Parquet as they are, the same bytes each time, or not at all."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Annotated, Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from hf_datasets import parquet
from hf_datasets.parquet import schema_of, write_rows
from hf_datasets.repo import content_hash
from hueval_metrics.errors import DataError
from tests.each import each


class Book(BaseModel):
    title: str
    year: int | None = None


class Line(BaseModel):
    id: str
    number: int
    share: float
    right: bool
    label: Literal["igen", "nem"] | None
    words: Annotated[list[Annotated[str, Field(min_length=1)]], Field(max_length=9)]
    book: Book | None
    books: list[Book]


def line(count: int = 1, **fields: Any) -> dict[str, Any]:
    empty = {"share": 0.5, "right": True, "label": None, "words": [], "book": None, "books": []}
    return {"id": str(count), "number": count, **empty, **fields}


def back(path: Path) -> list[dict[str, Any]]:
    return pq.read_table(path).to_pylist()


def test_the_schema_of_a_model():
    book = pa.struct([("title", pa.string()), ("year", pa.int64())])
    assert schema_of(Line) == pa.schema(
        [
            ("id", pa.string()),
            ("number", pa.int64()),
            ("share", pa.float64()),
            ("right", pa.bool_()),
            ("label", pa.string()),
            ("words", pa.list_(pa.string())),
            ("book", book),
            ("books", pa.list_(book)),
        ]
    )


@each("annotation", [dict, dict[str, str], Any, str | int, Literal[1, "1"], list])
def test_a_field_without_an_arrow_type_is_named(annotation):
    model = type("Odd", (BaseModel,), {"__annotations__": {"what": annotation}})
    with pytest.raises(TypeError, match=r"^Odd\.what: .* has no Arrow type\. Take "):
        schema_of(model)


def test_rows_come_back_as_they_were(tmp_path):
    rows = [
        line(
            1,
            words=["ő", "", "a\0b", "\u0085\u2028"],
            book={"title": "", "year": None},
            books=[{"title": "x", "year": 1}],
        ),
        line(2, label="igen", share=float("inf")),
    ]
    written = write_rows(rows, Line, tmp_path / "new" / "rows.parquet")
    assert back(tmp_path / "new" / "rows.parquet") == rows
    assert written == (2, content_hash(rows))


def test_no_rows_are_a_table_too(tmp_path):
    written = write_rows([], Line, tmp_path / "rows.parquet")
    assert (written, back(tmp_path / "rows.parquet")) == ((0, content_hash([])), [])


def test_the_same_rows_give_the_same_bytes(tmp_path):
    first, second = (write_rows(map(line, range(100)), Line, tmp_path / name) for name in ("a", "b"))
    assert first == second
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


@each(("limit", "value"), [("GROUP_ROWS", 10), ("GROUP_BYTES", 1_000)])
def test_a_row_group_is_full_by_rows_or_by_bytes(monkeypatch, tmp_path, limit, value):
    monkeypatch.setattr(parquet, limit, value)
    rows = [line(number) for number in range(25)]
    assert write_rows(rows, Line, tmp_path / "rows") == (len(rows), content_hash(rows))
    assert pq.ParquetFile(tmp_path / "rows").num_row_groups == {"GROUP_ROWS": 3, "GROUP_BYTES": 3}[limit]
    assert back(tmp_path / "rows") == rows


def test_memory_does_not_grow_with_the_rows(monkeypatch, tmp_path):
    monkeypatch.setattr(parquet, "GROUP_ROWS", 500)

    def peak(count: int) -> int:
        tracemalloc.start()
        try:
            write_rows((line(number, words=["szó" * 100]) for number in range(count)), Line, tmp_path / "rows")
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    few = peak(parquet.GROUP_ROWS)
    assert peak(4 * parquet.GROUP_ROWS) < 1.5 * few


@each(
    ("fields", "fault"),
    [
        ({"words": ["\ud83d"]}, "contains an unpaired surrogate, expected Unicode text"),
        ({"number": 2**63}, "does not fit the schema"),
        ({"number": "1"}, "does not fit the schema"),
        ({"words": "szó"}, "does not"),
        ({"share": 1}, "does not have the fields and types of the schema"),  # it would come back as 1.0
        ({"right": 1}, "does not"),
        ({"added": None}, "does not have the fields and types of the schema (id, number, share"),
        ({"book": {"title": "x"}}, "does not have the fields and types of the schema"),
    ],
)
def test_a_row_that_would_not_come_back_is_refused(tmp_path, fields, fault):
    path = tmp_path / "table" / "test.parquet"
    with pytest.raises(DataError) as error:
        write_rows([line(1), line(2), line(3, **fields), line(4)], Line, path)
    assert str(error.value).startswith(f"table/test.parquet row 3: {fault}")
    assert "\n" not in str(error.value)


def test_a_row_without_a_field_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"row 1: does not have the fields"):
        write_rows([{"id": "1"}], Line, tmp_path / "rows")


def test_a_full_disk(tmp_path):
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full, which takes every byte with ENOSPC")
    (tmp_path / "rows").symlink_to("/dev/full")
    with pytest.raises(DataError, match=r"^cannot write .*rows \(No space left on device\)\. Free some space"):
        write_rows([line()], Line, tmp_path / "rows")


BOOKS = st.builds(
    lambda title, year: {"title": title, "year": year}, st.text(), st.none() | st.integers(-(2**63), 2**63 - 1)
)
LINES = st.builds(
    lambda **fields: line(**fields),
    number=st.integers(-(2**63), 2**63 - 1),
    share=st.floats(allow_nan=False),
    words=st.lists(st.text(max_size=5), max_size=3),
    book=st.none() | BOOKS,
    books=st.lists(BOOKS, max_size=2),
)


@given(st.lists(LINES, max_size=5))
def test_any_rows_come_back(tmp_path_factory, rows):
    path = tmp_path_factory.getbasetemp() / "any.parquet"
    assert write_rows(rows, Line, path) == (len(rows), content_hash(rows))
    assert back(path) == rows


@given(
    st.lists(
        st.fixed_dictionaries({"id": st.text(st.characters(), max_size=4) | st.none() | st.integers()}), max_size=4
    )
)
def test_any_row_is_written_or_refused_in_one_line(tmp_path_factory, rows):
    class One(BaseModel):
        id: str | None

    path = tmp_path_factory.getbasetemp() / "one.parquet"
    try:
        write_rows(rows, One, path)
    except DataError as error:
        assert len(str(error).splitlines()) == 1
    else:
        assert back(path) == rows
