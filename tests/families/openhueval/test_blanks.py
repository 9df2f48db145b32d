import pytest

from hueval_metrics.runs.items import Item
from lm_eval_tasks.openhueval.figures.blanks import Blanks

MATCHING, STANDARD = "openhueval_humatchingfib", "openhueval_hustandardfib"


def questions(task, *some):
    data = Blanks()
    for right, total, options in some:
        row = {"task": task, "blanks_correct": right, "blanks_total": total}
        data.add(0, Item.of(row if options is None else row | {"n_options": options}))
    return data


def test_blanks_are_pooled_over_the_questions_of_a_group(run, texts):
    data = questions(MATCHING, (1, 4, 5), (5, 5, 5), (6, 6, 8), (0, 20, 14))
    blanks, options = data.figures([run("a", {})])
    assert [(row["blanks"], row["n"], row["score"]) for row in blanks.rows] == [
        ("≤5", 2, pytest.approx(100 * 6 / 9)),
        ("6–7", 1, 100.0),
        ("≥12", 1, 0.0),
    ]
    assert [(row["options"], row["n"]) for row in options.rows] == [("≤5", 2), ("8–9", 1), ("≥14", 1)]
    assert all(row["ci95_low"] <= row["score"] <= row["ci95_high"] for row in blanks.rows)
    assert {"HuMatchingFIB", "≤5", "6–7", "8–9", "10–11", "≥12"} <= set(texts(blanks))


def test_free_words_have_no_options(run):
    (only,) = questions(STANDARD, (3, 7, None)).figures([run("a", {})])
    assert only.name == "fib-by-blanks"


def test_models_without_these_tasks_have_no_panel(run, texts):
    blanks, _ = questions(MATCHING, (3, 7, 9)).figures([run("has", {}), run("has-not", {})])
    assert "has" in texts(blanks)
    assert "has-not" not in texts(blanks)
    assert list(Blanks().figures([run("has-not", {})])) == []


def test_rows_that_cannot_be_are_left_out(run):
    assert list(questions(MATCHING, (8, 7, None), (10**400, 10**401, None), (None, 7, 3)).figures([run("a", {})])) == []
