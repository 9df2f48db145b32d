"""Odd predictions are scored, not refused; what is written can be read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.scoring.score import TaskScore
from hueval_metrics.scoring.write import write_scores
from tests.fakes.small_files import file_size_limit
from tests.helpers import json_lines
from tests.scoring.conftest import TASKS, plain, sample, score, write_lines, write_samples

FIB = "humatchingfib"


def score_one(tmp_path, prediction, task=FIB) -> tuple[dict, dict]:
    """The summary and the item of one row with this prediction."""
    row = plain(task)[0] | {"prediction": prediction}
    scored = score(write_lines(tmp_path / "p.jsonl", [row]), task)
    return scored.summary, scored.items[0]


@pytest.mark.parametrize("prediction", ["", "5", "null", "[]", "{}", "\x00", "\ud800", "a" * 10_000_000])
def test_odd_predictions_are_wrong_and_unreadable(tmp_path, prediction):
    summary, item = score_one(tmp_path, prediction)
    assert (summary["blank_acc"], summary["parse_rate"], item["answer"]) == (0.0, 0.0, None)


def test_a_null_response_of_a_live_run_is_an_empty_reply(tmp_path):
    """lm-eval logs null where a server sent a message without content."""
    path = write_samples(tmp_path, FIB, texts=[None] * len(sample(FIB)), filtered=False)
    scored = score(path)
    assert {item["prediction"] for item in scored.items} == {""}
    assert scored.summary["truncated_rate"] == 100.0


def test_decomposed_text(tmp_path):
    doc = sample("hustandardfib")[0]
    text = unicodedata.normalize("NFD", json.dumps({"answers": doc["answers"]}, ensure_ascii=False))
    assert score_one(tmp_path, text, "hustandardfib")[0]["blank_acc"] == 100.0


def test_reasoning_is_stripped_but_kept_in_the_item(tmp_path):
    right = json.dumps({"answer": sample(FIB)[0]["answer"]})
    text = f'<think>{{"answer": ["#0#Z"]}}</think>{right}'
    summary, item = score_one(tmp_path, text)
    assert summary["blank_acc"] == summary["blank_acc_ref"] == 100.0
    assert item["prediction"] == text
    assert item["response"] == right


@pytest.mark.parametrize("task", TASKS)
def test_no_nan_and_nothing_undeclared(tmp_path, task):
    """Every value is a number, an interval or null, whatever was given."""
    for text in ("", "1", '{"answer": []}'):
        rows = [row | {"prediction": text} for row in plain(task)[:1]]
        scored = score(write_lines(tmp_path / "p.jsonl", rows), task)
        assert json.loads(json.dumps(scored.summary, allow_nan=False)) == scored.summary
        for key, value in scored.summary.items():
            if key.endswith("_ci95"):
                assert (value is None) or (len(value) == 2 and value[0] <= value[1]), key


def command(*arguments, **variables) -> subprocess.CompletedProcess:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HUEVAL_")}
    environment |= {"HUEVAL_SAMPLE": "1", "PYTHONUTF8": "1"} | variables
    call = [sys.executable, "-m", "hueval_metrics", "score", *map(str, arguments)]
    return subprocess.run(call, capture_output=True, text=True, encoding="utf-8", env=environment)


@pytest.mark.process
def test_command_writes_both_files_and_says_so(tmp_path):
    path = write_samples(tmp_path, FIB, texts=["Nem \ud800 tudom."] + ["őŐ"] * (len(sample(FIB)) - 1))
    done = command(path, "--output", tmp_path / "out")
    assert done.returncode == 0
    assert f"Wrote {tmp_path / 'out' / 'results.json'}" in done.stdout
    rows = json_lines(tmp_path / "out" / "items.jsonl")
    assert [row["prediction"] for row in rows] == ["Nem \ud800 tudom."] + ["őŐ"] * (len(rows) - 1)
    assert "őŐ" in (tmp_path / "out" / "items.jsonl").read_text(encoding="utf-8")
    keys = ["task", "qid", "dimension", "prompt", "reference", "prediction", "truncated", "answer", "reading"]
    keys += ["metrics", "values", "verdict", "blanks_correct", "blanks_total", "n_options", "marked"]
    assert all(list(row) == keys for row in rows)
    results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
    assert results["openhueval_humatchingfib"]["blank_acc"] == 0.0


@pytest.mark.process
def test_command_fails_in_one_line(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", [{"qid": "x\ud800", "prediction": ""}])
    done = command(path, "--task", "openhueval_humatchingfib", "--output", tmp_path / "out")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("hueval: ")
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.process
def test_command_with_output_that_is_a_file(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain(FIB))
    (tmp_path / "out").write_text("mine", encoding="utf-8")
    done = command(path, "--task", "openhueval_humatchingfib", "--output", tmp_path / "out")
    assert done.returncode == 1
    assert f"hueval: cannot write {tmp_path / 'out' / 'items.jsonl'}" in done.stderr
    assert "choose another folder" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (tmp_path / "out").read_text(encoding="utf-8") == "mine"


@pytest.mark.process
def test_command_warns_of_missing_qids(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain(FIB)[:2])
    done = command(path, "--task", "openhueval_humatchingfib", "--output", tmp_path / "out")
    assert done.returncode == 0
    assert "hueval: openhueval_humatchingfib: 12 of 14 documents have no prediction" in done.stderr


def test_a_full_disk_leaves_the_old_files_whole(tmp_path):
    scores = [TaskScore("t", {"n": 1}, [{"task": "t"}])]
    write_scores(scores, tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert before == {"items.jsonl": b'{"task": "t"}\n', "results.json": b'{\n  "t": {\n    "n": 1\n  }\n}\n'}

    with file_size_limit(10), pytest.raises(InputError, match=r"cannot write .*items\.jsonl \(File too large\)"):
        write_scores([TaskScore("t", {"n": 2}, [{"task": "t"}])], tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_not_a_number_is_never_written(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_scores([TaskScore("t", {"acc": float("nan")}, [])], tmp_path)
    assert not (tmp_path / "results.json").exists()
