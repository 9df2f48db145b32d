"""Where a reply begins a prompt of OpenHuEval again, and what of it answers."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.run_on import answered_part
from hueval_metrics.judge.lexical import judge_lexically
from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.loader import documents
from hueval_metrics.records import Filtered
from lm_eval_tasks.openhueval.family import FAMILY
from lm_eval_tasks.openhueval.hooks import huproverbrea_2cq
from lm_eval_tasks.openhueval.hooks_judged import husimpleqa
from lm_eval_tasks.openhueval.templates import (
    PROMPT_LANGS,
    answer_to,
    example_answer,
    fixed_lines,
    prompt,
    target,
    template,
)
from tests.each import each
from tests.helpers import load_cases, why
from tests.linear import repeated, slower_than_linear

DOC = {
    "hu_text": "Új kapu",
    "context": "Speaker 1: Nézd!\nSpeaker 2: Mint borjú.",
    "option1": "Siker lesz.",
    "option2": "Eső lesz.",
    "question": "Mi a fővárosunk?",
}
NAMES = [name.removeprefix("openhueval_") for name in FAMILY.tasks]
TASKS = [task for task in NAMES if task != "huwildbench"]  # which has no template
PIECES = [
    *fixed_lines("huproverbrea_2cq"),
    *("1", "2", "\n", "Your answer: ", "Option 1: x", "<|im_end|>", "\0", "\ud800"),
]


@pytest.mark.parametrize("case", load_cases("run_on"), ids=why)
def test_answer_to(case):
    assert answer_to(case["task"], DOC, case["response"]) == case["part"]


@pytest.fixture(scope="module")
def sample():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        return {
            (t, lang): documents(f"openhueval_{t}", prompt_lang=lang)[0][:4] for t in TASKS for lang in PROMPT_LANGS
        }


@each("lang", PROMPT_LANGS)
@each("task", TASKS)
def test_gold_counts_before_the_prompt_and_the_prompt_alone_is_no_answer(task, lang, sample):
    docs = sample[task, lang]
    for doc, other in pairwise(docs):
        gold, again, invented = target(doc), prompt(doc), prompt(other) + "\n" + target(other)
        assert answer_to(task, doc, gold) == gold
        assert answer_to(task, doc, f"{gold}\n\n{invented}") == gold
        assert answer_to(task, doc, f"{gold}\n{again}\n{gold}\n{again}") == gold
        assert "answer" not in answer_to(task, doc, f"\n{again}\n")
        assert answer_to(task, doc, f"{again}\n{gold}\n{invented}").endswith(gold)


@each("task", NAMES)
def test_fixed_lines_are_those_of_all_templates(task):
    if task == "huwildbench":
        assert fixed_lines(task) == ()
        return
    for lang in PROMPT_LANGS:
        assert set(filter(None, template(task, lang).split("\n"))) <= set(fixed_lines(task))


def test_the_example_is_that_of_both_languages():
    for task in ("humatchingfib", "hustandardfib"):
        for lang in PROMPT_LANGS:
            assert ", ".join(f'"{answer}"' for answer in example_answer(task)) in template(task, lang)


@each("rubric", ["husimpleqa", "huproverbrea_oe", "huwildbench"])
def test_the_judge_sees_what_answers_the_prompt(rubric):
    doc = DOC | {"answer": "Budapest", "reference": "Óvatosság.", "query": "Mit tegyek?", "checklist": []}
    messages = load_rubric(rubric).render(doc, "Budapest.<|im_end|>\n<|im_start|>user\nÉs Ausztriáé?")
    assert messages == load_rubric(rubric).render(doc, "Budapest.")
    assert "Budapest." in messages[-1]["content"]


def test_words_of_an_invented_task_are_not_the_answer():
    response = '{"answer": "Szeged"}\nQuestion: Mi a fővárosunk?\n{"answer": "Budapest"}'
    assert judge_lexically(DOC | {"answer": "Budapest"}, response, "husimpleqa").label == "INCORRECT"


def test_the_reference_protocol_sees_the_whole_reply():
    response = "1\n\nQuestion: What does it mean?\nAnswer: 2"
    values = huproverbrea_2cq(DOC | {"qid": "p", "correct_option": 1}, [Filtered(response).to_json()])
    assert (values["acc"], values["acc_ref"]) == (("p", 1, 1), ("p", 1, None))


def test_confidence_is_that_of_the_answer():
    response = '{"answer": "Eger", "confidence_score": 90}\nKérdés: Mi?\n{"answer": "x", "confidence_score": 10}'
    filtered = Filtered(response, verdict={"label": "CORRECT"}).to_json()
    assert husimpleqa(DOC | {"hu_specific_dim": "geography and place"}, [filtered])["ece"] == (0.9, 1.0)


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_gives_a_part_of_it(text):
    part = answered_part(text, fixed_lines("huproverbrea_2cq"), ["Siker lesz."])
    assert len(part) <= len(text)
    assert set(part.split()) <= set(text.replace("<|im_end|>", "\n").split()) | set(text.split())


@pytest.mark.slow
@pytest.mark.no_cover
def test_huge_text_is_read_in_linear_time():
    def read(text):
        assert len(answer_to("huproverbrea_2cq", DOC, text)) <= len(text)

    pieces = ["#####\n", "Your answer:\n", "1\n#####\n", "<|im_end|>", "Option 1: x\n", "\n", "a" * 99]
    assert not slower_than_linear(read, repeated(pieces))
