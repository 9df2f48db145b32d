"""The notebooks run from top to bottom, in a kernel with its event loop running, and are kept without outputs."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.harness.runs import on_the_sample, run  # noqa: F401  fixture

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def test_the_overview_names_each_notebook():
    assert len(NOTEBOOKS) == 5
    named = re.findall(r"\]\((\w+\.ipynb)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(named) == [path.name for path in NOTEBOOKS]


@each_notebook
def test_kept_without_outputs(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None


@each_notebook
def test_links_lead_to_notebooks(path):
    links = re.findall(r"\]\((\w+\.ipynb)\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (FOLDER / link).is_file()] == []


def test_the_hook_strips_outputs_and_changes_nothing_else(tmp_path):
    pytest.importorskip("nbconvert", reason="needs the dev extra")
    with_output = json.loads(NOTEBOOKS[0].read_text(encoding="utf-8"))
    code = next(cell for cell in with_output["cells"] if cell["cell_type"] == "code")
    code |= {"execution_count": 3, "outputs": [{"name": "stdout", "output_type": "stream", "text": ["61.2\n"]}]}
    (tmp_path / NOTEBOOKS[0].name).write_text(json.dumps(with_output), encoding="utf-8")
    for path in NOTEBOOKS[1:]:
        shutil.copy(path, tmp_path)
    copies = sorted(tmp_path.glob("*.ipynb"))
    hook = ("--clear-output", "--inplace")
    assert " ".join(hook) in (FOLDER.parent / ".pre-commit-config.yaml").read_text(encoding="utf-8")
    outcome = run(sys.executable, "-m", "nbconvert", *hook, *copies)
    assert outcome.status == 0, outcome.err
    assert [path.read_bytes() for path in copies] == [path.read_bytes() for path in NOTEBOOKS]


@pytest.mark.slow
@each_notebook
def test_runs(path, monkeypatch, tmp_path):
    client = pytest.importorskip("nbclient", reason="needs the dev extra").NotebookClient
    for variable in ("HUEVAL_SAMPLE", "HUEVAL_JUDGE"):  # the notebook says itself what it runs on
        monkeypatch.delenv(variable)
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # what it writes
    notebook = pytest.importorskip("nbformat").read(path, as_version=4)
    client(notebook, timeout=200, resources={"metadata": {"path": FOLDER}}).execute()
