import json
from dataclasses import replace

import pytest

from hueval_metrics import registry
from hueval_metrics.cli import main
from hueval_metrics.reports.formats import Cell, Column, Grid

ROW = {"blank_acc": 84.5, "question_acc": 50.0, "n": 93, "n_missing": 0}


def test_a_broken_file_is_told_and_the_others_are_printed(tmp_path, capsys):
    for name, text in (("good", json.dumps({"openhueval_hustandardfib": ROW})), ("broken", "{")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "results.json").write_text(text, encoding="utf-8")
    assert main(["table", str(tmp_path / "broken"), str(tmp_path / "good"), "--format", "csv"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[1] == "good,,,,,,,84.5,50.0"
    assert printed.err.startswith(f"hueval: {tmp_path}/broken/results.json line 1 column 2: not valid JSON")
    assert printed.err.count("\n") == 1


def test_status_where_all_could_be_read(tmp_path, capsys):
    (tmp_path / "results.json").write_text(json.dumps({"openhueval_hustandardfib": ROW}), encoding="utf-8")
    assert main(["table", str(tmp_path)]) == 0
    assert capsys.readouterr().err == ""


def by_kind(runs):
    """A view: a row a run."""
    rows = [[Cell(run.label), Cell(f"{run.score('openhueval_hustandardfib', 'blank_acc'):.0f}")] for run in runs]
    return {"By kind": Grid([Column("Model", kind="label"), Column("Blanks")], rows)}


def test_a_view_that_a_family_declares(tmp_path, capsys, monkeypatch):
    family = replace(registry.families()["openhueval"], views={"kinds": f"{__name__}.by_kind"})
    monkeypatch.setitem(registry.families(), "openhueval", family)
    (tmp_path / "results.json").write_text(json.dumps({"openhueval_hustandardfib": ROW}), encoding="utf-8")
    assert main(["table", str(tmp_path), "--view", "kinds"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "By kind"
    assert main(["table", str(tmp_path), "--view", "kinds", "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines() == ["table,Model,Blanks", f"By kind,{tmp_path.name},84"]
    assert main(["table", str(tmp_path), "--view", "others"]) == 1
    assert "have no such view. Views: kinds" in capsys.readouterr().err


def test_a_format_that_there_is_not_is_wrong_usage(tmp_path, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["table", str(tmp_path), "--format", "pdf"])
    assert stopped.value.code == 2
    assert "invalid choice: 'pdf'" in capsys.readouterr().err
