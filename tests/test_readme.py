"""README.md is short, and what it and docs/ take from the code is up to date."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import yaml

from docs.generate import BADGES, ROOT, stale
from hueval_metrics import __version__
from hueval_metrics.registry import known_tasks

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_is_read_in_a_minute():
    assert len(README.splitlines()) <= 150
    assert len(README.encode()) <= 10_000


def test_nothing_generated_is_out_of_date():
    assert [path.name for path in stale()] == [], "run `make docs-tables`"


def test_its_table_has_every_task():
    table = README.partition("<!-- generated: tasks -->")[2].partition("<!-- end -->")[0]
    named = set(re.findall(r"`(\w+)`", table))
    in_one_row = tuple(re.findall(r"`(\w+)\*`", table))
    assert {task for task in known_tasks() if not task.startswith(in_one_row)} <= named
    assert set(in_one_row) == {"kolassimpleqa_", "hkmmlu_", "hkmmlull_", "hkmmlutr_"}


def test_its_pictures_are_small_and_local():
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert len(pictures) >= 6
    assert all((ROOT / name).stat().st_size <= 200_000 for name in pictures)


def test_the_number_of_tasks_is_on_its_badge():
    badge = ElementTree.parse(BADGES / "tasks.svg").getroot()
    assert badge.attrib["aria-label"] == f"tasks: {len(known_tasks())}"


def test_the_citation_is_of_this_version_and_its_authors():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["authors"]) == (__version__, [{"name": "The hueval authors"}])
    assert "{The hueval authors}" in README
