"""The row of the family in results.json: averages over the nine languages, and which languages lack."""

import json
import logging
from fractions import Fraction

import pytest

from hueval_metrics.registry import task_spec
from hueval_metrics.runs.load import load_runs
from hueval_metrics.scoring.summaries import summary_rows
from hueval_metrics.scoring.values import DocumentValues
from lm_eval_tasks.kolassimpleqa.family import FAMILY
from lm_eval_tasks.kolassimpleqa.languages import LANGUAGES

GENERAL = [f"kolassimpleqa_{language}_general" for language in LANGUAGES]
SPECIFIC = [f"kolassimpleqa_{language}_specific" for language in LANGUAGES]


def scored(task, outcomes):
    """Values of pairs: each `(forward, reverse)`, `1` right, `0` wrong, `?` without a verdict."""
    values = DocumentValues(task_spec(task))
    for n, pair in enumerate(outcomes):
        for is_reverse, letter in enumerate(pair):
            right = None if letter == "?" else float(letter)
            given = dict.fromkeys(FAMILY.tasks[task].metrics)
            if right is not None:
                given |= {"correct": right, "f_score": (2 * int(right), 2), "ece": (0.95, right)}
                given |= dict.fromkeys(("bidirectional", "n_pairs", "n_unpaired"), (f"t{n}", bool(is_reverse), right))
            values.add(given, {"knowledge_track_id": f"t{n}", "is_reverse": bool(is_reverse)})
    return values


def row(by_task):
    values = {task: scored(task, outcomes) for task, outcomes in by_task.items()}
    return summary_rows({task: one.summary() for task, one in values.items()}, values)["kolassimpleqa"]


@pytest.fixture(scope="module")
def whole():
    general = {task: ["11"] * (4 + n) + ["10", "00"] for n, task in enumerate(GENERAL)}
    return row(general | {task: ["10", "00", "11"] for task in SPECIFIC})


def test_averages_over_languages_by_hand(whole):
    shares = [Fraction(2 * (4 + n) + 1, 2 * (6 + n)) for n in range(9)]
    assert whole["f_score_general"] == pytest.approx(float(100 * sum(shares) / 9))
    assert whole["f_score_specific"] == 50.0
    assert whole["domain_gap"] == pytest.approx(whole["f_score_general"] - 50.0)
    pairs = [Fraction(4 + n, 5 + n) for n in range(9)]
    assert whole["bidirectional_general"] == pytest.approx(float(100 * sum(pairs) / 9))
    assert whole["bidirectional_specific"] == 50.0


def test_the_error_of_a_domain_is_over_all_its_questions(whole):
    n_right = sum(2 * (4 + n) + 1 for n in range(9))
    n = sum(2 * (6 + n) for n in range(9))
    assert whole["ece_pooled_general"] == pytest.approx(abs(0.95 - n_right / n))
    assert whole["ece_general"] != pytest.approx(whole["ece_pooled_general"])
    assert whole["ece_pooled_specific"] == whole["ece_specific"] == pytest.approx(0.45)
    assert whole["ci_note"]["ece_pooled_general"] == "few_answers"


def test_the_same_track_in_two_languages_is_two_facts(whole):
    assert whole["f_score_specific_n"] == 27
    assert whole["domain_gap_n"] == 27 + sum(6 + n for n in range(9))
    low, high = whole["f_score_specific_ci95"]
    assert low < 50.0 < high
    assert "mece" not in whole  # it is over two runs


def test_an_average_over_fewer_languages_is_not_printed(caplog):
    with caplog.at_level(logging.WARNING):
        found = row({task: ["10", "00", "11"] for task in GENERAL[:-1]})
    assert (found["f_score_general"], found["f_score_general_ci95"], found["f_score_general_n"]) == (None, None, 0)
    assert found["lacking"]["f_score_general"] == found["lacking"]["ece_pooled_general"] == ["kolassimpleqa_vi_general"]
    assert found["lacking"]["domain_gap"] == ["kolassimpleqa_vi_general", *SPECIFIC]
    (line,) = [record.getMessage() for record in caplog.records]
    assert "without scores of kolassimpleqa_vi_general" in line


@pytest.mark.parametrize(
    "tasks, lacks",
    [
        (GENERAL[:1] + SPECIFIC[:1], "a language alone, which was asked for"),
        (GENERAL, "the other domain, which was not asked for"),
    ],
)
def test_nothing_is_said_of_averages_that_were_not_asked_for(tasks, lacks, caplog):
    with caplog.at_level(logging.WARNING):
        found = row({task: ["10", "11"] for task in tasks})
    assert found["lacking"]["domain_gap"], lacks
    assert not caplog.records


def test_a_language_without_any_pair_right_has_no_bidirectional_and_neither_has_the_average():
    found = row({task: ["10", "11"] for task in GENERAL[:-1]} | {GENERAL[-1]: ["00", "1?"]})
    assert found["lacking"]["bidirectional_general"] == ["kolassimpleqa_vi_general"]
    assert found["bidirectional_general"] is None
    assert found["f_score_general"] is not None


def test_readers_take_the_row_for_no_task(tmp_path):
    values = {task: scored(task, ["10", "00", "11"]) for task in GENERAL}
    tasks = {task: one.summary() | {"n": 6, "model": "org/m", "signature": ""} for task, one in values.items()}
    rows = summary_rows(tasks, values)
    (tmp_path / "results.json").write_text(json.dumps(tasks | rows), encoding="utf-8")
    (run,) = load_runs([tmp_path])
    assert list(run.tasks) == GENERAL
    named = {one.name: one for one in FAMILY.summaries}
    assert run.summary(named["f_score_general"]) == 50.0
    assert run.summary(named["ece_pooled_general"]) == pytest.approx(0.45)
    assert run.summary(named["f_score_specific"]) is None
    assert run.summaries["kolassimpleqa"].intervals["f_score_general"] == tuple(
        rows["kolassimpleqa"]["f_score_general_ci95"]
    )


def test_a_row_over_other_scores_than_the_run_has_is_not_taken(tmp_path):
    values = {task: scored(task, ["10", "00", "11"]) for task in GENERAL}
    tasks = {task: one.summary() | {"n": 6, "model": "org/m", "signature": ""} for task, one in values.items()}
    (tmp_path / "results.json").write_text(json.dumps(tasks | summary_rows(tasks, values)), encoding="utf-8")
    newer = {"results": {GENERAL[0]: {"f_score,none": 90.0}}, "model_name": "org/m", "date": 4e9}
    (tmp_path / "results_2096-10-02T07-06-40.0.json").write_text(json.dumps(newer), encoding="utf-8")
    (run,) = load_runs([tmp_path])
    assert run.summaries == {}
    named = {one.name: one for one in FAMILY.summaries}
    assert run.summary(named["f_score_general"]) == pytest.approx((90 + 8 * 50) / 9)
    assert run.summary(named["ece_pooled_general"]) is None
