"""No task draws examples, with their answers, out of the questions it asks."""

from __future__ import annotations

from pathlib import Path

import lm_eval
import pytest

from hueval_metrics import launched
from hueval_metrics.declare import Family, Task
from hueval_metrics.harness.baseline import Baseline
from hueval_metrics.harness.tasks import HuevalTaskManager
from hueval_metrics.registry import TaskSpec, known_tasks, task_spec


def rows_of_train(split):
    """What a task does that must know the item for which examples are drawn."""
    return []


FAMILY = Family("toy", "Toy", Path("toy"), ("toy_",), {}, "toy.documents", "toy.prompt")


def test_a_task_without_examples_says_so_to_lm_eval():
    for task in known_tasks():
        spec = task_spec(task)
        assert spec.has_examples or spec.config["num_fewshot"] == 0, task


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"test_split": "test"}, False),
        ({"test_split": "test", "fewshot_split": "train"}, True),
        ({"test_split": "test", "fewshot_config": {"split": "dev"}}, True),
        ({"test_split": "test", "fewshot_config": {"split": "test"}}, False),
        ({"test_split": "test", "fewshot_config": {"split": "test", "process_docs": rows_of_train}}, True),
        ({"test_split": "test", "fewshot_config": {"samples": [{"question": "Mi?", "answer": "Ez."}]}}, True),
        ({"test_split": "test", "fewshot_config": {"sampler": "first_n"}}, False),
    ],
)
def test_where_examples_come_from(config, expected):
    assert TaskSpec("toy", FAMILY, Task("Toy", {}, {}), config).has_examples is expected


@pytest.mark.parametrize(
    ("tasks", "fix"),
    [
        (["hkmmlu_hk_music", "hkmmlu_marketing_management"], "Use --metadata '{\"shots\": 5}' instead"),
        (["openhueval_huproverbrea_2cq"], "Leave --num_fewshot out"),
    ],
)
def test_plain_lm_eval_is_warned_once_of_shots_that_a_task_does_not_get(monkeypatch, caplog, tasks, fix):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setattr(launched, "_said", set())
    settings = {"tasks": tasks, "limit": 1, "task_manager": HuevalTaskManager(tasks)}
    lm_eval.simple_evaluate(Baseline(), num_fewshot=0, **settings)
    assert "--num_fewshot" not in caplog.text
    lm_eval.simple_evaluate(Baseline(), num_fewshot=5, **settings)
    (told,) = (record.getMessage() for record in caplog.records if "--num_fewshot" in record.getMessage())
    assert told.startswith(f"--num_fewshot 5 has no effect: {tasks[0]} ") and fix in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("environment", "device", "told"),
    [
        (
            {"WORLD_SIZE": "2", "RANK": "0"},
            None,
            ["2 processes were started, and each does all of the work. Start one."],
        ),
        ({"WORLD_SIZE": "2", "RANK": "1"}, None, []),
        ({"WORLD_SIZE": "2", "RANK": "0"}, "cuda:0", []),
        ({"WORLD_SIZE": "1", "RANK": "0"}, None, []),
        ({"WORLD_SIZE": "two"}, None, []),
        ({}, None, []),
    ],
)
def test_processes_that_share_nothing(monkeypatch, caplog, environment, device, told):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setattr(launched, "_said", set())
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    model, task = Baseline(), "openhueval_humatchingfib"
    model._device = device
    lm_eval.simple_evaluate(model, tasks=[task], limit=1, task_manager=HuevalTaskManager([task]))
    assert [one for one in caplog.messages if "process" in one] == told


def test_plain_lm_eval_shows_none(monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    task = "openhueval_huproverbrea_2cq"
    settings = {"tasks": [task], "limit": 3, "task_manager": HuevalTaskManager([task])}
    plain, shots = (lm_eval.simple_evaluate(Baseline(), num_fewshot=n, **settings) for n in (None, 5))
    assert [row["arguments"] for row in shots["samples"][task]] == [row["arguments"] for row in plain["samples"][task]]
