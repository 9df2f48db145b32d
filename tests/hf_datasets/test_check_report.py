"""The report of a check, for people and for programs."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.check import check
from hf_datasets.checks.findings import as_json, as_text
from hf_datasets.repo import Split
from tests.hf_datasets.tiny import row, rows, tiny

NASTY = row(1, "Egy\x1b[2J \u202ekettő\nhárom", options=["a\u200b", "A\u200b"])


def test_the_report_moves_no_cursor():
    text = as_text(check(tiny({"test": [NASTY, {**NASTY, "id": "\x07"}]})), 80)
    assert all(c.isprintable() or c == "\n" for c in text)
    assert r"1: Egy\x1b[2J \u202ekettő\nhárom" in text


def test_the_report_for_people():
    opened = tiny({"train": rows(2, "a"), "test": [row(0), row(1, "cipõ")]}, splits=(Split("train", 3), Split("test")))
    assert as_text(check(opened), 80) == (
        "tiny: tiny folder\n"
        "\n"
        "table: train 2, test 2 rows\n"
        "  error   train              2  rows; the official file has 3\n"
        '  warning test               1  "text": õ or û for ő or ű (ISO 8859-1)\n'
        "          1: cipõ\n"
        "  warning test               1  train/test overlap (leakage)\n"
        "          test 0 as train 0: 0. mondat\n"
        '  note    train              2  rows with a "label"\n'
        "          a: 2 (100.0 %)\n"
        '  note    test               2  rows without a "label"\n'
        "\n"
        "1 error, 2 warnings, 2 notes.\n"
    )


def test_the_report_for_programs():
    report = check(tiny({"test": [row(0, "k\ud83dt\u0085")]}))
    read = json.loads(as_json(report))
    assert (read["name"], read["where"], read["rows"]) == ("tiny", "tiny folder", {"table": {"test": 1}})
    assert (read["errors"], read["warnings"], read["notes"]) == (0, 2, 1)
    assert read["findings"][0] == {
        "severity": "warning",
        "config": "table",
        "split": "test",
        "what": '"text": an unpaired surrogate',
        "count": 1,
        "examples": ["0: k\ud83dt\u0085"],
    }


ROWS = st.lists(
    st.fixed_dictionaries(
        {"id": st.text(max_size=3), "text": st.text(max_size=9), "label": st.none() | st.sampled_from("ab")},
        optional={"options": st.lists(st.text(max_size=3), max_size=3), "answer": st.none() | st.integers()},
    ),
    max_size=6,
)


@given(train=ROWS, test=ROWS, width=st.integers(1, 200))
def test_any_rows_give_a_report(train, test, width):
    report = check(tiny({"train": train, "test": test}))
    assert report.rows == {"table": {"train": len(train), "test": len(test)}}
    lines = as_text(report, width).splitlines()
    assert all(len(line) <= max(width, 40) and line.isprintable() for line in lines)
    assert json.loads(as_json(report))["errors"] == report.count("error")
    repeated = sum(f.count for f in report.findings if f.what == "duplicate rows")
    assert repeated == sum(len(part) - len({entry["text"] for entry in part}) for part in (train, test))
