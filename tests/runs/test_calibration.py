"""Calibrated scores in results files."""

from dataclasses import replace
from pathlib import Path

from hueval_metrics import registry
from hueval_metrics.runs.facets import over_facets
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.run import Calibration
from tests.calibrated import QA, SHA256, calibrated_row, write_results
from tests.each import each
from tests.helpers import changed, run_of


def test_calibrated_scores_and_what_they_rest_on(tmp_path):
    write_results(tmp_path / "a", {QA: calibrated_row(warnings=("few ratings",), brier_calibrated=None)})
    (run,) = load_runs([tmp_path / "a"])
    result = run.result(QA)
    assert result.calibration == Calibration("cheap-1", "gpt-4o", 400, True, SHA256, ("few ratings",))
    assert run.score(QA, "correct_calibrated") == 52.5
    assert run.score(QA, "brier_calibrated") is None
    assert result.intervals["correct_calibrated"] == (48.1, 56.9)
    assert result.n_of("correct_calibrated") == 1343


@each("found", [None, [], {"judge": "a"}, {"judge": "a", "reference": 1, "n": 3}, {"n": 400}])
def test_what_does_not_say_between_whom_is_no_calibration(found, tmp_path):
    write_results(tmp_path / "a", {QA: calibrated_row() | {"calibration": found}})
    (run,) = load_runs([tmp_path / "a"])
    assert run.result(QA).calibration is None


def test_a_calibrated_metric_is_the_metric_itself():
    metric = registry.metric(QA, "brier_calibrated")
    assert metric is registry.metric(QA, "brier")
    assert metric is not None and (metric.unit, metric.better) == ("fraction", "lower")
    assert registry.metric(QA, "other_calibrated") is None


COLA = "hulu_hucola"
OWN = Calibration("cheap-1", "gpt-4o", 400, True, SHA256)


def _prompts(*calibrations: Calibration | None, uncorrected: int | None = None):
    rows = []
    for number, calibration in enumerate(calibrations, 1):
        corrected = None if calibration is None or number == uncorrected else 8.0 * number
        scores = {"mcc": 10.0 * number, "mcc_calibrated": corrected}
        signature = {COLA: f"task:t|prompt:hu{number}-ab|split:validation|calibration:{number}"}
        run = run_of("m", Path(f"results_{number}.json"), {COLA: scores}, signature=signature)
        rows.append((changed(run, calibration=calibration), {"prompt": str(number)}))
    ((mean, _),) = over_facets(rows)
    return mean.result(COLA)


def test_the_mean_over_prompts_has_a_calibrated_score_if_all_have_one_of_the_same_raters():
    found = _prompts(OWN, replace(OWN, n=390))
    assert (found.scores, found.calibration) == ({"mcc": 15.0, "mcc_calibrated": 12.0}, replace(OWN, n=390))


@each("other", [None, replace(OWN, reference="people (3 raters)"), replace(OWN, is_own=False)])
def test_else_it_has_none(other):
    found = _prompts(OWN, other)
    assert (found.scores, found.calibration) == ({"mcc": 15.0, "mcc_calibrated": None}, None)


def test_a_score_that_could_not_be_corrected_under_one_prompt_has_no_mean():
    found = _prompts(OWN, OWN, uncorrected=2)
    assert (found.scores, found.calibration) == ({"mcc": 15.0, "mcc_calibrated": None}, OWN)
