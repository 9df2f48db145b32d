"""A copy of the packages to which a test adds families, and commands that run in it, as a stranger's checkout would."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.harness.runs import Outcome, finish
from tests.preloaded import popen

ROOT = Path(__file__).parents[2]
PACKAGES = ("hf_datasets", "hueval_metrics", "lm_eval_tasks")
TOYBENCH = ROOT / "tests" / "toy_family"
TIMEOUT_S = 300
# What the toy family is called where another distribution has it.
FARAWAY = {"lm_eval_tasks.toybench": "faraway", "hf_datasets.toybench": "faraway.data", "toyletters": "farletters"}
FARAWAY |= {"toybench": "faraway", "Toybench": "Faraway", 'data="faraway"': 'data="faraway.data.convert:REPO"'}
FARAWAY |= {"read=read,": "read=read,\n    home=Path(__file__).parent,"}
# Several commands in one process: the libraries are imported once.
DRIVER = """
import contextlib, io, json, sys, traceback
from hueval_metrics.cli import main

outcomes = []
for call in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(call)
        except SystemExit as stop:
            status = stop.code if isinstance(stop.code, int) else print(stop.code, file=sys.stderr) or 1
        except Exception:
            status = traceback.print_exc() or 70
    outcomes.append((status, out.getvalue(), err.getvalue()))
json.dump(outcomes, sys.stdout)
"""


def checkout(folder: Path, *additions: Path) -> Path:
    """The packages in a folder, with what is added to them; returns the folder."""
    for package in PACKAGES:  # compiled files too: they are valid, as times are kept
        shutil.copytree(ROOT / package, folder / package)
    for addition in additions:
        shutil.copytree(addition, folder, dirs_exist_ok=True)
    return folder


def other_distribution(folder: Path, **further: str) -> Path:
    """The toy family as a package of its own, and what pip would note of it; returns the folder.

    Args:
        folder: where it is installed.
        **further: line of a call in the declaration, by its key → what stands in its place.
    """
    names = FARAWAY | {f"{key}=": value for key, value in further.items()}
    for source, target in (("lm_eval_tasks", folder / "faraway"), ("hf_datasets", folder / "faraway" / "data")):
        for file in (path for path in (TOYBENCH / source / "toybench").rglob("*") if path.is_file()):
            text = file.read_text(encoding="utf-8")
            for name, new in names.items():
                text = text.replace(name, new)
            place = target / str(file.relative_to(TOYBENCH / source / "toybench")).replace("toy", "far")
            place = place.with_name(place.name.replace("farbench", "faraway"))
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
    (folder / "faraway-1.0.dist-info").mkdir()
    (folder / "faraway-1.0.dist-info" / "METADATA").write_text("Name: faraway\nVersion: 1.0\n", encoding="utf-8")
    point = "[hueval.families]\nfaraway = faraway.family:FAMILY\n"
    (folder / "faraway-1.0.dist-info" / "entry_points.txt").write_text(point, encoding="utf-8")
    return folder


def python(tree: Path, *arguments: str, **environment: str) -> Outcome:
    """Run Python with the packages of a checkout, and no settings of this machine."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("HUEVAL_", "HF_", "PYTHON"))}
    ours |= {"PYTHONPATH": str(tree), "HUEVAL_CACHE_DIR": str(tree / "cache"), "HUEVAL_SAMPLE": "1", "COLUMNS": "120"}
    ours |= {"HUEVAL_OFFLINE": "1", "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "HF_HOME": str(tree / "huggingface")}
    process = popen(
        [sys.executable, *arguments],
        cwd=tree,
        env=ours | environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    return finish(process, TIMEOUT_S)


def commands(tree: Path, calls: Sequence[Sequence[object]], **environment: str) -> list[Outcome]:
    """Run `hueval` commands of a checkout, one after the other."""
    done = python(tree, "-c", DRIVER, json.dumps([[str(part) for part in call] for call in calls]), **environment)
    assert done.status == 0, done.err[-3000:]
    return [Outcome(*outcome) for outcome in json.loads(done.out)]
