"""`hueval calibrate fit`, `apply` and `check` from scored runs to calibrated ones, with numbers worked out by hand."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.judges.calibrate.answers import answers, scored_runs
from hueval_metrics.judges.calibrate.references import UNREADABLE, Found, OtherRuns
from hueval_metrics.records import Signature
from tests.features.judges.calibrate.runs import (
    OE,
    QA,
    WILD,
    fitted,
    hueval,
    labels,
    results,
    row,
    rows,
    run_of,
    verdict,
    write_run,
)


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
    references.match(run.label, [answer])
    given = references.of(run.label, answer)
    assert (given.rating, given.why) == (found, None if found else "rated differently by the reference in two rows"), (
        why
    )
