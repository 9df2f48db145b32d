"""The published figures against the paper's text."""

from __future__ import annotations

import pytest

from hueval_metrics.comparison.published import published_tables
from lm_eval_tasks.hulu.family import FAMILY
from tests.helpers import shared

(TABLE,) = published_tables(FAMILY)


def test_table_2_is_as_printed():
    lines = shared("papers", "hulu.txt").read_text(encoding="utf-8").split("\n")
    start = lines.index("\tHuCOLA\tHuCoPA\tHuRTE\tHuSST\tHuWNLI") + 2
    printed = [line.split("\t") for line in lines[start : start + 10]]
    found = [
        [model, *("-" if (score := TABLE.score(model, *column)) is None else str(score) for column in TABLE.columns)]
        for model in TABLE.scores
    ]
    assert found == printed


def test_its_columns_are_the_headlines_of_our_tasks():
    headlines = [(name, *task.headline) for name, task in FAMILY.tasks.items() if name.startswith("hulu_")]
    elsewhere = ("hulu_hucb", "hulu_hurc")  # not in the table
    assert TABLE.columns == [column for column in headlines if column[0] not in elsewhere]


@pytest.mark.parametrize(
    ("model", "right"), [("huBERT", 87), ("PULI GPT-2", 83), ("XLM-R", 85), ("huBERT prompt", 115)]
)
def test_huwnli_is_a_whole_number_of_134_rows(model, right):
    assert TABLE.score(model, "hulu_huwnli", "acc") == round(100 * right / 134, 1)
