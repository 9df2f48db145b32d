"""`make bench`: the numbers that scripts hand over, and the table that they end in."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import __main__ as bench
from benchmarks import measure


def test_a_number_is_handed_over_with_its_limit(tmp_path, monkeypatch):
    monkeypatch.setenv(measure.NUMBERS, str(tmp_path / "numbers"))
    measure.report("wall", 3.5, "s", at_most=3)
    measure.report("speed", 0.96, "x", at_least=0.95)
    measure.skipped("data", "no such folder")
    rows = [json.loads(line) for line in (tmp_path / "numbers").read_text(encoding="utf-8").splitlines()]
    assert [(row["number"], row["limit"], row["is_kept"]) for row in rows] == [
        ("3.50 s", "≤ 3 s", False),
        ("0.96 x", "≥ 0.95 x", True),
        ("skipped: no such folder", "", True),
    ]


def test_what_is_absent_ends_a_script_and_is_no_failure(monkeypatch, tmp_path):
    monkeypatch.setattr(measure, "SHARED", tmp_path)
    with pytest.raises(SystemExit) as ended:
        measure.shared("data")
    assert ended.value.code == 0


@pytest.mark.process
def test_a_script_that_fails_does_not_stop_the_others(tmp_path, monkeypatch, capfd):
    helper = "import sys; sys.path.insert(0, {!r}); from measure import report; report('wall', 1, 's')"
    (tmp_path / "bad.py").write_text("raise SystemExit('broken')", encoding="utf-8")
    (tmp_path / "good.py").write_text(helper.format(str(measure.ROOT / "benchmarks")), encoding="utf-8")
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "__main__.py"))
    monkeypatch.setattr(sys, "argv", ["bench", "bad", "good"])
    assert bench.main() == 1
    shown = capfd.readouterr().out
    assert "FAILED, exit status 1" in shown and "1.00 s" in shown and "failed: bad" in shown
