"""A small file that unpacks to gigabytes is refused before it does, by its own word or as it grows."""

from __future__ import annotations

import hashlib
import json
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from openpyxl import Workbook

from hf_datasets.parquet import parquet_rows
from hueval_metrics.errors import InputError
from hueval_metrics.judges.people.ratings import read_sheet
from tests.each import each
from tests.harness.runs import hueval_here

MIB = 2**20
LONG = "x" * MIB


def repeated(path):
    """One text of a MiB that a dictionary repeats 200,000 times: 200 GB in 700 bytes."""
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 200_000, pa.int32()), pa.array([LONG]))
    pq.write_table(pa.table({"a": column}), path, compression="zstd", store_schema=False)


def wide(path):
    """A group of 600 MiB of zeros, compressed."""
    column = pa.array([bytes(100 * MIB)] * 6)
    pq.write_table(pa.table({"a": column}), path, compression="zstd", use_dictionary=False, write_statistics=False)


def empty(path):
    """Rows of nothing take nothing."""
    pq.write_table(pa.table({"a": pa.nulls(20_000_000, pa.string())}), path, compression="zstd")


@each(
    ("make", "message"),
    [(repeated, "unpacks to more"), (wide, "a row group of 629,1"), (empty, "unpacks to more")],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_parquet(tmp_path, make, message):
    make(tmp_path / "x.parquet")
    assert (tmp_path / "x.parquet").stat().st_size < MIB
    with pytest.raises(pa.ArrowException, match=message):
        for _ in parquet_rows(tmp_path / "x.parquet"):
            pass


def test_ordinary_repetition_is_read(tmp_path):
    """HuRC's passages stand in some ten rows each."""
    rows = [{"passage": "szöveg " * 400 + str(n // 10), "n": n} for n in range(3_000)]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "x.parquet", compression="zstd")
    assert list(parquet_rows(tmp_path / "x.parquet")) == rows


@pytest.mark.slow
def test_a_converted_copy_with_such_a_file(tmp_path):
    copy = tmp_path / "copy"
    assert hueval_here("data", "convert", "hf_datasets/openhueval/sample", copy, "--name", "openhueval").status == 0
    file = copy / "husimpleqa" / "test.parquet"
    names = pq.read_schema(file).names
    column = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), pa.array([LONG]))
    pq.write_table(pa.table([column] * len(names), names=names), file, compression="zstd", store_schema=False)
    manifest = json.loads((copy / "hueval.json").read_text(encoding="utf-8"))
    manifest["configs"]["husimpleqa"]["test"]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (copy / "hueval.json").write_text(json.dumps(manifest), encoding="utf-8")
    outcome = hueval_here("data", "check", copy)
    assert outcome.status == 1
    told = " ".join((outcome.out + outcome.err).split())  # where lines break depends on the length of the path
    assert "unpacks to more than any data set has" in told


def sheet(path, part="", content=()):
    """A rater's sheet, one part of the archive replaced."""
    book = Workbook()
    book.active.append(["id", "rating"])
    book.active.append(["s1-1", "YES"])
    book.save(path.with_suffix(".0"))
    with zipfile.ZipFile(path.with_suffix(".0")) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in dict.fromkeys([*old.namelist(), *filter(None, [part])]):
            with new.open(name, "w") as file:
                for piece in content if name == part else [old.read(name)]:
                    file.write(piece)
    return path


def test_a_sheet_is_read(tmp_path):
    assert [row.rating for row in read_sheet(sheet(tmp_path / "a.xlsx"))] == ["YES"]


@each("part", ["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"])
def test_a_sheet_that_unpacks_to_gigabytes(tmp_path, part):
    bomb = sheet(tmp_path / "a.xlsx", part, (bytes(MIB) for _ in range(300)))
    assert bomb.stat().st_size < MIB
    with pytest.raises(InputError, match="unpacks to more than 256 MiB"):
        read_sheet(bomb)


def test_a_sheet_with_entities_that_expand(tmp_path):
    names = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    cells = '<row r="1"><c r="A1" t="inlineStr"><is><t>&a9;</t></is></c></row>'
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    text = (
        f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a0 "xxxxxxxxxx">{names}]>'
        f'<worksheet xmlns="{space}"><sheetData>{cells}</sheetData></worksheet>'
    )
    with pytest.raises(InputError, match="damaged, or not what its name says"):
        read_sheet(sheet(tmp_path / "a.xlsx", "xl/worksheets/sheet1.xml", [text.encode()]))
