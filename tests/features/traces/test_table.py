"""`hueval table` on folders of `hueval traces`."""

import json

import pytest

from hueval_metrics.cli import main
from hueval_metrics.traces.measures import Cell, Number
from hueval_metrics.traces.results import FILE, AnalysedRun, TraceResults

ROW = {"blank_acc": 84.5, "question_acc": 50.0, "n": 93, "n_missing": 0}
NUMBERS = [Number(Cell("m", "toybench_letters"), "tokens", 1234.0, (1000.0, 1500.0), 9, 9, 9.0)]
ANALYSIS = TraceResults("1.0", ["free"], "bytes", "", [AnalysedRun("m", "m")], NUMBERS, [])


@pytest.fixture
def both(tmp_path):
    """A folder with the results of a run and their analysis, and one with the analysis alone."""
    for name in ("both", "alone"):
        (tmp_path / name).mkdir()
        ANALYSIS.write(tmp_path / name)
    (tmp_path / "both" / "results.json").write_text(json.dumps({"openhueval_hustandardfib": ROW}), encoding="utf-8")
    return tmp_path


def test_an_analysis_alone(both, capsys):
    assert main(["table", str(both / "alone")]) == 0
    printed = capsys.readouterr()
    assert printed.out.startswith("toybench_letters: traces by verdict\n")
    assert "[1000, 1500]" in printed.out
    assert printed.err == ""


def test_results_and_their_analysis(both, capsys):
    assert main(["table", str(both / "both")]) == 0
    out = capsys.readouterr().out
    assert 0 < out.index("84.50") < out.index("toybench_letters: traces")


def test_the_file_itself_in_csv(both, capsys):
    assert main(["table", str(both / "alone" / FILE), "--format", "csv"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "m,toybench_letters,,,tokens,1234.0,1000.0,1500.0,9,9,9.0"


def test_a_broken_analysis_beside_results_is_named(both, capsys):
    (both / "both" / FILE).write_text("{", encoding="utf-8")
    assert main(["table", str(both / "both")]) == 0
    printed = capsys.readouterr()
    assert "84.50" in printed.out
    assert printed.err.startswith(f"hueval: {both}/both/{FILE}: not valid JSON")
    assert printed.err.count("\n") == 1


def test_a_broken_analysis_alone_is_an_error(both, capsys):
    (both / "alone" / FILE).write_text("{}", encoding="utf-8")
    assert main(["table", str(both / "alone")]) == 1
    assert "not an analysis that this version reads" in capsys.readouterr().err


def test_tables_of_a_family_are_of_results_only(both, capsys):
    assert main(["table", str(both / "alone"), "--family", "openhueval"]) == 1
    assert "--family: it is for results" in capsys.readouterr().err
    assert main(["table", str(both / "both"), "--family", "openhueval"]) == 0
    assert "toybench" not in capsys.readouterr().out
