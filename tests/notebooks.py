"""Run a notebook as a reader does; `python -m tests.notebooks` runs all of them again and keeps their outputs."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
_SET_BY_NOTEBOOKS = ("HUEVAL_SAMPLE", "HUEVAL_JUDGE")


def executed(path: Path) -> dict[str, Any]:
    """A notebook with the outputs of a fresh kernel, as JSON; nothing in it depends on the machine or the time."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    settings = {key: value for key, value in os.environ.items() if key not in _SET_BY_NOTEBOOKS}
    with patch.dict(os.environ, settings | {"COLUMNS": "100"}, clear=True):
        NotebookClient(
            notebook,
            timeout=300,
            startup_timeout=300,
            iopub_timeout=300,  # what has not come within it after a cell's end is dropped; the default is 4 seconds
            coalesce_streams=True,  # a kernel sends what was printed in pieces: what there is every 0.2 seconds
            record_timing=False,
            resources={"metadata": {"path": FOLDER}},
        ).execute()
    notebook.metadata.language_info = {"name": "python"}  # without the version
    for cell in notebook.cells:  # progress, durations and the names of log files
        if cell.cell_type == "code":
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    found: dict[str, Any] = json.loads(nbformat.writes(notebook))
    return found


def texts(notebook: Mapping[str, Any]) -> list[list[str]]:
    """What each cell of code prints and shows, as text; the parts of a stream put together."""
    return [
        [text for output in cell["outputs"] for text in _text(output)]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def _text(output: Mapping[str, Any]) -> list[str]:
    found = output.get("text") or output.get("data", {}).get("text/plain") or output.get("ename") or ""
    return [found if isinstance(found, str) else "".join(found)]


def main() -> None:
    """Run all notebooks and write them with their outputs."""
    for path in NOTEBOOKS:
        path.write_text(json.dumps(executed(path), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
