"""One document of each task: every key, literal values, and what the task's YAML aggregates."""

from __future__ import annotations

import pytest

from hueval_metrics.records import Filtered
from hueval_metrics.registry import resolve, task_spec
from lm_eval_tasks.openhueval.hooks import (
    humatchingfib,
    huproverbrea_2cq,
    hustandardfib,
    matching_marked,
    standard_marked,
)
from tests.each import each

MATCHING = {
    "qid": "m",
    "question": "#0# #1# #2#",
    "options": ["A.egy", "B.két", "C.három"],
    "answer": ["#0#C", "#1#A", "#2#B"],
    "hu_specific_dim": "history",
}
STANDARD = {
    "qid": "s",
    "instruction": "Pótold!",
    "questions": ["A. #0#", "B. #1#"],
    "answers": ["#0#Prága;prágai", "#1#bort"],
    "hu_specific_dim": "language",
}
PROVERB = {
    "qid": "p",
    "hu_specific_dim": "language",
    "hu_text": "BÚÉK",
    "context": "…",
    "option1": "Boldog új évet!",
    "option2": "Boldog születésnapot!",
    "correct_option": 2,
}
TASKS = {"humatchingfib": humatchingfib, "hustandardfib": hustandardfib, "huproverbrea_2cq": huproverbrea_2cq}
DOCS = {"humatchingfib": MATCHING, "hustandardfib": STANDARD, "huproverbrea_2cq": PROVERB}


def score(task: str, response: str, truncated: bool = False, **changes) -> dict:
    return TASKS[task](DOCS[task] | changes, [Filtered(response, truncated).to_json()])


def test_humatchingfib():
    # By id two are right; by position, as the reference compares, none.
    assert score("humatchingfib", '{"answer": ["#1#A", "#0#C", "#3#B"]}') == {
        "blank_acc": (2, 3),
        "question_acc": 0.0,
        "parse_rate": 1.0,
        "blank_parse_rate": (2, 3),
        "truncated_rate": 0.0,
        "blank_acc_ref": (0, 3),
        "question_acc_ref": 0.0,
        "blank_acc_l": None,
        "blank_acc_h": (2, 3),
    }


def test_hustandardfib():
    # Case apart both are right; the reference minds case, and counts each alternative of the first.
    assert score("hustandardfib", '{"answers": ["#0#Prága", "#1#BORT"]}') == {
        "blank_acc": (2, 2),
        "question_acc": 1.0,
        "parse_rate": 1.0,
        "blank_parse_rate": (2, 2),
        "truncated_rate": 0.0,
        "blank_acc_ref": (2, 2),
        "question_acc_ref": 0.0,
        "blank_acc_l": (2, 2),
        "blank_acc_h": None,
    }


def test_huproverbrea_2cq():
    # A person reads 2; the reference sees both digits.
    choice = ("p", 2, 2)
    assert score("huproverbrea_2cq", "Nem 1, hanem 2.") == {
        "acc": choice,
        "acc_single": choice,
        "position_bias": choice,
        "parse_rate": 1.0,
        "truncated_rate": 0.0,
        "n_single_order": choice,
        "acc_ref": ("p", 2, None),
    }


@each("task", TASKS)
@each("response", ["", "Nem tudom.", "{", '{"answer": null}', "1", '{"answer": ["#0#C"]}'])
def test_every_key_for_every_document(task, response):
    declared = [entry["metric"] for entry in task_spec(f"openhueval_{task}").config["metric_list"]]
    assert list(score(task, response)) == declared
    assert list(score(task, response, hu_specific_dim="geography and place")) == declared
    assert list(score(task, response, hu_specific_dim="?")) == declared


@each("task", ["humatchingfib", "hustandardfib"])
def test_another_dimension_is_in_neither(task):
    values = score(task, "", hu_specific_dim="figure")
    assert values["blank_acc_l"] is values["blank_acc_h"] is None
    assert values["blank_acc"][0] == 0


@each("task", TASKS)
def test_unreadable_and_truncated(task):
    values = score(task, "", truncated=True)
    assert (values["parse_rate"], values["truncated_rate"]) == (0.0, 1.0)


def test_a_partly_filled_answer_is_readable_but_not_complete():
    values = score("humatchingfib", '{"answer": ["#0#C"]}')
    assert (values["blank_acc"], values["question_acc"], values["parse_rate"]) == ((1, 3), 0.0, 1.0)


def test_aggregates_over_documents():
    aggregations = task_spec("openhueval_humatchingfib").metrics
    docs = [
        score("humatchingfib", '{"answer": ["#0#C", "#1#A", "#2#B"]}'),
        score("humatchingfib", '{"answer": ["#0#C"]}', hu_specific_dim="language"),
        score("humatchingfib", "Nem tudom."),
    ]
    totals = {metric: aggregate([doc[metric] for doc in docs]) for metric, aggregate in aggregations.items()}
    assert totals == {
        "blank_acc": pytest.approx(100 * 4 / 9),
        "question_acc": pytest.approx(100 / 3),
        "parse_rate": pytest.approx(200 / 3),
        "blank_parse_rate": pytest.approx(100 * 4 / 9),
        "truncated_rate": 0.0,
        "blank_acc_ref": pytest.approx(100 * 4 / 9),
        "question_acc_ref": pytest.approx(100 / 3),
        "blank_acc_l": pytest.approx(100 / 3),
        "blank_acc_h": 50.0,
    }


@each("task", TASKS)
def test_nothing_scored_is_none_not_nan(task):
    aggregations = task_spec(f"openhueval_{task}").metrics
    empty = {metric: aggregate([]) for metric, aggregate in aggregations.items()}
    assert {value for metric, value in empty.items() if metric != "n_single_order"} == {None}
    assert empty.get("n_single_order", 0) == 0


@pytest.mark.parametrize(
    ("task", "response", "answer"),
    [
        ("humatchingfib", '{"answer": {"1": "A", "0": "C"}}', ["#1#A", "#0#C"]),
        ("humatchingfib", '{"answer": ["C", null]}', ["C", ""]),
        ("hustandardfib", '{"answers": ["#0# Prága "]}', ["#0#Prága"]),
        ("hustandardfib", "Prága", None),
        ("huproverbrea_2cq", "Boldog új évet!", 1),
        ("huproverbrea_2cq", "1 vagy 2", None),
    ],
)
def test_parsed_answer(task, response, answer):
    assert resolve(task_spec(f"openhueval_{task}").declared.answer)(DOCS[task], response) == answer


def test_the_blanks_of_humatchingfib_one_by_one():
    marked = matching_marked(MATCHING, '{"answer": ["#1#A", "#0#két", "#2#?"]}')
    assert marked.text == "#0# #1# #2#\n\nA.egy · B.két · C.három"
    assert [(part.mark, part.accepted, part.given, part.right) for part in marked.parts] == [
        ("#0#", ("C. három",), "B. két", False),
        ("#1#", ("A. egy",), "A. egy", True),
        ("#2#", ("B. két",), "?", False),
    ]


def test_the_blanks_of_hustandardfib_one_by_one():
    marked = standard_marked(STANDARD, '{"answers": ["#0#prágai"]}')
    assert marked.text == "Pótold!\n\nA. #0#\nB. #1#"
    assert [(part.mark, part.accepted, part.given, part.right) for part in marked.parts] == [
        ("#0#", ("Prága", "prágai"), "prágai", True),
        ("#1#", ("bort",), None, False),
    ]


def test_blanks_whose_gold_counts_from_another_number_have_the_marks_in_order():
    marked = standard_marked(STANDARD | {"answers": ["#1#Prága", "#2#bort"]}, '{"answers": ["#0#Prága", "#1#bort"]}')
    assert [(part.mark, part.given, part.right) for part in marked.parts] == [
        ("#0#", "Prága", True),
        ("#1#", "bort", True),
    ]


@each("task", ["humatchingfib", "hustandardfib"])
@each("response", ["", "Nem tudom.", '{"answer": ["#0#C", "x"]}', '{"answers": ["bort", "Prága"]}'])
def test_as_many_parts_are_right_as_are_scored(task, response):
    marked = resolve(task_spec(f"openhueval_{task}").declared.marked)(DOCS[task], response)
    assert (sum(part.right for part in marked.parts), len(marked.parts)) == score(task, response)["blank_acc"]
