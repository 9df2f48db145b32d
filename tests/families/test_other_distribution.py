"""A family that another distribution declares by an entry point: no file of it lies beside ours."""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.each import each
from tests.fakes.judge_server import FakeJudge
from tests.families.checkout import ROOT, commands, other_distribution
from tests.harness.runs import Outcome
from tests.helpers import json_lines

pytestmark = pytest.mark.process

CALLS: dict[str, tuple[object, ...]] = {
    "run": (
        *("run", "--model", "hueval-baseline", "--model_args", "policy=first"),
        *("--tasks", "faraway_reviews", "--output_path", "live"),
    ),
    "score": ("score", "live", "--output", "scored"),
    "table": ("table", "scored", "--all", "--format", "csv"),
    "data": ("data", "list"),
    "commands": ("faraway", "genres", "hu"),
    "letters": (
        *("run", "--model", "hueval-baseline", "--model_args", "policy=oracle,think=2"),
        *("--tasks", "faraway_letters", "--output_path", "letters"),
    ),
    "judged": ("score", "letters", "--output", "judged"),
    "other": ("score", "letters", "--rejudge", "other-judge", "--output", "other"),
    "fit": ("calibrate", "fit", "--judge", "judged", "--reference", "other", "--output", "calibration.json"),
    "apply": ("calibrate", "apply", "calibration.json", "judged", "--output", "calibrated"),
    "export": (
        *("export", "live", "--to", "all", "--model", "org/name", "--dataset", "org/faraway", "--output", "exported"),
        "--even-sample",
    ),
    "traces": ("traces", "letters", "--output", "analysed"),
}


def opinion(request: dict[str, Any], _: int) -> str:
    """A judge that likes long answers, and another that likes all."""
    answer = request["messages"][0]["content"].split("Answer: ")[1].split("\n")[0]
    return "HELPS" if len(answer.split()) > 2 or request["model"] == "other-judge" else "FAILS"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """Where the distribution is installed, with as many letters as a calibration needs."""
    folder = other_distribution(tmp_path_factory.mktemp("site"))
    letters = folder / "faraway" / "data" / "sample" / "letters.jsonl"
    rows = json_lines(letters)
    more = [
        {**row, "id": f"{row['id']}-{turn}", "request": f"{turn}. {row['request']}"}
        for turn in range(6)
        for row in rows
    ]
    letters.write_text("".join(f"{json.dumps(row)}\n" for row in more), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def done(site) -> dict[str, Outcome]:
    path = os.pathsep.join([str(ROOT), str(site)])
    with FakeJudge(opinion) as judge:
        settings = {"HUEVAL_JUDGE_BASE_URL": judge.url, "HUEVAL_JUDGE_API_KEY": "k", "HUEVAL_JUDGE_MODEL": "far-judge"}
        outcomes = commands(site, list(CALLS.values()), PYTHONPATH=path, **settings)
    return dict(zip(CALLS, outcomes, strict=True))


@each("name", CALLS)
def test_every_command_serves_it(done, name):
    assert done[name].status == 0, done[name].out + done[name].err


def test_its_scores(site, done):
    rows = {row["metric"]: row for row in csv.DictReader(io.StringIO(done["table"].out))}
    assert list(rows) == ["mcc", "weighted_f1", "exact_match", "mcc_crime", "mcc_tale"]
    assert float(rows["exact_match"]["score"]) == pytest.approx(100 * 5 / 12)
    assert {row["task"] for row in json_lines(site / "scored" / "items.jsonl")} == {"faraway_reviews"}


def test_its_judge_is_calibrated_its_traces_are_read_and_its_scores_exported(site, done):
    calibrated = json.loads((site / "calibrated" / "results.json").read_text(encoding="utf-8"))["faraway_letters"]
    assert calibrated["helpful"] == 50.0  # three of six letters are answered at length
    assert calibrated["helpful_calibrated"] == pytest.approx(100.0)  # the reference likes all of them
    traced = json_lines(site / "analysed" / "traces.jsonl")
    assert len(traced) == 36 and {row["task"] for row in traced} == {"faraway_letters"}
    texts = [path.read_text(encoding="utf-8") for path in (site / "exported").rglob("*") if path.is_file()]
    assert texts and all("faraway" in text for text in texts)


def test_its_data_set_is_listed(done):
    (line,) = (line for line in done["data"].out.splitlines() if line.startswith("faraway "))
    assert "cc0-1.0" in line
