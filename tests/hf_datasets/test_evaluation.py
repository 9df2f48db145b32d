from __future__ import annotations

import pytest
import yaml

from hf_datasets.card import check_card
from hf_datasets.convert import convert
from hf_datasets.evaluation import EVALUATION, evaluation_file
from hf_datasets.repo import dataset_repo, names
from tests.each import each
from tests.hf_datasets.toy import CARD, EVALUATED, REPO

OPENHUEVAL = dataset_repo("openhueval")


def test_the_file_of_a_conversion(tmp_path):
    convert(OPENHUEVAL, OPENHUEVAL.sample, tmp_path / "out")
    content = yaml.safe_load((tmp_path / "out" / EVALUATION).read_text(encoding="utf-8"))
    assert content["evaluation_framework"] == "inspect-ai"
    assert content["tasks"] == [
        {
            "id": "huproverbrea_2cq",
            "config": "huproverbrea",
            "split": "test",
            "field_spec": {"input": "question_in_context", "target": "answer", "choices": "options"},
            "solvers": [{"name": "multiple_choice"}],
            "scorers": [{"name": "choice"}],
        },
        {
            "id": "husimpleqa",
            "config": "husimpleqa",
            "split": "test",
            "field_spec": {"input": "question", "target": "answer"},
            "solvers": [{"name": "generate"}],
            "scorers": [{"name": "model_graded_fact"}],
        },
    ]
    convert(OPENHUEVAL, OPENHUEVAL.sample, tmp_path / "out")  # it does not take its own file for a foreign one


def test_a_config_that_was_left_out_is_not_listed():
    tables = {"huproverbrea": {"test": 1}, "humatchingfib": {"test": 1}}
    assert [task["id"] for task in yaml.safe_load(evaluation_file(OPENHUEVAL, tables))["tasks"]] == ["huproverbrea_2cq"]


@each("tables", [{}, {"folyok": {"train": 2}}, {"varosok": {"test": 2}}])
def test_no_file_without_an_entry(tables):
    assert evaluation_file(EVALUATED, tables) is None
    assert evaluation_file(REPO, {"folyok": {"test": 2}}) is None


@each("name", names())
def test_the_fields_are_those_of_the_rows(name):
    for config in dataset_repo(name).configs:
        if task := config.evaluation:
            assert {task.input, task.target, task.choices} - {None} <= config.row.model_fields.keys()
            assert config.split(task.split)


def test_the_card_says_whose_scores_they_are():
    assert check_card(CARD, EVALUATED) == ["it does not say whose scores those of eval.yaml are"]
    assert check_card(f"{CARD}\nThe scores of eval.yaml are not ours.\n", EVALUATED) == []


def test_inspect_reads_the_entries(tmp_path):
    hub = pytest.importorskip("inspect_ai._eval.task.hf", reason="inspect-ai is not installed")
    rows = {name: next(OPENHUEVAL.read(OPENHUEVAL.sample, name, "test")) for name in ("huproverbrea", "husimpleqa")}
    found = yaml.safe_load(evaluation_file(OPENHUEVAL, {name: {"test": 1} for name in rows}))["tasks"]
    samples = {
        task.id: hub._record_to_sample_hf(rows[task.config], task.field_spec)
        for task in map(hub.HFTask.model_validate, found)
    }
    assert samples["huproverbrea_2cq"].target == "AB"[rows["huproverbrea"]["answer"]]
    assert samples["huproverbrea_2cq"].choices == rows["huproverbrea"]["options"]
    assert samples["huproverbrea_2cq"].input.endswith(rows["huproverbrea"]["question"])
    assert samples["husimpleqa"].target == rows["husimpleqa"]["answer"]
