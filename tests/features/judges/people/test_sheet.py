"""The sheet as it is written: what a rater sees, what no program may take for a formula, and what must not be in it."""

from __future__ import annotations

import csv
import io
import zipfile
from html import unescape

import pytest
from openpyxl import load_workbook

from hueval_metrics.judges.people.sheet import COLUMNS, instructions, sheet_bytes
from hueval_metrics.text.workbook import CELL_LIMIT, SUFFIXES
from tests.each import each
from tests.features.judges.people.verdicts import OE, QA, WILD, item

HEAD = list(COLUMNS)


def rows_of(items, suffix):
    """The cells of a sheet as text, row by row."""
    content = sheet_bytes(items, suffix)
    if suffix == ".csv":
        return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    page = load_workbook(io.BytesIO(content))["Ratings"]
    return [["" if cell is None else cell for cell in row] for row in page.iter_rows(values_only=True)]


def text_of(items, suffix):
    """All that is in the file, unpacked."""
    content = sheet_bytes(items, suffix)
    if suffix == ".csv":
        return content.decode()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return unescape("\n".join(archive.read(name).decode() for name in archive.namelist()))


def test_a_row_has_what_the_rater_needs_and_room_for_the_rating():
    given = {"s1-1": item("q1", 7.0, WILD), "s1-2": item("q2", "NO", OE)}
    for suffix in SUFFIXES:
        assert rows_of(given, suffix) == [
            HEAD,
            [
                "s1-1",
                "huwildbench",
                "Kérdés q1",
                "a minta",
                "válasz q1",
                "1 / 2 / 3 / 4 / 5 / 6 / 7 / 8 / 9 / 10",
                "",
                "",
            ],
            ["s1-2", "huproverbrea_oe", "Kérdés q2", "a minta", "válasz q2", "YES / NO", "", ""],
        ]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_nothing_in_the_file_tells_of_judge_or_model(suffix):
    told = {"words": "CANARY-words", "run": "CANARY-run", "judge": "CANARY-judge", "rubric": "CANARY/1"}
    text = text_of(
        {"s1-1": item("CANARY-qid", "NO", dimension="CANARY-dimension", prompt="Mi?", response="Ez.")}, suffix
    )
    assert "Mi?" in text
    assert "CANARY" not in text
    text = text_of({"s1-1": item("q", "NO", **told)}, suffix)
    assert "válasz q" in text
    assert "CANARY" not in text


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_sheet_is_the_same_whatever_the_judge_said(suffix):
    sheets = [rows_of({"s1-1": item("q1", label, QA)}, suffix) for label in ("CORRECT", "INCORRECT")]
    assert sheets[0] == sheets[1]


@each("text", ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", " =1", "\t=1", "＝1", "#N/A", "1526", "TRUE"])
def test_a_response_is_text_and_never_a_formula(text):
    given = {"s1-1": item("q1", "YES", response=text, prompt=text, reference=text)}
    page = load_workbook(io.BytesIO(sheet_bytes(given, ".xlsx")))["Ratings"]
    cells = [page.cell(2, HEAD.index(name) + 1) for name in ("question", "reference", "response")]
    assert [(cell.value, cell.data_type, cell.quotePrefix) for cell in cells] == [(text, "s", True)] * 3
    _, row = rows_of(given, ".csv")
    written = {"#N/A": "#N/A", "1526": "1526", "TRUE": "TRUE", "\t=1": "'\t'=1"}.get(text, f"'{text}")
    assert row[HEAD.index("response")] == written


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_xml_cannot_hold_is_removed_and_the_rest_kept(suffix):
    given = {"s1-1": item("q1", "YES", response="ő\x00\x0b\ud800\ufffeű\r\núj\tsor</t>&amp;")}
    _, row = rows_of(given, suffix)
    assert row[HEAD.index("response")] == "őű\núj\tsor</t>&amp;"


@each("letter", ["ő", "🦊"])  # one and two units of UTF-16, in which Excel counts
@each("suffix", SUFFIXES)
def test_a_long_response_is_cut_with_a_note(suffix, letter):
    given = {"s1-1": item("q1", "YES", response=letter * 40_000)}
    response = rows_of(given, suffix)[1][HEAD.index("response")]
    shown, note = response.split("\n")
    assert set(shown) == {letter}
    assert note == f"[… levágva / cut here: +{40_000 - len(shown)}]"
    assert len(response.encode("utf-16-le")) // 2 <= CELL_LIMIT


def test_a_response_that_just_fits_is_whole():
    given = {"s1-1": item("q1", "YES", response="x" * CELL_LIMIT)}
    assert rows_of(given, ".xlsx")[1][HEAD.index("response")] == "x" * CELL_LIMIT


def test_ratings_are_held_to_the_values_of_their_own_rubric():
    given = {"a": item("1", "YES"), "b": item("2", 7.0, WILD), "c": item("3", "NO"), "d": item("4", "CORRECT", QA)}
    page = load_workbook(io.BytesIO(sheet_bytes(given, ".xlsx")))["Ratings"]
    lists = {rule.formula1: str(rule.sqref) for rule in page.data_validations.dataValidation}
    assert lists == {
        '"YES,NO"': "G2 G4",
        '"1,2,3,4,5,6,7,8,9,10"': "G3",
        '"CORRECT,INCORRECT,NOT_ATTEMPTED"': "G5",
    }


def test_the_first_sheet_says_in_two_languages_what_to_do():
    given = {"a": item("1", "YES"), "b": item("2", 7.0, WILD)}
    book = load_workbook(io.BytesIO(sheet_bytes(given, ".xlsx")))
    assert book.sheetnames == ["Instructions", "Ratings"]
    lines = [cell or "" for (cell,) in book["Instructions"].iter_rows(values_only=True)]
    assert lines == instructions(given).splitlines()
    assert "HOGYAN ÉRTÉKELJEN?" in lines
    assert "HOW TO RATE" in lines
    values = {line.partition(" (")[0] for line in lines[lines.index("WHAT THE VALUES MEAN") + 1 :]}
    assert values == {"YES / NO", "1–10"}  # and not the values of a rubric that no row needs


def test_excel_sees_that_a_csv_is_utf_8():
    assert sheet_bytes({"a": item("1", "YES")}, ".csv").startswith(b"\xef\xbb\xbfid,task,")
