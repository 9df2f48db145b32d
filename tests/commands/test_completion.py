"""`hueval completion`: the script that is printed, sourced by a real shell that asks for completions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

pytest.importorskip("argcomplete", reason="an old environment: it is a requirement of ours")
ROOT = Path(__file__).parents[2]
ASK = """
source <(hueval completion bash)
complete -p hueval >/dev/null || exit 1
COMP_LINE="$1" COMP_POINT=${#1} COMP_TYPE=9
_python_argcomplete hueval
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def bash(tmp_path):
    """A function: what a bash that has sourced the script offers for a line."""
    if not shutil.which("bash"):
        pytest.skip("no bash")
    program = tmp_path / "hueval"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m hueval_metrics "$@"\n')
    program.chmod(0o755)
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}

    def offered(line):
        command = ["bash", "--norc", "-c", ASK, "bash", line]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        return [word.strip() for word in done.stdout.splitlines()]

    return offered


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("hueval comp", ["compare", "completion"]),
        ("hueval run --tas", ["--tasks"]),
        ("hueval run --tasks openhueval_hum", ["openhueval_humatchingfib"]),
        ("hueval run --tasks hueval-", ["hueval-judged", "hueval-rule"]),
        ("hueval run --tasks hueval-rule,hulugen_hur", ["hueval-rule,hulugen_hurc", "hueval-rule,hulugen_hurte"]),
        ("hueval run --config racka-safe-v", ["racka-safe-vllm"]),
        ("hueval run --model hueval-b", ["hueval-baseline"]),
        ("hueval ls t", ["tags", "tasks"]),
        ("hueval score --task openhueval_hus", ["openhueval_husimpleqa", "openhueval_hustandardfib"]),
    ],
)
def test_bash(bash, line, words):
    assert sorted(bash(line)) == words


@pytest.mark.parametrize(("shell", "part"), [("bash", "complete "), ("zsh", "compdef "), ("fish", "complete ")])
def test_each_shell_has_a_script(capsys, shell, part):
    from hueval_metrics.cli import main

    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert part in out and "hueval" in out
