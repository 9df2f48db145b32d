"""The intervals of a live run: those of `hueval score`, in the file and below the table, and never in the way."""

from __future__ import annotations

import json
import logging
import re
from contextlib import suppress

import lm_eval
import pytest

import hueval_metrics.harness.intervals as module
from hueval_metrics.harness.intervals import intervals_added
from hueval_metrics.runs.load import load_runs
from tests.harness.runs import ALL_TASKS, results

BASELINE = ("run", "--model", "hueval-baseline", "--model_args", "policy=random,seed=3")
TASK = "openhueval_humatchingfib"


@pytest.fixture
def evaluated(monkeypatch):
    """A function: what comes out where lm-eval's evaluator gives these results."""

    def call(results, *, log_samples):
        def evaluate(*, log_samples, **_):
            assert log_samples  # without samples there is nothing to compute intervals from
            return results

        monkeypatch.setitem(vars(lm_eval), "simple_evaluate", evaluate)
        with intervals_added():
            return lm_eval.simple_evaluate(model="m", log_samples=log_samples)

    return call


def test_a_live_run_has_the_intervals_that_scoring_gives(cli, tmp_path):
    assert cli(*BASELINE, "--tasks", "openhueval_*", "--output_path", tmp_path / "live").status == 0
    assert cli("score", tmp_path / "live", "--output", tmp_path / "again").status == 0
    again = json.loads((tmp_path / "again" / "results.json").read_text(encoding="utf-8"))
    live = results(tmp_path / "live")
    assert set(live["intervals"]) == set(ALL_TASKS)
    for task, intervals in live["intervals"].items():
        assert live["ci_method"][task] == again[task]["ci_method"]
        assert live["ci_note"][task] == again[task]["ci_note"]
        own = {metric: again[task][f"{metric}_n"] for metric in again[task] if f"{metric}_n" in again[task]}
        assert live["metric_n"][task] == own
        assert intervals == {metric: again[task][f"{metric}_ci95"] for metric in again[task]["ci_method"]}


def test_the_lines_below_lm_evals_table_are_those_of_scoring(cli, tmp_path):
    out = cli(*BASELINE, "--tasks", TASK, "--output_path", tmp_path / "live").out
    (run,) = load_runs([tmp_path / "live"])
    low, high = run.tasks[TASK].intervals["blank_acc"]
    score = run.tasks[TASK].scores["blank_acc"]
    line = f"{score:.1f} ± {(high - low) / 2:.1f} [{low:.1f}, {high:.1f}]"
    below = out.rpartition("|blank_acc ")[2]  # lm-eval's own line
    assert re.search(rf"{re.escape(run.label)} +{re.escape(line)}", below)
    assert "[ ]: 95 % interval" in out
    assert "Packaged sample: not comparable with published numbers" in out


def test_without_output_they_are_printed_all_the_same(cli):
    outcome = cli(*BASELINE, "--tasks", TASK, "--limit", 5)
    assert outcome.status == 0
    assert "[ ]: 95 % interval" in outcome.out
    assert "Run with --limit 5" in outcome.out


def test_samples_nobody_asked_for_are_in_no_results(evaluated):
    results = evaluated({"samples": {}, "results": {}}, log_samples=False)
    assert "samples" not in results


def test_samples_asked_for_stay(evaluated):
    assert evaluated({"samples": {}, "results": {}}, log_samples=True)["samples"] == {}


def test_predictions_alone_have_no_intervals(cli, tmp_path):
    outcome = cli(*BASELINE, "--tasks", TASK, "--predict_only", "--output_path", tmp_path)
    assert outcome.status == 0
    assert "95 % interval" not in outcome.out
    assert "intervals" not in results(tmp_path)


def test_other_ranks_have_nothing_to_add(evaluated):
    assert evaluated(None, log_samples=True) is None


def test_a_failure_does_not_lose_the_run(cli, tmp_path, monkeypatch, caplog):
    def fail(task, rows):
        raise ZeroDivisionError

    monkeypatch.setattr(module, "_summary", fail)
    with caplog.at_level(logging.WARNING):
        outcome = cli(*BASELINE, "--tasks", TASK, "--output_path", tmp_path)
    assert outcome.status == 0
    assert results(tmp_path)["results"][TASK]
    assert "no intervals: they could not be computed. `hueval score` computes them." in outcome.err + caplog.text


@pytest.mark.parametrize("fails", [False, True])
def test_lm_eval_is_left_as_it_was(fails):
    before = vars(lm_eval).get("simple_evaluate")
    with suppress(KeyError), intervals_added():
        assert vars(lm_eval)["simple_evaluate"] is not before
        if fails:
            raise KeyError
    assert vars(lm_eval).get("simple_evaluate") is before
