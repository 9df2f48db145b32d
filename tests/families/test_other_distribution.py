"""A family that another distribution declares by an entry point: no file of it lies beside ours."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest

from tests.families.checkout import ROOT, commands, other_distribution
from tests.harness.runs import Outcome
from tests.helpers import json_lines

CALLS: dict[str, tuple[object, ...]] = {
    "run": (
        *("run", "--model", "hueval-baseline", "--model_args", "policy=first"),
        *("--tasks", "faraway_reviews", "--output_path", "live"),
    ),
    "score": ("score", "live", "--output", "scored"),
    "table": ("table", "scored", "--all", "--format", "csv"),
    "data": ("data", "list"),
    "commands": ("faraway", "genres", "hu"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Where the distribution is installed."""
    return other_distribution(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def done(site) -> dict[str, Outcome]:
    path = os.pathsep.join([str(ROOT), str(site)])
    return dict(zip(CALLS, commands(site, list(CALLS.values()), PYTHONPATH=path), strict=True))


@pytest.mark.parametrize("name", CALLS)
def test_every_command_serves_it(done, name):
    assert done[name].status == 0, done[name].out + done[name].err


def test_its_scores(site, done):
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(done["table"].out))}
    assert list(rows) == ["mcc", "weighted_f1", "exact_match", "mcc_crime", "mcc_tale"]
    assert float(rows["exact_match"]["score"]) == pytest.approx(100 * 5 / 12)
    assert {row["task"] for row in json_lines(site / "scored" / "items.jsonl")} == {"faraway_reviews"}


def test_its_data_set_is_listed(done):
    (line,) = (line for line in done["data"].out.splitlines() if line.startswith("faraway "))
    assert "cc0-1.0" in line
