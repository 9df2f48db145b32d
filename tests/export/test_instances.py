import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.export.instances import instance_line, instance_row
from hueval_metrics.export.record import task_records
from hueval_metrics.registry import task_spec
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.load import load_runs
from tests.export.conftest import FIB, ITEMS, QA


@pytest.fixture
def record(scored):
    """The record of a task of the small run."""
    (run,) = load_runs([scored()])
    records = {record.task: record for record in task_records(run, "org/model-7B")}
    return records.__getitem__


def test_a_row_as_the_schema_has_it(record):
    row = instance_row(Item.of(ITEMS[1]), record(FIB), record(FIB).scores[0], "id")
    assert row == {
        "schema_version": "0.3.0",
        "evaluation_id": "id",
        "model_id": "org/model-7B",
        "evaluation_name": FIB,
        "evaluation_result_id": f"{FIB}/blank_acc",
        "sample_id": "b",
        "sample_hash": "81f00bde1243c38077e7c169e425c31de28a596d7b736e9282e7f6dae10b7716",
        "interaction_type": "single_turn",
        "input": {"raw": "Töltsd ki: #0# és #1#", "reference": ['{"answers": ["#0#alma", "#1#körte"]}']},
        "output": {"raw": ['{"answers": ["#0#alma", "#1#szilva"]}']},
        "answer_attribution": [
            {
                "turn_idx": 0,
                "source": "output.raw",
                "extracted_value": '["#0#alma", "#1#szilva"]',
                "extraction_method": "hueval 0.1.0",
                "is_terminal": True,
            }
        ],
        "evaluation": {"score": 50.0, "is_correct": False},
        "metadata": {"dimension": "l", "metric_question_acc": "0.0", "metric_blank_acc_l": "50.0", "truncated": "true"},
    }


def test_correct_is_what_has_all_that_the_metric_can_give(record):
    score = record(FIB).scores[0]
    assert instance_row(Item.of(ITEMS[0]), record(FIB), score, "id")["evaluation"] == {
        "score": 100.0,
        "is_correct": True,
    }


def test_the_reply_is_whole_with_its_reasoning(record):
    row = instance_row(Item.of(ITEMS[0]), record(FIB), record(FIB).scores[0], "id")
    assert row["output"]["raw"] == ['<think>?</think>{"answers": ["#0#Buda", "#1#Pest"]}']


def test_what_could_not_be_read_has_no_attribution(record):
    row = instance_row(Item.of(ITEMS[3]), record(QA), record(QA).scores[0], "id")
    assert row["answer_attribution"] == []
    assert row["metadata"]["verdict"] == "NOT_ATTEMPTED"
    assert row["metadata"]["judge"] == "gpt-4o-2024-11-20"


def test_the_two_orders_of_a_proverb_are_two_samples(record):
    task, score = "openhueval_huproverbrea_2cq", record(FIB).scores[0]
    items = [Item.of(ITEMS[0] | {"task": task, "correct_option": option}) for option in (1, 2)]
    rows = [instance_row(item, replace(record(FIB), spec=task_spec(task)), score, "id") for item in items]
    assert [row["sample_id"] for row in rows] == ["a:1", "a:2"]


@pytest.mark.parametrize(
    "change",
    [{"metrics": {"blank_acc": None}}, {"metrics": None}, {"metrics": {"blank_acc": "1"}}, {"prompt": None},
     {"reference": None}, {"prediction": 7}],
    ids=str,
)  # fmt: skip
def test_without_score_or_text_there_is_no_row(record, change):
    assert instance_row(Item.of(ITEMS[0] | change), record(FIB), record(FIB).scores[0], "id") is None


@given(text=st.text(st.characters(), max_size=30))
def test_any_text_is_one_line_that_reads_back(text):
    line = instance_line({"raw": text}).decode()
    assert len(line.splitlines()) == 1
    assert json.loads(line)["raw"] == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
