"""Names out of files stay text in Markdown, LaTeX and HTML: no link, picture, mention, tag or command."""

from __future__ import annotations

import html
import json
import re

import mistune
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.reports import escape
from tests.harness.runs import hueval_here

EVIL = (
    "[x](https://evil.hu) ![p](//evil.hu/p.png) <img src=x onerror=alert(1)> <https://evil.hu> https://evil.hu "
    "www.evil.hu @torvalds a@evil.hu #1 o/r#2 \\input{/etc/passwd} \\write18{id} $x$ ^^5c`"
)
PIECES = [
    "@a",
    "#1",
    "https://x.hu",
    "www.x.hu",
    "[a](b)",
    "![a](b)",
    "<b>",
    "`",
    "\\",
    "|",
    "GH-1",
    "- ",
    "1. ",
    "a@b.hu",
]
NAMES = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3))).map("".join)
RENDER = mistune.create_markdown(
    escape=False, plugins=["url", "strikethrough", "footnotes", "table", "task_lists", "math", "def_list"]
)
LIVE = re.compile(r"(?<!\w)@\w|\w@\w+\.|#\d|://|\bwww\.|\bGH-\d", re.IGNORECASE)
LATEX = re.compile(
    r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar|textdagger)\{\}|\\[&%_{}#$]"
)
BLOCKS = set(re.findall(r"\w+", "p table thead tbody tr th td br ul ol li hr h1 h2 h3 h4 h5 h6 dl dt dd blockquote"))


def is_text(page):
    """Whether a page has nothing but text, of which a site makes no link either."""
    tags = set(re.findall(r"</?(\w+)", page))
    return tags <= BLOCKS and not LIVE.search(html.unescape(page))


@pytest.mark.parametrize("frame", ["{}", "| a |\n| --- |\n| {} |\n"], ids=["line", "cell"])
@given(name=NAMES)
def test_markdown_shows_any_name_as_text(frame, name):
    page = RENDER(frame.format(escape.markdown(name)))
    assert is_text(page), page


@given(NAMES)
def test_latex_has_no_command_but_those_that_print_a_character(name):
    left = LATEX.sub("", re.sub(r"\\textsuperscript\{[123]\}", "", escape.latex(name))).replace("-{}-", "")
    assert not re.search(r"[\\%#$&_^~<>|]", left.replace("{}", "")), left


def results(folder, model):
    row = {
        "blank_acc": 12.5,
        "question_acc": 3.0,
        "n": 5,
        "n_missing": 1,
        "model": model,
        "signature": f"task:x|v:{model}",
    }
    folder.mkdir()
    (folder / "results.json").write_text(json.dumps({"openhueval_humatchingfib": row}), encoding="utf-8")
    return folder


def test_a_table_of_such_a_model(tmp_path):
    run = results(tmp_path / "run", EVIL)
    outcome = hueval_here("table", run, "--format", "markdown")
    assert outcome.status == 0 and "evil" in outcome.out
    assert is_text(RENDER(outcome.out)), RENDER(outcome.out)
    outcome = hueval_here("table", run, "--format", "latex")
    assert "evil" in outcome.out
    assert not re.search(r"\\(input|write)|\^\^", outcome.out)


def test_a_report_of_such_a_model(tmp_path):
    assert hueval_here("report", results(tmp_path / "run", EVIL), "--output", tmp_path / "page.html").status == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "evil" in page
    assert not re.search(r"<(img|a) [^>]*(evil|onerror)", page)
