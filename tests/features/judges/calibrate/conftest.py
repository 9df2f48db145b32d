"""What tests of the command's failures share."""

from __future__ import annotations

import pytest

from hueval_metrics.cli import main
from tests.features.judges.calibrate.runs import HALF, labels, run_of


@pytest.fixture
def hueval(tmp_path, capsys, monkeypatch):
    """Runs `hueval calibrate` in a folder of its own; what it prints on standard error, of a call that fails."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, status: int = 1) -> str:
        capsys.readouterr()
        assert main(["calibrate", *arguments]) == status
        found = capsys.readouterr()
        assert status == 0 or found.out == ""
        assert status == 0 or found.err.count("\n") == 1
        return found.err.strip()

    return run


@pytest.fixture
def folder(tmp_path):
    """Runs of two models by a cheap judge and a good one, and a calibration of the first."""
    for model in ("alpha", "beta"):
        run_of(tmp_path / f"{model}.cheap", HALF, "cheap")
        run_of(tmp_path / f"{model}.gold", HALF, "gold")
    fit = ("fit", "--judge", f"{tmp_path}/alpha.cheap", "--reference", f"{tmp_path}/alpha.gold")
    assert main(["calibrate", *fit, "--output", f"{tmp_path}/cal.json"]) == 0
    return tmp_path


@pytest.fixture
def other_runs(tmp_path):
    """100 answers of beta: of 50 right ones the judge accepts 40, of 50 wrong ones 5."""
    run_of(tmp_path / "beta.cheap", labels(("YES", 40), ("NO", 10), ("YES", 5), ("NO", 45)), "cheap")
    run_of(tmp_path / "beta.gold", labels(("YES", 50), ("NO", 50)), "gold")
    return tmp_path
