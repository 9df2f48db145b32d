"""Every example of README.md and docs/ does what the page shows, with the network off and no key."""

from __future__ import annotations

import os

import pytest

from docs.examples import ROOT, as_shown, blocks, pages, run
from tests.helpers import SHARED
from tests.preloaded import shell_words

RUN = [page for page in pages() if any(block.is_run for block in blocks(page))]
# Runs on the whole published data, several a page: the same commands run on the sample on others.
FULL = ("compare.md", "cluster.md")


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.nightly if page.name in FULL else ()) for page in RUN],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_what_is_shown_is_what_is_printed(page, tmp_path):
    data = SHARED / "data"
    if not data.exists():
        assert "CI" not in os.environ, "CI is set; needs shared/data next to the checkout"
        data = None
    printed = run(page, tmp_path / "examples", data, shell_words())
    assert printed
    for block in blocks(page):
        for index, (command, shown) in enumerate(block.parts):
            if block.language in ("console", "pycon") and (block.line, index) in printed:
                found = printed[block.line, index]
                assert as_shown(shown, found), (
                    f"{command}prints\n{found}\nPut it on the page: python docs/refresh.py {page}"
                )


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a\nb\n", "a\nb\n", True),
        ("a\n", "a  \n\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n…\nc\n", "a\nb\nb\nc\n", True),
        ("a\n…\nc\n", "a\nb\n", False),
        ("", "", True),
        ("", "a\n", False),
    ],
)
def test_three_dots_stand_for_any_lines(shown, printed, same):
    assert as_shown(shown, printed) is same


@pytest.mark.process
def test_a_failing_command_is_named_with_its_page_and_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("Text\n\n```bash\ntrue\nfalse\n```\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"page\.md: the block at line 3 failed"):
        run(page, tmp_path / "examples", None)
