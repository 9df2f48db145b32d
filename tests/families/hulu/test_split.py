"""Predictions that do not say their split: they are of the run's, and a message names the option that changes it."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.scoring.score import score_paths

TASK = "hulugen_huwnli"
REPLIES = {"0": "Igen.", "1": "Nem."}  # both splits have these ids
TEST = {"split": "test"}


@pytest.fixture(autouse=True)
def on_the_sample(clean_environment, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")


def scored(tmp_path, settings, replies=REPLIES, **fields):
    file = tmp_path / "mine.jsonl"
    rows = [{"qid": qid, "prediction": say, **fields} for qid, say in replies.items()]
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    (score,) = score_paths([file], TASK, settings)
    return score


@pytest.mark.parametrize(("settings", "split"), [({}, "validation"), (TEST, "test")], ids=["default", "as asked"])
def test_rows_without_a_split_are_of_the_run_s(tmp_path, settings, split):
    score = scored(tmp_path, settings)
    assert [(row["qid"], row["split"], row["prediction"]) for row in score.items] == [
        ("0", split, "Igen."),
        ("1", split, "Nem."),
    ]
    assert f"|split:{split}|" in score.summary["signature"]
    given = scored(tmp_path, settings, split=split)
    assert (given.summary, given.items) == (score.summary, score.items)


@pytest.mark.parametrize(
    ("settings", "fields", "replies", "parts"),
    [
        ({}, TEST, REPLIES, ["\"split\" is 'test', expected 'validation'", """--metadata '{"split": "test"}'"""]),
        (TEST, {"split": "validation"}, REPLIES, ["expected 'test'", """--metadata '{"split": "validation"}'"""]),
        ({}, {}, {"77": "Igen."}, ["1 predictions for unknown qids (77)", """--metadata '{"split": "test"}'"""]),
    ],
    ids=["of test", "of validation", "in neither"],
)
def test_rows_of_another_split_are_told_the_option(tmp_path, settings, fields, replies, parts):
    with pytest.raises(InputError) as error:
        scored(tmp_path, settings, replies, **fields)
    assert all(part in str(error.value) for part in parts), error.value


def test_a_split_that_there_is_not_names_none(tmp_path):
    with pytest.raises(InputError) as error:
        scored(tmp_path, {}, split="train")
    assert str(error.value).endswith("\"split\" is 'train', expected 'validation'")
