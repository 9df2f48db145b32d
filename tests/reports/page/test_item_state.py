"""Sorting, keys, the address and export of the item browser, in a real browser."""

from __future__ import annotations

import csv
import io
import json
from urllib.parse import parse_qsl

import pytest

from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from hueval_metrics.text.spreadsheet import csv_text
from tests.browser import wait_until
from tests.reports.page.conftest import FIB, PAYLOADS, QA, hostile_run
from tests.reports.page.test_browser import browser_of, found, items
from tests.reports.page.test_item_view import open_item

WB = "openhueval_huwildbench"
FORMULAS = [
    "=1+1",
    "a;=b",
    "-0.5",
    "\t@x",
    '"+1',
    "a\n=1",
    "\u200b=1",
    "＝1",
    "plain, text",
    'a "b"',
    "",
    "1;\u00a0-2",
    "x\r\ny",
]


def state_in(page):
    """The state in the address, once it has been written."""
    wait_until(page, "location.hash.startsWith('#items?')")
    return dict(parse_qsl(page.evaluate("location.hash").removeprefix("#items?")))


def wait_for_state(page, **wanted):
    wait_until(
        page,
        """(wanted) => {
          const found = new URLSearchParams(location.hash.replace("#items?", ""));
          return Object.entries(wanted).every(([key, value]) => found.get(key) === value);
        }""",
        wanted,
    )


# --- sorting ---
def judged(qid, score, length, confidence=None, votes=()):
    verdict = {"score": score, "judge": "a+b", "rubric": "huwildbench/1", "votes": [{"score": one} for one in votes]}
    return {"task": WB, "qid": qid, "prompt": f"{qid}?", "prediction": "x" * length, "verdict": verdict}


@pytest.fixture
def judged_page(write_run, tmp_path):
    """Two models on three judged items."""
    first = [judged("p", 9.0, 5, votes=(9.0, 9.0)), judged("q", 2.0, 30, votes=(1.0, 10.0)), judged("r", 5.0, 9)]
    second = [judged("p", 1.0, 5), judged("q", 3.0, 1), judged("r", 9.0, 1)]
    for name, rows in (("első", first), ("másik", second)):
        write_run(name, {WB: {"wb_score": 50.0, "n": 3}}, rows)
    write_report(load_runs([tmp_path / "első", tmp_path / "másik"]), tmp_path / "report.html")
    return tmp_path / "report.html"


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("score", "qrp"),
        ("-score", "prq"),
        ("length", "prq"),
        ("-length", "qrp"),
        ("-spread", "qpr"),  # r has no panel, and stays below
        ("-gap", "prq"),  # 9 and 1, 5 and 9, 2 and 3
        ("", "pqr"),
    ],
)
def test_sorting(visit, judged_page, sort, order):
    page = visit(judged_page)
    browser_of(page)
    page.select_option("[name=sort]", "score")
    page.select_option("[name=sort]", sort)
    starts = "[...document.querySelectorAll('#list .start')].map((each) => each.textContent[0]).join('')"
    wait_until(page, f"(order) => {starts} === order", order)


def test_items_are_sorted_only_by_what_they_have(visit, judged_page, sample_page):
    keys = "[...document.querySelectorAll('[name=sort] option')].map((each) => each.value)"
    page = visit(judged_page)
    browser_of(page)
    assert page.evaluate(keys) == ["", "score", "-score", "length", "-length", "-spread", "-gap"]
    page = visit(sample_page)
    browser_of(page)
    assert page.evaluate(keys) == ["", "score", "-score", "length", "-length", "confidence", "-confidence", "-gap"]


# --- keys ---
def focused(page):
    return page.evaluate("Number(document.activeElement.closest('[data-number]')?.dataset.number ?? -1)")


def test_the_keys_walk_open_and_close(visit, judged_page):
    page = visit(judged_page)
    browser_of(page)
    page.keyboard.press("j")
    assert focused(page) == 0
    page.keyboard.press("j")
    assert focused(page) == 1
    page.keyboard.press("k")
    page.keyboard.press("k")  # there is none before the first
    assert focused(page) == 0
    page.keyboard.press("Enter")
    page.locator("[data-number='0'] .item").wait_for()
    page.keyboard.press("j")  # an open one is closed, and the next one opened
    page.locator("[data-number='1'] .item").wait_for()
    assert page.locator("#list details[data-number][open]").count() == 1
    page.keyboard.press("Escape")
    assert page.locator("#list details[data-number][open]").count() == 0
    assert focused(page) == 1
    page.keyboard.press("o")
    assert page.locator("[data-number='1'][open]").count() == 1
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_keys_are_letters_while_somebody_types_and_can_be_switched_off(visit, judged_page):
    page = visit(judged_page)
    browser_of(page)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "search"
    page.keyboard.type("jko?/d")
    assert page.locator("[name=search]").input_value() == "jko?/d"
    assert not page.locator("#keys").is_visible()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement === document.body")
    page.keyboard.press("?")
    dialog = page.locator("#keys")
    assert "next and previous item" in dialog.inner_text()
    dialog.locator("[name=single]").uncheck()
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") != "search"


def test_the_keys_go_over_the_end_of_a_page(visit, sample_page):
    page = visit(sample_page)
    browser_of(page)
    page.locator("#list > li summary").last.focus()
    page.keyboard.press("j")
    page.locator("#page", has_text="page 2 of").wait_for()
    assert focused(page) == 50
    page.keyboard.press("k")
    assert focused(page) == 49


# --- the address ---
def test_the_address_has_the_state_and_brings_it_back(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    page.select_option("[name=task]", label="HuSimpleQA")
    page.select_option("[name=sort]", "-length")
    page.click("[name=pair][value=a_right]")
    page.fill("[name=search]", "ki ")
    page.check("[name=diff]")
    page.get_by_role("button", name="swap A and B").click()
    page.click("[name=pair][value=b_right]")
    open_item(page)
    number = page.locator("#list details[open]").first.get_attribute("data-number")
    wait_for_state(page, outcome="b_right", diff="1", search="ki ")
    wait_until(page, "location.hash.includes('&item=')")
    state = state_in(page)
    assert state.pop("item").startswith(f"{QA}/")
    chosen = {"task": QA, "outcome": "b_right", "search": "ki ", "sort": "-length", "diff": "1"}
    assert state == chosen | {"a": "gyors-1B", "b": "gondolkodó-7B"}
    again = visit(sample_page, page.evaluate("location.hash"))
    browser_of(again)
    again.locator(f"[data-number='{number}'][open] .item").wait_for()
    assert again.locator("#found").inner_text() == page.locator("#found").inner_text()
    for name in ("task", "outcome", "search", "sort", "a", "b"):
        assert (
            again.locator(f".filters [name={name}]").input_value()
            == page.locator(f".filters [name={name}]").input_value()
        )
    assert again.locator("[name=diff]").is_checked()


def test_another_address_is_followed_and_plain_anchors_are_left_alone(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    qid = [row["qid"] for row in items(sample_runs[:1], task=FIB)][2]
    page.evaluate("(hash) => { location.hash = hash; }", f"#items?task={FIB}&item={FIB}/{qid}")
    item = page.locator("#list details[open] .item")
    item.wait_for()
    item.get_by_text("id", exact=True).first.click()
    assert qid in item.inner_text()
    n = page.locator("#found").inner_text()
    page.evaluate("location.hash = '#metrics'")
    page.wait_for_timeout(400)
    assert page.evaluate("location.hash") == "#metrics"
    assert page.locator("#found").inner_text() == n


@pytest.mark.parametrize(
    "anchor",
    [
        "#items?task=no_such_task&item=nothing&a=nobody&sort=x&outcome=%3Cscript%3E&model=%ff",
        "#items?",
        "#items?item=" + "%F0%9F" * 50 + "&search=" + "%22%3E%3Cimg%20src%3Dx%20onerror%3Dwindow.hit%3D1%3E",
    ],
    ids=["names that are not there", "nothing", "markup"],
)
def test_an_address_may_name_anything(visit, sample_page, anchor):
    page = visit(sample_page, anchor)
    page.wait_for_selector("#browser:not([hidden])")
    page.locator("#found > span > [lang=en]", has_text="items: ").wait_for()
    assert page.evaluate("window.hit === undefined")
    assert not page.locator("#broken").is_visible()
    assert page.locator("[name=a]").input_value() == "0"
    assert page.locator("[name=task]").input_value() == ""


def test_a_link_that_names_what_is_not_there_says_so(visit, sample_page):
    known = "&outcome=w&search=x&sort=length&b=gyors-1B"
    page = visit(sample_page, f"#items?task=no_such_task&item={QA}/0&a=nobody&dimension=zz{known}")
    told = page.locator("#unknown")
    told.wait_for()
    assert told.locator("code").all_inner_texts() == ["task=no_such_task", f"item={QA}/0", "a=nobody", "dimension=zz"]
    assert told.inner_text().startswith(
        "The link names what is not on this page, so it was left out: task=no_such_task,"
    )
    page.fill("[name=search]", "")
    told.wait_for(state="hidden")
    page.evaluate("(hash) => { location.hash = hash; }", f"#items?task={QA}{known}")
    wait_until(page, "document.querySelector('[name=outcome]').value === 'w'")
    assert not told.is_visible()


def test_an_item_that_the_filters_of_its_link_do_not_have_is_shown_without_them(visit, judged_page):
    page = visit(judged_page, f"#items?search=nothing+has+this&item={WB}/q")
    page.locator("[data-number='1'][open] .item").wait_for()
    assert page.locator("[name=search]").input_value() == ""


def test_a_link_to_an_item_is_copied(visit, judged_page, chromium):
    page = visit(judged_page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    browser_of(page)
    open_item(page, 2).get_by_role("button", name="Copy link").click()
    page.locator("#told", has_text="link copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == f"{judged_page.as_uri()}#items?item={WB}%2Fr"


def test_the_same_item_has_the_same_link_when_runs_are_added(visit, judged_page, write_run, tmp_path):
    write_run("új", {WB: {"wb_score": 50.0, "n": 1}}, [judged("z", 9.0, 5), judged("q", 9.0, 5)])
    write_report(load_runs([tmp_path / "új", tmp_path / "első"]), tmp_path / "more.html")
    page = visit(tmp_path / "more.html", f"#items?item={WB}/q&b=els%C5%91")
    page.locator("[data-number][open] .item").wait_for()
    assert page.locator("#list details[open] .start").first.inner_text() == "q?"


# --- export ---
def saved(page, name):
    with page.expect_download() as download:
        page.click(f"[name={name}]")
    return download.value.path().read_bytes()


def test_what_is_found_is_exported_as_csv_and_json_lines(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    page.select_option("[name=task]", label="HuMatchingFIB")
    rows = [list(items([run], task=FIB)) for run in sample_runs]
    found(page, len(rows[0]))
    lines = [json.loads(line) for line in saved(page, "jsonl").decode().splitlines()]
    expected = [row for pair in zip(*rows, strict=True) for row in pair]
    for key, column in (("qid", "id"), ("prompt", "prompt"), ("reference", "reference"), ("task", "task")):
        assert [line[column] for line in lines] == [row[key] for row in expected]
    assert [line["response"] for line in lines] == [row.get("response", row["prediction"]) for row in expected]
    assert [line["model"] for line in lines[:2]] == ["gondolkodó-7B", "gyors-1B"]
    assert lines[0]["parts"] == expected[0]["marked"]["parts"]
    assert lines[0]["trace"] == "<think>\nEzen gondolkodom.\n</think>"
    table = saved(page, "csv").decode()
    assert table.startswith("\ufeff")  # for Excel
    read = list(csv.DictReader(io.StringIO(table.removeprefix("\ufeff"))))
    assert [row["id"] for row in read] == [line["id"] for line in lines]
    assert [row["outcome"] for row in read] == [line["outcome"] for line in lines]
    page.select_option("[name=model]", label="gyors-1B")
    found(page, len(rows[1]))
    assert {json.loads(line)["model"] for line in saved(page, "jsonl").decode().splitlines()} == {"gyors-1B"}


def test_cells_are_guarded_against_formulas_as_in_our_other_tables(visit, judged_page):
    page = visit(judged_page)
    written = page.evaluate("(cells) => cells.map((cell) => CSV.line([cell, 1]))", FORMULAS)
    assert written == [csv_text([[cell, 1]], "\r\n") for cell in FORMULAS]


def test_hostile_texts_are_exported_as_they_are(visit, write_run, tmp_path):
    for number, payload in enumerate(PAYLOADS):
        hostile_run(payload, write_run, number)
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html")
    browser_of(page)
    lines = [json.loads(line) for line in saved(page, "jsonl").decode().splitlines()]
    assert {line["response"] for line in lines} == {payload.replace("\ud800", "?") for payload in PAYLOADS}
    assert all(b"window.hit" not in saved(page, name)[:3] for name in ("csv", "jsonl"))
    assert page.evaluate("window.hit === undefined")
