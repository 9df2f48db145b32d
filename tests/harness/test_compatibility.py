"""What we use of lm-eval below its public interface, in the version that is installed and in the next one's shape."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from lm_eval.tasks import TaskManager

from hueval_metrics.harness.compatibility import manager_maker, task_index


def test_the_index_of_a_manager(toy_manager):
    assert task_index(toy_manager)["own_task"].name == "own_task"


def test_the_index_as_lm_eval_0_5_has_it():
    assert task_index(SimpleNamespace(_task_index={"own_task": 1})) == {"own_task": 1}


@pytest.mark.parametrize(
    "settings", [{"include_path": "x", "metadata": {"a": 1}}, {"metadata": {"a": 1}, "include_defaults": True}]
)
def test_lm_eval_s_calls_get_the_manager_of_their_metadata(settings):
    assert manager_maker(lambda metadata: SimpleNamespace(metadata=metadata))(**settings).metadata == {"a": 1}


@pytest.fixture
def toy_manager(tmp_path):
    (tmp_path / "own.yaml").write_text("task: own_task\noutput_type: generate_until\n", encoding="utf-8")
    return TaskManager(include_path=tmp_path, include_defaults=False)
