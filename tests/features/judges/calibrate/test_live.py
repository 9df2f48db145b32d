"""The whole way: a baseline's replies to the sample, judged by words and by a judge who differs from that at random."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest

from tests.features.judges.calibrate.runs import OE, QA
from tests.golden.produce import POLICIES, environment, hueval, live_run

OTHER = {"CORRECT": "INCORRECT", "INCORRECT": "CORRECT", "NOT_ATTEMPTED": "INCORRECT", "YES": "NO", "NO": "YES"}


def differing_at_random(scored: Path, output: Path) -> None:
    """The run with the verdicts of another judge, a tenth of which differ."""
    draws = random.Random(scored.name)
    shutil.copytree(scored, output)
    rows = [json.loads(line) for line in (scored / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["verdict"]["judge"] = "random-judge"
        if draws.random() < 0.1:
            row["verdict"]["label"] = OTHER[row["verdict"]["label"]]
    (output / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("live").resolve()
    with environment(folder, HUEVAL_SAMPLE="1", HUEVAL_JUDGE="lexical"):
        for policy in POLICIES:
            live_run(folder / policy, policy, f"{QA},{OE}")
            hueval("score", folder / policy, "--output", folder / f"{policy}.scored")
            differing_at_random(folder / f"{policy}.scored", folder / f"{policy}.random")
    return folder


@pytest.mark.slow
def test_from_live_runs_to_calibrated_scores(runs, tmp_path):
    scored, others = ([runs / f"{policy}.{end}" for policy in POLICIES] for end in ("scored", "random"))
    with environment(tmp_path):
        out, err = hueval(
            "calibrate", "fit", "--judge", *scored[:3], "--reference", *others[:3], "--output", "cal.json"
        )
        assert "openhueval_husimpleqa: lexical against random-judge, 54 answers rated by both" in out
        assert err == ""
        hueval("calibrate", "apply", "cal.json", *scored, "--output", "out")
        found = json.loads((tmp_path / "out" / "oracle.scored" / "results.json").read_text())
        raw = json.loads((scored[0] / "results.json").read_text())
        for task, row in raw.items():
            assert {
                key: value for key, value in found[task].items() if key in row and key not in ("signature", "ci_method")
            } == {key: value for key, value in row.items() if key not in ("signature", "ci_method")}
            assert found[task]["calibration"]["kind"] == "transported"  # the sample has 18 questions, fewer than 30
            assert found[task]["signature"].endswith(f"|judge:lexical|rubric:{row['signature'].rpartition(':')[2]}")
        out, _ = hueval("calibrate", "check", "cal.json", scored[3], "--reference", others[3], "--format", "json")
        checked = {row["task"]: row for row in json.loads(out)}
        assert checked[QA]["n"] == 18 and checked[QA]["excluded"] == []
        table, _ = hueval("table", "out", "--format", "csv", "--all")
        assert "correct_calibrated" in table


def test_a_run_that_was_not_scored_yet(runs, tmp_path):
    with environment(tmp_path):
        (live,) = (runs / "oracle").iterdir()
        arguments = ("fit", "--judge", live, "--reference", runs / "oracle.random", "--output", "cal.json")
        _, err = hueval("calibrate", *arguments, status=1)
        assert f"Score it first: hueval score {live} --output DIR" in err
