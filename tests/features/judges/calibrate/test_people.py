"""Ratings of people as the reference: sheets of `hueval validate-judge`, drawn by strata."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from hueval_metrics.cli import main
from hueval_metrics.judges.people.key import read_key
from tests.features.judges.calibrate.runs import OE, run_of

N_YES, N_NO = 180, 20
TRUTH = {f"alpha {i}": "YES" if i < 150 or i >= 190 else "NO" for i in range(N_YES + N_NO)}  # 30 + 10 judged wrongly


def fill(sheet: Path, to: Path, rating: dict[str, str]) -> Path:
    """A rater's sheet: response → what is written beside it."""
    with sheet.open(encoding="utf-8-sig", newline="") as file:
        head, *rows = csv.reader(file)
    place = head.index("response")
    with to.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *([*cells[:6], rating.get(cells[place], ""), ""] for cells in rows)])
    return to


@pytest.fixture
def drawn(tmp_path):
    """A run of which the judge accepts 180 of 200, and a sheet of 60 of its verdicts, rare labels more often."""
    run = run_of(tmp_path / "alpha", ["YES"] * N_YES + ["NO"] * N_NO, "cheap")
    assert main(["validate-judge", "export", str(run), "--output", f"{tmp_path}/sheet.csv", "--n", "60"]) == 0
    return tmp_path


def fit(folder: Path, *sheets: Path, judge: str = "alpha") -> dict:
    file = folder / "cal.json"
    arguments = ["--judge", folder / judge, "--reference", *sheets, "--output", file]
    assert main(["calibrate", "fit", *map(str, arguments)]) == 0
    return json.loads(file.read_text())["tasks"][OE]


def test_a_sheet_counts_by_the_strata_that_it_was_drawn_by(drawn, capsys):
    task = fit(drawn, fill(drawn / "sheet.csv", drawn / "sheet_anna.csv", TRUTH))
    n = Counter(item.rating for item in read_key(drawn / "sheet.key.json").items.values())
    assert n["NO"] / 60 > N_NO / 200  # rare labels are drawn more often
    assert (task["reference"], task["reference_kind"]) == ("people (1 rater)", "people")
    weights = {(said, weight) for *_, weight, said, _ in task["items"]}
    assert weights == {("YES", round(N_YES / n["YES"], 6)), ("NO", round(N_NO / n["NO"], 6))}
    assert main(["calibrate", "apply", f"{drawn}/cal.json", f"{drawn}/alpha", "--output", f"{drawn}/out"]) == 0
    found = json.loads((drawn / "out" / "results.json").read_text())[OE]
    by_label = Counter((said, true) for *_, said, true in task["items"])
    expected = 100 * (0.9 * by_label["YES", "YES"] / n["YES"] + 0.1 * by_label["NO", "YES"] / n["NO"])
    assert found["acc_calibrated"] == pytest.approx(expected)  # of the strata: λ does not matter
    low, high = found["acc_calibrated_ci95"]
    assert low < 100 * sum(true == "YES" for true in TRUTH.values()) / 200 < high
    assert "people (1 rater)" in capsys.readouterr().out


def test_ties_are_left_out_and_counted(drawn):
    responses = [item.response for item in read_key(drawn / "sheet.key.json").items.values()]
    other = {"YES": "NO", "NO": "YES"}
    anna = fill(drawn / "sheet.csv", drawn / "sheet_anna.csv", TRUTH)
    parted = TRUTH | {response: other[TRUTH[response]] for response in responses[:7]}
    task = fit(drawn, anna, fill(drawn / "sheet.csv", drawn / "sheet_bela.csv", parted))
    assert task["left_out"] == {"whose raters tie": 7}
    assert len(task["items"]) == 53 and task["reference"] == "people (2 raters)"


def test_rows_without_a_rating_are_not_counted(drawn):
    responses = [item.response for item in read_key(drawn / "sheet.key.json").items.values()]
    some = {response: TRUTH[response] for response in responses[:40]}
    assert len(fit(drawn, fill(drawn / "sheet.csv", drawn / "sheet_anna.csv", some))["items"]) == 40


def test_people_who_rated_the_verdicts_of_another_judge(drawn):
    """The strata are the other judge's: rare labels of it are not rare ones of the new judge."""
    said = ["NO" if i % 3 == 0 else "YES" for i in range(200)]
    run_of(drawn / "alpha.new", said, "new")
    key = {item.response: item.rating for item in read_key(drawn / "sheet.key.json").items.values()}
    n = Counter(key.values())
    task = fit(drawn, fill(drawn / "sheet.csv", drawn / "sheet_anna.csv", TRUTH), judge="alpha.new")
    assert task["judge"] == "new" and len(task["items"]) == 60
    # First by the draw, then to the labels of the new judge: 67 NO and 133 YES.
    for label, total in (("NO", 67), ("YES", 133)):
        given = {weight for *_, weight, judged, _ in task["items"] if judged == label}
        assert sum(weight for *_, weight, judged, _ in task["items"] if judged == label) == pytest.approx(total)
        assert max(given) / min(given) == pytest.approx((N_YES / n["YES"]) / (N_NO / n["NO"]), rel=1e-5)


def test_a_sheet_of_several_runs_of_which_one_is_named(tmp_path):
    """It draws from both runs together, so the rates are those of both, whichever run is calibrated on."""
    run_of(tmp_path / "alpha", ["YES"] * 190 + ["NO"] * 10, "cheap")
    run_of(tmp_path / "beta", ["YES"] * 195 + ["NO"] * 5, "cheap")
    run_of(tmp_path / "alpha.new", ["YES"] * 200, "new")  # of one label, so that only the draw is seen
    sheet = ["--output", f"{tmp_path}/sheet.csv", "--n", "80"]
    assert main(["validate-judge", "export", f"{tmp_path}/alpha", f"{tmp_path}/beta", *sheet]) == 0
    drawn = read_key(tmp_path / "sheet.key.json").items.values()
    n = Counter(item.rating for item in drawn)
    anna = fill(tmp_path / "sheet.csv", tmp_path / "sheet_anna.csv", {item.response: "YES" for item in drawn})
    task = fit(tmp_path, anna, judge="alpha.new")
    weights = {weight for *_, weight, _, _ in task["items"]}
    assert len(task["items"]) == sum(item.response.startswith("alpha") for item in drawn)
    assert max(weights) / min(weights) == pytest.approx((385 / n["YES"]) / (15 / n["NO"]), rel=1e-5)


def test_a_wrong_cell_is_reported_and_left_out(drawn, capsys):
    responses = [item.response for item in read_key(drawn / "sheet.key.json").items.values()]
    task = fit(drawn, fill(drawn / "sheet.csv", drawn / "sheet_anna.csv", TRUTH | {responses[0]: "maybe"}))
    assert len(task["items"]) == 59
    assert '"maybe" is not one of YES, NO. Left out' in capsys.readouterr().err


def test_a_sheet_of_other_answers(drawn, capsys):
    run_of(drawn / "beta", ["YES"] * 100, "cheap")
    sheet = fill(drawn / "sheet.csv", drawn / "sheet_anna.csv", TRUTH)
    arguments = ["--judge", drawn / "beta", "--reference", sheet, "--output", drawn / "cal.json"]
    assert main(["calibrate", "fit", *map(str, arguments)]) == 1
    assert "no answer that the reference rated, too" in capsys.readouterr().err
