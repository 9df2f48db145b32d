"""`hueval calibrate fit`, `apply` and `check` from scored runs to calibrated ones, with numbers worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hueval_metrics.calibrate.answers import answers, scored_runs
from hueval_metrics.calibrate.references import UNREADABLE, Found, OtherRuns
from hueval_metrics.cli import main
from hueval_metrics.records import Signature
from tests.calibrate.runs import OE, QA, WILD, row, run_of, verdict, write_run


def hueval(*arguments: object) -> int:
    return main(["calibrate", *map(str, arguments)])


def results(folder: Path) -> dict:
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def rows(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines()]


def labels(*counts: tuple[str, int]) -> list[str]:
    return [label for label, n in counts for _ in range(n)]


@pytest.fixture
def other_runs(tmp_path):
    """100 answers of beta: of 50 right ones the judge accepts 40, of 50 wrong ones 5."""
    run_of(tmp_path / "beta.cheap", labels(("YES", 40), ("NO", 10), ("YES", 5), ("NO", 45)), "cheap")
    run_of(tmp_path / "beta.gold", labels(("YES", 50), ("NO", 50)), "gold")
    return tmp_path


def fitted(folder: Path, *judges: str, reference: str = "gold", output: str = "calibration.json") -> Path:
    runs = [folder / f"{name}.cheap" for name in judges]
    references = [folder / f"{name}.{reference}" for name in judges]
    file = folder / output
    assert hueval("fit", "--judge", *runs, "--reference", *references, "--output", file) == 0
    return file


def test_transported_is_rogan_and_gladens_estimate(other_runs, capsys):
    file = fitted(other_runs, "beta")
    run = run_of(other_runs / "alpha.cheap", labels(("YES", 120), ("NO", 80)), "cheap")
    before = {path.name: path.read_bytes() for path in run.iterdir()}
    capsys.readouterr()
    assert hueval("apply", file, run, "--output", other_runs / "out", "--format", "json") == 0
    (shown,) = json.loads(capsys.readouterr().out)
    found = results(other_runs / "out")[OE]
    assert found["acc"] == 60.0  # what the judge said stays
    assert found["acc_calibrated"] == pytest.approx(100 * (0.6 + 0.9 - 1) / (0.8 + 0.9 - 1))  # Rogan & Gladen 1978
    low, high = found["acc_calibrated_ci95"]
    assert low < found["acc_calibrated"] < high
    assert high - low > 2 * 13  # the judge's share alone has 14 points, and the slope of 1 / .7 adds to it
    assert found["acc_calibrated_n"] == 100
    assert "acc_ref_calibrated" not in found  # goes by the reply's words
    told = found["calibration"]
    assert (told["judge"], told["reference"], told["kind"], told["method"], told["n"]) == (
        *("cheap", "gold", "transported", "rogan-gladen"),
        100,
    )
    assert told["sha256"] == json.loads(file.read_text())["sha256"]
    assert any("its model is not among those calibrated on (beta.cheap)" in line for line in told["warnings"])
    signed = Signature.parse(found["signature"]).parts
    assert signed["calibration"] == f"{told['sha256'][:12]},cheap to gold,n=100,transported"
    assert list(signed)[-2:] == ["judge", "rubric"]
    assert shown["metrics"]["acc"]["calibrated"] == found["acc_calibrated"]
    assert {path.name: path.read_bytes() for path in run.iterdir()} == before
    assert (other_runs / "out" / "items.jsonl").read_bytes() == before["items.jsonl"]
    assert (other_runs / "out" / "calibration.json").read_bytes() == file.read_bytes()


def test_own_answers_are_weighted_to_the_run_and_corrected_by_ppi(tmp_path, capsys):
    # The judge accepts 60 of 100. Of its YES 20 are rated, all right; of its NO 20, of which 5 are right.
    said = [*labels(("YES", 20), ("NO", 20)), *labels(("YES", 40), ("NO", 20))]
    run = run_of(tmp_path / "alpha.cheap", said, "cheap")
    run_of(tmp_path / "alpha.gold", labels(("YES", 20), ("YES", 5), ("NO", 15)), "gold")
    file = fitted(tmp_path, "alpha")
    assert hueval("apply", file, run, "--output", tmp_path / "out") == 0
    found = results(tmp_path / "out")[OE]
    assert found["acc_calibrated"] == pytest.approx(70.0)  # .6 × 1 + .4 × 5 / 20
    assert found["calibration"]["kind"] == "own" and found["calibration"]["method"] == "ppi++"
    assert found["calibration"]["rogan_gladen"]["acc"][0] == pytest.approx(70.0)  # its own shares: the same
    given = rows(tmp_path / "out")
    assert [one.get("reference_rating") for one in given[:20]] == [{"rating": "YES", "weight": 3.0}] * 20
    assert given[20]["reference_rating"] == {"rating": "YES", "weight": 2.0}
    assert given[39]["reference_rating"] == {"rating": "NO", "weight": 2.0}
    assert all("reference_rating" not in one for one in given[40:])
    assert [{key: one[key] for key in one if key != "reference_rating"} for one in given] == rows(run)
    assert "calibrated to gold" in capsys.readouterr().out


def test_answers_drawn_from_a_run_are_its_own(tmp_path):
    # As above, but the judge rated 40 answers that were drawn from the run, as into a frozen set.
    part = labels(("YES", 20), ("NO", 20))
    run = run_of(tmp_path / "alpha.whole", [*part, *labels(("YES", 40), ("NO", 20))], "cheap")
    run_of(tmp_path / "alpha.cheap", part, "cheap")
    run_of(tmp_path / "alpha.gold", labels(("YES", 25), ("NO", 15)), "gold")
    file = fitted(tmp_path, "alpha")
    assert hueval("apply", file, run, "--output", tmp_path / "out") == 0
    found = results(tmp_path / "out")[OE]
    assert (found["calibration"]["kind"], found["calibration"]["n"]) == ("own", 40)
    assert found["acc_calibrated"] == pytest.approx(70.0)  # 25 / 40 + 0.75 × (60 - 50) %


def test_a_run_drawn_by_strata_has_the_references_weighted_score_where_all_is_rated(tmp_path):
    # Of each label 30 are drawn; each YES stands for 8 answers, each NO for 2. Right are 20 of these and 5 of those.
    said, true = labels(("YES", 30), ("NO", 30)), labels(("YES", 20), ("NO", 10), ("YES", 5), ("NO", 25))
    for judge, ratings in (("cheap", said), ("gold", true)):
        drawn = [
            row(OE, f"q{i}", f"alpha {i}", verdict(OE, rating, judge), weight=8 if i < 30 else 2)
            for i, rating in enumerate(ratings)
        ]
        write_run(tmp_path / f"alpha.{judge}", {OE: drawn})
    assert hueval("apply", fitted(tmp_path, "alpha"), tmp_path / "alpha.cheap", "--output", tmp_path / "out") == 0
    found = results(tmp_path / "out")[OE]
    assert found["calibration"]["kind"] == "own"
    assert found["acc_calibrated"] == pytest.approx(100 * (20 * 8 + 5 * 2) / 300)


def test_the_same_model_generated_again_is_no_very_run(tmp_path):
    run_of(tmp_path / "alpha.cheap", labels(("YES", 30), ("NO", 30)), "cheap")
    run_of(tmp_path / "alpha.gold", labels(("YES", 30), ("NO", 30)), "gold")
    file = fitted(tmp_path, "alpha")
    again = [row(OE, f"q{i}", f"another answer {i}", verdict(OE, "YES", "cheap")) for i in range(60)]
    run = write_run(tmp_path / "alpha2", {OE: again})
    assert hueval("apply", file, run, "--output", tmp_path / "out") == 0
    assert results(tmp_path / "out")[OE]["calibration"]["kind"] == "transported"


def test_fewer_than_30_own_ratings_are_pooled_with_the_others(other_runs):
    run = run_of(other_runs / "alpha.cheap", labels(("YES", 60), ("NO", 40)), "cheap")
    run_of(other_runs / "alpha.gold", labels(("YES", 29)), "gold")
    file = fitted(other_runs, "alpha", "beta")
    assert hueval("apply", file, run, "--output", other_runs / "out") == 0
    told = results(other_runs / "out")[OE]["calibration"]
    assert (told["kind"], told["n"]) == ("transported", 129)
    assert all("reference_rating" not in one for one in rows(other_runs / "out"))


def test_a_perfect_judge_changes_nothing(tmp_path):
    said = ["CORRECT", "INCORRECT", "NOT_ATTEMPTED"] * 40
    for judge in ("cheap", "gold"):
        run_of(tmp_path / f"beta.{judge}", said, judge, QA)
    run = run_of(tmp_path / "alpha.cheap", [*said, *["CORRECT"] * 30], "cheap", QA)
    file = fitted(tmp_path, "beta")
    assert hueval("apply", file, run, "--output", tmp_path / "out") == 0
    found = results(tmp_path / "out")[QA]
    for name in ("correct", "incorrect", "not_attempted", "correct_given_attempted", "f_score"):
        assert found[f"{name}_calibrated"] == pytest.approx(found[name]), name
        low, high = found[f"{name}_calibrated_ci95"]
        assert low <= found[name] <= high


def test_the_parts_sum_to_all_and_f_follows_from_them(other_runs):
    said = labels(("CORRECT", 70), ("INCORRECT", 50), ("NOT_ATTEMPTED", 30))
    run_of(other_runs / "gamma.cheap", said, "cheap", QA)
    truth = [*labels(("CORRECT", 60), ("INCORRECT", 10)), *labels(("INCORRECT", 45), ("CORRECT", 5)), *said[120:]]
    run_of(other_runs / "gamma.gold", truth, "gold", QA)
    run = run_of(other_runs / "alpha.cheap", said[::2], "cheap", QA)
    file = fitted(other_runs, "gamma")
    assert hueval("apply", file, run, "--output", other_runs / "out") == 0
    found = results(other_runs / "out")[QA]
    c, i, n = (found[f"{name}_calibrated"] for name in ("correct", "incorrect", "not_attempted"))
    assert c + i + n == pytest.approx(100)
    assert found["f_score_calibrated"] == pytest.approx(100 * 2 * c / (2 * c + 2 * i + n))
    assert found["correct_given_attempted_calibrated"] == pytest.approx(100 * c / (c + i))


def test_several_runs_and_tasks(other_runs, capsys):
    for name, n in (("alpha", 50), ("gamma", 70)):
        accepted = labels(("YES", n), ("NO", 100 - n))
        tasks = {
            OE: [row(OE, f"q{i}", f"{name} {i}", verdict(OE, said, "cheap")) for i, said in enumerate(accepted)],
            WILD: [row(WILD, f"q{i}", f"{name} {i}", verdict(WILD, 5.0, "cheap")) for i in range(40)],
        }
        write_run(other_runs / f"{name}.cheap", tasks)
    file = fitted(other_runs, "beta")
    runs = [other_runs / f"{name}.cheap" for name in ("alpha", "gamma", "beta")]
    capsys.readouterr()
    assert hueval("apply", file, *runs, "--output", other_runs / "out", "--format", "markdown") == 0
    assert "| alpha.cheap | HuProverbRea (OE) | acc |" in capsys.readouterr().out
    found = [results(other_runs / "out" / run.name) for run in runs]
    assert [one[OE]["calibration"]["kind"] for one in found] == ["transported", "transported", "own"]
    assert found[0][WILD] == results(runs[0])[WILD]  # a task without a calibration stays as it was
    assert hueval("apply", file, runs[0], "--output", other_runs / "alone") == 0
    assert results(other_runs / "alone")[OE] == found[0][OE]  # a run's numbers do not depend on the runs beside it


def test_the_same_command_again_writes_the_same(other_runs):
    file = fitted(other_runs, "beta")
    run = run_of(other_runs / "alpha.cheap", labels(("YES", 60), ("NO", 40)), "cheap")
    for _ in range(2):
        assert hueval("apply", file, run, "--output", other_runs / "out") == 0
    kept = (other_runs / "out" / "results.json").read_bytes()
    assert fitted(other_runs, "beta", output="again.json").read_bytes() == file.read_bytes()
    assert (other_runs / "out" / "results.json").read_bytes() == kept


def test_reference_by_its_model_id_from_a_rejudged_run(tmp_path, capsys):
    said, truth = labels(("YES", 40), ("NO", 20)), labels(("YES", 30), ("NO", 30))
    given = [
        row(OE, f"q{i}", f"answer {i}", verdict(OE, gold, "gold"), earlier_verdicts=[verdict(OE, cheap, "cheap")])
        for i, (cheap, gold) in enumerate(zip(said, truth, strict=True))
    ]
    both = write_run(tmp_path / "both", {OE: given})
    file = tmp_path / "calibration.json"
    assert hueval("fit", "--judge", both, "--reference", "gold", "--output", file, "--format", "json") == 0
    (found,) = json.loads(capsys.readouterr().out).values()
    assert (found["judge"], found["reference"]) == ("cheap", "gold")
    assert found["counts"] == [[30, 0], [10, 20]]
    errors = found["errors"][0]
    assert (errors["sensitivity"], errors["specificity"]) == (1.0, pytest.approx(2 / 3))


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


@pytest.mark.parametrize(
    ("why", "ratings", "found"),
    [
        ("both rows say so", ("YES", "YES"), "YES"),
        ("they contradict each other", ("YES", "NO"), None),
        ("a third does not decide it", ("YES", "NO", "YES"), None),
        ("the first is unreadable", (None, "YES"), "YES"),
        ("the second is unreadable", ("YES", None), "YES"),
    ],
)
def test_the_same_response_in_two_rows_of_the_reference(tmp_path, why, ratings, found):
    (run,) = scored_runs([run_of(tmp_path / "alpha", ["YES"], "cheap")])
    (answer,) = answers(run)
    references = OtherRuns([])
    for rating in ratings:
        said = Found(rating, None if rating else UNREADABLE, "gold")
        references.add("gold", OE, answer.item, answer.response, said)
    references.match(run)
    given = references.of(run.label, answer)
    assert (given.rating, given.why) == (found, None if found else "rated differently by the reference in two rows"), (
        why
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
