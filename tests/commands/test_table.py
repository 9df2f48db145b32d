import json
from dataclasses import replace

import pytest

from hueval_metrics import registry
from hueval_metrics.cli import main
from hueval_metrics.reports.formats import Block, Cell, Column, Grid

ROW = {"blank_acc": 84.5, "question_acc": 50.0, "n": 93, "n_missing": 0}


def test_a_broken_file_is_told_and_the_others_are_printed(tmp_path, capsys):
    for name, text in (("good", json.dumps({"openhueval_hustandardfib": ROW})), ("broken", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(text, encoding="utf-8")
    assert main(["table", str(tmp_path / "broken"), str(tmp_path / "good"), "--format", "csv"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1] == "good,84.5,50.0,"
    assert printed.err.startswith(f"hueval: {tmp_path}/broken/results.json line 1 column 2: not valid JSON")
    assert printed.err.count("\n") == 1


def test_status_where_all_could_be_read(tmp_path, capsys):
    (tmp_path / "results.json").write_text(json.dumps({"openhueval_hustandardfib": ROW}), encoding="utf-8")
    assert main(["table", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("flags", [[], [{"kind": "cut", "n": 9, "of": 93, "detail": {}}]], ids=["clean", "flagged"])
def test_strict_ends_with_1_where_a_score_has_a_flag(tmp_path, capsys, flags):
    row = {"openhueval_hustandardfib": ROW | {"flags": flags}}
    (tmp_path / "results.json").write_text(json.dumps(row), encoding="utf-8")
    assert main(["table", str(tmp_path)]) == 0
    assert main(["table", str(tmp_path), "--strict"]) == len(flags)
    assert ("! cut:" in capsys.readouterr().out) == bool(flags)


def by_kind(runs, settings):
    """A view: a row a run."""
    rows = [[Cell(run.label), Cell(f"{run.score('openhueval_hustandardfib', 'blank_acc'):.0f}")] for run in runs]
    return [Block("By kind", Grid([Column("Model", kind="label"), Column("Blanks")], rows))]


def test_a_view_that_a_family_declares(tmp_path, capsys, monkeypatch):
    family = replace(registry.families()["openhueval"], views={"kinds": f"{__name__}.by_kind"})
    monkeypatch.setitem(registry.families(), "openhueval", family)
    (tmp_path / "results.json").write_text(json.dumps({"openhueval_hustandardfib": ROW}), encoding="utf-8")
    assert main(["table", str(tmp_path), "--view", "kinds"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "By kind"
    assert main(["table", str(tmp_path), "--view", "kinds", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["table,Model,Blanks", f"By kind,{tmp_path.name},84"]
    assert main(["table", str(tmp_path), "--view", "kinds", "--published"]) == 1
    assert "print no scores for these tables" in capsys.readouterr().err
    assert main(["table", str(tmp_path), "--view", "others"]) == 1
    assert "have no such view. Views: kinds" in capsys.readouterr().err


def test_a_format_that_there_is_not_is_wrong_usage(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["table", str(tmp_path), "--format", "pdf"])
    assert stopped.value.code == 2
    assert "invalid choice: 'pdf'" in capsys.readouterr().err


def test_a_view_of_two_families_of_one_title_shows_both(tmp_path, capsys, monkeypatch):
    for name in ("openhueval", "hulu"):
        family = replace(registry.families()[name], views={"kinds": f"{__name__}.by_kind"})
        monkeypatch.setitem(registry.families(), name, family)
    rows = {"openhueval_hustandardfib": ROW, "hulu_huwnli": {"acc": 50.0, "n": 60}}
    (tmp_path / "results.json").write_text(json.dumps(rows), encoding="utf-8")
    assert main(["table", str(tmp_path), "--view", "kinds"]) == 0
    assert capsys.readouterr().out.count("By kind") == 2


def test_rows_by_prompt(tmp_path, capsys):
    for prompt in (1, 2):
        (tmp_path / str(prompt)).mkdir()
        signature = f"task:hulu_huwnli|prompt:hu{prompt}-ab"
        row = {"hulu_huwnli": {"acc": 10.0 * prompt, "n": 60, "signature": signature, "model": "m"}}
        (tmp_path / str(prompt) / "results.json").write_text(json.dumps(row), encoding="utf-8")
    assert main(["table", str(tmp_path), "--format", "markdown"]) == 0
    assert "| m | 15.00 (10.0…20.0) |" in capsys.readouterr().out
    assert main(["table", str(tmp_path), "--format", "markdown", "--by", "prompt"]) == 0
    printed = capsys.readouterr().out
    assert "| m (1) | 10.00² |" in printed
    assert "| m (2) | **20.00**¹ |" in printed
    assert "Mean over" not in printed
    assert "Different prompts or shots: hu1, 0-shot (m (1)); hu2, 0-shot (m (2))." in printed


def test_published_rows_do_not_stand_among_all_metrics(tmp_path, capsys):
    (tmp_path / "results.json").write_text(json.dumps({"openhueval_hustandardfib": ROW}), encoding="utf-8")
    assert main(["table", str(tmp_path), "--published"]) == 0
    assert "GPT-4o‡" in capsys.readouterr().out
    assert main(["table", str(tmp_path), "--published", "--all"]) == 1
    assert "in the overview and the tables of a family" in capsys.readouterr().err
