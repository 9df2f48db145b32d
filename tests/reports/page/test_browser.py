"""The page in a real browser."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest

from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from tests.browser import needed
from tests.reports.page.conftest import FIB, PAYLOADS, QA, hostile_run

# The words of headings in tables that stand on more than one line.
BROKEN_WORDS = """() => [...document.querySelectorAll("thead th")].flatMap((head) => {
  const found = [];
  const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode;
    for (const word of node.data.matchAll(/[^\\s-]+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((box) => Math.round(box.top))).size > 1) found.push(word[0]);
    }
  }
  return found;
})"""
SOFT = {"light": "rgb(86, 92, 100)", "dark": "rgb(167, 173, 181)"}
PAPER = {"light": "rgb(255, 255, 255)", "dark": "rgb(21, 23, 26)"}


def browser_of(page):
    """The item browser, once it is ready."""
    page.wait_for_selector("#browser:not([hidden]) #list > li")
    return page.locator("#browser")


def found(page, n):
    """Waits until so many items are found."""
    page.locator("#found > span > [lang=en]", has_text=re.compile(rf"^items: {n}$")).wait_for(state="attached")


def colour(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def items(folders, **wanted):
    """The rows of the runs' items.jsonl that have these values."""
    for folder in folders:
        for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if all(row.get(key) == value for key, value in wanted.items()):
                yield row


def test_it_opens_without_a_word_or_a_request(visit, sample_page):
    page = visit(sample_page)
    browser_of(page)
    assert page.title() == "OpenHuEval results"
    assert page.locator("h1").inner_text() == "OpenHuEval results"
    assert page.locator("figure .wide svg").count() > 5


def test_without_its_script_it_lacks_the_item_browser_alone(visit, sample_page):
    page = visit(sample_page, java_script_enabled=False)
    assert page.locator("#overview-table").is_visible()
    assert page.locator("figure .wide svg").first.is_visible()
    assert page.get_by_text("The item browser needs JavaScript").is_visible()
    assert not page.locator("#browser").is_visible()
    assert not page.locator(".controls").is_visible()
    assert not page.get_by_text("Pontszámok").last.is_visible()


def test_filters(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    every = {(row["task"], row["qid"], row.get("correct_option")) for row in items(sample_runs)}
    found(page, len(every))
    page.select_option("[name=task]", label="HuMatchingFIB")
    of_task = {row["qid"] for row in items(sample_runs, task=FIB)}
    found(page, len(of_task))
    page.select_option("[name=dimension]", "h")
    of_dimension = {row["qid"] for row in items(sample_runs, task=FIB, dimension="h")}
    assert 0 < len(of_dimension) < len(of_task)
    found(page, len(of_dimension))
    page.select_option("[name=dimension]", "")
    page.select_option("[name=outcome]", "w")
    wrong = [{row["qid"] for row in items([run], task=FIB, blanks_correct=0)} for run in sample_runs]
    found(page, len(wrong[0] | wrong[1]))
    page.select_option("[name=model]", label="gyors-1B")
    found(page, len(wrong[1]))
    page.select_option("[name=model]", "")
    page.select_option("[name=outcome]", "differ")
    found(page, len(wrong[0] ^ wrong[1]))


def test_search_in_prompts_and_references_and_in_answers_when_asked_to(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    page.fill("[name=search]", "HÁROMJEGYŰ")
    hits = {row["qid"] for row in items(sample_runs) if "háromjegyű" in f"{row['prompt']} {row['reference']}".lower()}
    found(page, len(hits))
    assert hits
    page.fill("[name=search]", "haromjegyu")  # people search without accents
    found(page, len(hits))
    page.fill("[name=search]", "ezen gondolkodom")
    found(page, 0)
    page.check("[name=answers]")
    found(page, sum(1 for _ in items(sample_runs[:1])))
    page.fill("[name=search]", "indoklása")
    judged = [row for row in items(sample_runs[:1]) if row["verdict"]]
    found(page, len(judged))


def test_an_empty_list_says_why(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    nothing = page.locator("#nothing")
    assert not nothing.is_visible()
    page.select_option("[name=task]", label="HuSimpleQA")
    page.fill("[name=search]", "ezen gondolkodom")
    found(page, 0)
    assert nothing.inner_text() == (
        "No item fits all that is chosen: Task: HuSimpleQA; Search: ezen gondolkodom. "
        "The answers were not searched; “in the answers, too” does that. Clear filters"
    )
    page.select_option("#language", "hu")
    assert nothing.inner_text().startswith("Nincs tétel, amelyre mind illik: Feladat: HuSimpleQA; Keresés:")
    page.check("[name=answers]")
    found(page, len(list(items(sample_runs[:1], task=QA))))
    assert not nothing.is_visible()
    page.uncheck("[name=answers]")
    nothing.get_by_role("button").click()
    found(page, sum(1 for _ in items(sample_runs[:1])))
    assert not nothing.is_visible()


def test_an_item_shows_all_that_is_known_of_it(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    page.select_option("[name=task]", label="HuSimpleQA")
    first = next(items(sample_runs, task=QA))
    page.locator("#list > li > details > summary").first.click()
    item = page.locator("#list .item")
    item.wait_for()
    boxes = [text.replace("\nread here:\n", "") for text in item.locator("pre").all_inner_texts()]
    assert boxes[:3] == [first["prompt"], first["reference"], first["response"]]
    assert "<think>" not in item.inner_text()
    item.get_by_text("Reasoning trace").click()
    assert "<think>\nEzen gondolkodom.\n</think>" in item.inner_text()
    assert "CORRECT, judge-1, husimpleqa/1" in item.inner_text()
    assert "A bíráló 0. indoklása" in item.inner_text()
    assert item.locator(".who").all_inner_texts() == ["A gondolkodó-7B\n✓ right", "B gyors-1B\n✓ right"]


def test_an_item_of_two_options_says_which_is_right(visit, sample_page, sample_runs):
    page = visit(sample_page)
    browser_of(page)
    page.select_option("[name=task]", label="HuProverbRea 2CQ")
    page.locator("#list > li > details > summary").first.click()
    row = next(items(sample_runs, task="openhueval_huproverbrea_2cq"))
    about = page.locator("#list .item .about")
    assert page.locator("#list .name").first.inner_text() == "HuProverbRea 2CQ · L · #1"
    assert about.locator("span").first.inner_text() == f"right: option {row['correct_option']}"
    assert row["qid"] not in about.inner_text()  # an identifier tells a reader nothing, so it shows on demand
    about.get_by_text("id", exact=True).first.click()
    assert row["qid"] in about.inner_text()


def test_the_keyboard_alone_opens_items_sorts_and_turns_pages(visit, sample_page):
    page = visit(sample_page)
    browser_of(page)
    page.locator("#list > li > details > summary").first.focus()
    page.keyboard.press("Enter")
    page.locator("#list .item").wait_for()
    score = page.locator("table:has(#overview-table)").locator("th button").nth(2)
    score.focus()
    page.keyboard.press("Enter")
    column = page.locator("table:has(#overview-table)").locator("tbody tr > :nth-child(3)")
    assert page.locator('th[aria-sort="descending"]').count() == 1
    falling = [float(text.split("\n")[0]) for text in column.locator("b").all_inner_texts()]
    page.keyboard.press("Enter")
    assert page.locator('th[aria-sort="ascending"]').count() == 1
    assert [float(text) for text in column.locator("b").all_inner_texts()] == falling[::-1]
    page.get_by_role("button", name="Next").focus()
    page.keyboard.press("Enter")
    page.locator("#page", has_text="page 2 of").wait_for()


def test_the_language_is_switched_and_back_without_a_reload(visit, sample_page):
    page = visit(sample_page)
    browser_of(page)
    page.evaluate("window.kept = 1")
    english = page.locator("main").inner_text()
    page.select_option("#language", "hu")
    assert page.title() == "OpenHuEval-eredmények"
    assert page.locator("html").get_attribute("lang") == "hu"
    hungarian = page.locator("main").inner_text()
    assert "Pontszámok" in hungarian
    assert "Scores" not in hungarian
    assert re.search(r"\[\d+,\d; \d+,\d\]", hungarian)
    assert not re.search(r"\[\d+\.\d", hungarian)
    assert page.locator("[name=outcome] option").nth(1).inner_text() == "helyes"
    page.select_option("#language", "en")
    assert page.locator("main").inner_text() == english
    assert page.evaluate("window.kept") == 1


def test_it_opens_in_hungarian_when_told_to(visit, small_run, tmp_path):
    write_report(load_runs([small_run]), tmp_path / "hu.html", language="hu")
    page = visit(tmp_path / "hu.html")
    assert page.title() == "OpenHuEval-eredmények"
    cells = page.locator("table:has(#overview-table)").locator("td")
    assert cells.nth(0).inner_text().split() == ["61,00", "[59,0;", "63,1]"]
    page.select_option("#language", "en")
    assert cells.nth(0).inner_text().split() == ["61.00", "[59.0,", "63.1]"]


@pytest.mark.parametrize("system", ["light", "dark"])
def test_colours_follow_the_system_until_the_reader_chooses(visit, sample_page, system):
    page = visit(sample_page, color_scheme=system)
    browser_of(page)
    text = page.locator("figure .wide text").first
    other = {"light": "dark", "dark": "light"}[system]
    for choice, shown in (("auto", system), (other, other), (system, system), ("auto", system)):
        page.select_option("#theme", choice)
        assert colour(page) == PAPER[shown]
        assert text.evaluate("(element) => getComputedStyle(element).fill") == SOFT[shown]


def test_print_is_light_whole_and_without_controls(visit, sample_page):
    page = visit(sample_page, color_scheme="dark")
    browser_of(page)
    page.select_option("#theme", "dark")
    page.emulate_media(media="print")
    assert colour(page) == PAPER["light"]
    for hidden in (".controls", "nav", "#browser"):
        assert not page.locator(hidden).is_visible()
    assert page.get_by_text("The item browser is left out in print.").is_visible()
    assert page.locator("details.block table").last.is_visible()
    assert page.locator("figure .wide svg").first.is_visible()
    assert page.evaluate(
        "[...document.querySelectorAll('.scroll')].every((e) => getComputedStyle(e).overflowX === 'visible')"
    )
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 between margins of 12 mm
    assert page.evaluate("document.documentElement.scrollWidth") == 703


@pytest.mark.parametrize("language", ["en", "hu"])
def test_a_phone_does_not_scroll_sideways(visit, sample_page, language):
    page = visit(sample_page, viewport={"width": 390, "height": 844})
    browser_of(page)
    page.select_option("#language", language)
    page.locator("#list > li > details > summary").first.click()
    page.locator("#list .item").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize(("language", "system"), [("en", "light"), ("hu", "dark")])
def test_axe_finds_nothing_serious(visit, sample_page, system, language):
    axe = needed("axe_playwright_python.sync_playwright")
    page = visit(sample_page, color_scheme=system)
    browser_of(page)
    page.select_option("#language", language)
    page.locator("#list > li > details > summary").first.click()
    page.locator("#list .item").wait_for()
    page.evaluate(
        "document.querySelectorAll('.block, figure:first-child details').forEach((each) => { each.open = true; })"
    )
    report = axe.Axe().run(page).response
    assert len(report["passes"]) > 20
    assert [
        (rule["id"], node["html"][:200])
        for rule in report["violations"]
        for node in rule["nodes"]
        if rule["impact"] in ("serious", "critical")
    ] == []


def test_payloads_are_text_and_nothing_runs(visit, write_run, tmp_path):
    for number, payload in enumerate(PAYLOADS):
        hostile_run(payload, write_run, number)
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html")
    browser = browser_of(page)
    for number in range(browser.locator("#list > li").count()):
        browser.locator("#list > li > details > summary").nth(number).click()
        browser.locator("#list > li").nth(number).locator(".item").wait_for()
    page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    text = browser.inner_text()
    for payload in PAYLOADS[:-1]:
        assert payload in text
    page.fill("[name=search]", PAYLOADS[4])
    found(page, 1)
    page.select_option("#language", "hu")
    assert page.evaluate("window.hit === undefined")
    assert page.locator("script").count() == 1 + 4 + len(PAYLOADS)  # the page's own, and its data
    for tag in (
        "svg:not(.drawing > svg)",
        "svg script",
        "iframe",
        "a[href^='javascript']",
        "[onload], [onerror], [onfocus]",
        "body style",
        "[style]",
    ):
        assert page.locator(tag).count() == 0


def test_characters_that_do_not_show_or_turn_the_text_are_shown_by_their_codes(visit, write_run, tmp_path):
    hostile_run(PAYLOADS[-1], write_run, 0)
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html")
    browser_of(page)
    page.locator("#list > li > details > summary").first.click()
    box = page.locator("#list .item pre").first
    assert box.inner_text() == ("U+202EdrowU+202C U+2066xU+2069 aU+200Bb U+001B[31mredU+001B[0m U+0000 ? \ufffe")
    assert not set("\u202e\u202c\u2066\u2069\u200b\x1b") & set(page.locator("body").inner_text())
    assert box.evaluate("(element) => getComputedStyle(element).unicodeBidi") == "plaintext"


def test_an_emoji_keeps_what_joins_it(visit, write_run, tmp_path):
    family = "👩\u200d👩\u200d👧 ❤\ufe0f a\u200db\ufe0f"
    row = {"task": QA, "qid": "1", "prompt": family, "prediction": "x", "metrics": {"correct": 100.0}}
    write_run("run", {QA: {"correct": 1.0, "n": 1}}, [row])
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html")
    browser_of(page)
    page.locator("#list > li > details > summary").first.click()
    box = page.locator("#list .item pre").first
    assert box.inner_text() == "👩\u200d👩\u200d👧 ❤\ufe0f aU+200DbU+FE0F"


@pytest.mark.parametrize(("in_ci", "outcome"), [("1", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_without_a_package_these_tests_are_skipped_but_fail_in_ci(monkeypatch, in_ci, outcome):
    monkeypatch.setenv("CI", in_ci)
    with pytest.raises(outcome, match="needs no_such_package"):
        needed("no_such_package")


@pytest.mark.parametrize("language", ["en", "hu"])
def test_headings_do_not_break_inside_a_word_on_a_phone(visit, sample_page, language):
    page = visit(sample_page, viewport={"width": 390, "height": 844})
    browser_of(page)
    page.select_option("#language", language)
    page.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
    assert page.evaluate(BROKEN_WORDS) == []


def test_a_search_that_goes_on_leaves_an_open_item_open(visit, sample_page):
    page = visit(sample_page)
    browser_of(page)
    page.locator("#list > li > details > summary").first.click()
    page.locator("#list .item").wait_for()
    number = page.locator("#list > li > details").first.get_attribute("data-number")
    page.check("[name=answers]")
    page.fill("[name=search]", page.locator("#list .item pre").nth(2).inner_text()[:10])
    page.locator("#found > span > [lang=en]", has_text="items: ").wait_for()
    assert page.locator(f"#list [data-number='{number}'][open] .item").count() == 1


def test_a_damaged_index_is_said(visit, sample_page, tmp_path):
    text = sample_page.read_text(encoding="utf-8")
    start = text.index('id="index">') + len('id="index">')
    broken = base64.b64encode(gzip.compress(b"[")).decode()
    (tmp_path / "broken.html").write_text(text[:start] + broken + text[text.index("<", start) :], encoding="utf-8")
    page = visit(tmp_path / "broken.html")
    page.get_by_text("This part of the page cannot be shown: the file is damaged").wait_for()
    assert not page.get_by_text("The item browser needs JavaScript").is_visible()


def test_a_damaged_block_is_said_and_the_rest_shown(visit, sample_page, sample_runs, tmp_path):
    text = sample_page.read_text(encoding="utf-8")
    start = text.index('id="answers-0">') + len('id="answers-0">')
    broken = base64.b64encode(gzip.compress(b"[")).decode()
    end = min(text.index(mark, start) for mark in ("\n", "<"))
    (tmp_path / "broken.html").write_text(text[:start] + broken + text[end:], encoding="utf-8")
    page = visit(tmp_path / "broken.html")
    browser_of(page)
    page.locator("#list > li > details > summary").first.click()
    page.locator("#list").get_by_text("This part of the page cannot be shown: the file is damaged").wait_for()
    page.fill("[name=search]", "nem tudom")
    found(page, 0)
    page.check("[name=answers]")
    page.locator("#broken").get_by_text("This part of the page cannot be shown").wait_for()
    page.locator("#found > span > [lang=en]", has_text=re.compile(r"^items: [1-9]\d*$")).wait_for()
    page.fill("[name=search]", "")
    found(page, len({(row["task"], row["qid"], row.get("correct_option")) for row in items(sample_runs)}))
    page.get_by_role("button", name="Last").click()
    page.locator("#list > li > details > summary").last.click()
    page.locator("#list .item").wait_for()
