import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hueval_metrics.features import features
from hueval_metrics.reports.page import build
from hueval_metrics.reports.page.words import LANGUAGES, both, numerals, words

NAMES = re.compile(r"\{(\w+)\}")


def test_both_languages_have_the_same_texts_that_name_the_same():
    english, hungarian = map(words, LANGUAGES)
    assert list(english) == list(hungarian)
    for key in english:
        assert sorted(NAMES.findall(english[key])) == sorted(NAMES.findall(hungarian[key])), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_markup_in_a_text_is_closed(language):
    for text in words(language).values():
        opened = []

        class Checker(HTMLParser):
            def handle_starttag(self, tag, attrs, opened=opened):
                opened.append(tag)

            def handle_endtag(self, tag, opened=opened):
                assert opened.pop() == tag

        Checker().feed(text)
        assert opened == []


def test_every_text_is_used():
    sources = "".join(
        path.read_text(encoding="utf-8")
        for folder in (Path(build.__file__).parent, *(one.words.parent for one in features() if one.words is not None))
        for path in folder.rglob("*")
        if path.suffix in (".py", ".html", ".js")
    )
    made = re.compile(
        r"(outcome|theme|filter|place|judge|ranks|published|policy|lead|answer_one_task|trace|measure|finding|view"
        r"|score|category|dimension|class|life|reading|rule)_\w+$"
    )  # keys put together from two parts
    assert [key for key in words("en") if not (f'"{key}"' in sources or made.match(key))] == []


def test_what_a_text_names_is_escaped():
    assert "&lt;b&gt;" in both("unreadable_file", problem="<b>")
    assert "<b>" not in both("unreadable_file", problem="<b>")


def test_hungarian_numbers():
    assert numerals("[-0.50, 63.1]", "hu") == "[-0,50; 63,1]"
    assert numerals("[-0.50, 63.1]", "en") == "[-0.50, 63.1]"
