"""Published tables: what a row is called, and beside which of our forms a table stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hueval_metrics.comparison.published import published_tables
from lm_eval_tasks.hulu.family import FAMILY

TITLE = "t1:\n  title: {en: Table 1, hu: 1. táblázat}\n"


@pytest.fixture
def family(tmp_path):
    (tmp_path / "tables.yaml").write_text(TITLE, encoding="utf-8")
    return replace(FAMILY, published=tmp_path, variants={"script": ("tc", "sc"), "shots": (0, 1)})


def write(family, *lines):
    (family.published / "t1.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_a_row_of_another_setting_is_named_as_a_run_is(family):
    write(family, "model,script,shots,avg.,hulu_husst/acc", "A,tc,0,9,1", "A,sc,0,9,2", "A,sc,1,9,3", "B,tc,1,9,")
    (table,) = published_tables(family)
    scores = {label: table.score(label, "hulu_husst", "acc") for label in table.scores}
    assert scores == {"A": 1, "A (script=sc)": 2, "A (script=sc, shots=1)": 3}  # no number: no row


def test_a_table_of_summaries_stands_once_however_many_forms_the_tasks_have(family):
    assert len(family.prefixes) > 1
    write(family, "model,hulu/one", "A,1")
    (table,) = published_tables(family)
    assert table.columns_in_forms(family) == [{("hulu", "one"): ("hulu", "one")}]
