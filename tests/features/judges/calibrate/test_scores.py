"""Calibrated means, calibration errors, differing errors and ratings needed, with numbers worked out by hand."""

import json

import pytest

from hueval_metrics.cli import main
from tests.features.judges.calibrate.runs import (
    OE,
    QA,
    WILD,
    fitted,
    hueval,
    labels,
    results,
    row,
    run_of,
    verdict,
    write_run,
)


def test_scores_of_own_answers_are_the_mean_moved_by_the_judges(tmp_path):
    # Scores 4 and 8 alternate; the reference rated the first 60 of 100, each a point lower: so would the mean be.
    said = [4.0, 8.0] * 50
    run = run_of(tmp_path / "alpha.cheap", said, "cheap", WILD)
    run_of(tmp_path / "alpha.gold", [score - 1 for score in said[:60]], "gold", WILD)
    file = fitted(tmp_path, "alpha")
    assert hueval("apply", file, run, "--output", tmp_path / "out") == 0
    found = results(tmp_path / "out")[WILD]
    assert found["calibration"]["method"] == "ppi++"
    for name, points in (("wb_score", 1.0), ("wb_score_ref", 1.0)):
        width = found[name] - found[f"{name}_calibrated"]
        assert width == pytest.approx(points * {"wb_score": 10, "wb_score_ref": 20}[name])
    assert found["calibration"]["rogan_gladen"] == {}
    assert found["wb_score_racka"] == found["wb_score"] and "wb_score_racka_calibrated" not in found


def test_scores_of_other_runs_are_mapped_by_a_line(tmp_path):
    # On beta the judge says 3 + half of what the reference says: 4 for 2, 6 for 6, 7 for 8.
    truth = [2.0, 6.0, 8.0] * 30
    run_of(tmp_path / "beta.cheap", [3 + score / 2 for score in truth], "cheap", WILD)
    run_of(tmp_path / "beta.gold", truth, "gold", WILD)
    run = run_of(tmp_path / "alpha.cheap", [5.0, 6.0] * 40, "cheap", WILD)
    file = fitted(tmp_path, "beta")
    assert hueval("apply", file, run, "--output", tmp_path / "out") == 0
    found = results(tmp_path / "out")[WILD]
    assert (found["calibration"]["kind"], found["calibration"]["method"]) == ("transported", "linear")
    assert found["wb_score_calibrated"] == pytest.approx(50.0)  # a mean of 5.5 said is (5.5 - 3) × 2 = 5, of 10
    # Every third answer is of the stratum: 14 with a 5 and 13 with a 6.
    assert found["wb_score_lcc_calibrated"] == pytest.approx(10 * (148 / 27 - 3) * 2)


def test_brier_scores_are_corrected_from_own_answers_only(tmp_path):
    # Each answer is said to be right with 80 %: (.8 - 1)² = .04 if it is, .64 if not. The judge accepts all, the
    # reference half of the first 60.
    def write(name, judge, said):
        response = json.dumps({"answer": name.partition(".")[0], "confidence_score": 80})
        rows = [row(QA, f"q{i}", response, verdict(QA, label, judge), number=i) for i, label in enumerate(said)]
        return write_run(tmp_path / name, {QA: rows})

    run = write("alpha.cheap", "cheap", ["CORRECT"] * 100)
    write("alpha.gold", "gold", ["CORRECT", "INCORRECT"] * 30)
    file = fitted(tmp_path, "alpha")
    other = write("beta.cheap", "cheap", ["CORRECT"] * 50 + ["INCORRECT"] * 40)
    assert hueval("apply", file, run, other, "--output", tmp_path / "out") == 0
    own, transported = (results(tmp_path / "out" / name)[QA] for name in ("alpha.cheap", "beta.cheap"))
    assert own["brier"] == pytest.approx(0.04)
    assert own["brier_calibrated"] == pytest.approx((0.04 + 0.64) / 2)
    assert transported["brier_calibrated"] is None
    assert any("brier" in line for line in transported["calibration"]["warnings"])


def test_differing_errors_are_found_and_say_how_far_a_score_may_move(other_runs, capsys):
    # The judge is right on beta in 85 of 100, and accepts nearly all of gamma, of which half is right.
    run_of(other_runs / "gamma.cheap", labels(("YES", 50), ("YES", 30), ("NO", 20)), "cheap")
    run_of(other_runs / "gamma.gold", labels(("YES", 50), ("NO", 50)), "gold")
    run = run_of(other_runs / "alpha.cheap", labels(("YES", 120), ("NO", 80)), "cheap")
    file = fitted(other_runs, "beta", "gamma")
    assert "The errors of cheap differ between runs (beta.cheap, gamma.cheap; p < 0.001)." in capsys.readouterr().out
    assert hueval("apply", file, run, "--output", other_runs / "out") == 0
    told = results(other_runs / "out")[OE]["calibration"]["warnings"]
    assert "the errors of cheap differ between runs (beta.cheap, gamma.cheap; p < 0.001)" in told
    # By beta's .8 and .9: 71.43. By gamma's 1 and .4: (.6 + .4 - 1) / (1 + .4 - 1) = 0.
    assert "by the errors on one of these runs alone, acc would be 0.00 to 71.43" in told


def test_errors_by_series_of_models(other_runs, capsys):
    for name in ("gamma", "delta"):
        run_of(other_runs / f"{name}.cheap", labels(("YES", 40), ("NO", 10), ("YES", 5), ("NO", 45)), "cheap")
        run_of(other_runs / f"{name}.gold", labels(("YES", 50), ("NO", 50)), "gold")
    cards = other_runs / "models.yaml"
    of_series = ", ".join(
        f"{name}.cheap: {{reasoning: false, open: true, series: {series}}}"
        for name, series in (("beta", "Old"), ("gamma", "New"), ("delta", "New"))
    )
    cards.write_text(f"models: {{{of_series}}}")
    names = ("beta", "gamma", "delta")
    arguments = ["--judge", *(other_runs / f"{name}.cheap" for name in names)]
    arguments += ["--reference", *(other_runs / f"{name}.gold" for name in names), "--models", cards]
    assert hueval("fit", *arguments, "--output", other_runs / "cal.json", "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out).values()
    assert [(test["by"], test["groups"], test["p"]) for test in found["differing"]] == [
        ("run", ["beta.cheap", "gamma.cheap", "delta.cheap"], 1.0),
        ("series", ["Old", "New"], 1.0),
    ]


def test_how_many_ratings_are_needed(other_runs, capsys):
    run_of(other_runs / "alpha.cheap", labels(("YES", 120), ("NO", 80)), "cheap")
    run_of(other_runs / "alpha.gold", labels(("YES", 30), ("NO", 10)), "gold")
    arguments = ("--judge", other_runs / "alpha.cheap", "--reference", other_runs / "alpha.gold")
    assert hueval("fit", *arguments, "--output", other_runs / "cal.json", "--format", "json") == 0
    (needed,) = json.loads(capsys.readouterr().out)[OE]["ratings_needed"]
    assert (needed["run"], needed["metric"], needed["kind"], needed["n"]) == ("alpha.cheap", "acc", "own", 40)
    assert list(needed["widths"]) == ["2", "4"]  # eight times are more than 200 answers
    assert needed["width"] > needed["widths"]["2"] > needed["widths"]["4"]


@pytest.mark.slow
def test_a_calibration_error_of_few_rated_answers_is_marked(tmp_path, capsys):
    """In results.json as `ece` is, and by a † in the table and in the comparison."""

    def write(name, judge, said):
        rows = []
        for i, label in enumerate(said):
            response = json.dumps({"answer": name.partition(".")[0], "confidence_score": 95 if i % 4 else 55})
            rows.append(row(QA, f"q{i}", response, verdict(QA, label, judge), number=i))
        return write_run(tmp_path / name, {QA: rows})

    folders = []
    for model in ("alpha", "beta"):
        said = ["CORRECT", "INCORRECT", "CORRECT"] * 200
        folders.append(write(f"{model}.cheap", "cheap", said))
        write(f"{model}.gold", "gold", ["CORRECT", "INCORRECT", "INCORRECT"] * 40)
    file = fitted(tmp_path, "alpha", "beta")
    assert hueval("apply", file, *folders, "--output", tmp_path / "out") == 0
    found = results(tmp_path / "out" / "alpha.cheap")[QA]
    assert found["ece_n"] == 600 and found["ece_calibrated_n"] == 120
    assert found["ci_note"] == {"ece_calibrated": "few_answers"}
    runs = [str(tmp_path / "out" / folder.name) for folder in folders]
    capsys.readouterr()
    assert main(["table", *runs, "--all", "--format", "markdown"]) == 0
    rows = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|") and "ece" in line]
    assert ["†" in line for line in rows] == ["ece\\_calibrated" in line for line in rows], rows
    assert main(["compare", *runs, "--metric", "ece_calibrated", "--format", "markdown"]) == 0
    assert "]†; beta.cheap" in capsys.readouterr().out.replace("\\", "")
