"""HuCoPA: what replies call its options, and replies that repeat the prompt."""

from __future__ import annotations

import pytest

from lm_eval_tasks.hulu.hooks import instruction, read_label
from tests.each import each

DOC = {
    "task": "hucopa",
    "prompt": 1,
    "premise": "A férfi elesett.",
    "question": "cause",
    "choice1": "Megcsúszott a jégen.",
    "choice2": "Leült a padra.",
}


@pytest.mark.parametrize(
    ("response", "label"),
    [
        ("Az első ok a valószínűbb.", "1"),
        ("A kérdés a következő:\n\nA", None),  # cut off behind an article
        ("A második.\n\nAz", "2"),
        ("A 2. következmény.", "2"),
        ("A második mondat a valószínűbb.", "2"),
        ("A **második** eset.", "2"),
        ("The second cause is more likely.", "2"),
        ("Az első mondat kevésbé valószínű.", "2"),
        ("A második mondat nem valószínű, az első igen.", "1"),
        # One of the two is right, so that rejecting one chooses the other, unless the reply leaves that open, too.
        ("Nem az első.", "2"),
        ("Az első nem valószínű.", "2"),
        ("A második nem lehet ok.", "1"),
        ("The first one doesn't make sense.", "2"),
        ("Az első nem rossz.", None),
        ("Egyik sem. Az első nem logikus.", None),
        ("Sem az első, sem a második.", None),
        ("Nem tudom, hogy az első-e.", None),
        ("Ha az első nem igaz, akkor nehéz.", None),
    ],
)
def test_the_option_that_a_reply_chooses(response, label):
    assert read_label(DOC, response) == label


def test_a_choice_may_have_the_words_of_an_option():
    doc = DOC | {"choice1": "Ez volt az első eset.", "choice2": "A második mondat hosszú volt."}
    assert read_label(doc, "Ez volt az első eset.") == "1"
    assert read_label(doc, "A második mondat hosszú volt.") == "2"


@each("question", ["cause", "effect"])
@each("number", [1, 2, 3])
@each(
    ("reply", "label"),
    [
        ("{prompt}\nelső", "1"),
        ("{prompt} Válasz: második", "2"),
        ("{prompt}\nLeült a padra.", "2"),
        ("A feladat:\n{prompt}\n\nelső", "1"),
        ("<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\nmásodik", "2"),
        ("{prompt}\nelső\n\n{prompt}\nmásodik", "1"),  # the first answer counts, as where a base model goes on
        ("második\n\n{prompt}\nelső", "2"),
        ("második\n\n{other}\nelső", "2"),
        ("{prompt}", None),
    ],
)
def test_a_repeated_prompt_is_no_answer(question, number, reply, label):
    doc = DOC | {"question": question, "prompt": number}
    other = instruction(doc | {"premise": "Esik.", "choice1": "Megázott.", "choice2": "Megszáradt."})
    assert read_label(doc, reply.format(prompt=instruction(doc), other=other)) == label


def test_the_question_before_the_answer_is_no_repeated_prompt():
    assert read_label(DOC | {"question": "effect"}, "Mi a valószínűbb következménye? A második.") == "2"
