"""An opened item in a real browser: two models side by side, marked parts, differing words."""

from __future__ import annotations

import json
import random

import pytest

from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from tests.browser import needed, wait_until
from tests.reports.page.conftest import FIB, PAYLOADS, QA
from tests.reports.page.test_browser import browser_of, found, items

SERIOUS = ("serious", "critical")


def open_item(page, number=0):
    """Opens a row of the list, and waits for what it shows."""
    row = page.locator("#list > li").nth(number)
    row.locator("summary").first.click()
    row.locator(".item").wait_for()
    return row.locator(".item")


def seen(locator):
    """The text of an element in one line, with what is there for those who hear it."""
    return " ".join(locator.inner_text().split())


def fib_row(qid, given, **more):
    """A row of items.jsonl with three blanks, of which the first has two accepted answers."""
    accepted = [["Prága", "prágai"], ["bort"], ["vár"]]
    parts = [
        {"mark": mark, "accepted": some, "given": text, "right": text in some}
        for mark, some, text in zip(("#0#", "#1#", ""), accepted, given, strict=True)
    ]
    right = sum(part["right"] for part in parts)
    row = {
        "task": FIB,
        "qid": qid,
        "prompt": "Pótold!",
        "reference": "{}",
        "prediction": json.dumps(given, ensure_ascii=False),
    }
    row |= {"blanks_correct": right, "blanks_total": 3, "metrics": {"blank_acc": 100 * right / 3}}
    return row | {"marked": {"text": "Husz #0# tanított, és #1# ivott.", "parts": parts}} | more


@pytest.fixture
def three_pages(write_run, tmp_path):
    """A page of three models on two questions: the first two are each right where the other is not."""
    right, wrong = ["Prága", "bort", "vár"], ["Buda", None, "vár"]
    for name, rows in {"egy": (right, wrong), "kettő": (wrong, right), "három": (wrong, wrong)}.items():
        scores = {FIB: {"blank_acc": 50.0, "n": 2}}
        write_run(name, scores, [fib_row(f"00000000-{n}", given) for n, given in enumerate(rows)])
    write_report(load_runs([tmp_path / name for name in ("egy", "kettő", "három")]), tmp_path / "report.html")
    return tmp_path / "report.html"


def test_blanks_are_marked_in_place_with_gold_and_what_else_is_accepted(visit, three_pages):
    page = visit(three_pages)
    browser_of(page)
    item = open_item(page)
    first, second = (item.locator(f".side-{side} .row-parts") for side in "ab")
    assert seen(first.locator(".marked")) == (
        "Husz right: ✓ Prága = accepted: prágai tanított, és right: ✓ bort ivott."
    )
    assert seen(second.locator(".marked")) == (
        "Husz wrong: ✗ Buda → accepted: Prága / prágai tanított, és wrong: ✗ (nothing) → accepted: bort ivott."
    )
    assert second.locator(".part.wrong s").all_inner_texts() == ["Buda"]
    assert seen(second.locator("ol > li")) == "right: ✓ vár"  # the question has no mark for it
    assert item.locator(".row-parsed").all_inner_texts() == ["", ""]


def test_the_blanks_of_real_items_stand_where_the_question_has_them(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    page.select_option("[name=task]", label="HuMatchingFIB")
    wrong = next(row for row in items(sample_runs[1:], task=FIB) if row["blanks_correct"] == 0)
    rows = [row["qid"] for row in items(sample_runs[:1], task=FIB)]
    found(page, len(rows))
    item = open_item(page, rows.index(wrong["qid"]))
    assert item.locator(".side-b .part.wrong").count() == wrong["blanks_total"]
    assert item.locator(".side-b .marked").inner_text().count("(nothing)") == wrong["blanks_total"]
    gold = [part["accepted"][0] for part in wrong["marked"]["parts"]]
    assert all(text in item.locator(".side-b .marked").inner_text() for text in gold)


def test_the_rows_of_two_models_stand_beside_one_another(visit, sample_page):
    page = visit(sample_page, viewport={"width": 1280, "height": 900})
    browser_of(page)
    page.select_option("[name=task]", label="HuSimpleQA")
    item = open_item(page)
    for row in ("head", "response", "verdict"):
        left, right = (item.locator(f".side-{side} .row-{row}").bounding_box() for side in "ab")
        assert left["y"] == right["y"]
        assert left["x"] + left["width"] <= right["x"]
    item.locator(".side-a .row-verdict summary").click()
    item.locator(".side-b").get_by_text("does not have the text of this rubric").wait_for()  # unfolded on both sides


def test_the_rubric_of_a_verdict_can_be_read(visit, write_run, tmp_path):
    row = {"task": QA, "qid": "1", "prompt": "?", "prediction": "x", "metrics": {"correct": 100.0}}
    verdict = {"label": "CORRECT", "judge": "j", "rubric": "husimpleqa/3", "raw": "A"}
    write_run("run", {QA: {"correct": 1.0, "n": 1}}, [row | {"verdict": verdict}])
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html")
    browser_of(page)
    item = open_item(page)
    item.locator(".row-verdict summary", has_text="husimpleqa/3").click()
    item.locator(".row-verdict details pre").first.wait_for()
    assert item.locator(".row-verdict h5").all_inner_texts() == ["system", "user"]
    assert "{pred_answer}" in item.locator(".row-verdict details").inner_text()


def test_a_and_b_are_chosen_and_swapped_and_the_open_item_follows(visit, three_pages):
    page = visit(three_pages)
    browser_of(page)
    item = open_item(page)
    assert [text.split("\n")[0] for text in item.locator(".who").all_inner_texts()] == ["A egy", "B kettő"]
    item.get_by_role("button", name="három").click()
    item.locator(".side-b h3", has_text="három").wait_for()
    wait_until(page, "document.activeElement.matches('.models button')")  # the keyboard stays where it was
    page.get_by_role("button", name="swap A and B").click()
    item.locator(".side-a h3", has_text="három").wait_for()
    page.select_option("[name=b]", label="kettő")
    item.locator(".side-b h3", has_text="kettő").wait_for()
    assert [seen(chip) for chip in item.locator(".chip.chosen").all()] == [
        "B 1/3 partly right, kettő",
        "A 1/3 partly right, három",
    ]


@pytest.mark.parametrize(
    ("pair", "first", "others"),
    [("a_right", "#1", 1), ("b_right", "#2", 1), ("apart", "#1", 2), ("neither", None, 0)],
)
def test_where_one_is_right_and_the_other_is_not_in_one_click(visit, three_pages, pair, first, others):
    page = visit(three_pages)
    browser_of(page)
    button = page.locator(f"[name=pair][value={pair}]")
    assert button.locator("b").inner_text() == str(others)
    button.click()
    found(page, others)
    assert button.get_attribute("aria-pressed") == "true"
    assert page.locator("[name=outcome]").input_value() == pair
    if first:
        assert page.locator("#list .name").first.inner_text().endswith(first)
    button.click()
    found(page, 2)
    assert button.get_attribute("aria-pressed") == "false"


def test_words_that_only_one_answer_has_are_marked(visit, three_pages):
    page = visit(three_pages)
    browser_of(page)
    item = open_item(page)
    page.check("[name=diff]")
    item.get_by_text("Words that only one has: 2 in A, 2 in B.").wait_for()
    marks = [item.locator(f".side-{side} mark").all_inner_texts() for side in "ab"]
    assert marks == [["Prága", '"bort"'], ["Buda", "null"]]
    page.uncheck("[name=diff]")
    item.locator("mark").first.wait_for(state="detached")


DIFFS = [
    ("", "", [[], []], [0, 0]),
    ("a", "a", [[["a", True]], [["a", True]]], [0, 0]),
    ("a b", "a\n b", [[["a b", True]], [["a\n b", True]]], [0, 0]),
    (
        "Ő volt a király.",
        "Ő lett az első király.",
        [
            [["Ő ", True], ["volt a", False], [" király.", True]],
            [["Ő ", True], ["lett az első ", False], ["király.", True]],
        ],
        [2, 3],
    ),
    ("x", "", [[["x", False]], []], [1, 0]),
]


@pytest.mark.parametrize(("first", "second", "runs", "alone"), DIFFS, ids=range(len(DIFFS)))
def test_word_diff(visit, three_pages, first, second, runs, alone):
    page = visit(three_pages)
    sides = page.evaluate("([a, b]) => wordDiff(a, b)", [first, second])
    assert [side["runs"] for side in sides] == runs
    assert [side["alone"] for side in sides] == alone


def test_word_diff_keeps_the_texts_and_shares_the_same_words(visit, three_pages):
    page = visit(three_pages)
    draw = random.Random(0)
    for _ in range(50):
        texts = [
            " ".join(draw.choices(["egy", "két", "há-rom,", "\n", "👩\u200d👧"], k=draw.randint(0, 30))) for _ in "ab"
        ]
        sides = page.evaluate("([a, b]) => wordDiff(a, b)", texts)
        assert ["".join(text for text, _ in side["runs"]) for side in sides] == texts
        # A lone space between two changes counts as changed, on the side where it is one.
        shared = ["".join("".join(text.split()) for text, is_shared in side["runs"] if is_shared) for side in sides]
        assert shared[0] == shared[1]


def test_texts_that_are_too_long_or_too_far_apart_are_not_compared(visit, three_pages):
    page = visit(three_pages)
    assert page.evaluate("wordDiff('a '.repeat(7000), 'a')") is None
    assert page.evaluate("wordDiff(Array.from({length: 2000}, (_, n) => `a${n}`).join(' '), 'b '.repeat(2000))") is None


def test_on_a_phone_one_model_can_be_put_away(visit, three_pages):
    page = visit(three_pages, viewport={"width": 390, "height": 844})
    browser_of(page)
    item = open_item(page)
    top, bottom = (item.locator(f".side-{side}").bounding_box() for side in "ab")
    assert top["y"] + top["height"] <= bottom["y"]
    item.get_by_role("button", name="B", exact=True).click()
    assert not item.locator(".side-a").is_visible()
    assert item.locator(".side-b").is_visible()
    item.get_by_role("button", name="both").click()
    assert item.locator(".side-a").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize(("system", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_serious_in_an_opened_item(visit, three_pages, system, width):
    axe = needed("axe_playwright_python.sync_playwright")
    page = visit(three_pages, color_scheme=system, viewport={"width": width, "height": 900})
    browser_of(page)
    page.check("[name=diff]")
    open_item(page).locator("mark").first.wait_for()
    report = axe.Axe().run(page, context="#browser").response
    nodes = [(rule["id"], node["html"][:200]) for rule in report["violations"] for node in rule["nodes"]]
    assert nodes == []
    page.get_by_role("button", name="Keys").click()
    report = axe.Axe().run(page, context="#keys").response
    assert [rule["id"] for rule in report["violations"] if rule["impact"] in SERIOUS] == []


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_parts_are_text_whatever_they_hold(visit, write_run, tmp_path, payload):
    part = {"mark": payload, "accepted": [payload, payload * 2], "given": payload, "right": False}
    row = fib_row("1", ["x", "y", "z"]) | {
        "marked": {"text": f"a {payload} b", "parts": [part, part | {"given": None}]}
    }
    for name in "ab":
        write_run(name, {FIB: {"blank_acc": 50.0, "n": 1}}, [row | {"prediction": payload + name * 3}])
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html")
    browser_of(page)
    page.check("[name=diff]")
    item = open_item(page)
    assert item.locator(".part").count() == 4
    if payload.isprintable():
        assert item.locator(".part .given").first.inner_text() == payload
    assert page.evaluate("window.hit === undefined")
    for tag in ("svg", "iframe", "a[href^='javascript']", "[onload], [onerror], [onfocus]", "[style]"):
        assert item.locator(tag).count() == 0
    assert not set("\u202e\u202c\u2066\u2069\u200b\x1b") & set(item.inner_text())


def test_a_box_that_scrolls_has_a_shadow_at_its_end_and_the_trace_its_length(visit, write_run, tmp_path):
    row = {
        "task": QA,
        "qid": "1",
        "prompt": "Ki?",
        "prediction": "<think>" + "hm\n" * 200 + "</think>Ő.",
        "response": "Ő.",
    }
    write_run("egy", {QA: {"correct": 0.0, "n": 1}}, [row | {"reasoning_tokens": 431}])
    write_report(load_runs([tmp_path / "egy"]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html")
    browser_of(page)
    item = open_item(page)
    item.get_by_text("431 tokens").click()
    box = item.locator(".row-trace pre")
    assert box.evaluate("(box) => box.scrollHeight > box.clientHeight")
    # The shadow stays at the end of the box; what covers it moves with the text, and hides it once the end is there.
    layers = box.evaluate(
        "(box) => [getComputedStyle(box).backgroundImage, getComputedStyle(box).backgroundAttachment]"
    )
    assert (layers[0].count("linear-gradient(to top"), layers[1]) == (2, "local, scroll, scroll")


READ = "😀 A válasz: B.\r\nRemélem, segít."  # the emoji is one character, and two units of JavaScript
LONG = "A válasz: B. " + "x" * 20_000 + " Tehát: C."


@pytest.fixture
def read_page(write_run, tmp_path):
    """A page of four items: with a span, with one in the end of a text that is cut, refused, and older."""
    readings = [
        (READ, {"kind": "answered", "spans": [[12, 13], None], "rule": "line"}),
        (LONG, {"kind": "answered", "spans": [[len(LONG) - 2, len(LONG) - 1], [9_000, 9_001]], "rule": "sentence"}),
        ("Nem válaszolok.", {"kind": "refused", "spans": [], "rule": ""}),  # and B when it was asked again
        ("A válasz: B.", None),
    ]
    rows = [
        {"task": QA, "qid": f"{n}", "prompt": f"{n}?", "prediction": text, "metrics": {"correct": 100.0}}
        | ({"reading": reading} if reading else {})
        | ({"second": "B"} if reading and reading["kind"] == "refused" else {})
        for n, (text, reading) in enumerate(readings)
    ]
    write_run("run", {QA: {"correct": 1.0, "n": 4}}, rows)
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    return tmp_path / "report.html"


def test_what_was_read_is_marked_in_the_answer_and_said(visit, read_page):
    page = visit(read_page)
    browser_of(page)
    item = open_item(page, 0)
    assert item.locator("pre mark.read").all_inner_texts() == ["read here:\nB"]
    assert seen(item.locator(".reading")) == "Reading: answered · a line of its own · read here"
    cut = open_item(page, 1)
    assert cut.locator("pre mark.read").all_inner_texts() == ["read here:\nC"]  # the other one was cut out
    refused = open_item(page, 2)
    assert seen(refused.locator(".reading")) == "Reading: refused"
    assert refused.locator("pre mark.read").count() == 0
    assert seen(refused.locator(".row-response")).lower() == "answer reading: refused nem válaszolok. asked again b"
    older = open_item(page, 3)
    assert older.locator(".reading").count() == 0


def test_items_are_filtered_by_how_they_were_read(visit, read_page):
    page = visit(read_page, "#items?reading=r")
    browser_of(page)
    found(page, 1)
    assert page.locator("[name=reading] option").all_inner_texts() == ["all", "answered", "refused"]
    page.select_option("[name=reading]", "a")
    found(page, 2)
    page.locator("[name=reset]").first.click()
    found(page, 4)


def test_older_items_have_no_such_filter(visit, three_pages):
    page = visit(three_pages)
    browser_of(page)
    assert page.locator("[name=reading]").count() == 0
