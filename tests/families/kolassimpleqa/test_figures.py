"""The figures that only this family has."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from hueval_metrics.reports.figures.figure import caption, numbers_csv
from hueval_metrics.reports.figures.scores import scores_figure
from hueval_metrics.reports.figures.sheet import WIDE
from hueval_metrics.reports.figures.theme import LIGHT
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import TaskResult
from lm_eval_tasks.kolassimpleqa.family import FAMILY
from lm_eval_tasks.kolassimpleqa.figures.bars import Bidirectional, CalibrationErrors
from lm_eval_tasks.kolassimpleqa.figures.maps import RankChanges, Scores
from lm_eval_tasks.kolassimpleqa.figures.translation import Translation
from lm_eval_tasks.kolassimpleqa.languages import DOMAINS, LANGUAGES
from tests.each import each
from tests.helpers import run_of

SOURCE = Path("results.json")
TASKS = [f"kolassimpleqa_{code}_{domain}" for code, domain in product(LANGUAGES, DOMAINS)]
RIGHT, WRONG = [2, 2], [0, 2]  # terms of the F-score


def made(model: str, general: float, specific: float, *, asked: str = "", errors=None, tasks=TASKS):
    """A run with one F-score in all languages of a domain."""
    both = {"general": general, "specific": specific}
    scores = {task: {"f_score": both[task.rpartition("_")[2]], "ece": 0.1} for task in tasks}
    signatures = {task: f"task:{task}|q:{asked or task.split('_')[1]}" for task in tasks}
    label = f"{model} (question_lang={asked})" if asked else model
    run = run_of(label, SOURCE, scores, signature=signatures)
    return replace(run, model=model, summaries={FAMILY.name: TaskResult(errors or {}, SOURCE)})


def rows(maker, runs):
    return [row for figure in maker.figures(runs) for row in figure.rows]


def test_the_axis_of_the_gap_between_the_domains_holds_a_negative_one():
    figure = scores_figure([made("a", 40, 60), made("b", 60, 50)])
    *_, gap = figure.draw(LIGHT, WIDE).drawing.axes  # the last panel
    low, high = gap.get_xlim()
    assert low < -20
    assert high > 10


def test_a_map_has_a_row_for_each_run_language_and_domain_and_leads():
    (figure,) = Scores().figures([made("a", 80.0, 20.0), made("b", 70.0, 30.0)])
    assert figure.lead
    assert len(figure.rows) == 2 * 2 * (9 + 1)
    averages = {(row["model"], row["domain"]): row["score"] for row in figure.rows if row["language"] == "Ø"}
    assert averages == pytest.approx(
        {("a", "general"): 80.0, ("a", "specific"): 20.0, ("b", "general"): 70.0, ("b", "specific"): 30.0}
    )


def test_a_map_of_some_languages_has_no_average():
    run = made("a", 80.0, 20.0, tasks=TASKS[:4])
    found = {(row["language"], row["domain"]): row["score"] for row in rows(Scores(), [run])}
    assert (found["hu", "general"], found["Ø", "general"], found["vi", "general"]) == (80.0, None, None)


def test_ranks_change_within_a_setting():
    runs = [made("a", 80.0, 20.0), made("b", 70.0, 30.0), made("a", 90.0, 90.0, asked="en")]
    found = rows(RankChanges(), runs)
    assert {(row["model"], row["general"], row["specific"]) for row in found} == {("a", 1, 2), ("b", 2, 1)}
    assert {row["setting"] for row in found} == {"direct"}  # one model alone has no rank
    assert rows(RankChanges(), runs[:1]) == []


def test_mece_needs_both_settings():
    own, other = ({f"ece_pooled_{domain}": value for domain in DOMAINS} for value in (0.4, 0.2))
    runs = [
        made("a", 80.0, 20.0, errors=own),
        made("a", 80.0, 20.0, asked="en", errors=other),
        made("b", 80.0, 20.0, errors=own),
    ]
    found = {(row["model"], row["error"]): row["score"] for row in rows(CalibrationErrors(), [*runs])}
    assert found["a", "mECE"] == pytest.approx(0.3)
    assert ("b", "mECE") not in found
    assert found["b", "general, direct"] == 0.4


def test_facts_known_from_both_sides_have_bars_where_all_languages_have_them():
    run = made("a", 80.0, 20.0)
    tasks = {
        task: replace(one, scores={"bidirectional": 50.0 if "general" in task else None})
        for task, one in run.tasks.items()
    }
    found = rows(Bidirectional(), [replace(run, tasks=tasks)])
    assert [(row["domain"], row["score"]) for row in found] == [("general", pytest.approx(50.0))]


def test_translation_is_over_the_questions_that_both_runs_have():
    task, maker = "kolassimpleqa_hu_general", Translation()
    runs = [made("a", 0.0, 0.0, tasks=[task]), made("a", 0.0, 0.0, asked="en", tasks=[task])]
    asked = {  # question → its values in both runs; None without a verdict
        "1": (WRONG, RIGHT),
        "2": (RIGHT, RIGHT),
        "3": (WRONG, None),
        "4": (None, RIGHT),
    }
    for (qid, values), place in product(asked.items(), (0, 1)):
        maker.add(place, Item.of({"task": task, "qid": qid, "values": {"f_score": values[place]}}))
    (figure,) = maker.figures(runs)
    (hungarian,) = [row for row in figure.rows if row["gain"] is not None]
    assert (hungarian["language"], hungarian["gain"], hungarian["n"]) == ("hu", 50.0, 2)
    assert list(maker.figures(runs[:1])) == []


@each("language", ["en", "hu"])
def test_each_has_a_caption_and_numbers(language):
    runs = [made("a", 80.0, 20.0), made("b", 70.0, 30.0)]
    for figure in [*Scores().figures(runs), *RankChanges().figures(runs)]:
        assert caption(figure, language).text
        assert numbers_csv(figure).count("\n") == len(figure.rows) + 1
