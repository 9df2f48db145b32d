"""Every form in which replies with traces are given, read into the same items."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from hueval_metrics.traces.inputs import TraceItems, find_runs
from tests.scoring.conftest import DATE, plain, sample, write_lines, write_samples

FIB = "openhueval_humatchingfib"
SIMPLE = "openhueval_husimpleqa"
KEYS = ["a1", "a2"]
LATER = "2026-02-01T10-00-00.123456"


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setenv("HUEVAL_OFFLINE", "1")


@pytest.fixture
def without_data(monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE")


def items_of(*paths, task=None):
    return list(TraceItems(find_runs(paths, task, {})))


def labels(*paths, task=None):
    return [run.label for run in find_runs(paths, task, {})]


def alike(items):
    """The items but for the name of their run, in the order of their keys."""
    return sorted((replace(item, run="", model="", index=0) for item in items), key=lambda item: item.key)


def results_of(path, model="org/model", tasks=("humatchingfib",), kind="hf"):
    """lm-eval's results beside samples, in which a model is named."""
    rows = {f"openhueval_{task}": {"question_acc,answer": 50.0} for task in tasks}
    config = {"model": kind, "model_args": {"pretrained": model}}
    path.mkdir(parents=True, exist_ok=True)
    file = path / f"results_{DATE}.json"
    file.write_text(json.dumps({"results": rows, "config": config, "date": 1}), encoding="utf-8")
    return file


def test_all_forms_give_the_same(tmp_path):
    samples = write_samples(tmp_path / "live", "humatchingfib")
    predictions = write_lines(tmp_path / "plain.jsonl", plain("humatchingfib", FIB))
    score_into(tmp_path / "scored", [predictions], None, {}, JudgePlan())
    expected = alike(items_of(samples))
    assert len(expected) == len(sample("humatchingfib"))
    assert {item.verdict for item in expected} == {"CORRECT", "INCORRECT"}
    assert sum(bool(item.blocks) for item in expected) == 3
    assert alike(items_of(predictions)) == expected
    assert alike(items_of(tmp_path / "scored")) == expected
    assert alike(items_of(tmp_path / "scored" / "results.json")) == expected
    assert alike(items_of(tmp_path / "scored" / "items.jsonl")) == expected
    results_of(tmp_path / "live")
    assert alike(items_of(tmp_path / "live")) == expected


def test_labels_are_those_of_other_tables(tmp_path):
    write_samples(tmp_path / "one", "humatchingfib")
    samples = write_samples(tmp_path / "two", "humatchingfib")
    results_of(tmp_path / "one")
    results_of(tmp_path / "two")
    predictions = write_lines(tmp_path / "r1.jsonl", plain("humatchingfib", FIB))
    assert labels(tmp_path / "one") == labels(samples) == ["org/model"]
    assert labels(tmp_path / "one", tmp_path / "two") == ["org/model (one)", "org/model (two)"]
    assert labels(tmp_path / "one", samples, predictions) == ["org/model (one)", "org/model (two)", "r1"]
    other = write_lines(tmp_path / "a" / "r1.jsonl", plain("humatchingfib", FIB))
    assert labels(predictions, other) == ["r1 (.)", "r1 (a)"]
    earlier = write_samples(tmp_path / "three", "humatchingfib")
    later = write_samples(tmp_path / "three", "humatchingfib", date=LATER)
    assert labels(earlier, later) == ["three", "three #2"]
    run = find_runs([samples], None, {})[0]
    assert run.tokenizers == ("org/model",)


def test_a_baseline_has_no_tokenizer_whatever_it_is_called(tmp_path):
    samples = write_samples(tmp_path, "humatchingfib")
    results_of(tmp_path, "gpt2", kind="hueval-baseline")
    (alone,), (scored,) = find_runs([samples], None, {}), find_runs([tmp_path], None, {})
    assert (alone.tokenizers, scored.tokenizers) == ((), ())


def test_a_folder_of_several_runs_and_tasks(tmp_path):
    for model in ("a/x", "a/y"):
        folder = tmp_path / model.replace("/", "__")
        write_samples(folder, "humatchingfib")
        write_samples(folder, "hustandardfib")
        results_of(folder, model, ("humatchingfib", "hustandardfib"))
    runs = find_runs([tmp_path], None, {})
    assert [(run.label, [replies.task for replies in run.replies]) for run in runs] == [
        (model, [FIB, "openhueval_hustandardfib"]) for model in ("a/x", "a/y")
    ]
    indices = [item.index for item in TraceItems(runs)]
    assert indices == list(range(len(TraceItems(runs))))
    assert {item.task for item in items_of(tmp_path, task=FIB)} == {FIB}


def test_files_of_an_analysis_are_no_predictions(tmp_path):
    write_lines(tmp_path / "r1.jsonl", plain("humatchingfib", FIB))
    write_lines(tmp_path / "traces.jsonl", [{"run": "r1", "task": FIB, "key": ["x"], "tokens": 1}])
    (tmp_path / "traces.json").write_text('{"0": {"prediction": "x", "gold": "y"}}', encoding="utf-8")
    assert labels(tmp_path) == ["r1"]
    (score,) = score_into(tmp_path / "out", [tmp_path], None, {}, JudgePlan())
    assert score.summary["n"] == len(sample("humatchingfib"))


def test_a_row_has_its_trace_by_itself(tmp_path):
    doc = sample("husimpleqa")[0]
    rows = [
        {"qid": doc["qid"], "trace": " Talán </think> Eger? ", "answer": " Mohács.\n", "verdict": "CORRECT", "more": 1}
    ]
    (item,) = items_of(write_lines(tmp_path / "r1.jsonl", rows), task=SIMPLE)
    assert (item.trace, item.response, item.truncated) == (" Talán </think> Eger? ", "Mohács.", False)
    assert item.reply == "<think>\n Talán </think> Eger? \n</think>\n\n Mohács.\n"
    assert (item.verdict, item.share, item.doc) == ("CORRECT", 1.0, doc)


@pytest.mark.parametrize(
    ("why", "row", "trace", "response", "truncated", "verdict"),
    [
        ("no trace", {"trace": "", "answer": "A"}, "", "A", False, None),
        ("a trace of white space is none", {"trace": " \n\t", "answer": "A"}, "", "A", False, None),
        ("cut inside the trace", {"trace": "Hm.", "answer": ""}, "Hm.", "", True, None),
        ("no answer at all", {"trace": "Hm."}, "Hm.", "", True, None),
        ("nothing", {"trace": "", "answer": " "}, "", "", True, None),
        ("a label as people write it", {"trace": "Hm.", "answer": "A", "verdict": "not attempted"}, "Hm.", "A", False,
         "NOT_ATTEMPTED"),
        ("no label", {"trace": "Hm.", "answer": "A", "verdict": None}, "Hm.", "A", False, None),
        ("a reply with its trace in it", {"prediction": "<think>Hm.</think>A"}, "Hm.", "A", False, None),
        ("such a reply and its label", {"prediction": "<think>Hm.</think>A", "verdict": "Incorrect"}, "Hm.", "A",
         False, "INCORRECT"),
        ("such a reply and a verdict as items.jsonl has it",
         {"prediction": "<think>Hm.</think>A", "verdict": {"label": "CORRECT", "judge": "m"}}, "Hm.", "A", False,
         "CORRECT"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("has_data", [True, False])
def test_rows(tmp_path, monkeypatch, why, row, trace, response, truncated, verdict, has_data):
    key = sample("husimpleqa")[0]["qid"]
    if not has_data:
        monkeypatch.delenv("HUEVAL_SAMPLE")
    (item,) = items_of(write_lines(tmp_path / "r1.jsonl", [{"qid": key, **row}]), task=SIMPLE)
    assert (item.trace, item.response, item.truncated, item.verdict) == (trace, response, truncated, verdict)
    assert (item.doc is not None) == has_data
    assert (item.key, item.cluster) == ((key,), key)


def test_a_label_goes_before_the_rule(tmp_path):
    doc = sample("humatchingfib")[0]
    row = {"qid": doc["qid"], "trace": "Hm.", "answer": "Nem tudom."}
    assert [item.verdict for item in items_of(write_lines(tmp_path / "a.jsonl", [row]), task=FIB)] == ["INCORRECT"]
    labelled = write_lines(tmp_path / "b.jsonl", [row | {"verdict": "Correct"}])
    assert [item.verdict for item in items_of(labelled, task=FIB)] == ["CORRECT"]


def test_scores_do_not_rest_on_a_label(tmp_path):
    doc = sample("humatchingfib")[0]
    row = {"qid": doc["qid"], "trace": "Hm.", "answer": "Nem tudom.", "verdict": "CORRECT"}
    (score,) = score_into(tmp_path / "out", [write_lines(tmp_path / "b.jsonl", [row])], FIB, {}, JudgePlan())
    assert score.summary["question_acc"] == 0.0


def test_without_the_data_one_line_says_so(tmp_path, without_data, caplog):
    rows = [{"qid": key, "trace": "Hm.", "answer": "A"} for key in KEYS]
    items = items_of(write_lines(tmp_path / "r1.jsonl", rows), task=SIMPLE)
    assert [(item.key, item.doc, item.trace) for item in items] == [((key,), None, "Hm.") for key in KEYS]
    (message,) = caplog.messages
    assert message.startswith("what needs the questions of the benchmark is left out: HuSimpleQA.jsonl was not found")


def test_items_without_the_data(tmp_path, monkeypatch, caplog):
    predictions = write_lines(tmp_path / "plain.jsonl", plain("humatchingfib", FIB))
    score_into(tmp_path / "scored", [predictions], None, {}, JudgePlan())
    expected = items_of(tmp_path / "scored")
    monkeypatch.delenv("HUEVAL_SAMPLE")
    found = items_of(tmp_path / "scored")
    assert found == [replace(item, doc=None) for item in expected]
    assert len(caplog.messages) == 1


def test_some_are_read_again(tmp_path):
    runs = find_runs([write_samples(tmp_path, "humatchingfib"), write_samples(tmp_path, "hustandardfib")], None, {})
    every = list(TraceItems(runs))
    for _ in range(2):  # with and without what is known of their worth
        some = list(TraceItems(runs, {1: 2.0, 3: 1.0, len(every) - 1: 5.0}))
        assert some == [replace(every[n], weight=weight) for n, weight in ((1, 2.0), (3, 1.0), (len(every) - 1, 5.0))]
    assert list(TraceItems(runs)) == every
    assert list(TraceItems(runs, {})) == []


def test_a_template_that_opens_the_trace(tmp_path):
    """Replies have a closing tag alone, or none at all where they were cut."""
    keys = [doc["qid"] for doc in sample("humatchingfib")]
    rows = [{"task": FIB, "qid": key, "prediction": "Hm.</think>A" if n else "Hm. De"} for n, key in enumerate(keys)]
    predictions = write_lines(tmp_path / "plain.jsonl", rows)
    score_into(tmp_path / "scored", [predictions], None, {}, JudgePlan())
    for path in (predictions, tmp_path / "scored"):
        first, *others = items_of(path)
        assert (first.trace, first.truncated) == ("Hm. De", True)
        assert {(item.trace, item.response, item.truncated) for item in others} == {("Hm.", "A", False)}


def test_several_blocks_are_joined(tmp_path, without_data):
    rows = [{"task": SIMPLE, "qid": "a1", "prediction": "<think>Egy.</think>Kettő.<think>Három.</think>Négy."}]
    (item,) = items_of(write_lines(tmp_path / "r.jsonl", rows))
    assert item.trace == "Egy.\n\nHárom."
    assert len(item.blocks) == 2


def test_ids_of_ones_own_take_the_steps_without_a_judge(tmp_path, caplog):
    rows = [{"qid": f"own-{n}", "trace": "Hm.", "answer": "A", "verdict": "CORRECT"} for n in range(2)]
    items = items_of(write_lines(tmp_path / "r.jsonl", rows), task=SIMPLE)
    assert [(item.key, item.doc, item.trace, item.verdict) for item in items] == [
        (("own-0",), None, "Hm.", "CORRECT"),
        (("own-1",), None, "Hm.", "CORRECT"),
    ]
    assert "what needs the questions of the benchmark is left out" in caplog.text
    assert "2 predictions for unknown qids (own-0, own-1)" in caplog.text


def test_one_question_of_several_that_the_data_do_not_have(tmp_path):
    rows = [{"qid": qid, "trace": "Hm.", "answer": "A"} for qid in (sample("husimpleqa")[0]["qid"], "nobody")]
    with pytest.raises(InputError, match="1 predictions for unknown qids"):
        items_of(write_lines(tmp_path / "r1.jsonl", rows), task=SIMPLE)
