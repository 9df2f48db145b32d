"""The Hungarian texts: complete, compiled, and used by every page and mail."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import allauth
import django
import polib
import pytest

import hueval_site
from leaderboard.tests.every_page import api_answers, mails, names, pages, set_up

HERE = Path(hueval_site.__file__).parent
OURS, OF_ALLAUTH = (HERE / folder / "hu/LC_MESSAGES/django.po" for folder in ("locale", "locale_allauth"))
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w*\}|%[sd]|%%|<[^>]*>|HUEVAL_\w+")
# What may be left of a text that is the same in both languages, once names are removed from it.
SAME = re.compile(
    r"""(API|CSV|JSON|SHA-256|UTC|hueval|Qxz|hu|en|(zero|few)-shot|test|English|magyar|[\W\d_])*
    |urn:\S+|(›\ )?\S+@\S+|(https?://|/)\S+|[\w/.-]*\.(jsonl?|csv|txt)|[a-z]+_\w+""",
    re.VERBOSE,
)
NOT_TEXT = {"bdi", "code", "pre", "published", "script", "style", "updated"}
DECIMAL = re.compile(r"(?<![\w.:/-])\d+\.\d+(?![\d.]*[\w/:-])(?!\.\d)")  # as English writes it
# Of those who sent something in; a version; the limit in a text of Django's.
GIVEN = {
    "None known.",
    "Web pages up to 2024 and instructions of our own.",
    "None known: the test rows were not searched for in the training data.",
    "1.0",
    "0.0001",
}


class Texts(HTMLParser):
    """The texts of a page that its readers see or hear, but for names and code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._skipped: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep texts of attributes, and notice where names and code begin."""
        given = dict(attrs)
        self.found |= {given[name] or "" for name in ("alt", "aria-label", "title", "placeholder") if name in given}
        is_name = tag in NOT_TEXT or given.get("class") == "hash" or given.get("dir") == "auto" or "lang" in given
        if is_name:
            self._skipped.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Notice where they end."""
        if self._skipped and self._skipped[-1] == tag:
            self._skipped.pop()

    def handle_data(self, data: str) -> None:
        """Keep a text."""
        if self._skipped in ([], ["html"]):
            self.found.add(" ".join(data.split()))


def entries(path: Path) -> list[polib.POEntry]:
    return list(polib.pofile(str(path)))


def sides(entry: polib.POEntry) -> list[tuple[str, str]]:
    """A text and its translation; of one with plurals, each form beside the English plural."""
    if entry.msgid_plural:
        return [(entry.msgid_plural, text) for text in entry.msgstr_plural.values()]
    return [(entry.msgid, entry.msgstr)]


@pytest.mark.process
@pytest.mark.skipif(shutil.which("xgettext") is None, reason="gettext is not installed")
def test_each_text_of_the_code_is_in_the_catalogue_and_no_other(tmp_path):
    site = tmp_path / "hueval_site"
    shutil.copytree(HERE, site, ignore=shutil.ignore_patterns("__pycache__", "locale*"))
    (site / "locale").mkdir()
    command = [sys.executable, "-m", "django", "makemessages", "-l", "hu", "-e", "html,txt,py"]
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    subprocess.run(command, cwd=site, env=environment, check=True, capture_output=True, timeout=120)
    in_code = {entry.msgid for entry in entries(site / "locale/hu/LC_MESSAGES/django.po")}
    known = {entry.msgid for entry in entries(OURS) if not entry.obsolete}
    assert (in_code - known, known - in_code) == (set(), set())


@pytest.mark.parametrize("path", [OURS, OF_ALLAUTH], ids=["ours", "allauth"])
def test_translations_are_complete_and_keep_placeholders(path):
    for entry in entries(path):
        assert entry.translated() and not entry.fuzzy and not entry.obsolete, entry.msgid
        for english, hungarian in sides(entry):
            assert sorted(PLACEHOLDER.findall(english)) == sorted(PLACEHOLDER.findall(hungarian)), english
            assert english.startswith("\n") == hungarian.startswith("\n"), english


@pytest.mark.parametrize("path", [OURS, OF_ALLAUTH], ids=["ours", "allauth"])
def test_the_compiled_file_is_that_of_the_catalogue(path):
    compiled = polib.mofile(str(path.with_suffix(".mo")))
    assert {entry.msgid: sides(entry) for entry in compiled} == {entry.msgid: sides(entry) for entry in entries(path)}


def test_what_replaces_texts_of_packages_replaces_something():
    packages = (
        Path(allauth.__file__).parent,
        *(Path(django.__file__).parent / f"contrib/{app}" for app in ("auth", "admin")),
    )
    theirs = {entry.msgid for package in packages for entry in entries(package / "locale/hu/LC_MESSAGES/django.po")}
    assert {entry.msgid for entry in entries(OF_ALLAUTH)} <= theirs


@pytest.fixture
def read(db):
    """Pages, mails and answers of the API in both languages: name → its texts, by language."""
    people = set_up()
    return {
        language: {
            name: Texts(text).found
            for name, text in [*pages(people, language), *mails(people, language), *api_answers(language)]
        }
        for language in ("en", "hu")
    }


@pytest.mark.slow
def test_every_text_is_in_the_language_of_its_reader(read):
    """No page says anything in the other language, and nothing but names, formats and examples is the same in both."""
    assert set(read["en"]) == set(read["hu"])
    assert "Fix them and submit again: a file with faults does not count." in read["en"]["faulty upload"]
    assert "Result" in read["en"]["two models"]  # of the table of differences
    known = names() | GIVEN
    wrong = {name: misplaced(read["en"][name], read["hu"][name], known) for name in read["hu"]}
    assert {name: texts for name, texts in wrong.items() if texts} == {}


def misplaced(english: set[str], hungarian: set[str], known: set[str]) -> set[str]:
    """Texts of a page and its translation that stand in the wrong one.

    Args:
        english, hungarian: the texts.
        known: parts of them that are the same in every language.
    """
    pairs = [pair for entry in entries(OURS) for pair in sides(entry) if pair[0] != pair[1] and "%" not in pair[0]]
    ours, translated = ({pair[side] for pair in pairs} for side in (0, 1))
    left = re.compile("|".join(map(re.escape, sorted(known, key=len, reverse=True))))
    same = {text for text in english & hungarian if not SAME.fullmatch(left.sub("", text))}
    numbers = {text for text in hungarian if DECIMAL.search(left.sub("", text))}
    numbers |= {text for text in english if re.search(r"\d,\d(?!\d\d)", text)}
    return same | numbers | ((ours - translated) & hungarian) | ((translated - ours) & english)
