import base64
import gzip
import json
import random

from hueval_metrics.reports.page.answers import Answers
from hueval_metrics.reports.page.items import BLOCK, Items
from hueval_metrics.runs.items import Item

FIB, CHOICE, QA = "openhueval_humatchingfib", "openhueval_huproverbrea_2cq", "openhueval_husimpleqa"


def row(qid="1", task=FIB, **more):
    return Item.of({"task": task, "qid": qid, "prediction": "Igen.", "metrics": {"acc": 100.0}} | more)


def unpacked(blocks: bytes):
    """The entries of all blocks."""
    return [
        one
        for line in blocks.split(b"\n")
        for one in (json.loads(gzip.decompress(base64.b64decode(line))) if line else [None] * BLOCK)
    ]


def answers_of(*rows, most_chars=10**6):
    items = Items()
    answers = Answers(items)
    for each in rows:
        answers.add(each)
    return items, answers.packed(most_chars)


def test_an_item_is_known_by_task_id_and_order():
    items = Items()
    rows = [row(), row(task=CHOICE, correct_option=1), row(task=CHOICE, correct_option=2), row(prompt="later")]
    assert [items.number(each) for each in rows] == [0, 1, 2, 0]
    index = items.index()
    assert index["tasks"] == ["HuMatchingFIB", "HuProverbRea 2CQ"]
    assert (index["task"], index["qid"], index["option"]) == ([0, 1, 1], ["1", "1", "1"], [None, 1, 2])


def test_prompts_and_references_stand_once_with_the_first_run():
    items = Items()
    items.number(row(prompt="Ki?", reference="Ő."))
    items.number(row(prompt="other", reference="other"))
    assert unpacked(items.questions()) == [["Ki?", "Ő."]]


def test_a_snippet_begins_after_what_the_prompts_of_a_task_and_dimension_share():
    items = Items()
    for number, text in enumerate(("Answer in one word.\nKi volt Mátyás?", "Answer in one word.\nKi volt Széchenyi?")):
        items.number(row(str(number), dimension="h", prompt=text))
    items.number(row("2", dimension="l", prompt="Answer in one word.\nAlone in its dimension."))
    items.number(row("3", dimension="x"))
    assert items.index()["snippet"] == [
        "Ki volt Mátyás?",
        "Ki volt Széchenyi?",
        "Answer in one word. Alone in its dimension.",
        "",
    ]
    assert items.index()["dimension"] == ["h", "h", "l", ""]


def snippets(*prompts, task=QA):
    items = Items()
    for number, prompt in enumerate(prompts):
        items.number(row(str(number), task, prompt=prompt))
    return items.index()["snippet"]


def test_a_snippet_is_what_a_question_says_and_others_do_not():
    template = 'Read the phrase "{}" ##### and a context using this phrase: #####\nContext:\n{}\nAnswer in Hungarian!'
    chat = "<|im_start|>user\nKérdés: {} Kérjük, magyarul válaszoljon!<|im_end|>\n<|im_start|>assistant\n"
    sayings = ("Több szem többet lát.", "Majd, ha fagy, sztem", "Köszi, sztem", "BÚÉK")
    contexts = ("Nézzük meg ketten!", "Mikor fizet?", "Megjött?", "Éjfél van.")
    assert snippets(*map(template.format, sayings, contexts)) == [
        "Több szem többet lát. · Nézzük meg ketten!",
        "Majd, ha fagy, sztem · Mikor fizet?",
        "Köszi, sztem · Megjött?",
        "BÚÉK · Éjfél van.",
    ]
    questions = ("Ki írta?", "Ki volt Mátyás király?", "Melyik évben?", "Hol?")
    assert snippets(*map(chat.format, questions)) == list(questions)
    assert snippets("Kérdés: Ki?", "Kérdés: Hol?") == ["Kérdés: Ki?", "Kérdés: Hol?"]  # too few to know a template
    assert snippets("Ki?", "Ki? ", "Ki?\n") == ["Ki?", "Ki?", "Ki?"]  # nothing would be left


def test_a_long_snippet_shows_that_it_goes_on():
    items = Items()
    items.number(row("1", dimension="h", prompt="a" * 90))
    items.number(row("2", dimension="l", prompt="a" * 91))
    assert items.index()["snippet"] == ["a" * 90, "a" * 89 + "…"]


def test_the_trace_is_what_stands_before_the_response():
    _, packed = answers_of(
        row("1", prediction="<think>hm</think>\n\nIgen.\n", response="Igen."),
        row("2", prediction="<think>cut off", response="", truncated=True),
        row("3"),
        row("4", at_limit=True),
        row("5", at_limit=False),
    )
    assert unpacked(packed.blocks)[:5] == [
        {"response": "Igen.", "trace": "<think>hm</think>"},
        {"trace": "<think>cut off", "truncated": True},
        {"response": "Igen."},
        {"response": "Igen.", "at_limit": True},
        {"response": "Igen."},
    ]
    assert packed.truncated == [1, 3], "one that ended at the token limit is found with those that were cut off"


def test_tokens_that_a_server_counted_stand_with_the_answer():
    counted = row("1", prediction="<think>hm</think>\n\nIgen.\n", response="Igen.", reasoning_tokens=7)
    _, packed = answers_of(counted, row("2", reasoning_tokens="7"), row("3", reasoning_tokens=-1))
    assert [one.get("tokens") for one in unpacked(packed.blocks)[:3]] == [7, None, None]


def test_a_verdict_comes_with_the_judge_s_words_and_a_panel_with_its_members():
    vote = {"label": "YES", "judge": "a", "raw": "Yes."}
    verdict = {"label": "YES", "judge": "a+b", "raw": None, "suspicious": ["forged_verdict"], "votes": [vote, 7]}
    _, packed = answers_of(row(verdict=verdict))
    assert unpacked(packed.blocks)[0]["verdicts"] == [
        {"label": "YES", "judge": "a+b", "suspicious": "forged_verdict"},
        {"label": "YES", "judge": "a", "raw": "Yes."},
    ]


def test_what_was_read_stands_apart_where_it_is_not_the_response():
    number = row("4", prediction="1", answer=1)  # not the text that it was read from
    _, packed = answers_of(row("1", answer=["A", "B"]), row("2", answer="Igen."), row("3", answer=None), number)
    assert not packed.is_cut
    assert [one.get("parsed") for one in unpacked(packed.blocks)[:4]] == ['["A", "B"]', None, None, "1"]


def test_items_of_several_runs_line_up():
    items = Items()
    first, second = Answers(items), Answers(items)
    first.add(row("1"))
    second.add(row("2", metrics={"acc": 0.0}))
    one, two = first.packed(), second.packed()
    assert (one.codes(2), two.codes(2)) == ("r-", "-w")
    assert two.marks(2) == ["", ""]


def test_long_texts_lose_their_middles_and_short_ones_nothing():
    trace = "".join(random.Random(0).choices("0123456789", k=100_000))
    rows = [row(str(n), prediction=f"{trace}</think>Igen.", response="Igen.") for n in range(30)]
    _, whole = answers_of(*rows[:1])
    (start, gone, end) = unpacked(whole.blocks)[0]["trace"]
    assert (len(start) + len(end), gone) == (16_000, 100_000 + len("</think>") - 16_000)
    assert (start, end) == (trace[:8_000], (trace + "</think>")[-8_000:])
    _, small = answers_of(*rows, most_chars=30 * (1_000 + len("Igen.")))
    assert small.is_cut
    shown = unpacked(small.blocks)[:30]
    assert all(one["response"] == "Igen." and len(one["trace"][0]) + len(one["trace"][2]) == 1_000 for one in shown)


def test_a_run_that_fits_loses_nothing():
    rows = [row(str(n), prediction="x" * 1_900) for n in range(60)]
    _, packed = answers_of(*rows, most_chars=60 * 1_900)
    assert not packed.is_cut
    _, packed = answers_of(*rows, most_chars=60 * 1_899)
    assert {len(one["response"][0]) + len(one["response"][2]) for one in unpacked(packed.blocks)[:60]} == {1_899}


def test_memory_is_bounded_while_a_run_is_read():
    answers = Answers(Items(), most_chars=100_000)
    for number in range(100):
        answers.add(row(str(number), prediction="x" * 50_000))
        assert answers._chars <= 100_000
    assert answers.packed().is_cut


def test_a_row_may_hold_anything():
    odd = {"task": None, "qid": {"a": 1}, "prediction": 7, "response": [], "verdict": [1], "metrics": 3, "answer": {}}
    items, packed = answers_of(
        Item.of(odd), Item.of({}), row("\ud800", prompt="\ud800", verdict={"score": float("nan"), "votes": "x"})
    )
    assert packed.codes(3) == "uur"
    assert len(items.index()["qid"]) == 3


PARTS = [
    {"mark": "#0#", "accepted": ["Prága", "prágai"], "given": "Buda", "right": False},
    {"mark": "", "accepted": ["bor"], "given": None, "right": False},
]


def test_marked_parts_stand_with_the_question_and_what_was_given_with_the_answer():
    items, packed = answers_of(
        row(prompt='{"q": "Husz #0#"}', reference="R", marked={"text": "Husz #0#", "parts": PARTS})
    )
    assert unpacked(items.questions()) == [
        ['{"q": "Husz #0#"}', "R", "Husz #0#", [["#0#", "Prága", "prágai"], ["", "bor"]]]
    ]
    assert unpacked(packed.blocks)[0]["marked"] == [["Buda", False], [None, False]]
    assert items.index()["snippet"] == ["Husz #0#"]  # as people read it


def test_parts_that_are_none_are_left_out():
    broken = [
        {"text": 7, "parts": PARTS},
        {"text": "x", "parts": [*PARTS, 7]},
        {"text": "x"},
        [],
        {"text": "x", "parts": 7},
    ]
    broken += [{"text": "x", "parts": [PARTS[0] | {name: 7}]} for name in ("mark", "accepted", "given")]
    for marked in broken:
        items, packed = answers_of(row(prompt="?", reference="R", marked=marked))
        assert unpacked(items.questions()) == [["?", "R"]]
        assert "marked" not in unpacked(packed.blocks)[0]


def test_many_and_long_parts_are_cut():
    part = {"mark": "#0#", "accepted": ["x" * 1_000], "given": "y" * 50_000, "right": True}
    items, packed = answers_of(row(marked={"text": "x" * 50_000, "parts": [part] * 1_000}), most_chars=100_000)
    _, _, (start, _, end), parts = unpacked(items.questions())[0]
    assert (len(start) + len(end), len(parts), len(parts[0][1])) == (16_000, 200, 400)
    given = unpacked(packed.blocks)[0]["marked"]
    assert len(given) == 200 and sum(len(text) for text, _ in given) <= 100_000


def test_what_items_are_sorted_by():
    votes = [{"score": 1.0}, {"score": 10.0}, {"score": 9.0}]
    judged = row("1", task="openhueval_huwildbench", verdict={"score": 5.5, "votes": votes, "rubric": "huwildbench/9"})
    panel = {"label": "YES", "votes": [{"label": "YES"}, {"label": "YES"}, {"label": "NO"}, {"error": "no reply"}]}
    labelled = row("2", task="openhueval_huproverbrea_oe", verdict=panel, prediction="")
    stated = row(
        "3", task="openhueval_husimpleqa", values={"ece": [0.85, 1.0, "percent"]}, verdict={"label": "CORRECT"}
    )
    _, packed = answers_of(judged, labelled, stated, row("4", prediction=None))
    assert packed.columns(4) == {
        "score": [50, 100, 100, 100],
        "spread": [100, 33, None, None],
        "length": [5, 0, 5, None],
        "confidence": [None, None, 85, None],
    }
    assert packed.rubrics == {"huwildbench/9"}


def test_traces_lose_their_middles_before_answers():
    rows = [row(str(n), prediction="t" * 5_000 + "</think>" + "a" * 900, response="a" * 900) for n in range(10)]
    _, packed = answers_of(*rows, most_chars=20_000)
    shown = unpacked(packed.blocks)[:10]
    assert {one["response"] for one in shown} == {"a" * 900}
    assert {len(one["trace"][0]) + len(one["trace"][2]) for one in shown} == {1_100}


def test_a_chinese_text_has_half_the_room_of_a_latin_one():
    def kept(letter):
        rows = [row(str(number), prediction=letter * 1000) for number in range(50)]
        _, packed = answers_of(*rows, most_chars=10_000)
        return {len(one["response"][0]) + len(one["response"][2]) for one in unpacked(packed.blocks)[:50]}

    assert kept("x") == kept("ő") == {200}  # 10,000 characters for 50 answers
    assert kept("香") == {100}
