"""Finds what stands in a page in the wrong language, or in one language for both."""

from __future__ import annotations

import re
from functools import cache
from html.parser import HTMLParser

from hueval_metrics.words.texts import FOLDER, LANGUAGES, Words

_FILES = ("captions", "figures", "items", "live", "notes", "page")
_VOID = {"br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
# What is of no language: scripts, code, names (bdi), messages of the commands (samp), texts of items.
_EXEMPT = {"script", "style", "title", "code", "pre", "samp", "bdi", "option"}
_WORD = re.compile(r"[^\W\d_]{3,}")
_FREQUENT = {  # words that sentences can hardly do without
    "en": "the and with for this that from not was were has have are its been which only",
    "hu": "hogy nem egy vagy csak már mint azt ezt volt lesz van nincs mert akkor meg",
}


def foreign_texts(page: str) -> list[tuple[str, str]]:
    """The texts in another language than they are marked with, and those in one language that are shown in both.

    Args:
        page: its HTML.

    Returns:
        For each the language it is marked with, empty for none, and the text.
    """
    wrong = {"en": {"hu"}, "hu": {"en"}, "": {"en", "hu"}}
    return [
        (language, text)
        for language, text in _Texts(page).found
        if any(_own_words(other) & set(_WORD.findall(text.lower())) for other in wrong[language])
    ]


@cache
def _own_words(language: str) -> frozenset[str]:
    """The words of our texts in one language, without those that our texts in the other have too."""
    own, others = (_words_of(each) for each in sorted(LANGUAGES, key=lambda each: each != language))
    return frozenset(own - others)


def _words_of(language: str) -> set[str]:
    files = (Words(FOLDER, name).of(language) for name in _FILES)  # one by one, as they may have the same keys
    texts = [text for file in files for text in file.values()]
    bare = re.sub(r"<code>.*?</code>|<[^>]+>|\{\w+\}", " ", " ".join([*texts, _FREQUENT[language]]))
    return set(_WORD.findall(bare.lower()))


class _Texts(HTMLParser):
    """The texts of a page's body with the language that each is marked with, without those of the list of items."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self._open: list[tuple[str, str, bool]] = [("", "", False)]  # tag, language, whether its texts are exempt
        self.feed(page[page.index("<body") :])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        _, language, is_exempt = self._open[-1]
        given = dict(attrs)
        is_exempt = is_exempt or tag in _EXEMPT or given.get("id") == "list"
        here = (tag, given.get("lang") or language, is_exempt)
        if not is_exempt and (told := given.get("data-what-hu")):  # of which the script makes the label
            self._tell("hu", told)
            self._tell("en", given.get("data-what") or "")
        elif not is_exempt:
            self._tell(here[1], given.get("aria-label") or given.get("title") or given.get("placeholder") or "")
        if tag not in _VOID:
            self._open.append(here)

    def handle_endtag(self, tag: str) -> None:
        while len(self._open) > 1 and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        _, language, is_exempt = self._open[-1]
        if not is_exempt:
            self._tell(language, data)

    def _tell(self, language: str, text: str) -> None:
        if text.strip():
            self.found.append((language, " ".join(text.split())))
