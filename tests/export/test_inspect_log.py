import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hueval_metrics.export.artifacts import write
from hueval_metrics.export.inspect_log import inspect_logs
from hueval_metrics.export.record import task_records
from hueval_metrics.runs.load import load_runs
from tests.export.conftest import FIB, ITEMS, QA

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
FIB_NAME, QA_NAME = "openhueval-hustandardfib", "openhueval-husimpleqa"


def export(folder: Path, out: Path, **settings) -> dict[str, dict]:
    """The logs by task."""
    (run,) = load_runs([folder])
    paths = write(inspect_logs(task_records(run, "org/model-7B"), NOW, **settings), out)
    logs = [json.loads(path.read_text(encoding="utf-8")) for path in paths]
    return {log["eval"]["task"]: log for log in logs}


def test_the_log_of_a_task(scored, tmp_path):
    log = export(scored(), tmp_path)[FIB]
    assert (log["version"], log["status"]) == (2, "success")
    assert log["eval"]["model"] == "org/model-7B"
    assert log["eval"]["model_generate_config"] == {"max_tokens": 64, "temperature": 0.7}
    assert log["eval"]["task_version"] == "1.0"
    assert log["eval"]["created"] == "2026-02-01T12:00:00+00:00"
    assert log["eval"]["metadata"]["signature"].startswith(f"task:{FIB}|v:1.0|data:46d4a38095ec")
    assert log["eval"]["metadata"]["caveats"] == []
    assert log["results"]["headline"] == {"scorer": "hueval", "score": "blank_acc", "metric": "score"}
    assert log["results"]["scores"][0] == {
        "name": "blank_acc",
        "scorer": "hueval",
        "scored_samples": 2,
        "metrics": {
            "score": {"name": "score", "value": 75.0},
            "ci95_low": {"name": "ci95_low", "value": 50.0},
            "ci95_high": {"name": "ci95_high", "value": 100.0},
        },
        "metadata": {"ci_method": "bootstrap", "n": 2},
    }


def test_a_sample(scored, tmp_path):
    first, second = export(scored(), tmp_path)[FIB]["samples"]
    assert (first["id"], first["epoch"], first["input"]) == ("a", 1, "Töltsd ki: #0# és #1#")
    assert first["target"] == '{"answers": ["#0#Buda", "#1#Pest"]}'
    assert [message["role"] for message in first["messages"]] == ["user", "assistant"]
    assert first["output"]["completion"].startswith("<think>?</think>{")  # the reply as it came, with its trace
    assert first["scores"] == {
        "blank_acc": {"value": 100.0, "answer": '["#0#Buda", "#1#Pest"]'},
        "question_acc": {"value": 100.0, "answer": '["#0#Buda", "#1#Pest"]'},
    }
    assert [one["output"]["choices"][0]["stop_reason"] for one in (first, second)] == ["stop", "max_tokens"]
    assert second["metadata"] == {"dimension": "l", "metrics": {"blank_acc_l": 50.0}}


def test_a_verdict_stands_beside_its_score(scored, tmp_path):
    (score,) = export(scored(), tmp_path)[QA]["samples"][1]["scores"].values()
    assert score == {
        "value": 0.0,
        "explanation": "{}",
        "metadata": {"verdict": "NOT_ATTEMPTED", "judge": "gpt-4o-2024-11-20"},
    }


def test_the_names_are_those_that_inspect_lists(scored, tmp_path):
    export(scored(), tmp_path)
    names = sorted(path.name for path in (tmp_path / "inspect").iterdir())
    assert [name.rpartition("_")[0] for name in names] == [
        f"2026-02-01T12-00-00+00-00_{QA_NAME}",
        f"2026-02-01T12-00-00+00-00_{FIB_NAME}",
    ]


def test_without_items(scored, tmp_path):
    log = export(scored(), tmp_path, with_items=False)[FIB]
    assert "samples" not in log
    assert log["eval"]["dataset"]["samples"] == 0
    assert log["results"]["total_samples"] == 2


def test_items_that_do_not_match_the_scores_are_left_out(scored, tmp_path, caplog):
    logs = export(scored(items=ITEMS[1:]), tmp_path)
    assert "samples" not in logs[FIB]
    assert len(logs[QA]["samples"]) == 2
    assert f"{FIB} is exported without its predictions: its scores are of 2, and 1 have prompt" in caplog.text


def test_any_text_is_valid_json(scored, tmp_path):
    items = [item | {"prediction": 'a\ud800"\u2028</script>\x00'} for item in ITEMS]
    log = export(scored(items=items), tmp_path)[QA]
    assert log["samples"][0]["output"]["completion"] == 'a\ufffd"\u2028</script>\x00'


def test_inspect_reads_it(scored, tmp_path):
    logs = pytest.importorskip(
        "inspect_ai.log", reason="inspect-ai is not installed; its log format is tested literally"
    )
    export(scored(), tmp_path)
    files = logs.list_eval_logs(str(tmp_path / "inspect"))
    read = {log.eval.task: log for log in map(logs.read_eval_log, files)}
    assert sorted(read) == sorted([FIB, QA])
    assert [sample.scores["correct"].value for sample in read[QA].samples] == [100.0, 0.0]
    assert read[FIB].results.scores[0].metrics["ci95_low"].value == 50.0
    assert read[FIB].samples[0].output.completion == ITEMS[0]["prediction"]
