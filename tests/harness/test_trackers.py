"""wandb and trackio: what they get, and that a fault of theirs costs a line and no results."""

from __future__ import annotations

import importlib.util
import json

import pytest

from hueval_metrics.harness.output.trackers import Tracker, with_intervals
from tests.harness.runs import metrics, results

TASK = "openhueval_humatchingfib"
BASELINE = ("run", "--model", "hueval-baseline", "--tasks", TASK)
RESULTS = {"results": {TASK: {"acc,response": 50.0}}, "intervals": {TASK: {"acc": (40.0, 60.0)}}}


@pytest.mark.parametrize("tracker", ["wandb", "trackio"])
def test_one_that_is_not_installed_shows_before_the_model_loads(cli, monkeypatch, tmp_path, tracker):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "hueval_metrics.harness.output.trackers.find_spec", lambda name: None if name == tracker else find(name)
    )
    outcome = cli(*BASELINE, f"--{tracker}_args", "project=p", "--output_path", tmp_path)
    assert outcome.status == 1
    assert outcome.complaints == [
        f'hueval: --{tracker}_args: {tracker} is not installed. Install it: pip install "hueval[{tracker}]"'
    ]
    assert list(tmp_path.rglob("*.json*")) == []


def test_intervals_stand_beside_the_scores():
    assert with_intervals(RESULTS) == {TASK: {"acc,response": 50.0, "acc_ci95_low": 40.0, "acc_ci95_high": 60.0}}


def test_one_that_fails_costs_a_line(caplog):
    class Broken:
        def post_init(self, results):
            raise ConnectionError("the service is gone")

    tracker = Tracker("wandb", Broken(), lambda logger: logger.run.finish())
    tracker.record(RESULTS, {})
    tracker.close()
    assert caplog.messages[0] == "wandb: not all was logged (ConnectionError: the service is gone)."
    assert caplog.messages[1].startswith("wandb: its run could not be ended (")


@pytest.mark.slow
def test_wandb_offline(cli, monkeypatch, tmp_path):
    pytest.importorskip("wandb", reason="needs the wandb extra")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_DIR", str(tmp_path))
    outcome = cli(*BASELINE, "--wandb_args", "project=p", "--output_path", tmp_path / "out")
    assert (outcome.status, metrics(tmp_path / "out")[TASK]["blank_acc"]) == (0, 100.0), outcome.err
    (table,) = tmp_path.rglob("eval_results_*.table.json")
    low, high = results(tmp_path / "out")["intervals"][TASK]["blank_acc"]
    logged = {row[4]: row[5] for row in json.loads(table.read_text(encoding="utf-8"))["data"]}
    assert (logged["blank_acc_ci95_low"], logged["blank_acc_ci95_high"]) == (str(low), str(high))
    assert "wandb: " not in outcome.out + outcome.err  # what it prints is in the log


@pytest.mark.slow
def test_trackio_on_this_machine(cli, monkeypatch, tmp_path):
    monkeypatch.setenv("TRACKIO_DIR", str(tmp_path / "trackio"))  # read when it is imported
    storage = pytest.importorskip("trackio.sqlite_storage", reason="needs the trackio extra").SQLiteStorage
    outcome = cli(*BASELINE, "--trackio_args", "project=p", "name=oracle", "--output_path", tmp_path / "out")
    assert outcome.status == 0, outcome.err
    logged = {key: value for row in storage.get_logs("p", "oracle") for key, value in row.items()}
    low, high = results(tmp_path / "out")["intervals"][TASK]["blank_acc"]
    assert (logged[f"{TASK}/blank_acc_ci95_low"], logged[f"{TASK}/blank_acc_ci95_high"]) == (low, high)
    assert logged[f"{TASK}/blank_acc,response"] == 100.0
