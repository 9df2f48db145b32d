"""What must hold for any answer: nothing is credited that is not there, and guessing does not pay."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.answers.blanks.blank import split_mark
from hueval_metrics.answers.blanks.parse import parse_blanks
from hueval_metrics.loader import documents
from hueval_metrics.records import Filtered
from lm_eval_tasks.openhueval.hooks import humatchingfib, huproverbrea_2cq, hustandardfib
from lm_eval_tasks.openhueval.metrics.fib import matching_blanks, standard_blanks
from tests.helpers import shared

LETTERS = "ABCDEFGH"
OPTIONS = [f"{letter}.{'szó' * n}" for n, letter in enumerate(LETTERS, start=1)]
WORDS = ["Prága", "menlevél", "Székesfehérvár", "sokistenhit", "kancellária"]
WRONG = st.text("xyzqwXYZQW", min_size=1, max_size=12)  # no letter of WORDS: never similar, alone or in a list
SPELLINGS = {
    "as asked": lambda blanks: {"answer": [f"#{i}#{text}" for i, text in blanks]},
    "white space": lambda blanks: {"answers": [f" #{i}#  {text} " for i, text in blanks]},
    "object": lambda blanks: {"answer": {str(i): text for i, text in blanks}},
    "object of marks": lambda blanks: {f"#{i}#": text for i, text in blanks},
    "list of objects": lambda blanks: {"válasz": [{f"#{i}#": text} for i, text in blanks]},
    "one string": lambda blanks: {"answer": "\n".join(f"#{i}#{text}" for i, text in blanks)},
    "nested": lambda blanks: {"result": {"answer": [f"#{i}#{text}" for i, text in blanks]}},
    "shuffled": lambda blanks: {"answer": [f"#{i}#{text}" for i, text in reversed(blanks)]},
    "by position": lambda blanks: {"answer": [text for _, text in blanks]},
}
WRAPPERS = [
    "{}",
    "\n\n {} \n",
    "```json\n{}\n```",
    "A megoldás:\n{}\nRemélem, segít!",
    'Az "első" szó {{jele}} #0#. Tehát: {} Ennyi.',
    'Példa: {{"answer": ["#0#Z"]}}\n{}',
]


def matching(response: str, gold: list[str]) -> int:
    marked = [f"#{i}#{letter}" for i, letter in enumerate(gold)]
    return sum(matching_blanks(parse_blanks(response), marked, OPTIONS, marks(len(gold))))


def standard(response: str, gold: list[str]) -> int:
    marked = [f"#{i}#{word}" for i, word in enumerate(gold)]
    return sum(standard_blanks(parse_blanks(response), marked, marks(len(gold))))


def marks(n: int) -> str:
    return " ".join(f"#{i}#" for i in range(n))


gold_letters = st.lists(st.sampled_from(LETTERS), min_size=1, max_size=6)
gold_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)


@given(gold_letters, st.data())
def test_without_gold_letters_nothing_is_right(gold, data):
    others = [letter for letter in LETTERS if letter not in gold]
    alphabet = "".join(others) + '{}[]"#0123456789:,. \n'
    response = data.draw(st.text(alphabet, max_size=60))
    wrapped = json.dumps({"answer": [response, f"#0#{response}", f"#1#{response}"]})
    assert matching(response, gold) == 0
    assert matching(wrapped, gold) == 0


@given(gold_words, st.text('xyzqw{}[]"#0123456789:,.; \n', max_size=60))
def test_without_gold_words_nothing_is_right(gold, response):
    assert standard(response, gold) == 0
    assert standard(json.dumps({"answers": [response] * len(gold)}), gold) == 0


@given(gold_letters, st.lists(st.tuples(st.integers(-1, 7), st.sampled_from(LETTERS)), max_size=8))
def test_no_more_right_than_filled(gold, entries):
    texts = [letter if i < 0 else f"#{i}#{letter}" for i, letter in entries]
    assert matching(json.dumps({"answer": texts}), gold) <= min(len(entries), len(gold))


@given(gold_letters, st.data())
def test_more_guesses_do_not_mend_a_wrong_answer(gold, data):
    wrong = [data.draw(st.sampled_from([x for x in LETTERS if x != letter])) for letter in gold]
    answer = [f"#{i}#{letter}" for i, letter in enumerate(wrong)]
    more = data.draw(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(LETTERS)), max_size=8))
    assert matching(json.dumps({"answer": answer + [f"#{i}#{letter}" for i, letter in more]}), gold) == 0
    assert matching(json.dumps({"answer": answer + [letter for _, letter in more]}), gold) == 0


@given(gold_letters, st.sampled_from([", ", "/", " vagy ", ";", ". ", ") ", "", " és ", "-"]), st.data())
def test_several_letters_in_a_blank_are_never_better_than_the_first(gold, joint, data):
    entries = []
    for letter in gold:
        first = data.draw(st.sampled_from([x for x in LETTERS if x != letter]))
        rest = data.draw(st.permutations([x for x in LETTERS if x != first]))
        entries.append(joint.join([first, *rest]))
    assert matching(json.dumps({"answer": entries}), gold) == 0


@given(gold_letters, st.sampled_from([", ", "/", " vagy ", ";", ". "]))
def test_all_letters_in_every_blank_score_nothing(gold, joint):
    for letter in LETTERS:
        every = joint.join([letter, *(x for x in LETTERS if x != letter)])
        assert matching(json.dumps({"answer": [every] * len(gold)}), gold) == 0


@given(gold_words, st.lists(WRONG, min_size=1, max_size=6))
def test_lists_of_wrong_words_score_nothing(gold, wrong):
    assert standard(json.dumps({"answers": [";".join(wrong)] * len(gold)}), gold) == 0
    answer = [f"#{i}#{wrong[0]}" for i in range(len(gold))]
    assert standard(json.dumps({"answers": answer + [f"#{i}#{word}" for i, word in enumerate(gold)]}), gold) == 0


@given(gold_words, st.lists(WRONG, min_size=1, max_size=6))
def test_wrong_words_beside_a_right_one_do_not_raise_the_score(gold, wrong):
    alone = standard(json.dumps({"answers": gold}), gold)
    listed = standard(json.dumps({"answers": [";".join([word, *wrong]) for word in gold]}), gold)
    assert listed <= alone == len(gold)


@given(st.lists(st.sampled_from(LETTERS), min_size=2, max_size=6), st.data())
def test_order_of_entries_with_ids_does_not_matter(gold, data):
    answer = [f"#{i}#{data.draw(st.sampled_from(LETTERS))}" for i in range(len(gold))]
    shuffled = data.draw(st.permutations(answer))
    assert matching(json.dumps({"answer": shuffled}), gold) == matching(json.dumps({"answer": answer}), gold)


@given(gold_letters, st.data(), st.sampled_from(WRAPPERS), st.sampled_from(sorted(SPELLINGS)))
def test_wrapping_and_spelling_do_not_matter(gold, data, wrapper, spelling):
    answer = [(i, data.draw(st.sampled_from(LETTERS))) for i in range(len(gold))]
    expected = sum(letter == right for (_, letter), right in zip(answer, gold, strict=True))
    if spelling == "shuffled":
        random.Random(0).shuffle(answer)
    text = json.dumps(SPELLINGS[spelling](answer), ensure_ascii=False)
    assert matching(wrapper.format(text), gold) == expected


def spellings(task: str, doc: dict) -> list[str]:
    """The gold answer of a document in every spelling that is accepted."""
    if task == "huproverbrea_2cq":
        n = doc["correct_option"]
        forms = ["{}", "{}.", "**{}**", "Válasz: {}", "The answer is option {}.", "A helyes válasz a {}-es opció."]
        return [form.format(n) for form in forms] + ([doc[f"option{n}"]] if doc["option1"] != doc["option2"] else [])
    gold = [split_mark(answer) for answer in doc["answer" if task == "humatchingfib" else "answers"]]
    blanks = [(mark.id, mark.text.split(";")[0]) for mark in gold]
    filled = [json.dumps(spell(blanks), ensure_ascii=False) for spell in SPELLINGS.values()]
    if task == "humatchingfib":
        texts = [
            option
            for letter in (text for _, text in blanks)
            for option in doc["options"]
            if option.startswith(f"{letter}.")
        ]
        filled.append(
            json.dumps({"answer": [[f"#{i}#({text})", f"#{i}#{text.lower()}."][i % 2] for i, text in blanks]})
        )
        if len(texts) == len(blanks):
            filled.append(json.dumps({"answer": [f"#{i}#{t}" for (i, _), t in zip(blanks, texts, strict=True)]}))
    else:
        filled.append(json.dumps({"answers": list(doc["answers"])}, ensure_ascii=False))
        filled.append(json.dumps({"answers": [f"#{i}# „{text.upper()}”." for i, text in blanks]}, ensure_ascii=False))
    return filled


SCORERS = {"humatchingfib": humatchingfib, "hustandardfib": hustandardfib, "huproverbrea_2cq": huproverbrea_2cq}


@pytest.mark.slow
@pytest.mark.parametrize("task", SCORERS)
@pytest.mark.parametrize("source", ["sample", pytest.param("published", marks=pytest.mark.nightly)])
def test_gold_is_wholly_right_in_every_spelling(task, source, monkeypatch):
    if source == "sample":
        monkeypatch.setenv("HUEVAL_SAMPLE", "1")
        docs, _ = documents(f"openhueval_{task}")
    else:
        monkeypatch.delenv("HUEVAL_SAMPLE", raising=False)
        docs, _ = documents(f"openhueval_{task}", data_dir=str(shared("data")))
    for doc in docs:
        for response in spellings(task, doc):
            values = SCORERS[task](doc, [Filtered(response).to_json()])
            if task == "huproverbrea_2cq":
                assert values["acc"][2] == doc["correct_option"], (doc["qid"], response)
            else:
                right, total = values["blank_acc"]
                assert right == total == len(doc.get("answer") or doc["answers"]), (doc["qid"], response)
                assert values["question_acc"] == values["parse_rate"] == 1.0
