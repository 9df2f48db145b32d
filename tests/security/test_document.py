"""Each promise of SECURITY.md names the tests that hold it, and they are there."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_promise_names_its_tests():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    section = text.partition("## What we promise\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][1:]
    named = [re.findall(r"`(tests/[\w./]+)`", row.split(" | ")[-1]) for row in rows]
    assert len(named) >= 13 and all(named)
    assert [path for paths in named for path in paths if not (ROOT / path).exists()] == []
    folder = {f"tests/security/{file.name}" for file in Path(__file__).parent.glob("test_*.py")}
    assert folder - {"tests/security/test_document.py"} <= {path for paths in named for path in paths}
