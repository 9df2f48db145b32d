"""`hueval calibrate check`: whether calibrated scores hold where the reference's are known."""

import json

import pytest

from tests.features.judges.calibrate.runs import OE, fitted, hueval, labels, row, run_of, verdict, write_run


def test_check_finds_the_reference_in_the_interval_and_leaves_the_run_out_of_the_calibration(other_runs, capsys):
    # Errors as of beta: 60 of 100 right, .8 of them accepted; 40 wrong, .1 of them accepted.
    said = labels(("YES", 48), ("NO", 12), ("YES", 4), ("NO", 36))
    run_of(other_runs / "alpha.cheap", said, "cheap")
    run_of(other_runs / "alpha.gold", labels(("YES", 60), ("NO", 40)), "gold")
    file = fitted(other_runs, "alpha", "beta")
    capsys.readouterr()
    run, gold = other_runs / "alpha.cheap", other_runs / "alpha.gold"
    assert hueval("check", file, run, "--reference", gold, "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["excluded"] == ["alpha.cheap"]
    assert (found["n"], found["n_calibration"]) == (100, 100)
    acc = found["metrics"]["acc"]
    assert (acc["judge"], acc["reference"]) == (52.0, 60.0)
    assert acc["calibrated"] == pytest.approx(100 * (0.52 + 0.9 - 1) / 0.7)  # 60: the errors are the same
    assert acc["in_interval"] is True
    assert hueval("check", file, run, "--reference", gold) == 0
    assert "its own answers were taken out of the calibration" in capsys.readouterr().out


def test_check_shows_a_judge_that_is_lenient_with_this_model(other_runs, capsys):
    run_of(other_runs / "alpha.cheap", labels(("YES", 90), ("NO", 10)), "cheap")
    run_of(other_runs / "alpha.gold", labels(("YES", 30), ("NO", 70)), "gold")
    file = fitted(other_runs, "beta")
    capsys.readouterr()
    reference = ("--reference", other_runs / "alpha.gold")
    assert hueval("check", file, other_runs / "alpha.cheap", *reference, "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert found["metrics"]["acc"]["in_interval"] is False


def test_check_weighs_answers_that_were_drawn_by_strata(other_runs, capsys):
    # Errors as of beta. Of the 48 that the judge rejects a quarter was drawn: 3 of 12 right ones, 9 of 36 wrong ones.
    said = labels(("YES", 52), ("NO", 12))
    for judge, ratings in (("cheap", said), ("gold", labels(("YES", 48), ("NO", 4), ("YES", 3), ("NO", 9)))):
        drawn = [
            row(OE, f"q{i}", f"alpha {i}", verdict(OE, rating, judge), weight=1 if i < 52 else 4)
            for i, rating in enumerate(ratings)
        ]
        write_run(other_runs / f"alpha.{judge}", {OE: drawn})
    file = fitted(other_runs, "beta")
    capsys.readouterr()
    reference = ("--reference", other_runs / "alpha.gold")
    assert hueval("check", file, other_runs / "alpha.cheap", *reference, "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    acc = found["metrics"]["acc"]
    assert (acc["judge"], acc["reference"]) == (52.0, 60.0)
    assert acc["calibrated"] == pytest.approx(60.0)
    assert found["p_differing"] > 0.05


def test_check_of_a_run_whose_errors_differ_from_those_of_others(tmp_path, capsys):
    # Of alpha, which is taken out, the reference rated the questions 0 to 99 before, and 200 to 299 now.
    run_of(tmp_path / "alpha.cheap", ["YES", "NO"] * 150, "cheap")
    run_of(tmp_path / "alpha.gold", ["YES", "NO"] * 50, "gold")
    run_of(tmp_path / "alpha.later", [None] * 200 + ["YES", "NO"] * 50, "gold")
    run_of(tmp_path / "beta.cheap", [None] * 100 + ["YES", "NO"] * 50, "cheap")
    run_of(tmp_path / "beta.gold", [None] * 100 + ["YES"] * 70 + ["NO"] * 30, "gold")
    file = fitted(tmp_path, "alpha", "beta")
    assert json.loads(file.read_text())["tasks"][OE]["differing"][0]["p"] < 0.05
    capsys.readouterr()
    reference = ("--reference", tmp_path / "alpha.later")
    assert hueval("check", file, tmp_path / "alpha.cheap", *reference, "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["excluded"], found["n"], found["n_calibration"]) == (["alpha.cheap"], 100, 100)
