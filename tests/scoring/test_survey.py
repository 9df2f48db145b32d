"""Predictions are read more than once, and each is there once."""

from __future__ import annotations

import os

import pytest

import hueval_metrics.scoring.survey as module
from hueval_metrics.errors import InputError
from hueval_metrics.scoring.survey import survey
from tests.scoring.conftest import plain, samples, score, write_lines, write_samples

FIB = "humatchingfib"


def look(path):
    (given,) = survey([path], f"openhueval_{FIB}", {})
    return given


@pytest.mark.parametrize("rows", [plain, samples])
def test_a_file_that_grows_between_two_looks_is_refused(tmp_path, rows):
    path = write_lines(tmp_path / "p.jsonl", rows(FIB)[:3])
    given = look(path)
    assert len(list(given.rows())) == 3
    with path.open("a", encoding="utf-8") as file:
        file.write("\n")
    with pytest.raises(InputError, match=r"p\.jsonl: the file has changed since it was first looked at"):
        list(given.rows())


def test_a_file_of_the_same_size_that_was_written_anew_is_refused(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain(FIB))
    given = look(path)
    os.utime(path, ns=(0, 0))
    with pytest.raises(InputError, match="has changed"):
        next(given.rows())


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain(FIB))
    rows = look(path).rows()
    next(rows)
    os.utime(path, ns=(0, 0))
    with pytest.raises(InputError, match="has changed"):
        list(rows)


def test_a_file_that_is_gone_is_refused(tmp_path):
    path = write_lines(tmp_path / "p.jsonl", plain(FIB))
    given = look(path)
    path.unlink()
    with pytest.raises(InputError, match=r"p\.jsonl: cannot be read \(No such file or directory\)"):
        list(given.rows())


def test_equal_hashes_of_different_questions_are_no_repetition(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "hash", lambda key: 7, raising=False)
    assert score(write_samples(tmp_path, FIB)).summary["n"] == len(samples(FIB))


def test_a_repetition_among_equal_hashes_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "hash", lambda key: 7, raising=False)
    rows = samples(FIB)
    path = write_lines(tmp_path / "p.jsonl", [*rows, rows[4]])
    with pytest.raises(InputError, match=rf"line {len(rows) + 1}: qid \S+ was already at .*p\.jsonl line 5\."):
        look(path)


def test_a_repetition_in_another_file_names_both(tmp_path):
    files = [write_lines(tmp_path / name, samples(FIB)) for name in ("a.jsonl", "b.jsonl")]
    with pytest.raises(InputError, match=r"b\.jsonl line 1: qid \S+ was already at .*a\.jsonl line 1\."):
        survey(files, f"openhueval_{FIB}", {})


def test_the_first_of_several_repetitions_is_named(tmp_path):
    rows = samples(FIB)
    path = write_lines(tmp_path / "p.jsonl", [*rows, *rows[::-1]])
    with pytest.raises(InputError, match=rf"line {len(rows) + 1}: .* was already at .*line {len(rows)}\."):
        look(path)


def test_nothing_of_a_second_task_is_lost_in_a_mixed_file(tmp_path):
    mixed = [row for task in (FIB, "hustandardfib") for row in plain(task, f"openhueval_{task}")]
    mixed.sort(key=lambda row: row["qid"])
    given = survey([write_lines(tmp_path / "p.jsonl", mixed)], None, {})
    found = [prediction.key[0] for one in given for prediction, _ in one.rows()]
    assert sorted(found) == [row["qid"] for row in mixed]


def test_a_cut_trace_is_told_by_the_other_replies_of_the_run(tmp_path):
    """The chat template opens the trace: replies close one, and a reply that closes none was cut inside it."""
    rows = plain(FIB)
    for row in rows:
        row["prediction"] = f"Lássuk.</think>{row['prediction'].rpartition('</think>')[2]}"
    rows[0]["prediction"] = "Lássuk, mi lehet"
    scored = score(write_lines(tmp_path / "p.jsonl", rows), FIB)
    assert scored.summary["truncated_rate"] == pytest.approx(100 / len(rows))


def test_a_reply_without_a_trace_among_those_without_is_whole(tmp_path):
    rows = [row | {"prediction": "Nem tudom."} for row in plain(FIB)]
    assert score(write_lines(tmp_path / "p.jsonl", rows), FIB).summary["truncated_rate"] == 0
