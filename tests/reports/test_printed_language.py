"""`HUEVAL_LANG=hu`: tables and sentences in Hungarian, with its numbers; files for programs as they are."""

import pytest

from hueval_metrics.reports import comparison_words, tables
from hueval_metrics.reports.comparison_words import pair_sentence, resolution_sentence
from tests.reports.test_comparison import FRACTION, PERCENT, pair
from tests.reports.test_notes import QA, run

RUNS = [
    run(label, scores={QA: {"correct": score, "ece": 0.125}}, intervals={QA: {"correct": (score - 5.5, score + 5.5)}})
    for label, score in (("a", 61.25), ("b", 40.5))
]


@pytest.fixture(autouse=True)
def _hungarian(monkeypatch):
    monkeypatch.setenv("HUEVAL_LANG", "hu")


def test_a_sentence():
    assert pair_sentence(pair(), PERCENT, 1) == (
        "A vezet, előnye 3,2 százalékpont [1,1; 5,3], p = 0,003 (egzakt McNemar-próba)."
    )
    other = pair(first="A.1", leader=None, difference=-0.125, ci95=(-0.25, 0.5), p=0.0004)
    assert pair_sentence(other, FRACTION, 2, names_both=True) == (
        "A.1 és B között nincs kimutatható különbség: B a magasabb, a különbség 0,125 [-0,500; 0,250], p < 0,001 "
        "(egzakt McNemar-próba; Holm szerint 2 összehasonlításra korrigálva 0,009)."
    )
    assert resolution_sentence(PERCENT) is None


def test_a_p_value_of_the_page_is_of_no_language():
    assert comparison_words.p_text(0.0123) == "0.012"


def test_the_overview():
    head, _, *rows = tables.render(RUNS, "terminal").splitlines()[1:]
    assert head.split() == ["Modell", "Acc"]
    assert [row.split() for row in rows[:2]] == [["a", "61,25¹"], ["b", "40,50²"]]
    assert "az oszlop első, második és harmadik helye" in "\n".join(rows)


@pytest.mark.parametrize("fmt", ["markdown", "latex"])
def test_every_metric(fmt):
    text = tables.render_metrics(RUNS, fmt)
    assert "Metrika" in text
    assert "61,2 ± 5,5" in text
    assert "55,8; 66,8" in text
    assert "0,125" in text


def test_csv_stays_as_it_is(monkeypatch):
    hungarian = [tables.render(RUNS, "csv"), tables.render_metrics(RUNS, "csv")]
    monkeypatch.delenv("HUEVAL_LANG")
    assert hungarian == [tables.render(RUNS, "csv"), tables.render_metrics(RUNS, "csv")]
