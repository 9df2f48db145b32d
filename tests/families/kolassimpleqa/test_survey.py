"""Samples with documents that no data file would have: one fact twice, rows that were left out."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.errors import InputError
from tests.families.kolassimpleqa.judged_rows import DATE, document, summary_of, verdict, written

REPLY = '{"answer": "Eger", "confidence_score": 90}'


def test_a_fact_twice_in_one_direction_names_both_rows(tmp_path):
    docs = [document("q1", "fact"), document("q1-reverse", "fact", reverse=True), document("q2", "fact")]
    file = written(tmp_path, [(doc, REPLY, verdict("A")) for doc in docs])
    with pytest.raises(InputError) as error:
        summary_of(file)
    assert f"{file} line 3: qid q1 and qid q2 have the same knowledge_track_id fact and is_reverse False" in str(
        error.value
    )
    assert f"The first is at {file} line 1" in str(error.value)


def test_a_fact_in_both_directions_and_another_fact(tmp_path):
    docs = [document("q1", "fact"), document("q1-reverse", "fact", reverse=True), document("q2", "other")]
    assert summary_of(written(tmp_path, [(doc, REPLY, verdict("A")) for doc in docs]))["n_pairs"] == 1


@pytest.mark.parametrize(("recorded", "told"), [({"n_left_out": 3}, 3), ({}, None), ({"n_left_out": "x"}, None)])
def test_rows_without_english_that_the_run_left_out_are_told(tmp_path, recorded, told):
    file = written(tmp_path, [(document("q1"), REPLY, verdict("A"))])
    configs = {"kolassimpleqa_hu_general": {"metadata": {"provenance": recorded}}}
    (tmp_path / f"results_{DATE}.json").write_text(json.dumps({"configs": configs}), encoding="utf-8")
    assert summary_of(file).get("n_left_out") == told
