"""The page is whole in both languages: no text of one in the other, none in one alone."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from tests.reports.page.conftest import FIB, QA
from tests.reports.page.languages import foreign_texts


@pytest.fixture(scope="module")
def warning_page(sample_runs, tmp_path_factory) -> str:
    """The page of runs that give rise to every kind of warning, with baselines and calibrated scores."""
    folder = tmp_path_factory.mktemp("warnings")
    calibration = {"judge": "judge-1", "reference": "people (3 raters)", "n": 40, "kind": "own", "warnings": ["few"]}
    signature = f"task:{QA}|sample:yes|gen:max_gen_toks=16,until=[]|judge:lexical|"
    answers = {"correct": 50.0, "correct_ci95": [40.0, 60.0], "correct_calibrated": 48.0, "judge_coverage": 90.0}
    rows = {
        "m-7B": {QA: {**answers, "suspicious_rate": 5.0, "n": 2, "n_missing": 1, "signature": signature}},
        "n-8B": {QA: {"correct": 40.0, "n": 2, "calibration": calibration, "correct_calibrated": 41.0}},
        "hueval-baseline-oracle": {QA: {"correct": 100.0, "n": 2, "model": "hueval-baseline-oracle"}},
        "hueval-baseline-random": {FIB: {"blank_acc": 5.0, "n": 2, "model": "hueval-baseline-random"}},
    }
    for name, row in rows.items():
        (folder / name).mkdir()
        (folder / name / "results.json").write_text(json.dumps(row), encoding="utf-8")
    path = folder / "report.html"
    write_report(load_runs([*sample_runs, folder]), path, faults=["a.json: not valid JSON"])
    return path.read_text(encoding="utf-8")


def test_every_text_stands_in_both_languages(warning_page):
    assert foreign_texts(warning_page) == []
    for note in (
        "Packaged sample",
        "Missing predictions",
        "Missing judge verdicts",
        "Not compared",
        "Not read",
        "cal.:",
    ):
        assert note in warning_page


@pytest.mark.parametrize("language", ["en", "hu"])
def test_what_the_script_adds_does_too(visit, sample_page, language):
    page = visit(sample_page)
    page.wait_for_selector("#browser:not([hidden]) #list > li")
    page.select_option("#language", language)
    assert foreign_texts(page.content()) == []


@pytest.mark.parametrize(
    "planted",
    [
        ("hu", "The items were not compared."),
        ("hu", "Missing judge"),
        ("en", "A válaszok hiányoznak."),
        ("en", "Bíráló"),
        ("", "Score it again"),
        ("", "Nem vethető össze"),
    ],
)
def test_a_text_in_the_wrong_language_is_found(warning_page, planted):
    language, text = planted
    tag = f'<p lang="{language}">{text}</p>' if language else f"<p>{text}</p>"
    assert foreign_texts(warning_page.replace("</main>", f"{tag}</main>")) == [planted]


def test_no_id_of_an_item_stands_in_a_warning(write_run, tmp_path):
    qid = "751ea41a-1f6d-4a0a-9d4c-0123456789ab"
    row = {"task": FIB, "qid": qid, "prediction": "x", "values": {"blank_acc": [1, 2]}}
    for name in ("a", "b"):
        write_run(name, {FIB: {"blank_acc": 50.0, "n": 1}}, [row, row])
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "items repeated: 1 (…, …)" in page
    assert qid not in page
