"""All texts in all languages: the same files, keys and {names}; each of them used, its markup closed."""

from __future__ import annotations

import ast
import re
import string
from collections.abc import Collection
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hueval_metrics.features import features
from hueval_metrics.reports.page.words import FILES as FILES_OF_THE_PAGE
from hueval_metrics.words.texts import ENGLISH, FOLDER, LANGUAGES, Words
from tests.each import each
from tests.modules import ROOT

FOLDERS = [
    file.parents[1] for name in ("hueval_metrics", "lm_eval_tasks") for file in (ROOT / name).rglob("words/*/*.yaml")
]
FOLDERS = sorted(set(FOLDERS))
FILES = [(folder, file.stem) for folder in FOLDERS for file in sorted(folder.glob(f"{ENGLISH}/*.yaml"))]
# Names that a language may leave out: messages of libraries, which are English.
ENGLISH_ONLY = {"reason"}


def names(text: str) -> set[str]:
    """The values that a text names."""
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def sources(folder: Path) -> list[Path]:
    """The folders whose sources use the texts."""
    return [ROOT / "hueval_metrics", ROOT / "hf_datasets"] if folder == FOLDER else [folder.parent]


def used(folder: Path) -> re.Pattern[str]:
    """What sources have in quotes, whole or put together of fixed parts and values."""
    found: set[str] = set()
    for path in (path for source in sources(folder) for path in source.rglob("*")):
        if path.suffix == ".py":
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            found |= {re.escape(one.value) for one in nodes if isinstance(one, ast.Constant) and type(one.value) is str}
            found |= {_pattern(one) for one in nodes if isinstance(one, ast.JoinedStr)}
        elif path.suffix in (".html", ".js"):
            quoted = [text for _, text in re.findall(r"""(["'`])([\w.${}]+)\1""", path.read_text(encoding="utf-8"))]
            found |= {
                re.sub(r"\\\$\\\{\w+\\\}", r"\\w+", re.escape(text)) + r"\w+" * text.endswith("_") for text in quoted
            }
    return re.compile("|".join(sorted(found - {""})))


def _pattern(node: ast.JoinedStr) -> str:
    """A formatted text as a pattern; empty where it has no part that says what it is a key of."""
    fixed = "".join(part.value for part in node.values if isinstance(part, ast.Constant))
    if not re.search(r"\w{3}[._-]|[._-]\w{3}|^[a-z]{5}$", fixed):
        return ""
    return "".join(re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in node.values)


def looked_up(file: str, key: str, keys: Collection[str]) -> str:
    """What the sources have of a key: the kind of a figure, the code of a fault, else all but the word of its form."""
    if file == "captions":
        return key.partition(".")[0]
    if file == "faults":
        return key.split(".", 2)[1]
    stem, _, last = key.rpartition(".")
    return stem if last == "one" or (last == "other" and f"{stem}.one" in keys) else key


def test_there_are_english_and_other_texts():
    assert LANGUAGES[0] == ENGLISH
    assert len(LANGUAGES) > 1
    assert len(FOLDERS) > 5
    assert {feature.words for feature in features() if feature.words} < set(FOLDERS)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_language_has_the_same_files(folder):
    stems = {language: {file.stem for file in folder.glob(f"{language}/*.yaml")} for language in LANGUAGES}
    assert stems == dict.fromkeys(LANGUAGES, stems[ENGLISH])
    assert {one.name for one in folder.iterdir() if one.is_dir()} - {"__pycache__"} == set(LANGUAGES)


@each("folder, file", FILES)
def test_every_language_has_the_same_texts_that_name_the_same(folder, file):
    english, *others = (Words(folder, file)._read(language) for language in LANGUAGES)
    for other in others:
        assert list(english) == list(other)
        wrong = {key: text for key, text in english.items() if not names(text) - names(other[key]) <= ENGLISH_ONLY}
        assert wrong == {}
        assert {key: text for key, text in other.items() if not names(text) <= names(english[key])} == {}
        assert all(isinstance(text, str) and text for text in (*english.values(), *other.values()))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_every_text_is_used(folder):
    keys = used(folder)
    files = {file: Words(folder, file).of(ENGLISH) for of, file in FILES if of == folder}
    assert [key for file, own in files.items() for key in own if not keys.fullmatch(looked_up(file, key, own))] == []


def test_no_feature_has_a_key_of_the_page():
    """Whose text it would replace."""
    own = Words(FOLDER, *FILES_OF_THE_PAGE).of(ENGLISH).keys()
    assert [key for one in features() if one.words for key in Words(one.words).of(ENGLISH) if key in own] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.parent.name)
def test_markup_in_a_text_is_closed(folder, language):
    for text in Words(folder).of(language).values():
        opened: list[str] = []

        class Checker(HTMLParser):
            def handle_starttag(self, tag, attrs, opened=opened):
                opened.append(tag)

            def handle_endtag(self, tag, opened=opened):
                assert opened.pop() == tag

        Checker().feed(text)
        assert opened == []
