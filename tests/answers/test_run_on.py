"""The part of a reply that answers, and where a reply repeats its prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.json_answer import answer_text
from hueval_metrics.answers.run_on import answered_part, cut
from hueval_metrics.text.endings import plain_name
from lm_eval_tasks.hkmmlu import hooks as hkmmlu
from lm_eval_tasks.hulu import hooks as hulu
from lm_eval_tasks.hulu import hurc
from lm_eval_tasks.kolassimpleqa import hooks as kolassimpleqa
from tests.helpers import load_cases, why
from tests.linear import repeated, slower_than_linear

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


@pytest.mark.slow
def test_huge_text_is_read_in_linear_time():
    def read(text):
        assert len(answered_part(text, LINES, ["Ausztria"])) <= len(text)

    pieces = ["#####\n", "Your answer:\n", "1\n#####\n", "<|im_end|>", "Country: x\n", "a" * 99]
    assert not slower_than_linear(read, repeated(pieces))


SENTENCES = ("Judge the sentence.", "Sentence: {sentence}", "Is it right, yes or no?")
BARE = ("{premise}", "Does it follow from this that it is true: „{hypothesis}”? Yes or no?")
OPTIONS = ("問題: {question}", "A. {choice1}", "B. {choice2}", "C. {choice3}", "答案:")
CAPITALS = ("Bécs", "Buda", "Eger")


@pytest.mark.parametrize(
    ("why", "response", "part"),
    [
        ("an input label with another value", "no\nSentence: A kutya ugat.\nyes", "no"),
        ("bold, as a bullet", "no\n\n- **Sentence:** A kutya ugat.\n- **Answer:** yes", "no"),
        ("numbered", "no\n2. Sentence: A kutya ugat.\nyes", "no"),
        ("an invented item alone", "Sentence: A kutya ugat.\nAnswer: yes", ""),
        ("its value below the label", "Sentence:\nA kutya ugat.\n\nAnswer: yes", ""),
        ("the item's own value", "Sentence: „Mari futott.”\nno", "no"),
        ("a remark behind the own value", "Sentence: Mari futott. (múlt idő)\nno", "no"),
        ("said of the value, at its label", "Sentence: right", "Sentence: right"),
        ("the value cut off", "Sentence: Mari fu", ""),
        ("the answer, then the own item again", "no\n\nSentence: Mari futott.", "no"),
        ("a line of the prompt cut off", "Is it right, ye", ""),
        ("its first word may be an answer", "Is", "Is"),
        ("MiniMax M2: the next turn", "no[e~[\n]~b]user\nAnother?", "no"),
        ("a role alone, as decoding leaves it", "no\nuser\nAnother?", "no"),
    ],
)
def test_input_labels(why, response, part):
    assert answered_part(response, SENTENCES, ["Mari futott."]) == part, why


@pytest.mark.parametrize(
    ("why", "response", "part"),
    [
        ("a value before its question", f"no\n\nA kutya ugat az udvaron.\n\n{BARE[1]}", "no"),
        ("an invented item alone", "A kutya ugat az udvaron.\n\n" + BARE[1].format(hypothesis="Ugat.") + "\nyes", ""),
        ("the own premise cut off", "Mari tegnap a parton fut", ""),
        (
            "the question behind a reason",
            f"No, the text says nothing of it.\n\n{BARE[1]}",
            "No, the text says nothing of it.",
        ),
    ],
)
def test_templates_without_labels(why, response, part):
    values = ["Mari tegnap a parton futott, mert esett az eső.", "Mari vizes lett."]
    assert answered_part(response, BARE, values) == part, why


@pytest.mark.parametrize(
    ("why", "response", "part"),
    [
        ("labels of candidates are no input labels", "A. Bécs", "A. Bécs"),
        ("the list of options", "A. Bécs\nB. Buda\nC. Eger", ""),
        ("cut off", "A. Bécs\nB. Bu", ""),
        ("on one line", "A. Bécs B. Buda C. Eg", ""),
        ("each with an empty answer", "A. Bécs\n答案:\nB. Buda\n答案:\nC. Eger\n答案:", ""),
        ("the list, then the answer", "A. Bécs\nB. Buda\nC. Eger\nB", "B"),
        ("the prompt cut off in an option", "問題: Melyik főváros?\nA. Bé", ""),
        ("another question with its options", "B\nMelyik folyó?\nA. Duna\nB. Tisza\n答案: A", "B"),
        ("that alone", "2. Melyik folyó?\nA. Duna\nB. Tisza\n答案: A", ""),
        ("options judged one by one", "A. Bécs: no\nB. Buda: yes", "A. Bécs: no\nB. Buda: yes"),
    ],
)
def test_candidates(why, response, part):
    assert answered_part(response, OPTIONS, ["Melyik főváros?", *CAPITALS], CAPITALS) == part, why


def test_an_answer_may_stand_beside_the_keys_of_a_form():
    lines = ('"question": {question},', '"answer": ["#0#A"]')
    filled = '{\n"question": "Hol #0# él?",\n"answer": ["#0#B"]\n}'
    assert answered_part(filled, lines, ['"Mi #0#?"']) == filled
    assert (
        answered_part('{"answer": ["#0#B"]}\n"question": "Hol #0# él?"', lines, ['"Mi #0#?"']) == '{"answer": ["#0#B"]}'
    )


def test_the_whole_prompt_with_its_examples():
    prompt = f"{INVENTED} Róma\n\n{PROMPT}"
    assert answered_part(f"\n{prompt} Bécs", LINES, ["Ausztria"], prompt=prompt) == " Bécs"
    assert answered_part(prompt, LINES, ["Ausztria"], prompt=prompt) == ""


MORE = [
    *PIECES,
    *SENTENCES,
    "Sentence: Mari futott.",
    "Sentence: A kutya ugat.",
    "A. Bécs",
    "B. Buda",
    "Mari fut",
    "yes",
]


@given(st.lists(st.sampled_from(MORE), max_size=12).map("\n".join))
def test_the_cut_is_idempotent(text):
    for lines, values, candidates in (
        (SENTENCES, ["Mari futott."], ()),
        (OPTIONS, CAPITALS, CAPITALS),
        (LINES, [], ()),
    ):
        once = answered_part(text, lines, values, candidates)
        assert answered_part(once, lines, values, candidates) == once
        span = cut(text, lines, values, candidates)
        assert text[span.start : span.end] == once


@given(st.sampled_from(MORE), st.lists(st.sampled_from(MORE), max_size=8).map("\n".join))
def test_text_behind_an_invented_item_changes_nothing(before, behind):
    invented = "Sentence: A kutya ugat.\nAnswer: yes"
    part = answered_part(f"{before}\n{invented}", SENTENCES, ["Mari futott."])
    assert answered_part(f"{before}\n{invented}\n{behind}", SENTENCES, ["Mari futott."]) == part


def read(task, doc, response):
    """What a family's own reader reads, behind the cut."""
    if task == "kolassimpleqa":
        return answer_text(kolassimpleqa.answer(doc, response), (doc["question_lang"],)).strip() or None
    if task == "hulugen_hurc":
        name = hurc.read_name(doc, response)
        return name and plain_name(name)
    return (hkmmlu.read if task == "hkmmlu" else hulu.read_label)(doc, response)


@pytest.mark.parametrize("case", load_cases("run_on_families"), ids=why)
def test_what_is_read_beside_repeated_and_invented_items(case):
    assert read(case["task"], case["doc"], case["response"]) == case["answer"]
