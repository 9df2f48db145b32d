"""Calibrated scores in tables: beside the judge's own, with whose they are and what they rest on."""

import pytest

from hueval_metrics.reports.page.tables import overviews as page_overviews
from hueval_metrics.reports.tables import render, render_metrics
from hueval_metrics.runs.load import load_runs
from tests.calibrated import OE, QA, calibrated_row, write_results


@pytest.fixture
def runs(tmp_path):
    write_results(tmp_path / "a", {QA: calibrated_row(model="a"), OE: calibrated_row(OE, model="a", n=200)})
    write_results(tmp_path / "b", {QA: calibrated_row(model="b", n=398, correct=55.0, correct_calibrated=54.0)})
    write_results(tmp_path / "c", {QA: calibrated_row(model="c", kind="transported", correct_calibrated=49.0)})
    plain = {"correct": 70.0, "n": 1343, "model": "d"}
    write_results(tmp_path / "d", {QA: plain})
    return load_runs([tmp_path / name for name in "abcd"])


def test_a_column_beside_the_headline_with_places_of_its_own(runs):
    lines = render(runs, "csv").splitlines()
    header, first = (line.split(",") for line in lines[:2])
    place = header.index(f"{QA}.correct_calibrated")
    assert header[place - 1] == f"{QA}.correct"
    assert f"{OE}.acc_calibrated" in header
    assert first[place] == "52.5"
    assert lines[4].split(",")[place] == ""
    text = render(runs, "markdown")
    assert "| HuSimpleQA Acc | HuSimpleQA Acc cal. |" in text
    row = next(line for line in text.splitlines() if line.startswith("| b |"))
    assert "| 55.00 | 54.00¹ |" in row.replace("**", "")
    for fmt in ("terminal", "latex"):
        assert "Acc cal." in render(runs, fmt, width=160)


def test_the_notes_say_whose_they_are(runs):
    text = " ".join(render(runs, "terminal", width=400).split())
    assert (
        "cal.: scores of cheap-1 calibrated to gpt-4o, by items of the very run that both rated "
        "(HuSimpleQA: n = 398 to 400, HuProverbRea (OE): n = 200; a, b)." in text
    )
    assert (
        "cal., transported: scores of cheap-1 calibrated to gpt-4o, by items of other runs that both rated "
        "(HuSimpleQA: n = 400; c). Valid only if the judge errs on these runs as it did there." in text
    )


def test_no_places_among_scores_calibrated_to_different_references(tmp_path):
    write_results(tmp_path / "a", {QA: calibrated_row(model="a")})
    write_results(
        tmp_path / "b", {QA: calibrated_row(model="b", reference="people (3 raters)", correct_calibrated=50.0)}
    )
    rows = render(load_runs([tmp_path / "a", tmp_path / "b"]), "markdown").splitlines()
    assert "60.00¹ | 52.50 |" in rows[2].replace("**", "")
    assert "60.00¹ | 50.00 |" in rows[3].replace("**", "")


def test_where_no_score_could_be_given_there_is_no_column(tmp_path):
    write_results(tmp_path / "a", {QA: calibrated_row(correct_calibrated=None)})
    text = render(load_runs([tmp_path / "a"]), "markdown")
    assert "cal." not in text


def test_every_metric_has_its_calibrated_form_behind_it(runs):
    rows = [line.split(",") for line in render_metrics(runs, "csv").splitlines()]
    of_qa = [row[1] for row in rows if row[:1] == [QA]]
    assert list(dict.fromkeys(of_qa))[:2] == ["correct", "correct_calibrated"]
    (row,) = (row for row in rows if row[:3] == [QA, "correct_calibrated", "a"])
    assert row[3:7] == ["52.5", "48.1", "56.9", "1343"]
    assert "52.5 ± 4.4 [48.1, 56.9]" in render_metrics(runs, "terminal", width=160)


def test_a_terminal_of_100_columns_has_room_for_all_of_them(tmp_path):
    wild = calibrated_row(OE) | {"wb_score": 60.0, "wb_score_calibrated": 50.0}
    tasks = {QA: calibrated_row(), OE: calibrated_row(OE), "openhueval_huwildbench": wild}
    write_results(tmp_path / "a", tasks)
    lines = render(load_runs([tmp_path / "a"]), "terminal", width=100).splitlines()
    assert max(map(len, lines)) <= 100
    assert sum(line.count("cal.") for line in lines[:5]) == 3


def test_a_run_that_the_reference_judged_stands_among_them_as_it_is(tmp_path):
    """So a table that was made with one judge goes on with another."""
    plain = calibrated_row(model="r", judge="gpt-4o", correct=58.0)
    plain = {key: value for key, value in plain.items() if "calibrat" not in key}
    write_results(tmp_path / "a", {QA: calibrated_row(model="a")})
    write_results(tmp_path / "r", {QA: plain | {"signature": "task:t|judge:gpt-4o|rubric:husimpleqa/2"}})
    write_results(tmp_path / "x", {QA: plain | {"model": "x", "signature": "task:t|judge:other|rubric:husimpleqa/2"}})
    runs = load_runs([tmp_path / name for name in "arx"])
    text = render(runs, "markdown").replace("**", "")
    assert "| 60.00¹! | 52.50² |" in next(line for line in text.splitlines() if line.startswith("| a "))
    assert "| 58.00²! | 58.00¹ |" in next(line for line in text.splitlines() if line.startswith("| r "))
    assert "| 58.00²! |  |" in next(line for line in text.splitlines() if line.startswith("| x "))
    assert "cal.: judged by gpt-4o itself, shown unchanged (r)." in text
    (overview,) = page_overviews(runs, {})
    (place,) = (i for i, column in enumerate(overview.columns) if column.metric == "correct_calibrated")
    assert overview.rows[1].scores[place].interval == "[57.4, 62.6]"
