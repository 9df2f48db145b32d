"""No cell of a CSV is evaluated as a formula, whatever separator a spreadsheet splits at."""

from __future__ import annotations

import ast
import csv
import io
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.text.spreadsheet import csv_text
from tests.helpers import load_cases, why

ROOT = Path(__file__).parents[2]
HOSTILE = st.text(st.one_of(st.sampled_from("=+-@＝－'\";,\t\r\n \u200b\ufeff\u00a0a1"), st.characters()))


def cells(text, delimiter):
    """All cells that a program with this list separator reads from a file."""
    return [cell for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) for cell in row]


def is_formula(cell):
    """Whether the visible part of a cell begins like a formula."""
    unseen = ("Cc", "Cf", "Zs", "Zl", "Zp")
    shown = next((c for c in cell if unicodedata.category(c) not in unseen and c != '"'), "")
    return unicodedata.normalize("NFKC", shown) in ("=", "+", "-", "@", "−")


@pytest.mark.parametrize("case", load_cases("spreadsheet"), ids=why)
def test_literal(case):
    assert list(csv.reader(io.StringIO(csv_text([[case["cell"], "x"]], "\r\n"), newline=""))) == [
        [case["written"], "x"]
    ]


@given(st.lists(st.lists(HOSTILE, min_size=1), min_size=1), st.sampled_from(",;\t"))
def test_no_cell_is_a_formula_whatever_the_separator(rows, delimiter):
    assert not [cell for cell in cells(csv_text(rows, "\r\n"), delimiter) if is_formula(cell)]


@given(st.text(st.characters(categories=["L", "N"])), st.text(st.characters(categories=["L", "N"])))
def test_words_and_numbers_are_written_as_they_are(first, second):
    assert csv_text([[first, second]], "") == f"{first},{second}"


def test_numbers_stay_numbers():
    assert csv_text([[-0.1, 1 / 3, -2, None, 1e-300]]) == "-0.1,0.3333333333333333,-2,,1e-300\n"


def test_a_long_run_of_separators_takes_no_time():
    """A pattern that restarts at each separator would take a day."""
    text = "\n \u200b" * 200_000
    assert csv_text([[text]]) == f'"{text}"\n'


def test_nothing_else_writes_csv():
    """Another writer of CSV would not escape formulas."""
    files = [
        path
        for package in ("hueval_metrics", "hf_datasets", "lm_eval_tasks")
        for path in (ROOT / package).rglob("*.py")
    ]
    found = {
        path.relative_to(ROOT).as_posix()
        for path in files
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("writer", "DictWriter", "to_csv", "to_excel")
    }
    assert found == {"hueval_metrics/text/spreadsheet.py"}
