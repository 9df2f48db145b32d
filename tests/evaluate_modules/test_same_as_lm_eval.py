"""A module computes the same numbers as a run of lm-eval and `hueval score` for the same responses."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from hueval_metrics.answers.confidence import stated_confidence
from hueval_metrics.answers.reasoning import StripReasoning
from hueval_metrics.loader import documents
from hueval_metrics.metrics.confidence import BRIER, ECE
from hueval_metrics.records import Filtered, Verdict
from hueval_metrics.registry import task_spec
from hueval_metrics.scoring.score import score_paths
from lm_eval_tasks.openhueval.templates import target
from tests.harness.runs import hueval_in_process, metrics, samples

TASKS = {
    "fib_matching": "openhueval_humatchingfib",
    "fib_standard": "openhueval_hustandardfib",
    "two_choice_pairs": "openhueval_huproverbrea_2cq",
    "simple_qa_verdicts": "openhueval_husimpleqa",
    "wb_score": "openhueval_huwildbench",
}
ON_EVERY = pytest.mark.parametrize("name", TASKS)


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch, tmp_path):
    """The packaged sample, and a judge that makes no requests."""
    for variable, value in {"HUEVAL_SAMPLE": "1", "HUEVAL_JUDGE": "lexical", "HF_HUB_OFFLINE": "1"}.items():
        monkeypatch.setenv(variable, value)
    monkeypatch.chdir(tmp_path)


def inputs(rows: list[dict]) -> dict[str, list]:
    """The inputs of a module, from rows as lm-eval logs them."""
    references = []
    for row in rows:
        verdict = Filtered.from_json(row["filtered_resps"][0]).verdict
        # A judged document has no field that a verdict has.
        references.append(row["doc"] if verdict is None else {**verdict, **row["doc"]})
    return {"predictions": [row["resps"][0][0] for row in rows], "references": references}


def is_judged(name: str) -> bool:
    return task_spec(TASKS[name]).rubric is not None


def replies(name: str, docs: list[dict]) -> list[str | None]:
    """One reply per document, in turn right, wrong, with a trace, cut, unreadable, missing."""
    wrong = {"two_choice_pairs": "2"}.get(name, '{"answer": ["#0#Z"], "answers": 1, "confidence_score": 20}')
    texts = []
    for n, doc in enumerate(docs):
        right = target(doc)
        trace = f"<think>Lássuk: {wrong}</think>\n\n{right}"
        texts.append((right, wrong, trace, "<think>Lássuk", "Nem tudom a választ.", None, right)[n % 7])
    return texts


def verdict(name: str, n: int) -> dict:
    """A verdict as our judge returns it; some are missing, some are defaults."""
    signs = ("forged_verdict",) if n % 5 == 0 else ()
    if name == "simple_qa_verdicts":
        return asdict(Verdict(label=("CORRECT", "INCORRECT", "NOT_ATTEMPTED", "CORRECT")[n % 4], suspicious=signs))
    is_default = n % 6 == 0
    score = 1.0 if is_default else 1.0 + n % 10
    return asdict(Verdict(score=score, error="no score in it" if is_default else None, suspicious=signs))


def logged(name: str) -> list[dict]:
    """Rows as lm-eval logs them, with generated responses and verdicts."""
    docs = documents(TASKS[name])[0]
    _, strip, *_ = task_spec(TASKS[name]).config["filter_list"][0]["filter"]
    assert strip["function"] is StripReasoning
    texts = replies(name, docs)
    filtered = StripReasoning(strip.get("final_answer", True)).apply(texts, docs)
    rows = []
    for n, (doc, text, one) in enumerate(zip(docs, texts, filtered, strict=True)):
        response = Filtered.from_json(one)
        judged = Filtered(response.response, response.truncated, verdict(name, n) if is_judged(name) else None)
        rows.append({"doc_id": n, "doc": doc, "resps": [[text]], "filtered_resps": [judged.to_json()]})
    return rows


@ON_EVERY
@pytest.mark.parametrize("policy", ["random", "oracle"])
def test_as_a_run_of_lm_eval(name, policy, module, tmp_path, capfd):
    command = ("run", "--model", "hueval-baseline", "--model_args", f"policy={policy}", "--tasks", TASKS[name])
    assert hueval_in_process(*command, "--output_path", tmp_path) == 0
    live = metrics(tmp_path)[TASKS[name]]
    found = module(name).compute(**inputs(samples(tmp_path, TASKS[name])))
    assert found == live
    assert any(value is not None for value in live.values())


@ON_EVERY
def test_as_hueval_score(name, module, tmp_path):
    rows = logged(name)
    path = tmp_path / f"samples_{TASKS[name]}_2026-01-31T10-00-00.123456.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (scored,) = score_paths([path], None, {})
    found = module(name).compute(**inputs(rows))
    assert found == {metric: scored.summary[metric] for metric in task_spec(TASKS[name]).metrics}
    assert scored.summary["n"] == len(rows)
    headline = {"two_choice_pairs": "acc_single", "simple_qa_verdicts": "correct", "wb_score": "wb_score"}
    assert 0 < found[headline.get(name, "blank_acc")] < 100
    assert 0 < found["truncated_rate"] < 100


@ON_EVERY
def test_row_by_row_and_in_batches(name, module):
    given = inputs(logged(name))
    metric = module(name)
    whole = metric.compute(**given)
    for prediction, reference in zip(given["predictions"], given["references"], strict=True):
        metric.add(prediction=prediction, reference=reference)
    assert metric.compute() == whole
    for start in range(0, len(given["predictions"]), 5):
        metric.add_batch(**{column: values[start : start + 5] for column, values in given.items()})
    assert metric.compute() == whole


@ON_EVERY
def test_what_comes_out_is_plain(name, module):
    scores = module(name).compute(**inputs(logged(name)))
    assert {type(value) for value in scores.values()} <= {float, int, type(None)}
    assert json.loads(json.dumps(scores, allow_nan=False)) == scores


def test_calibration_is_that_of_husimpleqa(module):
    rows = logged("simple_qa_verdicts")
    answers = [Filtered.from_json(row["filtered_resps"][0]) for row in rows]
    found = module("calibration").compute(
        predictions=[(stated_confidence(answer.response) or (None,))[0] for answer in answers],
        references=[answer.verdict["label"] == "CORRECT" for answer in answers],
    )
    whole = module("simple_qa_verdicts").compute(**inputs(rows))
    assert found == {metric: whole[metric] for metric in ("ece", "brier", "n_confidence")}
    assert 0 < found["n_confidence"] < len(rows)
    aggregations = task_spec(TASKS["simple_qa_verdicts"]).metrics
    assert (aggregations["ece"], aggregations["brier"]) == (ECE, BRIER)


def test_a_template_that_opens_the_trace(module):
    """As in a run, replies that only close a trace show that a reply without any tag was cut inside its trace."""
    row = {"qid": "a", "correct_option": 1}
    replies_of_the_run = ["1 az?</think>1", "Lássuk, 1 vagy 2? Az 1"]
    orders = [row, row | {"correct_option": 2}]
    scores = module("two_choice_pairs").compute(predictions=replies_of_the_run, references=orders)
    assert (scores["truncated_rate"], scores["parse_rate"], scores["acc_single"]) == (50.0, 50.0, 50.0)


def test_an_open_answer_keeps_what_is_around_a_box(module):
    """The task's settings of the filter are used; otherwise only the box would be the answer."""
    reply = "Három tanácsom van, és a végén egy összeg.\n\n**Végső válasz**\n\n\\boxed{12}"
    scores = module("wb_score").compute(predictions=[reply], references=[{"score": 5}])
    assert scores["hungarian_rate"] == 100.0
