"""Labelled replies in the style of today's models, in `shared/parity/fresh`: read as a person reads them."""

from __future__ import annotations

from functools import cache

from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.loader import documents
from lm_eval_tasks.openhueval.hooks import huproverbrea_2cq, matching_answer, standard_answer
from lm_eval_tasks.openhueval.metrics.fib import matching_blanks, standard_blanks
from tests.each import each
from tests.helpers import json_lines, shared

TASKS = ("humatchingfib", "hustandardfib", "huproverbrea_2cq")
COUNTING = {"clear", "json", "nojson", "adversarial"}


@cache
def docs(task: str) -> dict[tuple, dict]:
    rows, _ = documents(f"openhueval_{task}", data_dir=str(shared("data")))
    return {(row["qid"], row.get("correct_option")): row for row in rows}


def read(task: str, case: dict) -> list[bool] | int | None:
    """What is read from a reply: which blanks are right, or the option."""
    doc, filtered = docs(task)[case["qid"], case.get("correct_option")], strip_reasoning(case["input"])
    if task == "huproverbrea_2cq":
        return huproverbrea_2cq(doc, [filtered.to_json()])["acc"][2]
    if task == "humatchingfib":
        blanks = matching_answer(doc, filtered.response)
        return matching_blanks(blanks, doc["answer"], doc["options"], doc["question"])
    return standard_blanks(standard_answer(doc, filtered.response), doc["answers"], "\n".join(doc["questions"]))


@each("task", TASKS)
def test_at_least_97_percent_are_read_as_a_person_reads_them(task):
    cases = [case for case in json_lines(shared("parity", "fresh", f"{task}.jsonl")) if case["kind"] in COUNTING]
    wrong = [case["id"] for case in cases if read(task, case) != case["human_reading"]]
    assert len(wrong) <= 0.03 * len(cases), wrong


@each("task", TASKS)
def test_nothing_is_credited_that_a_person_would_not_credit(task):
    for case in json_lines(shared("parity", "fresh", f"{task}.jsonl")):
        if case["kind"] in COUNTING:
            found, human = read(task, case), case["human_reading"]
            if task == "huproverbrea_2cq":
                assert found in (None, human), case["id"]
            else:
                assert all(h or not f for f, h in zip(found, human, strict=True)), case["id"]
