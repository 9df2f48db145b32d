"""Which files are one row: scores beside a live run, and variants in one folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

from hueval_metrics.runs.load import load_runs
from tests.helpers import column

FIB, QA = "openhueval_humatchingfib", "openhueval_husimpleqa"


def labels(*paths: Path) -> list[str]:
    return [run.label for run in load_runs(paths)]


def test_scores_beside_a_live_run_are_of_that_run_and_newer(live_run):
    """`hueval run` with a judge deferred, then `hueval score DIR --output DIR`."""
    folder = live_run("humatchingfib", "huproverbrea_2cq")
    scores = {FIB: {"blank_acc": 7.0, "n": 14, "model": "m"}}
    (folder / "results.json").write_text(json.dumps(scores))
    (run,) = load_runs([folder])
    assert run.label == "m"
    assert run.tasks[FIB].scores == {"blank_acc": 7.0}
    assert run.tasks["openhueval_huproverbrea_2cq"].scores == {"truncated_rate": 0.0}
    assert run.tasks[FIB].source == folder / "results.json"


def test_scores_keep_their_place_before_a_live_run(live_run, tmp_path):
    live = live_run("humatchingfib")
    (tmp_path / "z").mkdir()
    (tmp_path / "z" / "results.json").write_text(json.dumps({FIB: {"blank_acc": 7.0, "n": 14, "model": "scored"}}))
    (live / "results.json").write_text(json.dumps({FIB: {"blank_acc": 7.0, "n": 14, "model": "m"}}))
    assert labels(tmp_path / "z", live) == ["scored", "m"]


def test_a_live_run_after_the_scores_beside_it_is_newer(live_run):
    folder = live_run("humatchingfib")
    (folder / "results.json").write_text(json.dumps({FIB: {"blank_acc": 7.0, "n": 14, "model": "m"}}))
    os.utime(folder / "results.json", (1_000, 1_000))
    (results,) = folder.glob("results_*.json")
    results.write_text(json.dumps(json.loads(results.read_text()) | {"date": 2_000.0}))
    (run,) = load_runs([folder])
    assert column(run, "scores") == {FIB: {"truncated_rate": 0.0}}


def test_scores_beside_two_live_runs_of_a_model_stay_a_row_of_their_own(lm_eval_file, tmp_path):
    for revision in ("a", "b"):
        config = {"model_args": {"pretrained": "m", "revision": revision}}
        lm_eval_file(f"results_{revision}.json", {QA: {"correct": 50.0}}, config=config)
    (tmp_path / "results.json").write_text(json.dumps({QA: {"correct": 1.0, "n": 2, "model": "m"}}))
    assert len(load_runs([tmp_path])) == 3


def test_runs_that_differ_in_a_variant_stay_two_rows(tmp_path):
    """`--metadata '{"prompt_lang": "hu"}'`, into the folder of a run without it."""
    for number, lang in enumerate(("en", "hu")):
        config = {"metadata": {"version": 1.1, "prompt_lang": lang, "question_lang": "hu", "provenance": {}}}
        results = {"results": {FIB: {"blank_acc,response": float(number)}}, "configs": {FIB: config}}
        (tmp_path / f"results_2026-01-0{number + 1}.json").write_text(
            json.dumps(results | {"config": {"model": "hf", "model_args": {"pretrained": "m"}}, "date": float(number)})
        )
    runs = load_runs([tmp_path])
    assert [run.label for run in runs] == ["m (prompt_lang=en)", "m (prompt_lang=hu)"]
    assert [run.score(FIB, "blank_acc") for run in runs] == [0.0, 1.0]


def test_a_setting_whose_default_differs_by_task_is_named_default(tmp_path):
    tasks = ["kolassimpleqa_hu_general", "kolassimpleqa_vi_general"]
    for number, asked in enumerate((None, "en")):
        configs = {
            task: {"metadata": {"question_lang": asked or task.split("_")[1], "provenance": {}}} for task in tasks
        }
        results = {"results": {task: {"f_score,response": 50.0} for task in tasks}, "configs": configs}
        (tmp_path / f"results_2026-01-0{number + 1}.json").write_text(
            json.dumps(results | {"config": {"model": "hf", "model_args": {"pretrained": "m"}}, "date": float(number)})
        )
    runs = load_runs([tmp_path])
    assert [run.label for run in runs] == ["m (question_lang=default)", "m (question_lang=en)"]
    assert [run.model for run in runs] == ["m", "m"]
