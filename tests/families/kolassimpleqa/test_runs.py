"""The whole family through lm-eval, on the packaged sample and in both settings."""

from __future__ import annotations

import json

import pytest

from lm_eval_tasks.kolassimpleqa.family import FAMILY, METRICS
from tests.harness.conftest import tiny_model  # noqa: F401  a fixture
from tests.harness.runs import hueval_in_process, results, samples
from tests.harness.test_judged import judge, mock_judge  # noqa: F401  fixtures

JUDGE = "mock:letter"  # the mock's form of reply stands behind the colon
SETTINGS = {"direct": (), "tran_en": ("--metadata", json.dumps({"question_lang": "en"}))}
IN_BOTH = pytest.mark.parametrize("setting", SETTINGS)
SOME = ("kolassimpleqa_hu_specific", "kolassimpleqa_zh_general", "kolassimpleqa_ar_specific")
BASELINE = ("--model", "hueval-baseline", "--model_args")


def run(folder, setting, *options, tasks="kolassimpleqa") -> dict[str, dict]:
    """Task → metric → value of a run."""
    command = ("run", *options, "--tasks", tasks, "--output_path", folder, "--log_samples", *SETTINGS[setting])
    assert hueval_in_process(*command) == 0
    found = results(folder)
    return {task: {name: found["results"][task][f"{name},response"] for name in METRICS} for task in found["configs"]}


def scored(folder, out) -> dict[str, dict]:
    """The same of `hueval score`."""
    assert hueval_in_process("score", folder, "--output", out) == 0
    rows = json.loads((out / "results.json").read_text(encoding="utf-8"))
    return {task: {name: rows[task][name] for name in METRICS} for task in FAMILY.tasks if task in rows}


@IN_BOTH
def test_who_knows_everything_has_full_marks_in_all_18_tasks(tmp_path, setting):
    found = run(tmp_path, setting, *BASELINE, "policy=oracle")
    assert found.keys() == FAMILY.tasks.keys()
    expected = {
        **{
            "correct": 100.0,
            "f_score": 100.0,
            "f_score_forward": 100.0,
            "f_score_reverse": 100.0,
            "f_score_ref": 100.0,
        },
        **{"bidirectional": 100.0, "ece": 0.0, "ece_attempted": 0.0, "brier": 0.0, "judge_coverage": 100.0},
    }
    assert {task: {name: row[name] for name in expected} for task, row in found.items()} == dict.fromkeys(
        found, expected
    )
    assert all(row["n_pairs"] >= 8 for row in found.values())
    assert all(row["n_confidence"] == len(samples(tmp_path, task)) for task, row in found.items())
    for task, config in results(tmp_path)["configs"].items():
        asked = "en" if setting == "tran_en" else task.split("_")[1]
        signature = config["metadata"]["provenance"]["signature"]
        assert f"|q:{asked}|prompt:ours-{asked}-" in signature
        assert signature.endswith("|judge:lexical|rubric:kolassimpleqa/lexical-1")


@pytest.mark.process
@pytest.mark.parametrize("tasks", [",".join(SOME), pytest.param("kolassimpleqa", marks=pytest.mark.nightly)])
def test_deferred_then_scored_is_the_live_run(judge, monkeypatch, tmp_path, tasks):  # noqa: F811  the fixture
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", JUDGE)
    live = run(tmp_path / "live", "direct", *BASELINE, "policy=mixed,skill=0.5", tasks=tasks)
    assert all(row["judge_coverage"] == 100 for row in live.values())
    monkeypatch.setenv("HUEVAL_JUDGE", "defer")
    deferred = run(tmp_path / "deferred", "direct", *BASELINE, "policy=mixed,skill=0.5", tasks=tasks)
    assert all(row["judge_coverage"] == 0 and row["f_score"] is None for row in deferred.values())
    monkeypatch.delenv("HUEVAL_JUDGE")
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "another cache"))  # the judge is really asked again
    assert scored(tmp_path / "deferred", tmp_path / "scored") == live
    assert scored(tmp_path / "live", tmp_path / "again") == live


@pytest.mark.process
@IN_BOTH
def test_a_model_of_lm_eval_with_a_judge(judge, monkeypatch, tmp_path, tiny_model, setting):  # noqa: F811  fixtures
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", JUDGE)
    model = ("--model", "hf", "--model_args", f"pretrained={tiny_model}", "--device", "cpu", "--apply_chat_template")
    options = (*model, "--limit", "3", "--gen_kwargs", "max_gen_toks=16", "--batch_size", "3")
    live = run(tmp_path / "live", setting, *options, tasks=",".join(SOME))
    assert live.keys() == set(SOME)
    assert all(row["judge_coverage"] == 100 for row in live.values())
    assert scored(tmp_path / "live", tmp_path / "scored") == live
    for task in SOME:
        for row in samples(tmp_path / "live", task):
            verdict = json.loads(row["filtered_resps"][0])["verdict"]
            assert (verdict["judge"], verdict["rubric"], verdict["raw"] in "ABC") == (JUDGE, "kolassimpleqa/2", True)
            assert row["doc"]["question"] in row["arguments"]["gen_args_0"]["arg_0"]


def test_a_row_without_english_is_counted_in_the_results(tmp_path):
    run(tmp_path, "tran_en", *BASELINE, "policy=first", tasks=SOME[0])
    provenance = results(tmp_path)["configs"][SOME[0]]["metadata"]["provenance"]
    assert provenance["n_left_out"] == 1
    assert len(samples(tmp_path, SOME[0])) + 1 == 18


@pytest.mark.process
def test_a_model_that_judges_itself_is_named_once(cli, judge, monkeypatch, tmp_path):  # noqa: F811  fixtures
    own = "gpt-4o-2024-11-20"  # the public judge, and one of the twelve models of the paper
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", own)
    model = ("--model", "hueval-baseline", "--model_args", f"policy=first,model={own}", "--limit", 1)
    outcome = cli("run", *model, "--tasks", ",".join(SOME), "--output_path", tmp_path)
    assert outcome.status in (0, 3)  # the mock's replies to this name may be unreadable
    line = f"hueval: the judge is the model under test ({own}): judges prefer their own answers."
    assert [text for text in outcome.complaints if "the model under test" in text] == [line]
