"""Reading which name a reply puts in the place of a mask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.masked_name import MASK, read_masked_name
from tests.answers.test_any_text import TEXT, huge
from tests.each import each
from tests.helpers import load_cases, why
from tests.linear import LENGTH, repeated, slower_than_linear

QUERY = "A vonatok tavasztól [MASK] közlekednek majd, mondta a miniszter."
NAMES = ("Gödöllőre", "Szent-Györgyi Albert", "Forma–1", "MTI-nek", "Kovács J. Péter", "Magyar Nemzeti Bank")
DRESSES = (
    *(
        "{}",
        "{}.",
        "**{}**",
        "„{}”",
        "\n{}\n",
        "<b>{}</b>",
        "Válasz: {}",
        "A hiányzó név: **{}**.",
        "A hiányzó név {}.",
    ),
    *('{{"név": "{}"}}', '{{"answer": "{}"}}', "A helyes válasz tehát: „{}”.", QUERY.replace(MASK, "{}")),
    *(f"{MASK}: {{}}", QUERY.replace(MASK, "**{}**"), f"{QUERY}\n\n{{}}"),
)


@pytest.mark.parametrize("case", load_cases("masked_names"), ids=why)
def test_read(case):
    assert read_masked_name(case["response"], case["query"]).value == case["name"]


@each("dress", DRESSES)
@each("name", NAMES)
def test_a_name_is_read_in_any_dress(name, dress):
    assert read_masked_name(dress.format(name), QUERY).value == name


@given(TEXT, st.one_of(st.just(QUERY), TEXT, st.just(MASK)))
def test_what_is_read_is_a_name_of_the_reply(text, query):
    name = read_masked_name(text, query).value
    assert name is None or (any(map(str.isalnum, name)) and len(name) <= 80 and MASK not in name)


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize(
    "texts",
    [huge, repeated(["A vonatok ", "közlekednek majd, ", "Buda, ", f"{MASK} helyére Buda ", "„Buda” "])],
    ids=["any text", "like the query"],
)
def test_huge_text_is_read_in_linear_time(texts):
    assert not slower_than_linear(lambda text: read_masked_name(text, QUERY), texts, LENGTH // 2)


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        ("", "nothing"),
        (MASK, "nothing"),
        (QUERY, "nothing"),
        ("A minisztert tegnap Gödöllőn köszöntötték a terv szerint.", "nothing"),  # a line of the article
        ("Nem tudom.", "nothing"),
        ("Gödöllő vagy Vác", "several"),
        ("Nem Vác.", "unreadable"),
    ],
)
def test_kind_of_a_reading(response, kind):
    article = ["A minisztert tegnap Gödöllőn köszöntötték a terv szerint. Esett."]
    assert read_masked_name(response, QUERY, quoted=article).kind == kind


@each("dress", DRESSES)
def test_a_span_holds_the_name(dress):
    response = dress.format("Gödöllőre")
    ((start, end),) = read_masked_name(response, QUERY).spans
    assert response[start:end] == "Gödöllőre"
