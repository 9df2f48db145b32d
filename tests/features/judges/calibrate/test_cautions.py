"""What `hueval calibrate` says of scores that rest on too little, and how many more ratings it says would help."""

from __future__ import annotations

import json
import shutil

from hueval_metrics.cli import main
from tests.features.judges.calibrate.runs import HALF, OE, row, run_of, verdict, write_run


def hueval(*arguments: object) -> int:
    return main(["calibrate", *map(str, arguments)])


def fit(folder, *models: str) -> None:
    judge, reference = ([folder / f"{model}.{who}" for model in models] for who in ("cheap", "gold"))
    arguments = ("--judge", *judge, "--reference", *reference, "--output", folder / "cal.json", "--format", "json")
    assert hueval("fit", *arguments) == 0


def shown(capsys) -> str:
    """What was printed, without the breaks of lines."""
    return " ".join(capsys.readouterr().out.split())


def test_answers_drawn_by_strata_may_be_as_many_as_they_stand_for(tmp_path, capsys):
    for judge in ("cheap", "gold"):
        rows = [
            row(OE, f"q{i}", f"alpha {i}", verdict(OE, rating, judge), weight=(8, 2)[i % 2])
            for i, rating in enumerate(HALF)
        ]
        write_run(tmp_path / f"alpha.{judge}", {OE: rows})
    fit(tmp_path, "alpha")
    (needed,) = json.loads(capsys.readouterr().out)[OE]["ratings_needed"]
    assert needed["n"] == 60
    assert list(needed["widths"]) == ["2", "4"]  # 30 × 8 + 30 × 2 = 300 answers: 4 × 60 of them, and not 8 × 60


def test_nothing_is_said_of_more_ratings_where_all_are_alike(tmp_path, capsys):
    run_of(tmp_path / "alpha.cheap", HALF * 5, "cheap")
    run_of(tmp_path / "alpha.gold", ["YES"] * 40, "gold")
    fit(tmp_path, "alpha")
    (needed,) = json.loads(capsys.readouterr().out)[OE]["ratings_needed"]
    assert (needed["n"], needed["widths"], needed["to_halve"]) == (40, {}, None)


def test_a_label_that_the_reference_never_gave_is_named(tmp_path, capsys):
    run_of(tmp_path / "alpha.cheap", ["YES"] * 40 + ["NO"] * 20, "cheap")
    run_of(tmp_path / "alpha.gold", ["YES"] * 60, "gold")
    both = ("--judge", tmp_path / "alpha.cheap", "--reference", tmp_path / "alpha.gold")
    assert hueval("fit", *both, "--output", tmp_path / "cal.json") == 0
    assert "NO: gold rated no item so, and the errors of cheap on such items are unknown." in shown(capsys)
    assert hueval("apply", tmp_path / "cal.json", tmp_path / "alpha.cheap", "--output", tmp_path / "out") == 0
    assert (
        "alpha.cheap, HuProverbRea (OE): gold rated no item NO, so the errors of cheap on such items are unknown."
        in shown(capsys)
    )


def test_a_label_of_the_judge_without_a_rating_is_named(tmp_path):
    run_of(tmp_path / "alpha.cheap", ["YES"] * 40 + ["NO"] * 50, "cheap")
    run_of(tmp_path / "alpha.gold", ["YES", "NO"] * 20, "gold")
    fit(tmp_path, "alpha")
    assert hueval("apply", tmp_path / "cal.json", tmp_path / "alpha.cheap", "--output", tmp_path / "out") == 0
    told = json.loads((tmp_path / "out" / "results.json").read_text())[OE]["calibration"]
    assert told["kind"] == "own"
    assert "no rating among the 50 answers that cheap rated NO" in told["warnings"]


def test_check_takes_the_very_run_out_of_the_calibration_under_any_name(tmp_path, capsys):
    for model in ("alpha", "beta"):
        for judge in ("cheap", "gold"):
            run_of(tmp_path / f"{model}.{judge}", HALF if model == "alpha" else HALF[:40], judge)
    fit(tmp_path, "alpha", "beta")
    shutil.copytree(tmp_path / "alpha.cheap", tmp_path / "renamed")
    capsys.readouterr()
    reference = ("--reference", tmp_path / "alpha.gold")
    assert hueval("check", tmp_path / "cal.json", tmp_path / "renamed", *reference, "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["run"], found["excluded"]) == ("renamed", ["alpha.cheap"])
    assert (found["n"], found["n_calibration"]) == (60, 40)  # beta's alone
