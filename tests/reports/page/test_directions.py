"""Texts of several languages in a real browser: direction, language, and the words in which two of them differ."""

from __future__ import annotations

import pytest

from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from tests.reports.page.test_browser import browser_of
from tests.reports.page.test_item_view import open_item

AR, TH = "kolassimpleqa_ar_general", "kolassimpleqa_th_general"
TEXTS = {
    "own": {AR: ("ما هو أكبر محيط في العالم؟", "المحيط الهادئ"), TH: ("เมืองหลวงของไทยคือเมืองใด", "กรุงเทพมหานคร")},
    "english": {AR: ("Which ocean is the largest?", "the Pacific"), TH: ("What is the capital?", "กรุงเทพ")},
}


@pytest.fixture
def page(write_run, tmp_path, visit):
    """Two runs of one model: one asked in Arabic and Thai, one in English."""
    for name, asked in TEXTS.items():
        scores, rows = {}, []
        for task, (prompt, answer) in asked.items():
            code = task.split("_")[1] if name == "own" else "en"
            scores[task] = {"f_score": 100.0, "n": 1, "signature": f"task:{task}|q:{code}"}
            row = {"task": task, "qid": "1", "prompt": prompt, "reference": answer, "prediction": answer}
            rows.append(row | {"values": {"f_score": [2, 2]}, "metrics": {"f_score": 100.0}})
        write_run(name, scores, rows)
    write_report(load_runs([tmp_path / name for name in TEXTS]), tmp_path / "report.html")
    opened = visit(tmp_path / "report.html")
    browser_of(opened)
    return opened


def boxes(page, item):
    """Language, direction and text of each box of an item that can be seen."""
    shown = "one => [one.lang, getComputedStyle(one).direction, one.textContent]"
    return [one.evaluate(shown) for one in item.locator("pre").all() if one.is_visible()]


@pytest.mark.parametrize("language", ["en", "hu"])
def test_right_to_left_text_is_shown_so_in_both_languages_of_the_page(page, language):
    page.select_option("#language", language)
    item = open_item(page, 0)
    prompt, answer = TEXTS["own"][AR]
    assert boxes(page, item) == [
        ["ar", "rtl", prompt],
        ["ar", "rtl", answer],
        ["ar", "rtl", answer],
        ["en", "ltr", "the Pacific"],
    ]


def test_a_run_asked_otherwise_shows_what_it_was_asked(page):
    item = open_item(page, 0)
    assert item.locator(".side-a .row-asked details").count() == 0
    item.locator(".side-b .row-asked summary").click()
    asked = [one.inner_text() for one in item.locator(".side-b .row-asked pre").all()]
    assert asked == ["Which ocean is the largest?", "the Pacific"]


def test_thai_texts_differ_by_letters_not_as_a_whole(page):
    page.check('[name="diff"]')
    item = open_item(page, 1)
    assert [one.inner_text() for one in item.locator("mark.alone").all()] == ["มหานคร"]
