"""The pages in docs/ lead somewhere, and the commands that they show exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hueval_metrics import doctor
from hueval_metrics.cli import HARNESS_COMMANDS, _parser
from hueval_metrics.judge.client import local_servers
from tests.fakes.judge_server import FakeJudge, even

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
BLOCK = re.compile(r"^```\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def anchors(page):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands():
    """The `hueval` commands in the blocks of docs/judges.md, without comments and without what a shell sets before."""
    text = (DOCS / "judges.md").read_text(encoding="utf-8")
    for block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            if found := re.match(r"(?:\$ )?(?:HUEVAL_\w+=\S+ )*hueval (.+)", line):
                yield found[1].partition(" # ")[0].strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if not urlsplit(target).scheme:
            path, _, anchor = target.partition("#")
            leads_to = (page.parent / path).resolve() if path else page
            assert leads_to.exists(), target
            assert not anchor or anchor in anchors(leads_to), target


@pytest.mark.parametrize("command", sorted(set(commands())))
def test_commands_exist(command):
    arguments = shlex.split(command)
    if arguments[0] not in HARNESS_COMMANDS:  # those are lm-eval's to parse
        _parser()[0].parse_args(arguments)


def test_the_report_of_a_local_judge_is_what_doctor_prints(monkeypatch):
    text = (DOCS / "judges.md").read_text(encoding="utf-8")
    shown = next(block for block in BLOCK.findall(text) if block.startswith("$ hueval doctor"))
    with FakeJudge(even, models=["gpt-oss-20b@6cee5e81"]) as server:
        port = urlsplit(server.url).port
        monkeypatch.setattr(local_servers, "LOCAL_PORTS", (port,))
        printed = f"Judge\n  {doctor._judge()}\n".replace(f":{port}", ":8000")
    assert shown.endswith(printed)
