import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.reports import escape

CASES = json.loads((Path(__file__).parents[1] / "cases" / "tables_escape.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("way", ["plain", "markdown", "latex"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_escape(case, way):
    assert getattr(escape, way)(case["text"]) == case[way]


@given(st.text(st.characters()))
def test_plain_is_one_printable_line(text):
    clean = escape.plain(text)
    assert clean.encode("utf-8")
    assert clean.isprintable() or all(c.isprintable() or not c.isascii() for c in clean)
    assert len(clean.splitlines()) == 1
    assert escape.plain(clean) == clean


@given(st.text())
def test_markdown_leaves_no_tag_and_no_open_pipe(text):
    marked = escape.markdown(text)
    assert "<" not in marked
    assert ">" not in marked
    without_escapes = marked.replace("\\\\", "").replace("\\|", "")
    assert "|" not in without_escapes
