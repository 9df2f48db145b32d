"""What README.md shows is what its commands print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers import shared

ROOT = Path(__file__).parents[1]
BLOCKS = re.findall(r"^```\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
TIMEOUT_S = 600  # against a hang


@pytest.fixture
def shell(clean_environment, monkeypatch, tmp_path):
    """Runs commands in an empty folder, with `hueval` and `python` of this checkout; gives what they print."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, words in (("hueval", f"{sys.executable} -m hueval_metrics"), ("python", sys.executable)):
        (programs / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (programs / name).chmod(0o755)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.delenv("COLUMNS", raising=False)
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "huggingface"), "HUEVAL_OFFLINE": "1"}

    def run(commands, **variables):
        environment = {"PATH": f"{programs}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)} | offline | variables
        done = subprocess.run(
            ["bash", "-ec", commands],
            cwd=folder,
            env=os.environ | environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def block_with(text):
    """The one block of README.md that has a text in it."""
    (found,) = (block for block in BLOCKS if text in block)
    return found


def transcript(block):
    """The commands in a block, each with the output below it."""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [tuple(part.split("\n", 1)) for part in parts]


@pytest.mark.slow
def test_the_agreement_of_two_judges(shell):
    script = block_with("lot = random.Random(")
    assert "export HUEVAL_SAMPLE=1 HUEVAL_JUDGE=lexical\n" in script
    shell(script)
    ((command, shown),) = transcript(block_with("$ hueval judge-agreement judged/items.jsonl lot.jsonl"))
    assert shell(command) == shown


@pytest.mark.slow
def test_the_runs_that_are_scored_and_compared(shell):
    data = {"HUEVAL_DATA_DIR": str(shared("data"))}
    shell(block_with("model=hasty"), **data)
    shell(block_with('open("predictions.jsonl", "w"'))
    for text in ("$ hueval score predictions.jsonl", "$ hueval compare runs/careful runs/hasty"):
        for command, shown in transcript(block_with(text)):
            assert shell(command, **data).rstrip("\n") == shown.rstrip("\n")
