"""The files of languages: what they may hold, where they are found, and how a damaged one is reported."""

from __future__ import annotations

import json
import logging
import re

import pytest

from hueval_metrics.answers.confidence import stated_confidence
from hueval_metrics.answers.run_on import answered_part
from hueval_metrics.answers.short import short_answer
from hueval_metrics.errors import InputError
from hueval_metrics.languages import load
from tests.each import each
from tests.families.checkout import TOYBENCH

OUTSIDE = TOYBENCH / "lm_eval_tasks" / "toybench" / "languages"


@pytest.fixture
def families(tmp_path, monkeypatch):
    """An empty folder of families, whose `NAME/languages/*.yaml` are found."""
    monkeypatch.setattr(load, "FAMILIES", tmp_path)
    load.read_again()
    yield tmp_path
    monkeypatch.undo()
    load.read_again()


def add(families, code, text):
    folder = families / "toy" / "languages"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{code}.yaml").write_text(text, encoding="utf-8")
    load.read_again()


@each("code", load.known())
def test_every_file_can_be_read(code):
    assert load.language(code)["answer"]


@each("code", load.known())
def test_an_entry_stands_once_in_a_list(code):
    for key, found in load.language(code).items():
        if key in load.KEYS:
            assert len(found) == len(set(found)), (code, key)


@each(
    ("text", "reason"),
    [
        ("answer: válasz", "'answer' is not a list of words"),
        ("answers: [válasz]", "'answers' is not one of the keys answer, not"),
        ("answer: [yes]", "Put words in quotes that YAML takes for values"),  # YAML's yes is true
        ("no: [nem]", "False is not one of the keys"),  # and its key `no` is false
        ("answer: [null]", "'answer' is not a list of words"),
        ("answer: [1]", "'answer' is not a list of words"),
        ("answer: [Válasz]", "'answer' is not a list of words"),  # compared after case folding
        ("answer: [vá*lasz]", "'answer' is not a list of words"),
        ('answer: ["*"]', "'answer' is not a list of words"),
        ('answer: [""]', "'answer' is not a list of words"),
        ("ordinals: [first]", "'ordinals' is not"),
        ("spaces: no words", "'spaces' is not"),
        ("[a, b]", "a mapping of keys to lists of words is expected"),
        ("", "a mapping of keys to lists of words is expected"),
        ("answer: [a", "xx.yaml line 2: "),
        ("no: [nem]\nanswer: a: b", "xx.yaml line 2: "),
        ("answer: \x00", "Fix the file, or install hueval again"),
    ],
)
def test_a_damaged_file_is_named_with_its_key(families, text, reason):
    add(families, "xx", text)
    with pytest.raises(InputError, match=re.escape(reason)) as raised:
        load.language("xx")
    assert "xx.yaml" in str(raised.value)


def test_a_damaged_file_of_a_family_costs_its_language_only(families, caplog):
    add(families, "xx", "answers: [respondo]")
    with caplog.at_level(logging.WARNING):
        assert answered_part("Eger\nVálasz:", ["Válasz:"]) == "Eger\nVálasz:"
        assert short_answer("Válasz: Eger").value == "Eger"
    (record,) = caplog.records
    assert "xx.yaml: 'answers' is not one of the keys" in record.getMessage()


def test_a_file_that_is_not_text_is_damaged(families):
    add(families, "xx", "")
    (families / "toy" / "languages" / "xx.yaml").write_bytes(b"answer: [\xff]")
    with pytest.raises(load.LanguageFileError):
        load.language("xx")


def test_a_language_without_a_file_is_read_as_english_with_one_warning(families, caplog):
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert short_answer("Answer: Eger", ("qq",)).value == "Eger"
    assert [record.getMessage() for record in caplog.records] == [
        "replies in 'qq' are read with the words of English alone: there is no qq.yaml"
    ]


def test_a_star_lets_a_word_go_on(families):
    add(families, "xx", "answer: [tipp*, kulcs]")
    found = load.pattern("answer", ("xx",))
    assert [bool(found.fullmatch(word)) for word in ("tipp", "tippem", "kulcs", "kulcsom", "atipp")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_words_without_spaces_between_them(families):
    add(families, "xx", "spaces: false\nanswer: [答案]")
    assert load.pattern("answer", ("xx",)).search("正确答案是")


@each(
    ("code", "said"),
    [
        ("sr", "odgovor"),  # Latin letters
        ("ar", "الاجابة"),  # without hamza
        ("th", "คําตอบ"),  # sara am of two characters, as NFKC writes it
        ("zh", "正确答案"),  # simplified
    ],
)
def test_spellings_of_an_entry(code, said):
    assert load.pattern("answer", (code,)).fullmatch(said)


def test_an_entry_can_be_taken_out():
    assert load.pattern("answer", ("hu",)).search("megoldás: 2")
    with load.without("hu", "answer", "megoldás*"):
        assert not load.pattern("answer", ("hu",)).search("megoldás: 2")
    assert load.pattern("answer", ("hu",)).search("megoldás: 2")


def cases():
    return json.loads((OUTSIDE / "eo.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["why"])
def test_a_language_of_a_family_outside_the_project(families, case):
    add(families, "eo", (OUTSIDE / "eo.yaml").read_text(encoding="utf-8"))
    assert short_answer(case["response"], ("eo",)).value == case["answer"]
    stated = stated_confidence(case["response"], ("eo",))
    assert (stated and stated[0]) == case["confidence"]


def test_a_language_of_another_distribution(families, tmp_path, monkeypatch):
    site = tmp_path / "site"
    (site / "faraway" / "languages").mkdir(parents=True)
    (site / "faraway" / "__init__.py").touch()
    (site / "faraway" / "languages" / "__init__.py").touch()
    (site / "faraway" / "languages" / "eo.yaml").write_bytes((OUTSIDE / "eo.yaml").read_bytes())
    (site / "faraway-1.0.dist-info").mkdir()
    (site / "faraway-1.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: faraway\nVersion: 1.0\n")
    points = "[hueval.languages]\nfaraway = faraway.languages\nbroken = faraway.missing\n"
    (site / "faraway-1.0.dist-info" / "entry_points.txt").write_text(points)
    monkeypatch.syspath_prepend(str(site))
    load.read_again()
    assert "eo" in load.known()
    assert short_answer("Respondo: Varsovio", ("eo",)).value == "Varsovio"


def test_our_own_file_of_a_language_counts(families):
    add(families, "hu", "answer: [tipp]")
    assert load.files()["hu"].parent == load.FOLDER
