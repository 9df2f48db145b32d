"""The notebooks call what users call, run from top to bottom with an event loop running, and show what that gives."""

from __future__ import annotations

import ast
import json
import re
import sys

import pytest

from tests.notebooks import FOLDER, NOTEBOOKS, executed, texts

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
PUBLIC = "hueval_metrics"
LIBRARIES = {"matplotlib", "pandas", *sys.stdlib_module_names}


def cells_of(path):
    """The cells of a notebook."""
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def internal_imports(source):
    """What a cell imports beside the standard library, pandas, matplotlib and the package itself."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [name.name for name in node.names if name.name != PUBLIC]
        elif isinstance(node, ast.ImportFrom):
            found.append(str(node.module))
    return [name for name in found if name.partition(".")[0] not in LIBRARIES]


def test_the_overview_names_each_notebook():
    assert len(NOTEBOOKS) == 6
    named = re.findall(r"\]\((\w+\.ipynb)\)", (FOLDER / "README.md").read_text(encoding="utf-8"))
    assert sorted(named) == [path.name for path in NOTEBOOKS]


@each_notebook
def test_only_what_users_call_is_imported(path):
    sources = ["".join(cell["source"]) for cell in cells_of(path) if cell["cell_type"] == "code"]
    assert [name for source in sources for name in internal_imports(source)] == []
    assert any("import hueval_metrics as hueval\n" in source for source in sources)


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import hueval_metrics as hueval, pandas as pd, matplotlib.pyplot as plt, json", []),
        ("from http.server import ThreadingHTTPServer", []),
        ("def f():\n    from hueval_metrics.cli import main", ["hueval_metrics.cli"]),
        ("import hueval_metrics.api.results", ["hueval_metrics.api.results"]),
        ("from hf_datasets.load import load\nimport numpy", ["hf_datasets.load", "numpy"]),
    ],
)
def test_the_check_of_imports_sees_an_internal_one(source, found):
    assert internal_imports(source) == found


@each_notebook
def test_kept_as_run_from_top_to_bottom(path):
    code = [cell for cell in cells_of(path) if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert [output for cell in code for output in cell["outputs"] if output["output_type"] == "error"] == []
    assert any(cell["outputs"] for cell in code)


@each_notebook
def test_outputs_name_no_machine(path):
    shown = " ".join(text for cell in texts({"cells": cells_of(path)}) for text in cell)
    assert re.findall(r"/(?:tmp|home|root|work|usr)/\S*|127\.0\.0\.1|\d{4}-\d\d-\d\dT\d\d", shown) == []


@each_notebook
def test_links_lead_to_notebooks(path):
    links = re.findall(r"\]\((\w+\.ipynb)\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (FOLDER / link).is_file()] == []


PACES = {
    "in pieces": 'print("one ", end="", flush=True)\nprint("line")',
    "with a warning between": """import sys
for text, stream in (("one ", sys.stdout), ("slow", sys.stderr), ("line\\n", sys.stdout)):
    print(text, end="", file=stream, flush=True)""",
}


@pytest.mark.process
@pytest.mark.slow
def test_what_a_cell_shows_does_not_depend_on_the_pace_of_the_kernel(tmp_path):
    nbformat = pytest.importorskip("nbformat", reason="needs the dev extra")
    cells = [nbformat.v4.new_code_cell(source) for source in PACES.values()]
    path = tmp_path / "paces.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    assert dict(zip(PACES, texts(executed(path)), strict=True)) == {pace: ["one line\n"] for pace in PACES}


@pytest.mark.process
@pytest.mark.slow
@each_notebook
def test_running_it_shows_what_is_kept(path, monkeypatch, tmp_path):
    pytest.importorskip("nbclient", reason="needs the dev extra")
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # what it writes
    kept = {"cells": cells_of(path)}
    assert texts(executed(path)) == texts(kept), "If it is meant: python -m tests.notebooks"
