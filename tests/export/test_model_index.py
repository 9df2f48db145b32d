import json

import yaml
from huggingface_hub import ModelCard, ModelCardData, metadata_load
from huggingface_hub.repocard import metadata_save
from huggingface_hub.repocard_data import model_index_to_eval_results

from hueval_metrics.export.model_index import model_index
from hueval_metrics.export.record import task_records
from hueval_metrics.runs.load import load_runs
from tests.export.conftest import FIB, FIB_SIGNATURE, QA, QA_SIGNATURE

UPSTREAM = "https://raw.githubusercontent.com/opendatalab/OpenHuEval/38c22bdfdcbf95d139e6001ea1b98934ebd2e7ca/data"


def metadata(folder, dataset=None, url=None) -> dict:
    (run,) = load_runs([folder])
    (file,) = model_index(task_records(run, "org/model-7B", dataset), url)
    assert str(file.path) == "model-index.yaml"
    return yaml.safe_load(b"".join(file.chunks()))


def test_the_metrics_of_table_5_with_all_that_they_depend_on(scored):
    fib, qa = metadata(scored(), "my-org/openhueval@v1.0")["model-index"][0]["results"]
    assert fib == {
        "task": {"type": "text-generation"},
        "dataset": {
            "name": "OpenHuEval hustandardfib",
            "type": "my-org/openhueval",
            "config": "hustandardfib",
            "split": "test",
            "revision": "v1.0",
        },
        "metrics": [
            {
                "type": metric,
                "name": f"{FIB} {metric}",
                "value": value,
                "args": {
                    "n": 2,
                    "ci95": interval,
                    "ci_method": method,
                    "data_file": f"{UPSTREAM}/HuStandardFIB.jsonl",
                    "signature": FIB_SIGNATURE,
                },
            }
            for metric, value, interval, method in [
                ("blank_acc", 75.0, [50.0, 100.0], "bootstrap"),
                ("question_acc", 50.0, [9.45, 90.55], "wilson"),
            ]
        ],
    }
    assert [metric["name"] for metric in qa["metrics"]] == [f"{QA} correct"]
    assert qa["metrics"][0]["args"]["signature"] == QA_SIGNATURE


def test_the_split_is_that_of_the_signature(tmp_path):
    signature = "task:hulu_hucola|v:1.0|data:baa2ecd8da0d|q:hu|sample:no|split:validation|hueval:0.1.0"
    row = {"mcc": 12.5, "mcc_ci95": [5.0, 20.0], "n": 910, "signature": signature, "model": "org/model-7B"}
    (tmp_path / "results.json").write_text(json.dumps({"hulu_hucola": row}), encoding="utf-8")
    (result,) = metadata(tmp_path, "my-org/hulu@v1.0")["model-index"][0]["results"]
    assert (result["dataset"]["config"], result["dataset"]["split"]) == ("hucola", "validation")
    assert result["metrics"][0]["value"] == 12.5


def test_huggingface_hub_reads_it_back(scored):
    index = metadata(scored(), url="https://example.org/run")["model-index"]
    name, results = model_index_to_eval_results(index)
    assert name == "org/model-7B"
    assert [(r.dataset_type, r.dataset_revision, r.metric_type, r.metric_value) for r in results] == [
        ("openhueval", None, "blank_acc", 75.0),  # nobody said which repository on the Hub has the data
        ("openhueval", None, "question_acc", 50.0),
        ("openhueval", None, "correct", 50.0),
    ]
    assert {result.source_url for result in results} == {"https://example.org/run"}
    again = ModelCardData(model_name=name, eval_results=results)
    assert yaml.safe_load(again.to_yaml())["model-index"] == index


def test_it_goes_into_a_card_that_stays_as_it_is(scored, tmp_path):
    readme = tmp_path / "README.md"
    readme.write_text("---\nlicense: mit\n---\n# My model\n", encoding="utf-8")
    metadata_save(readme, metadata_load(readme) | metadata(scored()))
    card = ModelCard.load(readme)
    assert card.data.license == "mit"
    assert len(card.data.eval_results) == 3
    assert card.text.strip() == "# My model"


def test_two_tasks_on_one_config_stay_apart(tmp_path):
    """The format has one entry for a config, and HuProverbRea's serves two tasks."""
    row = {"n": 2, "signature": "data:e3438650a877|sample:no"}
    tasks = {"openhueval_huproverbrea_2cq": row | {"acc": 40.0}, "openhueval_huproverbrea_oe": row | {"acc": 60.0}}
    (tmp_path / "results.json").write_text(json.dumps(tasks), encoding="utf-8")
    (entry,) = metadata(tmp_path)["model-index"][0]["results"]
    assert entry["dataset"]["config"] == "huproverbrea"
    assert {metric["name"]: metric["value"] for metric in entry["metrics"]} == {
        "openhueval_huproverbrea_2cq acc": 40.0,
        "openhueval_huproverbrea_oe acc": 60.0,
    }


def test_a_metric_says_how_many_items_count_in_it(scored):
    """Older results know that of the task alone."""
    (entry,) = metadata(scored(tasks=(FIB,), question_acc_n=1))["model-index"][0]["results"]
    assert {metric["type"]: metric["args"]["n"] for metric in entry["metrics"]} == {"blank_acc": 2, "question_acc": 1}
