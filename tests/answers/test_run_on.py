"""The part of a reply that answers, and where a reply repeats its prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.run_on import answered_part

LINES = (
    *("You are an expert in geography. Name the capital of a country, and nothing else.", "#####"),
    *("Country: {country}", "-----", "Your answer:"),
)
PROMPT = "\n".join(LINES).replace("{country}", "Ausztria")
INVENTED = PROMPT.replace("Ausztria", "Olaszország")
PIECES = [*LINES, PROMPT, "Bécs", "\n", " ", "Country: Ausztria", "<|im_end|>", "### Question", "{", "\0", "\ud800"]


@pytest.mark.parametrize(
    ("response", "part"),
    [
        ("Bécs", "Bécs"),
        (" Bécs,\nazaz Wien\n", " Bécs,\nazaz Wien\n"),
        (f"Bécs\n\n{INVENTED} Róma", "Bécs"),
        ("Bécs\n#####\n-----\nCountry: Olaszország", "Bécs"),
        ("Bécs<|im_end|>\n<|im_start|>user\nÉs Olaszországé?", "Bécs"),
        ("Bécs\n### Question: Olaszország?", "Bécs"),
        (f"{PROMPT}\nBécs\n{INVENTED}\nRóma", "Bécs"),
        (PROMPT, ""),
        (INVENTED + "\nRóma", ""),
        ("", ""),
    ],
)
def test_what_answers_the_prompt(response, part):
    assert answered_part(response, LINES, ["Ausztria"]) == part


def test_without_a_template_only_special_tokens_end_an_answer():
    assert answered_part("## Question\nBécs<|im_end|>\n<|im_start|>user\nÉs?") == "## Question\nBécs"


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_gives_a_part_of_it(text):
    part = answered_part(text, LINES, ["Ausztria"])
    assert len(part) <= len(text)
    assert set(part.split()) <= set(text.replace("<|im_end|>", "\n").split()) | set(text.split())


@pytest.mark.parametrize("piece", ["#####\n", "Your answer:\n", "1\n#####\n", "<|im_end|>", "Country: x\n", "a" * 99])
def test_huge_text_is_read_to_the_end(piece):
    """Quadratic time would take minutes on these texts."""
    assert len(answered_part(piece * 30_000, LINES, ["Ausztria"])) <= len(piece) * 30_000
