"""`make real`: a real model through every task, with the numbers of the live run in the re-scored one.

Minutes long, so `make test` leaves it out: `pytest -m real`.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.harness.runs import ALL_TASKS

ROOT = Path(__file__).parents[2]
ITEMS = 2

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of results after `make real`."""
    folder = tmp_path_factory.mktemp("results")
    subprocess.run(["make", "real", f"RESULTS={folder}", f"REAL_LIMIT={ITEMS}"], cwd=ROOT, check=True)
    return folder


def test_every_task_is_run_and_scored_alike(made):
    live = {}
    for file in (made / "real").rglob("results_*.json"):
        live |= json.loads(file.read_text(encoding="utf-8"))["results"]
    scored = json.loads((made / "real-scored" / "results.json").read_text(encoding="utf-8"))
    assert set(scored) == set(ALL_TASKS)
    for task, row in scored.items():
        assert row["n"] == ITEMS
        shared = [key for key in live[task] if key.endswith(",response") and "_stderr" not in key]
        assert len(shared) > 3
        assert {key: row[key.split(",")[0]] for key in shared} == {key: live[task][key] for key in shared}


def test_the_page_says_that_answers_were_cut(made):
    page = (made / "real-scored" / "report.html").read_text(encoding="utf-8")
    assert "Answers cut at 160 tokens" in page
