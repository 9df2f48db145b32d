"""`hueval validate-judge` from runs to a sheet, and from filled-in sheets to what they say of the judge."""

from __future__ import annotations

import csv
import json
import random

import pytest
from openpyxl import load_workbook

from hueval_metrics.cli import main
from hueval_metrics.judges.people.key import read_key
from tests.features.judges.people.verdicts import OE, QA, WILD, row, verdict


def hueval(*arguments) -> int:
    return main(["validate-judge", *map(str, arguments)])


@pytest.fixture
def runs(run_folder):
    """Two runs of three tasks: 240 verdicts, and two that cannot be checked."""
    draws = random.Random(0)
    folders = []
    for name in ("model-a", "model-b"):
        rows = [row(f"c{i}", draws.choices(["CORRECT", "INCORRECT"], [9, 1])[0], QA) for i in range(40)]
        rows += [row(f"y{i}", draws.choice(["YES", "NO"]), OE) for i in range(40)]
        rows += [row(f"w{i}", float(draws.randint(1, 10)), WILD) for i in range(40)]
        folders.append(run_folder(name, [*rows, row("none", None, OE)]))
    return folders


def fill(sheet, key, to, flip=0.0, seed=0):
    """A rater who says what the judge said, but for a share of the labels."""
    draws = random.Random(seed)
    items = read_key(key).items
    other = {"YES": "NO", "NO": "YES", "CORRECT": "INCORRECT", "INCORRECT": "CORRECT"}
    rating = {name: other.get(one.rating, 10.0) if draws.random() < flip else one.rating for name, one in items.items()}
    if sheet.suffix == ".csv":
        with sheet.open(encoding="utf-8-sig", newline="") as file:
            head, *rows = csv.reader(file)
        with to.open("w", encoding="utf-8-sig", newline="") as file:
            csv.writer(file).writerows([head, *([*cells[:6], rating[cells[0]], ""] for cells in rows)])
        return to
    book = load_workbook(sheet)
    for cells in book["Ratings"].iter_rows(min_row=2):
        cells[6].value = rating[cells[0].value]
    book.save(to)
    return to


@pytest.mark.parametrize("suffix", [".xlsx", ".csv", ".XLSX"])
def test_there_and_back(runs, tmp_path, capsys, suffix):
    sheet, key = tmp_path / f"sheet{suffix}", tmp_path / "sheet.key.json"
    assert hueval("export", *runs, "--output", sheet, "--n", 60) == 0
    out = capsys.readouterr().out
    assert "Not to be checked: 2 without a verdict." in out
    assert f"Wrote {sheet} and {key}" in out
    filled = [fill(sheet, key, tmp_path / f"{name}{suffix}", 0.2, seed) for seed, name in enumerate(("anna", "bela"))]
    assert hueval("import", *filled, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["problems"] == []
    assert [check["rubric"] for check in found["judges"]] == ["huproverbrea_oe/1", "husimpleqa/1", "huwildbench/1"]
    assert sum(check["n_sheet"] for check in found["judges"]) == 60
    assert [check["n_verdicts"] for check in found["judges"]] == [80, 80, 80]
    proverbs = found["judges"][0]
    assert 60 < proverbs["sample"]["agreement"]["value"] <= 100
    assert proverbs["between"]["kappa"]["value"] < 1


def test_a_rater_who_says_the_same_parts_from_the_judge_nowhere(runs, tmp_path, capsys):
    sheet = tmp_path / "sheet.xlsx"
    hueval("export", *runs, "--output", sheet)
    capsys.readouterr()
    hueval("import", fill(sheet, tmp_path / "sheet.key.json", sheet), "--format", "json")
    checks = json.loads(capsys.readouterr().out)["judges"]
    assert [(check["apart"], check["runs"]["kappa"]["value"]) for check in checks] == [([], 1.0)] * 3


def test_the_sheet_is_the_same_whatever_the_order_of_runs_and_rows(runs, tmp_path):
    hueval("export", *runs, "--output", tmp_path / "one.csv", "--n", 50, "--seed", 5)
    for folder in runs:
        lines = (folder / "items.jsonl").read_text().splitlines(keepends=True)
        (folder / "items.jsonl").write_text("".join(lines[::-1]))
    hueval("export", *runs[::-1], "--output", tmp_path / "two.csv", "--n", 50, "--seed", 5)
    assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()
    assert (tmp_path / "one.key.json").read_bytes() == (tmp_path / "two.key.json").read_bytes()


def test_fewer_verdicts_than_asked_for_are_all_taken_and_it_says_so(runs, tmp_path, capsys):
    hueval("export", *runs, "--output", tmp_path / "sheet.xlsx", "--n", 1000)
    assert "There are fewer than 1000 verdicts: all 240 are in the sheet." in capsys.readouterr().out
    assert len(read_key(tmp_path / "sheet.key.json").items) == 240


def test_a_csv_has_its_instructions_beside_it(runs, tmp_path):
    hueval("export", *runs, "--output", tmp_path / "sheet.csv")
    text = (tmp_path / "sheet.instructions.txt").read_text(encoding="utf-8-sig")
    assert "HOGYAN ÉRTÉKELJEN?" in text


@pytest.mark.parametrize("there", ["sheet.csv", "sheet.key.json", "sheet.instructions.txt"])
def test_no_file_is_overwritten(runs, tmp_path, capsys, there):
    (tmp_path / there).write_text("a rater's work")
    assert hueval("export", *runs, "--output", tmp_path / "sheet.csv") == 1
    assert f"{there}: exists already" in capsys.readouterr().err
    assert (tmp_path / there).read_text() == "a rater's work"
    assert not {"sheet.csv", "sheet.key.json"} - {there} & {file.name for file in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--output", "sheet.ods"], "a sheet is one of .xlsx, .csv"),
        (["--output", "sheet"], "a sheet is one of .xlsx, .csv"),
        (["--output", "sheet.csv", "--n", "0"], "0 is no number of verdicts"),
        (["--output", "sheet.csv", "--n", "-3"], "-3 is no number of verdicts"),
    ],
)
def test_options_out_of_range(runs, capsys, options, line):
    assert hueval("export", *runs, *options) == 1
    assert line in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "line"),
    [
        ([row("q", None)], "no verdicts (1 without a verdict)"),
        (
            [row("q", "YES") | {"task": "openhueval_humatchingfib"}],
            "no verdicts (no judged task whose items can be read)",
        ),
        ([row("q", verdict("MAYBE"))], "no verdicts (1 with a verdict that the rubric does not have)"),
    ],
)
def test_without_verdicts_it_says_how_to_get_some(run_folder, tmp_path, capsys, rows, line):
    assert hueval("export", run_folder("a", rows), "--output", tmp_path / "sheet.xlsx") == 1
    assert line in capsys.readouterr().err
    assert not (tmp_path / "sheet.xlsx").exists()


def test_a_sheet_of_another_key(runs, tmp_path, capsys):
    for seed in (0, 1):
        hueval("export", *runs, "--output", tmp_path / f"sheet{seed}.csv", "--seed", seed, "--n", 20)
    filled = fill(tmp_path / "sheet0.csv", tmp_path / "sheet0.key.json", tmp_path / "anna.csv")
    assert hueval("import", filled, "--key", tmp_path / "sheet1.key.json") == 1
    err = capsys.readouterr().err
    assert "none of its ids is in the key" in err
    assert "no rating to report" in err


def test_problems_are_told_and_the_rest_is_reported(runs, tmp_path, capsys):
    sheet, key = tmp_path / "sheet.csv", tmp_path / "sheet.key.json"
    hueval("export", *runs, "--output", sheet, "--n", 20)
    filled = fill(sheet, key, tmp_path / "anna.csv")
    lines = filled.read_text("utf-8-sig").splitlines(keepends=True)
    filled.write_text("".join(lines[:-1]) + "zz,,,,,,YES,\r\n")
    (tmp_path / "bela.xlsx").write_bytes(b"PK")
    capsys.readouterr()
    assert hueval("import", filled, tmp_path / "bela.xlsx", "--key", key, "--format", "json") == 0
    out, err = capsys.readouterr()
    problems = json.loads(out)["problems"]
    assert [text in " ".join(problems) for text in ('id "zz" is not in the key', "1 of 20 rows", "damaged")] == [
        True
    ] * 3
    assert all(f"hueval: {problem}.\n" in err for problem in problems)
