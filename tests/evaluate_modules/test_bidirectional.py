"""The module `bidirectional` of `evaluate`: the numbers of a run and of `hueval score` for the same responses."""

from __future__ import annotations

import pytest

from hueval_metrics.records import Filtered
from hueval_metrics.registry import task_spec
from hueval_metrics.scoring.score import score_paths
from tests.harness.runs import hueval_in_process, on_the_sample, results, samples  # noqa: F401  a fixture


@pytest.mark.parametrize("task", ["kolassimpleqa_cs_general", "kolassimpleqa_sr_specific"])
@pytest.mark.parametrize("policy", ["mixed,skill=0.6", "oracle"])
def test_the_numbers_of_a_run_and_of_its_score(task, policy, module, tmp_path):
    model = ("--model", "hueval-baseline", "--model_args", f"policy={policy}")
    assert hueval_in_process("run", *model, "--tasks", task, "--output_path", tmp_path, "--log_samples") == 0
    rows = samples(tmp_path, task)
    found = module("bidirectional").compute(
        predictions=[row["resps"][0][0] for row in rows],
        references=[{**Filtered.from_json(row["filtered_resps"][0]).verdict, **row["doc"]} for row in rows],
    )
    live = results(tmp_path)["results"][task]
    assert found == {name: live[f"{name},response"] for name in task_spec(task).metrics}
    (scored,) = score_paths([tmp_path], None, {})
    assert found == {name: scored.summary[name] for name in found}
    assert found["n_pairs"] >= 8
