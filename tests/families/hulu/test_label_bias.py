"""The labels that a prompt alone makes likely, from log-likelihoods after a constant text."""

from __future__ import annotations

import json
from math import log

import pytest

from hueval_metrics.registry import TASKS_DIR
from lm_eval_tasks.hulu.hooks import by_likelihood, likeliest_label
from tests.harness.runs import hueval_in_process
from tests.helpers import shared

RTE = {"task": "hurte", "prompt": 1, "premise": "Esik.", "hypothesis": "Vizes az út.", "label": "1"}
CONSTANT = "Szöveg: N/A\nÁllítás: N/A\nKérdés: Következik a szövegből az állítás, igen vagy nem?\nVálasz:"


def test_shares_after_a_constant_text_stand_beside_the_score_of_the_item():
    pairs = [(-2.0, False), (-1.0, True), (log(0.06), False), (log(0.02), False)]  # 0.06 against 0.02: three to one
    found = by_likelihood(RTE, pairs)
    assert (found["acc"], likeliest_label(RTE, pairs)) == ((0, 1), "0")
    assert (found["label_bias_1"], found["label_bias_0"]) == (pytest.approx(0.75), pytest.approx(0.25))


def test_other_items_have_none():
    found = by_likelihood(RTE, [(-2.0, False), (-1.0, True)])
    assert (found["label_bias_1"], found["label_bias_0"]) == (None, None)


@pytest.mark.parametrize("shots", [0, 2])
def test_it_is_asked_for_once_with_the_first_item(tmp_path, monkeypatch, shots):
    monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(shared("data")))
    run = ("run", "--model", "hueval-baseline", "--tasks", "hulu_hurte", "--limit", "3", "--num_fewshot", str(shots))
    assert hueval_in_process(*run, "--output_path", tmp_path) == 0
    (file,) = tmp_path.rglob("samples_*.jsonl")
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    asked = [[tuple(pair.values()) for pair in row["arguments"].values()] for row in rows]
    assert [len(requests) for requests in asked] == [4, 2, 2]
    own, constant = asked[0][:2], asked[0][2:]
    assert [choice for _, choice in own] == [choice for _, choice in constant] == [" igen", " nem"]
    for context, _ in constant:
        assert context.endswith(CONSTANT) and context.count("Szöveg: ") == shots + 1
        assert context.removesuffix(CONSTANT) == own[0][0].rpartition("Szöveg: ")[0]


@pytest.mark.parametrize(
    ("chat", "constant"),
    [
        ("<user>{}<assistant>", f"<user>{CONSTANT}<assistant>"),
        ("<user>{}\n", f"<user>{CONSTANT}\n"),
        ("<user>Esik.<assistant>", None),  # the template changed the text: nothing more is asked for
    ],
)
def test_the_constant_text_stands_in_the_chat_template(monkeypatch, chat, constant):
    from lm_eval.tasks import TaskManager

    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    task = TaskManager(include_path=TASKS_DIR, include_defaults=False).load(["hulu_hurte"])["tasks"]["hulu_hurte"]
    doc = next(iter(task.test_docs()))
    asked = task.construct_requests(doc, chat.format(task.doc_to_text(doc)), doc_id=0, metadata=("hulu_hurte", 0, 1))
    assert [each.args for each in asked[2:]] == ([(constant, " igen"), (constant, " nem")] if constant else [])
