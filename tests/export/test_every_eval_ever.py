import hashlib
import importlib.util
import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from importlib.resources import files as package_files
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from hueval_metrics.export.artifacts import write
from hueval_metrics.export.every_eval_ever import Evaluator, evaluation_logs
from hueval_metrics.export.record import task_records
from hueval_metrics.loader import documents
from hueval_metrics.runs.load import load_runs
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from lm_eval_tasks.openhueval.templates import target
from tests.export.conftest import FIB, FIB_SIGNATURE, ITEMS, QA
from tests.helpers import json_lines, shared
from tests.runs.conftest import live_run  # noqa: F401  fixture

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)


def export(folder: Path, out: Path, dataset=None, **settings) -> tuple[dict, dict]:
    """Export a folder; the logs and the rows of the samples files, by task."""
    (run,) = load_runs([folder])
    evaluator = settings.pop("evaluator", Evaluator())
    write(evaluation_logs(task_records(run, "org/model-7B", dataset), evaluator, NOW, **settings), out)
    logs, rows = {}, {}
    for path in out.glob("data/openhueval/org/model-7B/*.json"):
        log = json.loads(path.read_text(encoding="utf-8"))
        task = log["evaluation_id"].split("/")[0]
        logs[task] = log
        if (samples := path.with_name(f"{path.stem}_samples.jsonl")).exists():
            rows[task] = json_lines(samples)
    return logs, rows


def assert_valid(out: Path) -> None:
    """Let the schema's own package judge: its validator, warnings not allowed, and its JSON schemas, which are stricter
    in one point (all details are text).

    It says that it wants Python 3.12 and older libraries than ours; its validator runs with ours all the same.
    """
    if importlib.util.find_spec("every_eval_ever") is None:
        message = "needs every_eval_ever: pip install --no-deps --ignore-requires-python every_eval_ever==0.3.0"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    paths = [str(path) for path in sorted(out.rglob("*.json*"))]
    assert paths
    command = [sys.executable, "-m", "every_eval_ever", "validate", "--format", "json", *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert len(json.loads(done.stdout)) == len(paths)
    for name, pattern in (("eval", "*.json"), ("instance_level_eval", "*.jsonl")):
        schema = json.loads((package_files("every_eval_ever") / f"schemas/{name}.schema.json").read_text("utf-8"))
        for path in out.rglob(pattern):
            for row in json_lines(path) if path.suffix == ".jsonl" else [json.loads(path.read_text("utf-8"))]:
                assert list(Draft7Validator(schema).iter_errors(row)) == []


def test_every_score_with_its_interval_and_method(scored, tmp_path):
    logs, _ = export(scored(), tmp_path / "out")
    results = {result["metric_config"]["metric_name"]: result for result in logs[FIB]["evaluation_results"]}
    assert list(results) == ["blank_acc", "question_acc", "blank_acc_ref"]
    assert results["blank_acc"]["evaluation_result_id"] == f"{FIB}/blank_acc"
    assert results["blank_acc"]["metric_config"] == {
        "metric_id": f"{FIB}.blank_acc",
        "metric_name": "blank_acc",
        "metric_unit": "percent",
        "lower_is_better": False,
        "score_type": "continuous",
        "min_score": 0.0,
        "max_score": 100.0,
    }
    assert results["blank_acc"]["score_details"] == {
        "score": 75.0,
        "details": {"num_predictions": "2", "num_missing": "0"},
        "uncertainty": {
            "confidence_interval": {"lower": 50.0, "upper": 100.0, "confidence_level": 0.95, "method": "bootstrap"},
            "num_samples": 2,
            "num_bootstrap_samples": 10_000,
        },
    }
    assert "num_bootstrap_samples" not in results["question_acc"]["score_details"]["uncertainty"]
    assert "uncertainty" not in results["blank_acc_ref"]["score_details"]  # the results have no interval of it
    assert results["blank_acc_ref"]["metric_config"]["max_score"] == "Infinity"  # 118.75 is no mistake


def test_each_metric_has_its_own_scale(scored, tmp_path):
    logs, _ = export(scored(), tmp_path / "out")
    config = {r["metric_config"]["metric_name"]: r["metric_config"] for r in logs[QA]["evaluation_results"]}
    assert "correct_h" not in config  # nothing was scored: null in the results
    ece = config["ece"]
    assert (ece["min_score"], ece["max_score"], ece["metric_unit"]) == (0.0, 1.0, "proportion")
    assert ece["lower_is_better"] is True


def test_settings_and_libraries_come_from_the_signature(scored, tmp_path):
    logs, _ = export(scored(), tmp_path / "out")
    log = logs[FIB]
    assert log["eval_library"] == {
        "name": "hueval",
        "version": "0.1.0",
        "additional_details": {
            "signature": FIB_SIGNATURE,
            "lm_eval": "0.4.13",
            "rapidfuzz": "3.14.6",
            "json_repair": "0.64.5",
        },
    }
    assert log["evaluation_results"][0]["generation_config"] == {
        "generation_args": {"temperature": 0.7, "max_tokens": 64},
        "additional_details": {
            "generation_kwargs": "max_gen_toks=64,temperature=0.7,until=[]",
            "chat_template_hash": "0123abcd",
            "num_fewshot": "0",
            "reasoning_handling": "strip/2",
            "prompt_template": "en-0702f52e",
            "question_language": "hu",
        },
    }


def test_settings_that_nobody_knows_are_not_there(scored, tmp_path):
    logs, _ = export(scored(signature="data:46d4a38095ec|gen:?|chat:?|limit:?"), tmp_path / "out")
    assert "generation_config" not in logs[FIB]["evaluation_results"][0]
    assert logs[FIB]["eval_library"]["version"] == "unknown"


def test_the_official_file_is_named_with_its_commit(scored, tmp_path):
    logs, _ = export(scored(), tmp_path / "out")
    upstream = "https://raw.githubusercontent.com/opendatalab/OpenHuEval/38c22bdfdcbf95d139e6001ea1b98934ebd2e7ca/data"
    assert logs[FIB]["evaluation_results"][0]["source_data"] == {
        "dataset_name": "OpenHuEval hustandardfib",
        "source_type": "url",
        "url": [f"{upstream}/HuStandardFIB.jsonl"],
        "additional_details": {
            "config": "hustandardfib",
            "git_blob_id": "46d4a38095ec2430e25e8c0532e28cc9b38b723d",
        },
    }


def test_a_repository_on_the_hub_is_named_with_its_revision(scored, tmp_path):
    logs, _ = export(scored(), tmp_path / "out", dataset="my-org/openhueval@v1.0")
    source = logs[QA]["evaluation_results"][0]["source_data"]
    assert (source["source_type"], source["hf_repo"], source["hf_split"]) == (
        "hf_dataset",
        "my-org/openhueval",
        "test",
    )
    assert source["additional_details"]["revision"] == "v1.0"


def test_other_data_are_not_passed_off_as_the_official_file(scored, tmp_path):
    logs, _ = export(scored(signature="data:ffffffffffff|sample:yes"), tmp_path / "out", dataset="my-org/openhueval")
    source = logs[FIB]["evaluation_results"][0]["source_data"]
    assert source["source_type"] == "other"
    assert source["additional_details"] == {
        "config": "hustandardfib",
        "git_blob_id": "ffffffffffff",
        "sample": "yes",
    }
    assert "packaged sample" in logs[FIB]["source_metadata"]["additional_details"]["caveats"]


def test_judge_and_its_prompt_stand_with_what_was_judged(scored, tmp_path):
    logs, _ = export(scored(), tmp_path / "out")
    config = {r["metric_config"]["metric_name"]: r["metric_config"] for r in logs[QA]["evaluation_results"]}
    scoring = config["correct"]["llm_scoring"]
    assert [judge["model_info"]["id"] for judge in scoring["judges"]] == ["gpt-4o-2024-11-20"]
    assert "{question}" in scoring["input_prompt"]
    assert scoring["additional_details"] == {"judge": "gpt-4o-2024-11-20", "rubric": "husimpleqa/3"}
    assert "aggregation_method" not in scoring
    assert "llm_scoring" not in config["judge_coverage"]
    assert "llm_scoring" not in logs[FIB]["evaluation_results"][0]["metric_config"]


@pytest.mark.parametrize(
    ("judge", "rubric", "judges", "method", "why"),
    [
        ("a+b", "husimpleqa/3", {"a": {}, "b": {}}, "majority_vote", "a panel has members"),
        ("a*3", "husimpleqa/3", {"a": {}}, "majority_vote", "one model, asked three times"),
        ("a,b", "husimpleqa/3", {"a": {}, "b": {}}, None, "some items are one's, some the other's"),
        ("a", "husimpleqa/99", {"a": {}}, None, "the prompt of another version is not ours to quote"),
    ],
)
def test_several_judges(scored, tmp_path, judge, rubric, judges, method, why):
    signature = f"data:6d6b9c887861|sample:no|judge:{judge}|rubric:{rubric}"
    logs, _ = export(scored(tasks=(QA,), signature=signature, judge=judges), tmp_path / "out")
    scoring = logs[QA]["evaluation_results"][0]["metric_config"]["llm_scoring"]
    assert [one["model_info"]["name"] for one in scoring["judges"]] == list(judges)
    assert scoring.get("aggregation_method") == method
    assert ("{question}" in scoring["input_prompt"]) == (rubric == "husimpleqa/3")


def test_comparing_words_is_no_llm(scored, tmp_path):
    signature = "data:6d6b9c887861|judge:lexical|rubric:husimpleqa/lexical-1"
    logs, _ = export(scored(tasks=(QA,), signature=signature), tmp_path / "out")
    assert "llm_scoring" not in json.dumps(logs)
    assert "comparing words" in logs[QA]["evaluation_results"][0]["score_details"]["details"]["caveats"]


def test_samples_point_to_their_scores(scored, tmp_path):
    out = tmp_path / "out"
    logs, rows = export(scored(), out)
    for task, log in logs.items():
        pointer = log["detailed_evaluation_results"]
        content = (out / pointer["file_path"]).read_bytes()
        assert pointer["checksum"] == hashlib.sha256(content).hexdigest()
        assert pointer["total_rows"] == len(rows[task]) == 2
        assert {row["evaluation_id"] for row in rows[task]} == {log["evaluation_id"]}
        assert {row["evaluation_result_id"] for row in rows[task]} == {
            log["evaluation_results"][0]["evaluation_result_id"]
        }


def test_without_items_there_are_only_scores(scored, tmp_path):
    logs, rows = export(scored(), tmp_path / "out", with_items=False)
    assert set(logs) == {FIB, QA}
    assert rows == {}
    assert all("detailed_evaluation_results" not in log for log in logs.values())


@pytest.mark.parametrize(
    ("items", "said"),
    [
        (None, "its items are not there"),
        ([{k: v for k, v in item.items() if k != "prompt"} for item in ITEMS], "none with prompt and score"),
        (ITEMS[:1], "its scores are of 2 predictions, and its items are 1. Score it again"),
        ([*ITEMS, ITEMS[0]], "its scores are of 2 predictions, and its items are 3. Score it again"),
    ],
    ids=["no file", "an older version's", "cut off", "repeated"],
)
def test_runs_without_usable_items_give_their_scores(scored, tmp_path, caplog, items, said):
    folder = scored(tasks=(FIB,), items=items or [])
    if items is None:
        (folder / "items.jsonl").unlink()
    logs, rows = export(folder, tmp_path / "out")
    assert (set(logs), rows) == ({FIB}, {})
    assert f"{FIB} is exported without its predictions" in caplog.text
    assert said in caplog.text


def test_without_a_score_that_items_have_there_are_no_samples(tmp_path, caplog):
    row = {"acc": 50.0, "n": 2, "signature": "data:e3438650a877|sample:no"}
    (tmp_path / "results.json").write_text(json.dumps({"openhueval_huproverbrea_2cq": row}), encoding="utf-8")
    (tmp_path / "items.jsonl").write_text("", encoding="utf-8")
    logs, rows = export(tmp_path, tmp_path / "out")
    (result,) = logs["openhueval_huproverbrea_2cq"]["evaluation_results"]
    assert result["metric_config"]["metric_name"] == "acc"  # of proverbs, in both orders
    assert rows == {}
    assert "without its predictions" in caplog.text


def test_the_evaluator_is_named(scored, tmp_path):
    evaluator = Evaluator("My Lab", "third_party", "https://example.org")
    logs, _ = export(scored(), tmp_path / "out", evaluator=evaluator)
    assert logs[FIB]["source_metadata"] == {
        "source_name": "hueval",
        "source_type": "evaluation_run",
        "source_organization_name": "My Lab",
        "source_organization_url": "https://example.org",
        "evaluator_relationship": "third_party",
    }


def test_names_of_files_stay_and_differ_with_the_scores(scored, tmp_path):
    (first,) = load_runs([scored()])
    (second,) = load_runs([scored("other", blank_acc=76.0, correct=51.0)])

    def names(run, now):
        return [file.path for file in evaluation_logs(task_records(run, "org/model-7B"), Evaluator(), now)]

    assert names(first, NOW) == names(first, datetime.now(UTC))
    assert not set(names(first, NOW)) & set(names(second, NOW))


@pytest.mark.process
def test_its_own_package_finds_nothing_wrong(scored, tmp_path):
    export(scored(), tmp_path / "out", dataset="my-org/openhueval@v1.0")
    assert_valid(tmp_path / "out")


@pytest.mark.process
def test_its_own_package_finds_nothing_wrong_with_a_hostile_run(scored, tmp_path):
    evil = "\ud800\x1b[31m\u2028\u2029\x85\u202e</script><svg onload=alert(1)>\x00"
    items = [item | {"prediction": evil, "answer": [evil], "prompt": evil, "reference": evil} for item in ITEMS]
    gen = f"{evil},temperature=1e999,top_p=0.5,max_gen_toks=0"
    signature = f"task:x|data:{evil}|gen:{gen}|signature:{evil}|hueval:{evil}|judge:{evil}|rubric:{evil}"
    export(scored(items=items, signature=signature, judge={evil: {}}), tmp_path / "out")
    assert_valid(tmp_path / "out")


@pytest.mark.process
def test_its_own_package_finds_nothing_wrong_with_a_live_run(live_run, tmp_path):  # noqa: F811
    folder = live_run("humatchingfib", "huproverbrea_2cq")
    (results,) = folder.glob("results_*.json")
    data = json.loads(results.read_text(encoding="utf-8"))
    for task, metric in (("openhueval_humatchingfib", "blank_acc"), ("openhueval_huproverbrea_2cq", "acc_single")):
        data["results"][task] |= {f"{metric},response": 100.0, "acc,response": 100.0}
    results.write_text(json.dumps(data | {"date": 1769853600.0}), encoding="utf-8")
    logs, rows = export(folder, tmp_path / "out")
    assert {log["evaluation_timestamp"] for log in logs.values()} == {"1769853600"}
    two = rows["openhueval_huproverbrea_2cq"]
    # Both orders of a proverb: a score of its own has only the single presentation.
    assert {row["evaluation_result_id"] for row in two} == {"openhueval_huproverbrea_2cq/acc_single"}
    assert len({row["sample_id"] for row in two}) == len(two)
    assert_valid(tmp_path / "out")


@pytest.mark.process
def test_its_own_package_finds_nothing_wrong_with_the_real_data(tmp_path, monkeypatch):
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))
    docs, _ = documents("openhueval_hustandardfib")
    rows = [
        {"qid": doc["qid"], "prediction": target(doc) if place % 3 else "Nem tudom."} for place, doc in enumerate(docs)
    ]
    (tmp_path / "predictions.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    score_into(tmp_path / "scored", [tmp_path / "predictions.jsonl"], FIB, {}, JudgePlan())
    logs, samples = export(tmp_path / "scored", tmp_path / "out")
    scores = [row["evaluation"]["score"] for row in samples[FIB]]
    assert scores == [100.0 if place % 3 else 0.0 for place in range(93)]
    assert logs[FIB]["evaluation_results"][0]["source_data"]["source_type"] == "url"
    assert_valid(tmp_path / "out")
