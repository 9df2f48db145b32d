"""Every form of input gives the same numbers."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.scoring.lm_eval_results import LmEvalResults
from hueval_metrics.scoring.score import score_paths
from tests.scoring.conftest import (
    DATE,
    TASKS,
    opencompass,
    plain,
    sample,
    samples,
    score,
    write_lines,
    write_samples,
)

OPENCOMPASS_NAMES = {
    "humatchingfib": "hu_matching_fib_250205-prompt_1.json",
    "hustandardfib": "hu_standard_fib_250205-prompt_1.json",
    "huproverbrea_2cq": "HuProverbRea-2CQ.json",
}


def same(a, b) -> bool:
    """Equal but for the signature and the model's name, of which samples know more or less."""
    known = ("signature", "n_missing", "model", "flags", "thinking")
    strip = [{k: v for k, v in scored.summary.items() if k not in known} for scored in (a, b)]
    return strip[0] == strip[1] and a.items == b.items


@pytest.fixture(params=TASKS)
def task(request):
    return request.param


@pytest.fixture
def reference(task, tmp_path):
    return score(write_lines(tmp_path / "reference.jsonl", plain(task)), task)


def test_the_example_has_something_to_lose(reference, task):
    """Right, wrong and unreadable replies, so that equality of forms means something."""
    headline = reference.summary["acc_single" if task == "huproverbrea_2cq" else "question_acc"]
    assert 0 < headline < 100
    assert 0 < reference.summary["parse_rate"] < 100


def test_task_in_each_row(reference, task, tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain(task, f"openhueval_{task}"))
    assert score(path) == reference


def test_a_row_s_task_overrides_the_option(reference, task, tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain(task, f"openhueval_{task}"))
    other = next(name for name in TASKS if name != task)
    assert score(path, other) == reference


def test_several_tasks_in_one_file(tmp_path):
    rows = [row for task in TASKS for row in plain(task, f"openhueval_{task}")]
    rows.sort(key=lambda row: row["qid"])
    scores = score_paths([write_lines(tmp_path / "p.jsonl", rows)], None, {})
    assert {s.task: s.summary["n"] for s in scores} == {f"openhueval_{t}": len(sample(t)) for t in TASKS}


def test_order_of_rows_does_not_matter(reference, task, tmp_path):
    scored = score(write_lines(tmp_path / "p.jsonl", plain(task)[::-1]), task)
    assert scored.items == reference.items[::-1]
    keys = [k for k in scored.summary if not k.endswith("_ci95")]
    assert {k: scored.summary[k] for k in keys} == {k: reference.summary[k] for k in keys}


def test_byte_order_mark_and_blank_lines(reference, task, tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain(task))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert score(path, task) == reference


@pytest.mark.parametrize("filtered", [True, False])
def test_lm_eval_samples(reference, task, tmp_path, filtered):
    """Filtered by our pipeline, or by another one that left the raw reply there."""
    assert same(score(write_samples(tmp_path, task, filtered=filtered)), reference)


def test_samples_without_results_file_know_no_total(task, tmp_path):
    scored = score(write_samples(tmp_path, task))
    assert scored.summary["n_missing"] is None
    assert scored.summary["signature"] is None


@pytest.mark.parametrize("name", ["results", "mine"], ids=["a folder", "--output_path mine.json"])
def test_samples_with_results_file_know_total_and_signature(reference, task, tmp_path, name):
    path = write_samples(tmp_path, task)
    results = run_record(task, total=len(sample(task)) + 6)
    (tmp_path / f"{name}_{DATE}.json").write_text(json.dumps(results), encoding="utf-8")
    scored = score(path)
    assert same(scored, reference)
    assert scored.summary["n_missing"] == 6
    n = len(sample(task))
    part = {"kind": "part", "n": n, "of": n + 6, "detail": {"first": True}}  # by the limit of the results file
    assert scored.summary["flags"][-1] == part
    assert scored.summary["signature"] == (
        "task:t|gen:max_gen_toks=64,until=[]|chat:abcdef01|shots:0"
        "|reasoning:strip/3,read/1,enable_thinking=False|limit:10|system:12345678|transformers:5.0"
    )
    assert scored.summary["model"] == "org/model"


@pytest.mark.parametrize(
    ("lacking", "signature"),
    [
        (
            (),
            "gen:max_gen_toks=64,until=[]|chat:abcdef01|shots:0|reasoning:strip/3,read/1,enable_thinking=False|limit:10",
        ),
        (
            ("chat_template_sha",),
            "gen:max_gen_toks=64,until=[]|chat:?|shots:0|reasoning:strip/3,read/1,enable_thinking=False",
        ),
    ],
    ids=["lm_eval's own", "returned to a script"],
)
def test_what_plain_lm_eval_hands_over_is_filled_in_part_by_part(lacking, signature):
    """A part that is not recorded is unknown, not "no"; the others are known all the same."""
    record = {key: value for key, value in run_record("humatchingfib", 14).items() if key not in lacking}
    assert LmEvalResults(record).signature("openhueval_humatchingfib").startswith(f"task:t|{signature}")


def test_a_results_file_without_generation_settings_keeps_the_rest():
    record = run_record("humatchingfib", 14)
    del record["configs"]["openhueval_humatchingfib"]["generation_kwargs"]
    assert LmEvalResults(record).signature("openhueval_humatchingfib").startswith("task:t|gen:?|chat:abcdef01|shots:0|")


def run_record(task: str, total: object) -> dict:
    config = {
        "generation_kwargs": {"until": [], "max_gen_toks": 64},
        "metadata": {"provenance": {"signature": "task:t|gen:?|chat:?"}},
    }
    return {
        "config": {"model": "hf", "model_args": "pretrained=org/model,enable_thinking=False", "limit": 10.0},
        "configs": {f"openhueval_{task}": config},
        "n-shot": {f"openhueval_{task}": 0},
        "n-samples": {f"openhueval_{task}": {"original": total, "effective": 1}},
        "chat_template_sha": "abcdef0123456789",
        "system_instruction_sha": "1234567890",
        "transformers_version": "5.0",
    }


@pytest.mark.parametrize(
    "content", ["", "[", "[]", "{}", '"x"', '{"configs": []}', json.dumps(run_record("humatchingfib", "many"))]
)
def test_a_damaged_results_file_is_as_none(tmp_path, content):
    path = write_samples(tmp_path, "humatchingfib")
    (tmp_path / f"results_{DATE}.json").write_text(content, encoding="utf-8")
    assert score(path).summary["n_missing"] is None


def test_samples_under_another_name_need_the_task(reference, task, tmp_path):
    path = write_lines(tmp_path / "renamed.jsonl", samples(task))
    assert same(score(path, task), reference)


@pytest.mark.parametrize("ids", [True, False])
def test_opencompass(reference, task, tmp_path, ids):
    path = tmp_path / OPENCOMPASS_NAMES[task]
    path.write_text(json.dumps(opencompass(task, ids), ensure_ascii=False), encoding="utf-8")
    assert score(path) == reference


def test_opencompass_under_another_name_or_with_a_byte_order_mark(reference, task, tmp_path):
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(opencompass(task, ids=True)), encoding="utf-8-sig")
    assert score(path, task) == reference


def test_opencompass_entries_out_of_order(reference, task, tmp_path):
    path = tmp_path / OPENCOMPASS_NAMES[task]
    entries = dict(reversed(opencompass(task, ids=False).items()))
    path.write_text(json.dumps(entries), encoding="utf-8")
    assert score(path).items == reference.items[::-1]


def test_folder_with_several_runs_takes_the_newest_of_each_task(reference, task, tmp_path):
    folder = tmp_path / "run"
    write_samples(folder, task, date="2026-01-30T23-59-59.999999", texts=["1"] * len(sample(task)))
    write_samples(folder, task, date=DATE)
    write_samples(folder, task, date="2025-12-31T00-00-00.000001", texts=[""] * len(sample(task)))
    (folder / f"results_{DATE}.json").write_text("{}", encoding="utf-8")
    (folder / "items.jsonl").write_text("{}\n", encoding="utf-8")
    assert same(score(folder), reference)


def test_folder_with_opencompass_files(reference, task, tmp_path):
    folder = tmp_path / "predictions" / "model"
    folder.mkdir(parents=True)
    (folder / OPENCOMPASS_NAMES[task]).write_text(json.dumps(opencompass(task, ids=True)), encoding="utf-8")
    (folder / "config.json").write_text('{"model": "x"}', encoding="utf-8")
    (folder / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    assert score(tmp_path / "predictions") == reference


def test_folder_with_plain_predictions(reference, task, tmp_path):
    write_lines(tmp_path / "run" / "model.jsonl", plain(task))
    assert score(tmp_path / "run", task) == reference
