"""The section on reasoning traces, and the reader of traces in the item browser, in a real browser."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.api.report import report
from hueval_metrics.registry import known_tasks
from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from hueval_metrics.traces.report.analysis import Analysis
from hueval_metrics.traces.report.section import section_of
from hueval_metrics.traces.results import AnalysedRun, TraceResults
from tests.browser import needed, wait_until
from tests.features.traces.report.analyses import CLOSE, OPEN, TRACE, life_of, results_of, thoughts_of, write_analysis
from tests.reports.page.conftest import FIB, PAYLOADS, QA, scored_sample
from tests.reports.page.languages import foreign_texts
from tests.reports.page.test_browser import browser_of, found
from tests.reports.page.test_item_view import open_item, seen

POOLED = "kolassimpleqa_hu_general"


@pytest.fixture(scope="module")
def analysed(tmp_path_factory):
    """Two runs on the sample, and an analysis of them."""
    folder = tmp_path_factory.mktemp("analysed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        patch.setenv("HUEVAL_CACHE_DIR", str(folder / "cache"))
        runs = {
            name: scored_sample(folder, name, n, trace=OPEN + TRACE + CLOSE) for name, n in (("m-7B", 5), ("n-1B", 2))
        }
    return [*runs.values(), write_analysis(folder / "analysis", runs, QA, FIB)]


@pytest.fixture(scope="module")
def traced_page(analysed, tmp_path_factory):
    """The page of these."""
    folder = tmp_path_factory.mktemp("traced")
    return report(analysed, folder / "report.html", figures=folder / "figures")


@pytest.mark.slow
def test_the_section_has_figures_sentences_and_tables(traced_page):
    text = traced_page.read_text(encoding="utf-8")
    section = text[text.index('id="reasoning"') : text.index('id="items"')]
    for told in (
        "Tokens: <b>not attempted</b> above <b>correct</b> by 600 [400, 810], p &lt; 0.001.",
        "Tokenek: <b>kihagyott</b> a nagyobb, <b>helyes</b> a kisebb, a különbség 600 [400; 810], p &lt; 0,001.",
    ):
        assert f"<bdi>m-7B</bdi>, HuSimpleQA: {told}" in section
    models = "<b><bdi>m-7B</bdi></b> above <b><bdi>n-1B</bdi></b>"
    assert f"HuSimpleQA: Tokens: {models} by 500 [300, 700], p = 0.012." in section
    assert "Between outcomes, 1 of 2 differences are significant." in section
    for told in (
        "<b>Simple assertions, correct, %</b> above <b>Complex thoughts, correct, %</b> by 40.80 [31.20, 50.00], p",
        "<b>Helyes egyszerű állítások, %</b> a nagyobb, <b>Helyes összetett gondolatok, %</b> a kisebb, a",
        "Between two measures of one model, 1 of 1 differences are significant.",
    ):
        assert told in section
    for told in (
        "HuSimpleQA: length of the reasoning by outcome",
        "HuSimpleQA: regret",
        "55.49",
        "too long",
        "judge-1",
    ):
        assert told in section
    for name in ("length", "regret", "thoughts"):
        for suffix in ("svg", "png", "csv"):
            assert (traced_page.parent / "figures" / f"traces-{name}-husimpleqa.{suffix}").stat().st_size > 100


def test_regret_is_told_of_replies_that_are_not_right_alone(traced_page):
    text = traced_page.read_text(encoding="utf-8")
    table = text[text.index('aria-labelledby="reasoning-outcomes"') :]
    row = table[table.index('<th scope="row">') :].partition("</tr>")[0]
    assert row.count('<td class="number"><b></b></td>') == 1


def test_every_text_of_the_section_stands_in_both_languages(traced_page):
    assert foreign_texts(traced_page.read_text(encoding="utf-8")) == []


def test_a_page_without_analyses_has_nothing_of_it(sample_page):
    text = sample_page.read_text(encoding="utf-8")
    assert 'id="reasoning"' not in text
    assert "traceReader = " not in text
    assert 'name="finding"' not in text


def test_a_pool_is_shown_by_its_parts(tmp_path):
    family = known_tasks()[POOLED]
    codes = tuple(family.parts)
    results = results_of(["m"], family.traces[POOLED].pool, FIB, ("", *codes))
    folder = tmp_path / "m"
    folder.mkdir()
    (folder / "results.json").write_text(json.dumps({POOLED: {"correct": 40.0, "n": 2}}), encoding="utf-8")
    (folder / "traces.jsonl").write_text("", encoding="utf-8")
    write_report(
        load_runs([folder]),
        tmp_path / "report.html",
        sections=[lambda runs, _: section_of(runs, [Analysis(folder, results)])],
    )
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    for code in codes:
        told = {"en": "length of the reasoning by outcome", "hu": "a gondolatmenet hossza kimenetel szerint"}
        for language in told:
            assert f"{family.title}, {family.parts[code][language]}: {told[language]}" in text
        assert f">{family.parts[code]['hu']}: hibás<" in text  # a panel of regret
    section = text[text.index('id="reasoning"') : text.index('id="items"')]
    assert foreign_texts(f"<body><p {section}>") == []


def test_a_long_trace_says_what_was_left_out_and_keeps_the_marks_of_the_rest(visit, write_run, tmp_path):
    start, end = "Az elején áll a 🤔 gondolat. ", " Várjunk, a végén is."
    trace = start + "közép " * 9000 + end
    reply = OPEN + trace + CLOSE + "Igen"
    row = {"task": QA, "qid": "1", "prompt": "?", "prediction": reply, "response": "Igen", "metrics": {"correct": 0.0}}
    folder = write_run("m", {QA: {"correct": 0.0, "n": 1}}, [row])
    runs = load_runs([folder])
    places = [0, len(start), 20_000, 30_000, trace.index("Várjunk")]
    found = {"run": runs[0].label, "task": QA, "key": ["1"], "blocks": [[len(OPEN), len(OPEN) + len(trace)]]}
    found["thoughts"] = {"starts": places, "scores": [0, 1, 2, None, 2]}
    part = {"part": "", "first": 25_000, "changes": 0, "settled": places[-1], "tokens_after": 3, "right": True}
    found["life"] = {"parts": [part | {"right_stood": None}]}
    (folder / "traces.jsonl").write_text(json.dumps(found) + "\n", encoding="utf-8")
    write_report(
        runs,
        tmp_path / "report.html",
        sections=[lambda runs, _: section_of(runs, [Analysis(folder, results_of([runs[0].label], QA, FIB))])],
    )
    page = visit(tmp_path / "report.html")
    browser_of(page)
    item = open_item(page)
    item.locator(".row-trace summary").click()
    assert [seen(label)[:11] for label in item.locator(".piece .label").all()] == [
        "0 Thought 1",
        "1 Thought 2",
        "– Thought 4",
        "2 Thought 5",
    ]
    words = item.locator(".piece .words")
    assert words.first.inner_text() == start.strip()
    assert f"{len(trace) - 16_000} characters cut" in words.nth(2).inner_text()
    assert words.last.inner_text().endswith("settledVárjunk, a végén is.")
    assert "in the part left out here: 1" in item.locator(".trace").inner_text()
    assert "first appears (in the part left out here)" in seen(item.locator(".life-list"))
    page.locator("[name=plain]").click()
    assert item.locator(".trace .cut").count() == 1


def test_the_reader_shows_thoughts_and_plain_text(visit, traced_page):
    page = visit(traced_page)
    browser_of(page)
    page.select_option("[name=task]", label="HuSimpleQA")
    side = open_item(page, 1).locator(".side-a")
    side.locator(".row-trace summary").click()
    pieces = side.locator(".piece")
    assert [seen(label) for label in side.locator(".piece .label").all()] == [
        "0 Thought 1 · score 0",
        "1 Thought 2 · score 1",
        "2 Thought 3 · score 2, correct",
        "– Thought 4 · without a score",
    ]
    assert [text[:7] for text in side.locator(".piece .words").all_inner_texts()] == [
        "Előbb f",
        "Várjunk",
        "Wait, t",
        "Esetleg",
    ]
    assert len({piece.evaluate("(own) => getComputedStyle(own).borderLeftStyle") for piece in pieces.all()}) == 4
    side.get_by_role("button", name="Plain").click()
    assert side.locator(".piece").count() == 0
    assert side.locator(".trace .words").inner_text() == TRACE
    other = open_item(page, 2)
    other.locator(".side-a .row-trace summary").click()
    assert other.locator(".piece").count() == 0  # the view stays
    other.locator(".side-b [name=thoughts]").click()
    assert other.locator(".side-b .piece").count() == 4


def test_the_reader_shows_segments_classes_and_the_life_of_the_answer(visit, traced_page):
    page = visit(traced_page)
    browser_of(page)
    page.select_option("[name=task]", label="HuMatchingFIB")
    side = open_item(page).locator(".side-a")
    side.locator(".row-trace summary").click()
    assert [seen(label)[:14].strip() for label in side.locator(".piece .label").all()] == [
        "I Introduction",
        *("R Reasoning ·",) * 3,
        "C Conclusion ·",
    ]
    more = side.locator("[name=classes]").first
    assert more.get_attribute("aria-expanded") == "false"
    more.focus()
    page.keyboard.press("Enter")
    assert more.get_attribute("aria-expanded") == "true"
    told = seen(side.locator(".piece dl").first)
    assert told == (
        "Correctness Partially correct Depth Complex thought Blanks Modifies previous blanks "
        "Language No language transfer"
    )
    assert [seen(mark) for mark in side.locator("mark.life").all()] == [
        "◇ #0# first appears",
        "◇ #1# first appears",
        "★ #0# right answer was there",
        "★ #1# right answer was there",
        "◆ #0# settled",
        "◆ #1# settled",
    ]
    first = side.locator("mark.life.first").last.evaluate("(own) => own.nextSibling.data")
    assert first.startswith("Mátyás")
    assert "changes: 2" in seen(side.locator(".life-list"))
    page.evaluate("document.querySelector('.trace').scrollTop = 0")
    side.get_by_role("button", name="settled").first.click()
    assert side.locator("mark.life.settled").first.is_visible()


@pytest.mark.parametrize(
    ("finding", "label"), [("regret", "not right, but a thought is correct"), ("looping", "in a loop")]
)
def test_items_are_filtered_by_what_was_found(visit, traced_page, analysed, finding, label):
    rows = [json.loads(line) for line in (analysed[-1] / "traces.jsonl").read_text(encoding="utf-8").splitlines()]
    if finding == "regret":
        hits = [one for one in rows if one["verdict"] == "INCORRECT" and 2 in one.get("thoughts", {}).get("scores", [])]
    else:
        hits = [one for one in rows if one["free"]["looping"]]
    page = visit(traced_page)
    browser_of(page)
    page.select_option("[name=finding]", label=label)
    found(page, len({(one["task"], *one["key"]) for one in hits}))
    page.select_option("[name=model]", label="n-1B")
    found(page, sum(one["run"] == "n-1B" for one in hits))
    wait_until(page, "(name) => location.hash.includes(`finding=${name}`)", arg=finding)
    page.get_by_role("button", name="Clear filters").click()
    assert page.locator("[name=finding]").input_value() == ""


def test_what_the_script_adds_stands_in_both_languages(visit, traced_page):
    page = visit(traced_page)
    browser_of(page)
    for task in ("HuSimpleQA", "HuMatchingFIB"):
        page.select_option("[name=task]", label=task)
        row = open_item(page, 1)
        row.locator(".row-trace summary").first.click()
        page.evaluate("document.querySelectorAll('.words').forEach((each) => each.remove())")
        texts = "".join(each.inner_html() for each in row.locator(".row-trace").all())
        assert "lang=" in texts
        assert foreign_texts(f"<body>{texts}") == []


@pytest.mark.parametrize(("system", "width"), [("light", 1280), ("dark", 390)])
def test_axe_finds_nothing_in_the_section_and_the_reader(visit, traced_page, system, width):
    axe = needed("axe_playwright_python.sync_playwright")
    page = visit(traced_page, color_scheme=system, viewport={"width": width, "height": 900})
    browser_of(page)
    for task in ("HuSimpleQA", "HuMatchingFIB"):
        page.select_option("[name=task]", label=task)
        row = open_item(page, 1)
        row.locator(".row-trace summary").first.click()
        if task == "HuMatchingFIB":
            row.locator("[name=classes]").first.click()
        report = axe.Axe().run(page, context="#browser").response
        assert [(rule["id"], node["html"][:200]) for rule in report["violations"] for node in rule["nodes"]] == []
    page.evaluate(
        "document.querySelectorAll('section:has(#reasoning) details').forEach((each) => { each.open = true; })"
    )
    report = axe.Axe().run(page, context="section:has(#reasoning)").response
    assert [(rule["id"], node["html"][:200]) for rule in report["violations"] for node in rule["nodes"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_labels_and_traces_are_text_whatever_they_hold(visit, write_run, tmp_path, payload):
    trace = payload + TRACE
    reply = OPEN + trace + CLOSE + payload
    item = {
        "task": QA,
        "qid": "1",
        "prompt": "?",
        "prediction": reply,
        "response": payload,
        "metrics": {"correct": 0.0},
    }
    folder = write_run("m", {QA: {"correct": 0.0, "n": 1, "model": payload}}, [item])
    runs = load_runs([folder])
    label = runs[0].label
    row = {
        "run": label,
        "task": QA,
        "key": ["1"],
        "verdict": "INCORRECT",
        "tokens": 5,
        "blocks": [[len(OPEN), len(OPEN) + len(trace)]],
    }
    row |= {"free": {"language": payload, "switches": 1}, "thoughts": thoughts_of(trace, [0, 1, 2, None])}
    row["life"] = life_of(trace, (payload,))
    (folder / "traces.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    results = results_of([label], QA, FIB)
    more = AnalysedRun(payload, payload, {}, {payload: {payload: 3}}, {payload: {payload: 3}})
    results = TraceResults("1", (), "t", payload, [*results.runs, more], results.numbers, results.tests)
    write_report(
        runs, tmp_path / "report.html", sections=[lambda runs, _: section_of(runs, [Analysis(folder, results)])]
    )
    page = visit(tmp_path / "report.html")
    browser_of(page)
    item = open_item(page)
    item.locator(".row-trace summary").click()
    assert item.locator(".piece").count() == 4
    if payload.isprintable():
        assert item.locator(".piece .words").first.inner_text().startswith(payload)
        assert item.locator("mark.life bdi").first.inner_text() == payload[:40]
    assert page.evaluate("window.hit === undefined")
    section = page.locator("section:has(#reasoning)")
    for tag in ("iframe", "a[href^='javascript']", "[onload], [onerror], [onfocus]", "img"):
        assert item.locator(tag).count() == section.locator(tag).count() == 0
    assert not set("\u202e\u202c\u2066\u2069\u200b\x1b") & set(item.inner_text() + section.inner_text())
