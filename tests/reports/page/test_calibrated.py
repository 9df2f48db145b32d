"""Calibrated scores in the page: column, notes, warnings, and the reference's rating of an item."""

import pytest

from hueval_metrics.reports.page.build import write_report
from hueval_metrics.reports.page.tables import overviews
from hueval_metrics.reports.tables import render
from hueval_metrics.runs.load import load_runs
from tests.calibrated import QA, calibrated_row
from tests.reports.page.conftest import PAYLOADS

VERDICT = {"label": "CORRECT", "judge": "cheap-1", "rubric": "husimpleqa/2", "raw": "CORRECT"}
ITEM = {
    **{"task": QA, "qid": "q1", "dimension": "l", "prompt": "Mi a főváros?", "reference": "Budapest"},
    **{"prediction": "Budapest", "truncated": False, "answer": "Budapest", "metrics": {"correct": 100.0}},
    **{"values": {"correct": 1.0, "judge_coverage": 1.0}, "verdict": VERDICT},
}


def page_of(write_run, tmp_path, rating="INCORRECT", **changes):
    rated = ITEM | {"reference_rating": {"rating": rating, "weight": 2.0}}
    row = calibrated_row(n=400, warnings=("few <ratings>", "no rating of X"), **changes)
    runs = load_runs([write_run("a", {QA: row}, [rated, ITEM | {"qid": "q2"}])])
    write_report(runs, tmp_path / "page.html")
    return runs, tmp_path / "page.html"


def test_column_notes_and_warnings(write_run, tmp_path):
    runs, page = page_of(write_run, tmp_path)
    (overview,) = overviews(runs, {})
    scores = dict(zip((column.title for column in overview.columns), overview.rows[0].scores, strict=True))
    assert (scores["HuSimpleQA Acc cal."].text, scores["HuSimpleQA Acc cal."].interval) == ("52.50", "[48.1, 56.9]")
    text = page.read_text(encoding="utf-8")
    assert "cal.: scores of cheap-1 calibrated to gpt-4o, by items of the very run that both rated" in text
    assert "cal.: cheap-1 pontszámai gpt-4o szerint kalibrálva" in text
    assert "Calibrated scores of org/model-7B: <samp>few &lt;ratings&gt;; no rating of X</samp>." in text
    assert "org/model-7B kalibrált pontszámai: <samp>few &lt;ratings&gt;" in text
    assert "They have no star, as" in text


def test_no_word_of_it_without_a_calibration(sample_page):
    text = sample_page.read_text(encoding="utf-8")
    assert "alibrated scores" not in text.replace("{run}", "")
    assert " cal." not in text


@pytest.mark.parametrize("width", [1200, 390], ids=["desktop", "phone"])
def test_the_rating_stands_below_the_verdict(visit, write_run, tmp_path, width):
    _, path = page_of(write_run, tmp_path)
    page = visit(path, viewport={"width": width, "height": 800})
    page.wait_for_selector("#browser:not([hidden]) #list > li")
    first, second = page.locator("#list > li").all()
    for item in (first, second):
        item.locator("summary").first.click()
        item.locator(".answer").wait_for()
    assert "Reference rating (calibration): INCORRECT" in " ".join(first.inner_text().split())
    assert "Reference rating" not in second.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.select_option("#language", "hu")
    assert "Viszonyítási értékelés (kalibráció): INCORRECT" in " ".join(first.inner_text().split())


@pytest.mark.parametrize("payload", PAYLOADS)
def test_hostile_names_and_ratings_are_text(visit, write_run, tmp_path, payload):
    runs, path = page_of(write_run, tmp_path, payload, judge=payload, reference=payload)
    assert "\x1b" not in render(runs, "terminal") + render(runs, "markdown")
    page = visit(path)
    page.wait_for_selector("#browser:not([hidden]) #list > li")
    page.locator("#list > li summary").first.click()
    page.locator(".answer").first.wait_for()
    assert page.evaluate("window.hit") is None
