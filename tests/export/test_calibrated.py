"""Calibrated scores in the export: beside the raw ones, with judge, reference, n and kind."""

import pytest
import yaml

from hueval_metrics.export.model_index import model_index
from hueval_metrics.export.record import task_records
from hueval_metrics.runs.load import load_runs
from tests.calibrated import SHA256, calibrated_row
from tests.export.conftest import ITEMS, QA
from tests.export.test_every_eval_ever import assert_valid, export

ABOUT = {
    "calibration": SHA256,
    "calibration_kind": "own",
    "calibration_judge": "cheap-1",
    "calibration_reference": "people (3 raters)",
    "calibration_n": "2",
    "calibration_warnings": "few ratings",
}


def calibrated(scored, **changes):
    keys = ("correct_calibrated", "correct_calibrated_ci95", "correct_calibrated_n", "calibration", "ci_method")
    row = calibrated_row(reference="people (3 raters)", n=2, warnings=("few ratings",))
    rated = [item | {"reference_rating": {"rating": "CORRECT", "weight": 1.5}} for item in ITEMS]
    return scored(tasks=(QA,), items=rated, **{key: row[key] for key in keys}, **changes)


@pytest.mark.process
def test_every_eval_ever(scored, tmp_path):
    logs, rows = export(calibrated(scored), tmp_path / "out")
    raw, found = (one for one in logs[QA]["evaluation_results"] if "correct" in one["metric_config"]["metric_name"])
    assert raw["score_details"]["score"] == 50.0
    assert not ABOUT.keys() & raw["score_details"]["details"].keys()
    assert found["evaluation_result_id"] == f"{QA}/correct_calibrated"
    assert found["metric_config"]["metric_unit"] == "percent"
    assert found["metric_config"]["llm_scoring"]["judges"][0]["model_info"]["name"] == "gpt-4o-2024-11-20"
    assert found["score_details"]["score"] == 52.5
    assert found["score_details"]["uncertainty"]["confidence_interval"]["lower"] == 48.1
    assert ABOUT.items() <= found["score_details"]["details"].items()
    assert {row["metadata"]["reference_rating"] for row in rows[QA]} == {"CORRECT"}
    assert rows[QA][0]["metadata"]["reference_weight"] == "1.5"
    assert {row["evaluation_result_id"] for row in rows[QA]} == {f"{QA}/correct"}
    assert_valid(tmp_path / "out")


def test_model_index(scored):
    (run,) = load_runs([calibrated(scored)])
    (file,) = model_index(task_records(run, "org/model-7B"))
    (result,) = yaml.safe_load(b"".join(file.chunks()))["model-index"][0]["results"]
    raw, found = result["metrics"]
    assert (raw["type"], raw["value"], found["type"], found["value"]) == ("correct", 50.0, "correct_calibrated", 52.5)
    assert ABOUT.items() <= found["args"].items()
    assert not ABOUT.keys() & raw["args"].keys()
