"""Literal scores through `evaluate.load`: the cases of the metrics' own tests, and the reference scorers' numbers."""

from __future__ import annotations

import json
from itertools import product

import pytest

from hueval_metrics.loader import documents
from tests.helpers import json_lines, load_cases, shared, why

LABELS = {"A": "CORRECT", "B": "INCORRECT", "C": "NOT_ATTEMPTED"}  # the reference judge's letters
OPTIONS = ["A.környezet", "B.tűrőképesség", "C.populáció", "D.faj", "E.élettér", "F.populációnak"]
QUESTION = "A #0# alkalmazkodnia kell. A #1# változik. Végül a #2# is."
MATCHING = [case for case in load_cases("blanks") if "qid" not in case]
PARITY = [
    ("fib_matching", "humatchingfib", "corrupt40"),
    ("fib_standard", "hustandardfib", "corrupt40"),
    ("fib_standard", "hustandardfib", "gold_first_alternative"),
]


@pytest.fixture(autouse=True)
def no_sample(monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)


def test_fib_matching(module):
    for case in MATCHING:
        gold = case.get("gold", ["#0#F", "#1#A", "#2#C"])
        row = {"question": QUESTION, "options": case.get("options", OPTIONS), "answer": gold}
        scores = module("fib_matching").compute(predictions=[case["response"]], references=[row])
        right = case["right"] or [0] * len(gold)
        assert scores["blank_acc"] == pytest.approx(100 * sum(right) / len(gold))
        assert scores["question_acc"] == 100 * all(right), why(case)
        # Where none is right, the wrong options may be none of the list's.
        if case["right"] is None or any(case["right"]):
            assert scores["parse_rate"] == 100 * bool(case["right"])
        assert scores["blank_acc_l"] is scores["blank_acc_h"] is None  # no dimension was given


def test_fib_standard(module):
    for case in load_cases("fib"):
        gold = case["gold"]
        questions = case["question"].split("\n") if "question" in case else [f"#{n}#" for n in range(len(gold))]
        row = {"questions": questions, "answers": gold, "hu_specific_dim": "history"}
        scores = module("fib_standard").compute(predictions=[case["response"]], references=[row])
        assert scores["blank_acc"] == scores["blank_acc_h"] == pytest.approx(100 * sum(case["right"]) / len(gold))
        assert scores["question_acc"] == 100 * all(case["right"]), why(case)


def test_reference_scorer_of_blanks(module):
    for case in load_cases("fib_reference"):
        gold = case["gold"]
        rows = {
            "matching": {"question": "…", "options": OPTIONS, "answer": gold},
            "standard": {"questions": ["…"], "answers": gold},
        }
        metric = module(f"fib_{case['task']}")
        # A run is scored without traces of reasoning and white space around it; so is a case.
        scores = metric.compute(predictions=[case["response"]], references=[rows[case["task"]]])
        assert scores["blank_acc_ref"] == pytest.approx(100 * case["correct"] / len(gold))
        assert scores["question_acc_ref"] == 100 * case["complete"], why(case)


def is_asked_twice(case):
    """Whether a case has a proverb twice in one order, which the module refuses (`test_bad_inputs.py`)."""
    asked = [(qid, option) for qid, option, _ in case["choices"]]
    return len(asked) > len(set(asked))


@pytest.mark.parametrize(
    "case", [case for case in load_cases("two_choice") if case["choices"] and not is_asked_twice(case)], ids=why
)
def test_two_choice_pairs(case, module):
    scores = module("two_choice_pairs").compute(
        predictions=["Nem tudom." if answer is None else f"{answer}" for _, _, answer in case["choices"]],
        references=[{"qid": qid, "correct_option": option} for qid, option, _ in case["choices"]],
    )
    for metric in ("acc", "acc_single", "position_bias", "n_single_order"):
        expected = case[metric]
        assert scores[metric] == (expected if expected is None else pytest.approx(expected)), metric
    assert scores["acc_ref"] == scores["acc"]


@pytest.mark.parametrize("case", [case for case in load_cases("simple_qa") if 0 < sum(case["counts"]) < 100], ids=why)
def test_simple_qa_verdicts(case, module):
    labels = [label for label, n in zip(LABELS.values(), case["counts"], strict=True) for _ in range(n)]
    scores = module("simple_qa_verdicts").compute(
        predictions=["Szeged"] * len(labels), references=[{"label": label} for label in labels]
    )
    assert (scores["correct_given_attempted"], scores["f_score"]) == (case["cga"], case["f"])
    assert (scores["ece"], scores["brier"], scores["n_confidence"]) == (None, None, 0)
    assert scores["judge_coverage"] == 100


@pytest.mark.parametrize("case", [case for case in load_cases("wild_bench") if case["scores"]], ids=why)
def test_wb_score(case, module):
    given = case["scores"]
    scores = module("wb_score").compute(
        predictions=["Kérdezd meg a szomszédot!"] * len(given), references=[{"score": score} for score in given]
    )
    assert (scores["wb_score"], scores["wb_score_ref"]) == (case["wb_score"], case["wb_score_ref"])
    assert scores["judge_coverage"] == pytest.approx(100 * sum(s is not None for s in given) / len(given))
    assert scores["hungarian_rate"] == 100


@pytest.mark.parametrize("case", [case for case in load_cases("calibration") if case["pairs"]], ids=why)
def test_calibration(case, module):
    pairs = [pair or (None, None) for pair in case["pairs"]]
    scores = module("calibration").compute(
        predictions=[confidence for confidence, _ in pairs], references=[correct for _, correct in pairs]
    )
    assert scores["ece"] == (case["ece"] if case["ece"] is None else pytest.approx(case["ece"], abs=1e-12))
    assert scores["brier"] == (case["brier"] if case["brier"] is None else pytest.approx(case["brier"], abs=1e-12))
    assert scores["n_confidence"] == sum(pair is not None for pair in case["pairs"])


@pytest.mark.parametrize(("name", "task", "example"), PARITY)
def test_parity_of_blanks(name, task, example, module):
    rows = json_lines(shared("parity", task, f"{example}.predictions.jsonl"))
    theirs = json.loads(shared("parity", task, f"{example}.expected.json").read_text(encoding="utf-8"))
    docs = {doc["qid"]: doc for doc in documents(f"openhueval_{task}", data_dir=str(shared("data")))[0]}
    scores = module(name).compute(
        predictions=[row["prediction"] for row in rows], references=[docs[row["qid"]] for row in rows]
    )
    headline = theirs.get("lenient_normalised", theirs["paper"])
    assert round(scores["blank_acc"], 2) == headline["blank_acc"]
    assert round(scores["question_acc"], 2) == headline["question_acc"]
    assert round(scores["blank_acc_ref"], 2) == theirs["reference"]["blank_level_correctness"]
    assert round(scores["question_acc_ref"], 2) == theirs["reference"]["question_level_correctness"]


@pytest.mark.parametrize("example", ["corrupt40", "always_1"])
def test_parity_of_two_choices(example, module):
    rows = json_lines(shared("parity", "huproverbrea_2cq", f"{example}.predictions.jsonl"))
    path = shared("parity", "huproverbrea_2cq", f"{example}.expected.json")
    theirs = json.loads(path.read_text(encoding="utf-8"))
    scores = module("two_choice_pairs").compute(predictions=[row["prediction"] for row in rows], references=rows)
    assert scores["acc_ref"] == pytest.approx(theirs["reference"]["correct_ratio"], abs=1e-9)
    assert scores["acc"] == pytest.approx(theirs["sense"]["correct_ratio"], abs=1e-9)
    assert scores["acc_single"] == pytest.approx(theirs["sense"]["single_order_accuracy"], abs=1e-9)
    assert scores["parse_rate"] == 100 - theirs["sense"]["fail_parse_ratio"]


def test_parity_of_verdicts_and_calibration(module):
    rows = json_lines(shared("parity", "kolassimpleqa", "general.jsonl"))
    path = shared("parity", "kolassimpleqa", "expected.json")
    theirs = json.loads(path.read_text(encoding="utf-8"))["general"]
    scores = module("simple_qa_verdicts").compute(
        predictions=[row["prediction"] for row in rows], references=[{"label": LABELS[row["judge"]]} for row in rows]
    )
    for metric, key in (("correct", "CO"), ("incorrect", "IN"), ("not_attempted", "NA"), ("f_score", "F")):
        assert round(scores[metric], 2) == theirs["all"][key]
    assert round(scores["correct_given_attempted"], 2) == theirs["all"]["CGA"]
    confidences = [json.loads(row["prediction"])["confidence_score"] / 100 for row in rows]
    right = [row["judge"] == "A" for row in rows]
    for bins, edges in product((5, 10, 20), ("left", "right")):
        found = module("calibration").compute(predictions=confidences, references=right, bins=bins, edges=edges)
        assert round(found["ece"], 6) == theirs["ece"][f"{bins}_bins_{edges}_closed"]["all_items"]
        assert found["brier"] == scores["brier"]
    assert round(scores["ece"], 6) == theirs["ece"]["10_bins_left_closed"]["all_items"]
