"""The figures of the paper, of one's own runs: their numbers, and that each can be drawn."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.reports.figures.figure import caption
from hueval_metrics.reports.figures.ruler import CHARACTERS, Ruler
from hueval_metrics.reports.figures.sheet import NARROW, WIDE
from hueval_metrics.reports.figures.theme import LIGHT
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import TaskResult
from hueval_metrics.words.texts import LANGUAGES
from lm_eval_tasks.hkmmlu.figures.benchmarks import Benchmarks
from lm_eval_tasks.hkmmlu.figures.lengths import ByLength, DataLengths
from lm_eval_tasks.hkmmlu.figures.shots import Shots
from lm_eval_tasks.hkmmlu.figures.subjects import BestTwo, Maps
from lm_eval_tasks.hkmmlu.other_benchmarks import CATEGORIES
from lm_eval_tasks.hkmmlu.summaries import CODES
from tests.helpers import run_of

SOURCE = Path("results.json")
HK_LAW, DENTISTRY = "hkmmlu_hk_law", "hkmmlu_dentistry"
WORDS = Ruler(lambda text: len(text.split()), {"en": "words", "hu": "szó"})


def made(model, acc=60.0, *, script="tc", method="da", shots=0, **other):
    """A run of all subjects with one accuracy in all but the subjects named."""
    scores = {f"hkmmlu_{slug}": {"acc": other.get(slug, acc)} for slug in SUBJECTS}
    told = f"script:{script}|method:{method}|shots:{shots}"
    run = run_of(f"{model} ({told})", SOURCE, scores, signature={task: f"task:{task}|{told}" for task in scores})
    codes = dict.fromkeys(("avg", *CODES.values()), acc)
    whole = TaskResult({f"acc_{code}": value for code, value in codes.items()}, SOURCE, {"acc_avg": (acc - 1, acc + 1)})
    return replace(run, model=model, summaries={"hkmmlu": whole})


def item(task, qid, question, reply, right, response=None):
    row = {"task": task, "qid": qid, "question": question, "prediction": reply, "values": {"acc": float(right)}}
    return Item.of(row if response is None else row | {"response": response})


def sentence(task, qid, source, reference):
    return Item.of({"task": task, "qid": qid, "question": source, "reference": reference, "prediction": "好"})


def filled(maker, items_of_runs):
    for place, items in enumerate(items_of_runs):
        for one in items:
            maker.add(place, one)
    return maker


def check(figures):
    """Each can be drawn in both widths and has a caption in both languages."""
    found = list(figures)
    for figure in found:
        assert figure.section == "HKMMLU"
        assert all(figure.draw(LIGHT, wide).marks for wide in (WIDE, NARROW))
        assert all(caption(figure, language).text for language in LANGUAGES)
    return found


def test_the_two_models_with_the_best_averages_are_compared_by_subject():
    runs = [made("a", 50.0), made("b", 70.0, dentistry=40.0), made("c", 60.0), made("d", 90.0, script="sc")]
    (figure,) = check(BestTwo().figures(runs))
    assert {row["model"] for row in figure.rows} == {"b", "c"}  # d was asked in Simplified Chinese
    scores = {row["model"]: row["score"] for row in figure.rows if row["subject"] == "Dentistry"}
    assert scores == {"b": 40.0, "c": 60.0}
    assert len(figure.rows) == 2 * 66


def test_one_model_is_compared_with_none():
    assert list(BestTwo().figures([made("a"), made("a", shots=1)])) == []


def test_a_map_has_the_runs_asked_in_its_way_alone():
    runs = [made("a", 50.0, hk_law=30.0), made("a", 80.0, method="cot", shots=1), made("b", 60.0, shots=5)]
    direct, cot = check(Maps().figures(runs))
    law = [(row["model"], row["score"]) for row in direct.rows if row["subject"] == "Hong Kong Law"]
    assert law == [("a", 30.0)]
    assert {(row["model"], row["score"]) for row in cot.rows} == {("a", 80.0)}
    assert [figure.name for figure in (direct, cot)] == ["hkmmlu-map-direct", "hkmmlu-map-cot"]


def test_the_first_of_two_runs_asked_in_one_way_counts():
    (figure,) = Maps().figures([made("a", 50.0), made("a", 99.0)])
    assert {row["score"] for row in figure.rows} == {50.0}


def test_a_run_of_few_subjects_has_a_map_of_these():
    run = run_of("a", SOURCE, {DENTISTRY: {"acc": 40.0}})
    (figure,) = check(Maps().figures([run]))
    assert [(row["subject"], row["score"]) for row in figure.rows] == [("Dentistry", 40.0)]


def test_shots_have_a_line_for_each_model_with_two_points():
    runs = [made("a", 50.0), made("a", 55.0, shots=3), made("b", 60.0), made("a", 80.0, method="cot", shots=1)]
    (figure,) = check(Shots().figures(runs))
    assert [(row["model"], row["shots"], row["score"], row["ci95_low"]) for row in figure.rows] == [
        ("a", 0, 50.0, 49.0),
        ("a", 3, 55.0, 54.0),
    ]


def test_benchmarks_are_drawn_where_a_whole_category_of_another_one_was_run():
    stem = [task for task, code in CATEGORIES.items() if code == "stem" and task.startswith("cmmlu_")]
    whole = {task: TaskResult({"acc": 0.75}, SOURCE, n=4) for task in stem}  # 3 of 4 in each subject
    lacking = {task: TaskResult({"acc": 0.75}, SOURCE, n=4) for task in stem[1:]}
    runs = [replace(made("a", 50.0), beside=whole), made("b", 60.0), replace(made("c", 70.0), beside=lacking)]
    (figure,) = check(Benchmarks().figures(runs))
    found = {(row["model"], row["benchmark"], row["category"]): (row["score"], row["n"]) for row in figure.rows}
    assert found["a", "CMMLU", "stem"] == (75.0, 4 * len(stem))
    assert found["b", "HKMMLU", "other"] == (60.0, None)
    assert {key[0] for key in found if key[1] != "HKMMLU"} == {"a"}
    assert list(Benchmarks().figures(runs[1:])) == []


def test_accuracy_by_length_of_the_question_in_bins_of_200():
    short, long = "問" * 199, "問" * 200
    items = [
        item(HK_LAW, "1", short, "A", 1),
        item(HK_LAW, "2", short, "B", 0),
        item(HK_LAW, "3", long, "A", 1),
        item(HK_LAW, "4", "問" * 9999, "A", 0),  # the last bin has all that is longer
    ]
    (figure,) = check(filled(ByLength(), [items]).figures([made("a")]))
    assert [(row["by"], row["length_from"], row["score"], row["n"]) for row in figure.rows] == [
        ("question", 0, 50.0, 2),
        ("question", 200, 100.0, 1),
        ("question", 1400, 0.0, 1),
    ]
    assert figure.rows[0]["ci95_low"] == pytest.approx(9.4531, abs=1e-4)  # Wilson, 1 of 2


def test_accuracy_by_length_of_the_reasoning_is_of_runs_that_reason():
    thought = f"<think>{'想' * 300}</think>A"
    direct = [item(HK_LAW, "1", "問", "A", 1), item(HK_LAW, "2", "問" * 300, "A" * 300, 0)]
    thinks = [item(HK_LAW, "1", "問", thought, 1, "A"), item(HK_LAW, "2", "問" * 300, "A", 0, "A")]
    cot = [item(HK_LAW, "1", "問", "因此選A", 1), item(HK_LAW, "2", "問", "因" * 500 + "選B", 0)]
    runs = [made("direct"), made("thinks"), made("direct", method="cot")]
    (figure,) = check(filled(ByLength(), [direct, thinks, cot]).figures(runs))
    found = {(row["model"], row["length_from"]): row["score"] for row in figure.rows if row["by"] == "reply"}
    assert found == {("thinks", 0): 0.0, ("thinks", 200): 100.0, ("direct", 0): 100.0, ("direct", 400): 0.0}


def test_what_has_no_reply_or_no_score_has_no_length():
    unscored = Item.of({"task": HK_LAW, "qid": "1", "question": "問", "prediction": "A"})
    likelihood = Item.of({"task": "hkmmlull_hk_law", "qid": "1", "question": "問", "values": {"acc": 1.0}})
    assert list(filled(ByLength(), [[unscored, likelihood]]).figures([made("a")])) == []


def test_lengths_of_the_questions_count_each_question_once():
    items = [item(HK_LAW, str(number), "問" * (10 * number), "A", 1) for number in (1, 2, 3)]
    items += [item(DENTISTRY, "1", "問" * 70, "A", 1)]
    (figure,) = check(filled(DataLengths(), [items, items]).figures([made("a"), made("b")]))
    assert figure.parameters["bin"] == "10"
    found = {(row["part"], row["length_from"]): row["items"] for row in figure.rows if row["items"]}
    assert found == {("Humanities", 10): 1, ("Humanities", 20): 1, ("Humanities", 30): 1, ("STEM", 60): 1}
    assert {row["part"]: row["mean_length"] for row in figure.rows} == {"STEM": 70.0, "Humanities": 20.0}


def test_sentences_are_told_apart_by_language_whatever_their_direction():
    items = [
        sentence("hkmmlutr_yue_to_zh", "1", "你食咗飯未呀", "你吃飯了嗎"),
        sentence("hkmmlutr_zh_to_yue", "2", "他不知道", "佢唔知呀喎"),
    ]
    (figure,) = check(filled(DataLengths(), [items]).figures([made("a")]))
    means = {row["part"]: row["mean_length"] for row in figure.rows}
    assert means == {"Cantonese": 5.5, "Mandarin": 4.5}


@pytest.mark.parametrize(("ruler", "mean", "unit"), [(CHARACTERS, 11.0, "characters"), (WORDS, 3.0, "words")])
def test_lengths_are_measured_as_the_user_asks(ruler, mean, unit):
    items = [item(HK_LAW, "1", "one two six", "A", 1)]
    maker = DataLengths()
    maker.ruler = ruler
    (figure,) = filled(maker, [items]).figures([made("a")])
    assert {row["mean_length"] for row in figure.rows} == {mean}
    assert unit in caption(figure, "en").text
