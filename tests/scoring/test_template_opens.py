"""Replies cut inside a trace that the chat template opened: by the run's record, its prompts, or all replies."""

from __future__ import annotations

import json
import logging

import pytest

from hueval_metrics.records import Filtered
from hueval_metrics.scoring.inputs import find_sources
from hueval_metrics.scoring.survey import survey
from tests.scoring.conftest import DATE, plain, sample, samples, score, write_lines

TASK = "huproverbrea_2cq"
THINKING, PLAIN, NOT_THINKING = "<|im_start|>assistant\n<think>\n", "<|im_start|>assistant\n", "<think>\n\n</think>\n\n"


def texts(closed, opened, cut):
    """Replies of these kinds, as many as the sample has documents."""
    kinds = ["Az 1 vagy a 2?</think>\n1"] * closed + ["<think>Lássuk.</think>\n1"] * opened + ["Talán az 1, mert"] * cut
    assert len(kinds) == len(sample(TASK))
    return kinds


def logged(rows, prompt, truncated=()):
    """The rows with a prompt, and with what the filter of a live run logged."""
    for n, row in enumerate(rows):
        row["arguments"] = {"gen_args_0": {"arg_0": prompt, "arg_1": {}}}
        text = row["resps"][0][0]
        response = Filtered("", truncated=True) if n in truncated else Filtered(text.rpartition("</think>")[2].strip())
        row["filtered_resps"] = [response.to_json()]
    return rows


def rate(path):
    return score(path, TASK).summary["truncated_rate"]


def write(folder, rows, **results):
    """The samples file, and `results` in a results file beside it."""
    if results:
        known = {"provenance": {"signature": "task:t"}}
        record = {"configs": {f"openhueval_{TASK}": {"metadata": known}}, "n-samples": {f"openhueval_{TASK}": {}}}
        record["n-samples"][f"openhueval_{TASK}"] = {"original": len(rows)}
        (folder / f"results_{DATE}.json").write_text(json.dumps(record | results), encoding="utf-8")
    return write_lines(folder / f"samples_openhueval_{TASK}_{DATE}.jsonl", rows)


def test_one_reply_that_opens_its_trace_does_not_decide(tmp_path):
    rows = plain(TASK)
    for row, text in zip(rows, texts(16, 1, 11), strict=True):
        row["prediction"] = text
    assert rate(write_lines(tmp_path / "p.jsonl", rows)) == pytest.approx(100 * 11 / 28)


def test_ranks_that_decided_apart_are_decided_together(tmp_path):
    """The first rank saw closed traces only, the second cut ones only, and took those for answers."""
    rows = logged(samples(TASK, texts(14, 0, 14)), PLAIN)
    assert rate(write(tmp_path, rows)) == 50.0


def test_the_log_of_a_live_run_stands_where_all_replies_say_the_same(tmp_path):
    rows = logged(samples(TASK, texts(14, 0, 14)), PLAIN, truncated=range(14, 28))
    assert rate(write(tmp_path, rows)) == 50.0


@pytest.mark.parametrize(
    ("why", "prompt", "results", "expected"),
    [
        ("the prompt opens a trace", THINKING, {}, 100.0),
        ("thinking is switched off", NOT_THINKING, {}, 0.0),
        ("the run recorded that the template opens it", PLAIN, {"template_opens": {f"openhueval_{TASK}": True}}, 100.0),
        ("the run recorded that it does not", THINKING, {"template_opens": {f"openhueval_{TASK}": False}}, 0.0),
        ("the run did not know", THINKING, {"template_opens": {f"openhueval_{TASK}": None}}, 100.0),
        ("a record of something else", PLAIN, {"template_opens": ["?"]}, 0.0),
        ("a chat API, whose prompt is a list of messages", ['[{"role": "user"}]'], {}, 0.0),
        ("lm-eval took the traces out", THINKING, {"config": {"model_args": {"think_end_token": "</think>"}}}, 0.0),
    ],
)
def test_what_the_run_knows(why, prompt, results, expected, tmp_path):
    rows = samples(TASK, ["Talán az 1, mert"] * 28, filtered=False)
    for row in rows:
        row["arguments"] = {"gen_args_0": {"arg_0": prompt, "arg_1": {}}}
    assert rate(write(tmp_path, rows, **results)) == expected


def test_odd_arguments_tell_nothing(tmp_path):
    rows = samples(TASK)
    odd = [None, [], {}, "x", {"gen_args_0": None}, {"gen_args_0": {"arg_0": 1}}]
    for n, row in enumerate(rows):
        row["arguments"] = odd[n % len(odd)]
    (source,) = find_sources([write(tmp_path, rows)])
    assert {prediction.opened for prediction in source.predictions()} == {None}


def test_a_verdict_on_a_trace_is_asked_for_again(tmp_path, monkeypatch, caplog):
    """A live run took a cut trace for an answer, and a judge called it correct."""
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    caplog.set_level(logging.INFO)
    docs = sample("husimpleqa")
    rows = []
    for n, doc in enumerate(docs):
        text = "Lássuk.</think>Nem tudom." if n % 2 else "Mohács, vagy talán"
        verdict = {"label": "CORRECT", "score": None, "judge": "m", "rubric": "husimpleqa/1"}
        filtered = [Filtered(text.rpartition("</think>")[2], verdict=verdict).to_json()]
        rows.append({"doc": doc, "arguments": {}, "resps": [[text]], "filtered_resps": filtered})
    path = write_lines(tmp_path / f"samples_openhueval_husimpleqa_{DATE}.jsonl", rows)
    (given,) = survey([path], None, {})
    assert given.template_opens
    scored = score(path)
    cut = [item for item in scored.items if item["truncated"]]
    assert len(cut) == len(docs) - len(docs) // 2
    assert all(item["verdict"]["judge"] == "lexical" for item in cut)
    assert all(item["verdict"]["judge"] == "m" for item in scored.items if not item["truncated"])
