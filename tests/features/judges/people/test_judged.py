"""Which verdicts of a run a rater can check, and with what."""

from __future__ import annotations

import json
import logging
from collections import Counter

import pytest

from hueval_metrics.judges.people.judged import judged_items
from hueval_metrics.runs.load import load_runs
from tests.features.judges.people.verdicts import OE, QA, WILD, row, verdict


def read(*folders):
    left_out: Counter[str] = Counter()
    return list(judged_items(load_runs(folders), left_out)), left_out


def test_an_item_has_what_a_rater_needs(run_folder):
    (item,), left_out = read(run_folder("a", [row("q1", verdict("NO", raw="NO, since"), OE, dimension="lcc")]))
    assert (item.run, item.task, item.qid, item.dimension) == ("a", OE, "q1", "lcc")
    assert (item.rating, item.words, item.rubric, item.judge) == ("NO", "NO, since", "huproverbrea_oe/1", "judge-1")
    assert (item.prompt, item.reference, item.response) == ("Kérdés: q1", "a minta", "válasz q1")
    assert not left_out


def test_a_row_whose_reply_has_no_trace_has_it_as_prediction_only(run_folder):
    given = row("q1", "YES", prediction="egyenes válasz")
    del given["response"]
    (item,), _ = read(run_folder("a", [given]))
    assert item.response == "egyenes válasz"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (row("q", None), "without a verdict"),
        (row("q", {"error": "no reply"}), "without a verdict"),
        (row("q", verdict("NO", error="unreadable, counted wrong")), "with an unreadable reply of the judge"),
        (row("q", verdict("MAYBE")), "with a verdict that the rubric does not have"),
        (row("q", verdict(7.0)), "with a verdict that the rubric does not have"),
        ({"task": OE, "qid": "q", "prediction": "x", "verdict": verdict("YES")}, "without prompt, reference or"),
        (row("q", "YES") | {"qid": None}, "without prompt, reference or"),
        (row("kept", "YES"), "repeated"),
    ],
)
def test_what_cannot_be_checked_is_counted_by_reason(run_folder, given, reason):
    items, left_out = read(run_folder("a", [row("kept", "NO"), given]))
    assert [(item.qid, item.rating) for item in items] == [("kept", "NO")]
    assert [(text[: len(reason)], count) for text, count in left_out.items()] == [(reason, 1)]


def test_tasks_without_a_judge_are_no_concern(run_folder):
    rule = row("q", "YES", OE) | {"task": "openhueval_humatchingfib"}
    items, left_out = read(run_folder("a", [rule, row("q1", "YES")]))
    assert [item.qid for item in items] == ["q1"]
    assert not left_out


def test_a_gold_reply_is_shown_as_its_answer_and_a_query_not_as_a_checklist(run_folder):
    gold = json.dumps({"answer": "Tisza", "confidence_score": 100})
    rows = [
        row("q1", "CORRECT", QA, reference=gold),
        row("q2", 7.0, WILD, reference="Szerepel?\nHelyes?"),
        row("q3", 7.0, WILD, prompt="Mi ez?\n\nA válasz: ", reference="Mi ez?"),
        row("q4", "YES", OE, reference="1825"),
    ]
    items, _ = read(run_folder("a", rows))
    assert [item.reference for item in items] == ["Tisza", "Szerepel?\nHelyes?", "", "1825"]


def test_the_words_of_a_panel_are_those_of_its_members(run_folder):
    votes = [verdict("YES", judge="one", raw="YES."), verdict("NO", judge="two", raw=None)]
    (item,), _ = read(run_folder("a", [row("q1", verdict("YES", judge="one+two", votes=votes))]))
    assert item.words == "one: YES.\ntwo: "


def test_a_missing_file_is_told_once_for_all_its_tasks(run_folder, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("hueval_metrics"), "propagate", True)  # the command may have run before
    folder = run_folder("a", [row("q1", "YES"), row("q1", "CORRECT", QA)])
    (folder / "items.jsonl").unlink()
    assert read(folder) == ([], {})
    (record,) = {id(record): record for record in caplog.records}.values()  # two handlers may hear it
    assert "its items are not there" in record.message


def test_the_same_id_in_two_tasks_is_not_repeated(run_folder):
    items, left_out = read(run_folder("a", [row("q1", "YES"), row("q1", "CORRECT", QA)]))
    assert [(item.task, item.qid) for item in items] == [(OE, "q1"), (QA, "q1")]
    assert not left_out


def test_a_broken_line_is_told_and_passed_over(run_folder, caplog, monkeypatch):
    monkeypatch.setattr(logging.getLogger("hueval_metrics"), "propagate", True)  # the command may have run before
    folder = run_folder("a", [row("q1", "YES"), row("q2", "NO")])
    lines = (folder / "items.jsonl").read_text().splitlines()
    (folder / "items.jsonl").write_text(lines[0] + "\n" + lines[1][:40])
    items, _ = read(folder)
    assert [item.qid for item in items] == ["q1"]
    assert "line 2" in caplog.text
