"""The intervals of a live run: those of `hueval score`, in the file and below the table, and never in the way."""

from __future__ import annotations

import json
import logging
import re

import hueval_metrics.harness.output.intervals as module
from hueval_metrics.runs.load import load_runs
from tests.harness.runs import ALL_TASKS, results

BASELINE = ("run", "--model", "hueval-baseline", "--model_args", "policy=random,seed=3")
TASK = "openhueval_humatchingfib"


def test_a_live_run_has_the_intervals_that_scoring_gives(cli, tmp_path):
    assert cli(*BASELINE, "--tasks", "openhueval_*", "--output_path", tmp_path / "live").status == 0
    assert cli("score", tmp_path / "live", "--output", tmp_path / "again").status == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text(encoding="utf-8"))
    live = results(tmp_path / "live")
    assert set(live["intervals"]) == set(ALL_TASKS)
    for task, intervals in live["intervals"].items():
        assert live["ci_method"][task] == again[task]["ci_method"]
        assert live["ci_note"][task] == again[task]["ci_note"]
        assert live["readings"].get(task) == again[task].get("readings")
        assert live["flags"][task] == again[task]["flags"]
        own = {metric: again[task][f"{metric}_n"] for metric in again[task] if f"{metric}_n" in again[task]}
        assert live["metric_n"][task] == own
        assert intervals == {metric: again[task][f"{metric}_ci95"] for metric in again[task]["ci_method"]}


def test_the_table_has_the_headline_scores_with_their_intervals(cli, tmp_path):
    out = cli(*BASELINE, "--tasks", TASK, "--output_path", tmp_path / "live").out
    (run,) = load_runs([tmp_path / "live"])
    for metric in ("blank_acc", "question_acc"):
        low, high = run.tasks[TASK].intervals[metric]
        score, n = run.tasks[TASK].scores[metric], run.tasks[TASK].metric_n[metric]
        assert re.search(rf"{TASK} +{metric} +{score:.1f} +\[{low:.1f}, {high:.1f}\] +{n}\n", out)
    assert "Packaged sample: not comparable with published numbers" in out


def test_a_limit_stands_below_the_table(cli):
    outcome = cli(*BASELINE, "--tasks", TASK, "--limit", 5)
    assert outcome.status == 0
    assert "95 % interval" in outcome.out
    assert "Run with --limit 5" in outcome.out


def test_predictions_alone_have_no_intervals(cli, tmp_path):
    outcome = cli(*BASELINE, "--tasks", TASK, "--predict_only", "--output_path", tmp_path)
    assert outcome.status == 0
    assert "95 % interval" not in outcome.out
    assert "intervals" not in results(tmp_path)


def test_a_failure_does_not_lose_the_run(cli, tmp_path, monkeypatch, caplog):
    def fail(spec):
        raise ZeroDivisionError

    monkeypatch.setattr(module, "DocumentValues", fail)
    with caplog.at_level(logging.WARNING):
        outcome = cli(*BASELINE, "--tasks", TASK, "--output_path", tmp_path)
    assert outcome.status == 0
    assert results(tmp_path)["results"][TASK]
    assert "no intervals: they could not be computed. `hueval score` computes them." in outcome.err + caplog.text
