"""The page for everyone: no layout shift, the keyboard alone, 200 % zoom, a phone."""

from __future__ import annotations

import pytest

from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from tests.browser import needed, wait_until

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
# All layout shifts so far, and what moved.
SHIFTS = """() => new Promise((resolve) => {
  const found = [];
  const note = (list) => found.push(...list.getEntries().map((one) => one.value));
  new PerformanceObserver(note).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => resolve(found.reduce((sum, value) => sum + value, 0)), 700);
})"""
# Whether the element with the focus is in sight and has a ring, or is shown by its colours.
FOCUS = """() => {
  const own = document.activeElement;
  const box = own.getBoundingClientRect();
  const style = getComputedStyle(own);
  const text = (own.textContent || own.name || "").trim().slice(0, 30);
  const name = own.tagName + (own.id ? "#" + own.id : "") + " " + text;
  return [name, box.width > 0 && box.height > 0, style.outlineStyle !== "none" || style.strokeWidth === "1.5px"];
}"""
OPEN_ALL = "document.querySelectorAll('details').forEach((each) => { each.open = true; })"


def ready(page):
    page.wait_for_selector("#browser:not([hidden]) #list > li")
    return page


# Each language, theme and width; every night each pair of them.
PAIRS = [
    pytest.param("en", "light", DESKTOP, id="en-light-desktop"),
    pytest.param("hu", "dark", PHONE, id="hu-dark-phone"),
    pytest.param("en", "dark", PHONE, id="en-dark-phone", marks=pytest.mark.nightly),
    pytest.param("hu", "light", PHONE, id="hu-light-phone", marks=pytest.mark.nightly),
    pytest.param("hu", "dark", DESKTOP, id="hu-dark-desktop", marks=pytest.mark.nightly),
]


@pytest.mark.slow
@pytest.mark.parametrize(("language", "system", "viewport"), PAIRS)
def test_axe_finds_nothing_serious_with_all_unfolded(visit, sample_page, viewport, system, language):
    axe = needed("axe_playwright_python.sync_playwright")
    page = ready(visit(sample_page, viewport=viewport, color_scheme=system))
    page.select_option("#language", language)
    page.evaluate(OPEN_ALL.replace("'details'", "'details:not(#list *)'"))
    report = axe.Axe().run(page).response
    assert len(report["passes"]) > 20
    assert [
        (rule["id"], node["html"][:200])
        for rule in report["violations"]
        for node in rule["nodes"]
        if rule["impact"] in ("serious", "critical")
    ] == []


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_moves_while_the_page_opens(visit, sample_page, viewport):
    page = ready(visit(sample_page, viewport=viewport))
    assert page.evaluate(SHIFTS) < 0.01


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_keyboard_reaches_everything_and_shows_where_it_is(visit, sample_page, viewport):
    page = ready(visit(sample_page, viewport=viewport))
    reached = []
    for _ in range(150):
        page.keyboard.press("Tab")
        name, is_visible, has_ring = page.evaluate(FOCUS)
        if name.startswith("BODY"):
            break
        reached.append(name)
        assert is_visible, name
        assert has_ring, name
    text = " ".join(reached)
    folds = page.locator("details.fold > summary").all_text_contents()
    for each in ("#language", "#theme", "A Items", *(f"SUMMARY {fold.strip()[:10]}" for fold in folds[:1])):
        assert each in text, each


def test_a_fold_opens_by_the_keyboard_and_by_a_link_to_it(visit, sample_page):
    page = ready(visit(sample_page))
    fold = page.locator("#metrics")
    fold.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert fold.evaluate("(each) => each.open")
    page.keyboard.press("Enter")
    assert not fold.evaluate("(each) => each.open")
    page.locator("nav a[href='#metrics']").click()
    wait_until(page, "document.querySelector('#metrics').open")


@pytest.mark.parametrize("language", ["en", "hu"])
@pytest.mark.parametrize("viewport, scale", [({"width": 640, "height": 450}, 2), (PHONE, 3)], ids=["200 %", "phone"])
def test_the_page_does_not_scroll_sideways(visit, sample_page, viewport, scale, language):
    page = ready(visit(sample_page, viewport=viewport, device_scale_factor=scale))
    page.select_option("#language", language)
    page.evaluate(OPEN_ALL)
    assert page.evaluate("document.documentElement.scrollWidth") == viewport["width"]


def test_on_a_phone_the_names_stay_while_the_columns_scroll(visit, sample_page):
    page = ready(visit(sample_page, viewport=PHONE))
    name = page.locator("#overview ~ .scroll tbody th").first
    before = name.bounding_box()["x"]
    page.locator("#overview ~ .scroll").first.evaluate("(each) => { each.scrollLeft = each.scrollWidth; }")
    assert name.bounding_box()["x"] == pytest.approx(before, abs=1)


def test_warnings_are_a_line_each_until_they_are_opened(visit, write_run, tmp_path):
    for number in range(3):
        scores = {"correct": 50.0, "n": 2, "signature": "task:t|sample:yes|judge:lexical|"}
        write_run(f"a-model-with-a-long-name-{number}", {"openhueval_husimpleqa": scores})
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html", viewport=PHONE)
    heights = page.locator(".warning summary").evaluate_all("(all) => all.map((each) => each.offsetHeight)")
    assert len(heights) > 1
    assert len(set(heights)) == 1
    page.locator(".warning summary").last.click()
    assert page.locator(".warning summary").last.evaluate("(each) => each.offsetHeight") > heights[-1]
