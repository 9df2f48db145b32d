"""`schema:0` in the signature: the judge's server did not take the rubric's schema."""

from __future__ import annotations

import json

import pytest

from tests.fakes.judge_server import FakeJudge, refuse
from tests.harness.runs import hueval_here, results
from tests.scoring.conftest import sample, write_lines

TASK = "openhueval_husimpleqa"
REFUSAL = refuse(400, "response_format is not supported by this model", param="response_format")


def judge_that(takes_schema):
    def answer(request, _):
        return REFUSAL if "response_format" in request and not takes_schema else '{"evaluation": "CORRECT"}'

    return FakeJudge(answer)


def parts_of(signature):
    """The parts that speak of the judge, which come last."""
    return [part for part in signature.split("|") if part.partition(":")[0] in ("schema", "judge", "rubric")]


@pytest.mark.parametrize(("takes_schema", "schema"), [(True, []), (False, ["schema:0"])])
def test_the_signature_says_that_the_schema_was_not_used(
    tmp_path, monkeypatch, clean_environment, takes_schema, schema
):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    expected = [*schema, "judge:toy", "rubric:husimpleqa/3"]
    rows = [{"qid": doc["qid"], "prediction": "Nem tudom."} for doc in sample("husimpleqa")]
    path = write_lines(tmp_path / "answers.jsonl", rows)
    with judge_that(takes_schema) as judge:
        setting = {"HUEVAL_JUDGE_BASE_URL": judge.url, "HUEVAL_JUDGE_MODEL": "toy"}
        for _ in (1, 2):  # asked, then from the cache
            done = hueval_here("score", path, "--task", TASK, "--output", tmp_path / "scored", **setting)
            assert done.status == 0, done.err
            scored = json.loads((tmp_path / "scored" / "results.json").read_text(encoding="utf-8"))[TASK]
            assert parts_of(scored["signature"]) == expected
        arguments = ("--model", "hueval-baseline", "--model_args", "policy=first", "--tasks", TASK)
        done = hueval_here("run", *arguments, "--output_path", tmp_path / "run", **setting)
        assert done.status == 0, done.err
    live = results(tmp_path / "run")["configs"][TASK]["metadata"]["provenance"]["signature"]
    assert parts_of(live) == expected
