"""The walk-through of CONTRIBUTING.md, followed to the letter in a fresh copy."""

from __future__ import annotations

import json
import math
import re
import shlex
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from hueval_metrics.metric import Metric
from tests.families.checkout import ROOT, checkout, commands, python
from tests.helpers import json_lines

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## A new family\n")[2]
BLOCK = re.compile(r"^ *```(?P<kind>\w*) ?(?P<file>\S*)\n(?P<text>.*?)^ *```$", re.M | re.S)


def lines(starting: str) -> list[list[str]]:
    """The command lines in the text that begin so."""
    return [shlex.split(line) for line in map(str.strip, TEXT.splitlines()) if line.startswith(starting)]


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    folder = checkout(tmp_path_factory.mktemp("contributing"))
    for block in BLOCK.finditer(TEXT):
        if block["file"]:
            file = folder / block["file"]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(dedent(block["text"]), encoding="utf-8")
            if file.suffix == ".py":
                (file.parent / "__init__.py").touch()
    card = (folder / "hf_datasets" / "kolassimpleqa" / "README.md").read_text(encoding="utf-8")
    configs = "configs:\n  - config_name: facts\n    data_files: [{split: test, path: facts/test.parquet}]\n"
    card = re.sub(r"configs:\n(?:  .*\n)+", configs, card).replace("license: unknown", "license: cc-by-4.0")
    (folder / "hf_datasets" / "kviz" / "README.md").write_text(card, encoding="utf-8")
    return folder


def test_it_has_two_folders_and_every_file(tree):
    found = {block["file"] for block in BLOCK.finditer(TEXT)} - {""}
    assert {Path(file).parts[:2] for file in found} == {("hf_datasets", "kviz"), ("lm_eval_tasks", "kviz")}
    assert len(found) == 8


@pytest.mark.process
def test_the_commands_work_and_the_numbers_are_as_said(tree):
    calls = [[part if part != "SRC" else "hf_datasets/kviz/sample" for part in call[1:]] for call in lines("hueval ")]
    shown = [call[: call.index("#")] if "#" in call else call for call in calls]
    convert, check, diff, push, oracle, first, score, compare = outcomes = commands(tree, shown)
    assert [outcome.status for outcome in outcomes] == [0, 0, 0, 1, 0, 0, 0, 0], [outcome.err for outcome in outcomes]
    assert "sample" in push.err
    assert re.search(r"facts +test +3\b", convert.out)
    assert "0 errors" in check.out
    assert "Equal" in diff.out
    assert "100" in oracle.out and "acc" in first.out
    assert json.loads((tree / "rescored" / "results.json").read_text(encoding="utf-8"))["kviz_facts"]["acc"] == 100.0
    assert [row["qid"] for row in json_lines(tree / "rescored" / "items.jsonl")] == ["1", "2", "3"]
    assert "Kviz facts" in score.out + compare.out or "kviz_facts" in score.out + compare.out


def test_the_metric_of_ones_own():
    (code,) = (block["text"] for block in BLOCK.finditer(TEXT) if "Metric(" in block["text"])
    names = {"Metric": Metric, "math": math, "np": np}
    exec(code, names)
    assert names["GEOMETRIC"]([1.0, None, 100.0]) == pytest.approx(10)


@pytest.mark.process
def test_the_data_set_loads_without_hueval(tree):
    (call,) = lines("python -c ")
    done = python(tree, *call[1:])
    assert done.status == 0 and "Tisza" in done.out, done.err
