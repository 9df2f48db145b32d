"""Replies in the style of today's models, labelled by a person: the answer without its trace, and truncation."""

from __future__ import annotations

from hueval_metrics.answers.reasoning import strip_reasoning
from tests.helpers import json_lines, shared

COUNTED = {"clear", "json", "nojson", "adversarial"}


def test_traces_are_read_as_a_person_reads_them():
    cases = [case for case in json_lines(shared("parity", "fresh", "traces.jsonl")) if case["kind"] in COUNTED]
    wrong = [case["id"] for case in cases if not is_right(case)]
    assert len(wrong) <= 0.03 * len(cases), wrong


def is_right(case):
    human = case["human_reading"]
    read = strip_reasoning(case["input"])
    return read.truncated == human["truncated"] and read.response in (human["response"], *human["alternatives"])
