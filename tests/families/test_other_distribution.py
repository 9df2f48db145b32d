"""A family that another distribution declares by an entry point: no file of it lies beside ours."""

from __future__ import annotations

import csv
import io
import os
from pathlib import Path

import pytest

from tests.families.checkout import ROOT, TOYBENCH, commands
from tests.harness.runs import Outcome
from tests.helpers import json_lines

NAMES = {"lm_eval_tasks.toybench": "faraway", "hf_datasets.toybench": "faraway.data", "toyletters": "farletters"}
NAMES |= {"toybench": "faraway", "Toybench": "Faraway", 'data="faraway"': 'data="faraway.data.convert:REPO"'}
NAMES |= {"read=read,": "read=read,\n    home=Path(__file__).parent,"}
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
    """Where the distribution is installed: the toy family as a package of its own, and what pip would note of it."""
    site = tmp_path_factory.mktemp("site")
    for source, target in (("lm_eval_tasks", site / "faraway"), ("hf_datasets", site / "faraway" / "data")):
        for file in (path for path in (TOYBENCH / source / "toybench").rglob("*") if path.is_file()):
            text = file.read_text(encoding="utf-8")
            for name, new in NAMES.items():
                text = text.replace(name, new)
            place = target / str(file.relative_to(TOYBENCH / source / "toybench")).replace("toy", "far")
            place = place.with_name(place.name.replace("farbench", "faraway"))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    (site / "faraway-1.0.dist-info").mkdir()
    (site / "faraway-1.0.dist-info" / "METADATA").write_text("Name: faraway\nVersion: 1.0\n", encoding="utf-8")
    point = "[hueval.families]\nfaraway = faraway.family:FAMILY\n"
    (site / "faraway-1.0.dist-info" / "entry_points.txt").write_text(point, encoding="utf-8")
    return site


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
