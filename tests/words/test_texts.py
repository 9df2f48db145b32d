import logging

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.words import texts
from hueval_metrics.words.texts import Words, listed, numerals, printed, whole

ENGLISH = """
plain: "{who} is ahead"
count: {one: "1 reply", other: "{n} replies"}
scores: {text: "Dots.", if: {models: "The best is bold.", lines: "Lines are baselines."}}
lacking: "only here"
"""
HUNGARIAN = """
plain: "{who} vezet"
count: {one: "1 válasz", other: "{n} válasz"}
scores: {text: "Pontok.", if: {models: "A legjobb félkövér.", lines: "A vonalak viszonyítási alapok."}}
"""


@pytest.fixture
def words(tmp_path):
    for language, content in {"en": ENGLISH, "hu": HUNGARIAN}.items():
        (tmp_path / language).mkdir()
        (tmp_path / language / "some.yaml").write_text(content, encoding="utf-8")
    return Words(tmp_path, "some")


def test_values_by_language_are_filled_in_by_language(words):
    assert words.texts("plain", who={"en": "one", "hu": "az egyik"}) == {"en": "one is ahead", "hu": "az egyik vezet"}
    assert words.texts("plain", who="{x}")["en"] == "{x} is ahead"


def test_the_number_decides_between_one_and_several(words):
    assert [words.text("count", "en", n=n) for n in (1, 2)] == ["1 reply", "2 replies"]
    assert words.text("count", "hu", n="1") == "1 válasz"


def test_sentences_whose_condition_holds_follow_in_the_order_of_the_file(words):
    assert words.text("scores.text", "en", lines=True, models=2) == "Dots. The best is bold. Lines are baselines."
    assert words.text("scores.text", "hu", lines=[], models=2) == "Pontok. A legjobb félkövér."


def test_a_text_that_a_language_lacks_is_english_and_logged_once(words, caplog):
    with caplog.at_level(logging.WARNING):
        assert [words.text("lacking", "hu") for _ in range(2)] == ["only here"] * 2
    (line,) = caplog.messages
    assert line.endswith("hu: no text for lacking, which are English")


def test_a_text_of_a_declaration_is_read_when_it_is_looked_at(tmp_path):
    later = Words(tmp_path / "nowhere", "some").later("key")
    assert list(later) == list(texts.LANGUAGES)
    with pytest.raises(KeyError):
        later["xx"]


def test_html_escapes_what_a_text_names(tmp_path, words):
    html = Words(tmp_path, "some", is_html=True)
    assert html.text("plain", "en", who="<b>") == "&lt;b&gt; is ahead"
    assert words.text("plain", "en", who="<b>") == "<b> is ahead"


def test_numbers():
    assert [numerals("[-0.50, 63.1]", language) for language in ("hu", "en")] == ["[-0,50; 63,1]", "[-0.50, 63.1]"]
    assert [whole(1234567, language) for language in ("hu", "en")] == ["1\xa0234\xa0567", "1,234,567"]
    assert listed([{"en": "a", "hu": "b"}, {"en": "c", "hu": "d"}]) == {"en": "a, c", "hu": "b, d"}


@pytest.mark.parametrize(("value", "language"), [(None, "en"), ("", "en"), ("en", "en"), ("hu", "hu")])
def test_the_language_of_what_is_printed(monkeypatch, value, language):
    monkeypatch.setenv("LANG", "hu_HU.UTF-8")  # never the locale's
    if value is None:
        monkeypatch.delenv("HUEVAL_LANG", raising=False)
    else:
        monkeypatch.setenv("HUEVAL_LANG", value)
    assert printed() == language


def test_a_language_that_there_is_not_is_refused(monkeypatch):
    monkeypatch.setenv("HUEVAL_LANG", "de\n")
    with pytest.raises(InputError, match=r'^HUEVAL_LANG: "de" is no language of ours\. Set en or hu$'):
        printed()
