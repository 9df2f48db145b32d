"""Sheets as raters send them back: saved by any program, rearranged, half filled in, damaged."""

from __future__ import annotations

import csv
import io
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openpyxl import Workbook, load_workbook

from hueval_metrics.judges.people.ratings import read_raters
from hueval_metrics.judges.people.sheet import COLUMNS, sheet_bytes
from hueval_metrics.text.workbook import SUFFIXES
from tests.features.judges.people.verdicts import OE, QA, WILD, item

ITEMS = {
    "s1-1": item("q1", "CORRECT", QA),
    "s1-2": item("q2", "YES", OE),
    "s1-3": item("q3", 7.0, WILD),
    "s1-4": item("q4", "NO", OE),
}
RATED = [("s1-1", "CORRECT"), ("s1-2", "NO"), ("s1-3", 8), ("s1-4", "NO")]
ALL = {"s1-1": "CORRECT", "s1-2": "NO", "s1-3": 8.0, "s1-4": "NO"}


@pytest.fixture
def sheet(tmp_path):
    """Writes a sheet with these ratings: rows of id, rating and, if any, comment."""

    def write(rows, name="anna.xlsx", head=("id", "rating", "comment"), above=()):
        book = Workbook()
        page = book.create_sheet("Ratings")
        for cells in [*above, head, *rows]:
            page.append(list(cells))
        book.save(tmp_path / name)
        return tmp_path / name

    return write


def read_one(path):
    (rater,), problems = read_raters([path], ITEMS)
    return rater, [problem.replace(f"{path}", "SHEET") for problem in problems]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_ratings_filled_into_the_sheet_come_back(tmp_path, suffix):
    path = tmp_path / f"anna{suffix}"
    path.write_bytes(sheet_bytes(ITEMS, suffix))
    place = list(COLUMNS).index("rating")
    if suffix == ".xlsx":
        book = load_workbook(path)
        for number, (_, rating) in enumerate(RATED, start=2):
            book["Ratings"].cell(number, place + 1).value = rating
        book.save(path)
    else:
        rows = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
        for cells, (_, rating) in zip(rows[1:], RATED, strict=True):
            cells[place] = str(rating)
        with path.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows(rows)
    rater, problems = read_one(path)
    assert (rater.name, rater.ratings, problems) == ("anna", ALL, [])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1250"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_csv_of_any_regional_form(tmp_path, encoding, delimiter):
    lines = [
        ("id", "response", "rating", "comment"),
        ("s1-1", 'két\nsor, "idézet"; ő', "hibás", "az első fele jó"),
        ("s1-3", "", "7,0", ""),
    ]
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter).writerows(lines)
    path = tmp_path / "anna.csv"
    path.write_bytes(file.getvalue().encode(encoding))
    rater, _ = read_one(path)
    assert rater.ratings == {"s1-1": "INCORRECT", "s1-3": 7.0}
    assert rater.comments == {"s1-1": "az első fele jó"}


def test_a_program_that_gives_the_sheet_a_wrong_size_loses_nothing(sheet, tmp_path):
    source, path = zipfile.ZipFile(sheet(RATED)), tmp_path / "bela.xlsx"
    with source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            assert not name.endswith("sheet2.xml") or b'<dimension ref="A1:C5"' in content
            target.writestr(name, content.replace(b'<dimension ref="A1:C5"', b'<dimension ref="A1:A2"'))
    rater, problems = read_one(path)
    assert (rater.ratings, problems) == (ALL, [])


def test_order_of_rows_and_columns_and_what_stands_above_do_not_matter(sheet):
    rows = [(None, rating, name) for name, rating in RATED[::-1]]
    rater, problems = read_one(sheet(rows, head=("note", " Rating", "ID"), above=[("Anna ítéletei",), ()]))
    assert (rater.ratings, problems) == (ALL, [])


def test_blank_rows_are_left_out(sheet):
    rater, problems = read_one(sheet([("s1-1", None), ("s1-2", " "), ("s1-3", 7.0), ("s1-4", "")]))
    assert (rater.ratings, problems) == ({"s1-3": 7.0}, [])


@pytest.mark.parametrize(
    ("rows", "ratings", "problems"),
    [
        (
            [*RATED[1:], ("s1-1", "corect")],
            {"s1-2": "NO", "s1-3": 8.0, "s1-4": "NO"},
            ['SHEET row 5: "corect" is not one of CORRECT, INCORRECT, NOT_ATTEMPTED. Left out'],
        ),
        (
            [*RATED[:2], ("s1-3", 11), RATED[3]],
            {"s1-1": "CORRECT", "s1-2": "NO", "s1-4": "NO"},
            ['SHEET row 4: "11" is not one of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10. Left out'],
        ),
        ([*RATED, ("s9-9", "YES")], ALL, ['SHEET row 6: id "s9-9" is not in the key. Left out']),
        ([*RATED, (None, "YES")], ALL, ["SHEET row 6: no id. Left out"]),
        (
            RATED[:3],
            {"s1-1": "CORRECT", "s1-2": "NO", "s1-3": 8.0},
            ["SHEET: 1 of 4 rows are missing; they count as not rated"],
        ),
        (
            [*RATED, ("s1-4", "YES")],
            {"s1-1": "CORRECT", "s1-2": "NO", "s1-3": 8.0},
            ["SHEET row 5, 6: s1-4 is there 2 times, with different ratings. Left out"],
        ),
        ([*RATED, ("s1-4", "nem")], ALL, []),  # twice the same
        ([*RATED, ("s1-4", None)], ALL, []),
    ],
)
def test_what_cannot_be_taken_is_told_in_a_line_and_the_rest_is_taken(sheet, rows, ratings, problems):
    rater, found = read_one(sheet(rows))
    assert (rater.ratings, found) == (ratings, problems)


def test_a_damaged_sheet_of_one_rater_does_not_stop_the_others(sheet, tmp_path):
    good = sheet(RATED)
    bad = tmp_path / "bela.xlsx"
    bad.write_bytes(good.read_bytes()[:1000])
    empty = sheet([("s1-1", None)], "cili.xlsx")
    raters, problems = read_raters([bad, good, empty], ITEMS)
    assert [rater.name for rater in raters] == ["anna"]
    assert problems[0].startswith(f"{bad}: damaged, or not what its name says (BadZipFile")
    assert problems[-1] == f"{empty}: no rating in it. Fill in the column rating"


def test_raters_whose_files_share_a_name_are_told_apart_by_folder(sheet, tmp_path):
    (tmp_path / "b").mkdir()
    first, second = sheet(RATED, "sheet.xlsx"), sheet(RATED, "b/sheet.xlsx")
    raters, _ = read_raters([first, second, first], ITEMS)
    assert [rater.name for rater in raters] == [str(first), str(second)]


def test_a_sheet_named_in_two_ways_is_one_rater(sheet, tmp_path, monkeypatch):
    path = sheet(RATED)
    monkeypatch.chdir(tmp_path)
    raters, _ = read_raters([path, path.relative_to(tmp_path)], ITEMS)
    assert [rater.name for rater in raters] == ["anna"]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.xlsx", None, "cannot be read (No such file or directory)"),
        ("a.xlsx", b"", "damaged, or not what its name says"),
        ("a.xlsx", b"PK\x03\x04 not a workbook", "damaged, or not what its name says"),
        ("a.ods", b"", "not a sheet. Expected the .xlsx or .csv file"),
        ("a.csv", b"", "no columns id and rating"),
        ("a.csv", b"\x00\xff\xfe", "no columns id and rating"),
        ("a.csv", b"id,comment\ns1-1,x\n", "no columns id and rating"),
        ("a.csv", b"id,rating\nzz-1,YES\n", "none of its ids is in the key. Name the key that was written with it"),
        ("a.csv", b"id,rating\n", "no rating in it"),
        ("a.csv", b"id,rating\ns1-1,hm\n", '"hm" is not one of CORRECT, INCORRECT, NOT_ATTEMPTED'),
    ],
)
def test_a_sheet_without_any_rating_is_nobodys_and_a_line_says_why(tmp_path, name, content, line):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    raters, problems = read_raters([tmp_path / name], ITEMS)
    assert not raters
    assert any(line in problem for problem in problems)
    assert not any("\n" in problem for problem in problems)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.integers(0, 6000), st.integers(0, 255), st.booleans())
def test_a_file_damaged_anywhere_gives_ratings_or_lines(sheet, tmp_path, place, byte, is_cut):
    whole = sheet(RATED, "whole.xlsx").read_bytes()
    place %= len(whole)
    damaged = whole[:place] if is_cut else whole[:place] + bytes([byte]) + whole[place + 1 :]
    (tmp_path / "bela.xlsx").write_bytes(damaged)
    raters, problems = read_raters([tmp_path / "bela.xlsx"], ITEMS)
    assert raters or problems
    assert not any("\n" in problem for problem in problems)
