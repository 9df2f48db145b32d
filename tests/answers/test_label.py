"""Reading which of a few words a reply answers with."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.label import read_label
from hueval_metrics.answers.label_grammar import Labels
from tests.helpers import load_cases, why

PARTICLES = ("igen", "nem", "talán", "yes", "no", "maybe")
SETS = {
    "yes or no": Labels(
        {
            "igen": ("helyes", "elfogadható", "fogadható el", "következik", "igaz", "yes", "true"),
            "nem": ("helytelen", "elfogadhatatlan", "hibás", "hiba", "hamis", "ellentmond", "no", "false"),
        },
        {"igen": "nem", "nem": "igen", "ellentmond": None},
        particles=PARTICLES,
        is_rewritten=True,
    ),
    "sentiment": Labels({"negatív": ("negative",), "semleges": ("neutral",), "pozitív": ("positive",)}),
    "three ways": Labels(
        {"igen": ("igaz", "következik"), "nem": ("hamis", "ellentmond", "mond ellent"), "talán": ("semleges",)},
        {"igaz": "nem"},
        "talán",
        PARTICLES,
    ),
}


def read(name: str, response: str, quoted=()) -> str | None:
    return read_label(response, SETS[name], quoted=quoted).value


@pytest.mark.parametrize("case", load_cases("label_words"), ids=why)
def test_read(case):
    assert read(case["set"], case["response"], case.get("quoted", ())) == case["answer"]


@given(st.sampled_from(sorted(SETS)), st.text(max_size=300))
def test_any_text_gives_an_answer_on_offer_or_none(name, text):
    assert read(name, text) in {*SETS[name].words, None}


@given(
    st.sampled_from(sorted(SETS)).flatmap(
        lambda name: st.tuples(st.just(name), st.sampled_from(sorted(SETS[name].words)))
    )
)
def test_an_answer_alone_is_read_in_any_dress(drawn):
    name, word = drawn
    for dress in (
        "{}",
        "{}.",
        "**{}**",
        "„{}”",
        "Válasz: {}",
        "A válasz {}.",
        '{{"answer": "{}"}}',
        "\n{}\n",
        "<b>{}</b>",
    ):
        for said in (word, word.upper(), word.capitalize()):
            assert read(name, dress.format(said)) == word, dress.format(said)


@pytest.mark.parametrize(
    ("name", "response", "kind"),
    [
        ("yes or no", "", "nothing"),
        ("yes or no", "…", "nothing"),
        ("yes or no", "Nem tudom eldönteni.", "nothing"),
        ("three ways", "Nem tudom eldönteni.", "answered"),  # doubt is one of the labels
        ("yes or no", "Sajnálom, erre nem tudok válaszolni.", "refused"),
        ("yes or no", "igen vagy nem", "several"),
        ("yes or no", "Igen. Nem.", "several"),
        ("yes or no", "A kutya ugat.", "unreadable"),
        ("sentiment", "Nem pozitív.", "unreadable"),
    ],
)
def test_kind_of_a_reading(name, response, kind):
    assert read_label(response, SETS[name]).kind == kind


@pytest.mark.parametrize(
    ("response", "said", "rule"),
    [
        ("**Nem.**", "Nem", "whole"),
        ("A válasz: **igen**, mert nem hibás.", "igen", "line"),
        ('```json\n{"válasz": "nem"}\n```', "nem", "object"),
        ("A mondat &quot;így&quot; **nem** helyes.", "nem** helyes", "only"),
        ("Ｉｇｅｎ", "Ｉｇｅｎ", "whole"),
    ],
)
def test_a_span_holds_what_was_read(response, said, rule):
    reading = read_label(response, SETS["yes or no"])
    ((start, end),) = reading.spans
    assert (response[start:end], reading.rule) == (said, rule)


@pytest.mark.parametrize(
    "piece",
    [
        "következik a szöveg: a kutya ugat",
        "Következik a szöveg a következik a szöveg",
        "következik a szövegből az állítás",
    ],
)
def test_a_piece_of_the_question_answers_nothing(piece):
    asked = ["Következik a szövegből az állítás?"]
    assert read_label(piece, SETS["yes or no"], asked=asked).value is None
    assert read_label("Következik a szövegből.", SETS["yes or no"], asked=asked).value == "igen"


def test_words_come_from_the_languages_of_the_task():
    assert read_label("Nem helyes.", SETS["yes or no"], languages=("hu",)).value == "nem"
    assert read_label("Nem helyes.", SETS["yes or no"], languages=()).value == "igen"  # English knows no "nem"
