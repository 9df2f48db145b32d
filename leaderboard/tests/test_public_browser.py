"""The pages for everybody in a real browser: axe, a phone, the keyboard alone, no script, nothing from elsewhere."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from django.contrib.staticfiles.testing import StaticLiveServerTestCase

from hueval_site.boards import boards
from hueval_site.submissions.models import Phase
from hueval_site.submissions.seasons import open_season
from leaderboard.tests.filled import fill
from tests.browser import needed

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
TASK, OTHER = "hulu_hucola", "hulu_hurte"
PHASE = {"opens": datetime(2026, 3, 1, 12, tzinfo=UTC), "closes": datetime(2026, 7, 1, 3, 30, tzinfo=UTC)}
# Each width and theme; every night each pair of them.
SHOWN = [
    pytest.param(DESKTOP, "light", id="desktop-light"),
    pytest.param(PHONE, "dark", id="phone-dark"),
    pytest.param(DESKTOP, "dark", id="desktop-dark", marks=pytest.mark.nightly),
    pytest.param(PHONE, "light", id="phone-light", marks=pytest.mark.nightly),
]
# Whether the element with the focus is in sight and has a ring.
FOCUS = """() => {
  const own = document.activeElement, box = own.getBoundingClientRect(), style = getComputedStyle(own);
  return [own.tagName, (own.textContent || "").trim().slice(0, 30), box.width > 0, style.outlineStyle];
}"""


@pytest.fixture
def site(live_server_with_files, settings):
    """A site with twelve models on two boards, one of them with a phase: its address, and the pages to visit."""
    rows = fill(12, [TASK, OTHER])
    Phase.objects.create(board=TASK, season=open_season(boards()[TASK]), **PHASE)
    first, second = rows[0].pk, rows[2].pk
    pages = [
        *("", "tasks/", f"tasks/{TASK}/", f"boards/{TASK}/", "families/hulu/", "faq/", "imprint/", "privacy/"),
        *(f"models/{first}/", f"rows/{first}/", f"compare/?first={first}&second={second}", "nothing/"),
    ]
    return live_server_with_files, pages


@pytest.fixture
def live_server_with_files():
    """A server on loopback that has the static files too."""

    class Case(StaticLiveServerTestCase):
        pass

    Case.setUpClass()
    yield Case.live_server_url
    Case.tearDownClass()


@pytest.mark.parametrize(("viewport", "scheme"), SHOWN)
def test_pages_are_accessible_fit_and_load_nothing_from_elsewhere(chromium, site, viewport, scheme):
    axe = needed("axe_playwright_python.sync_playwright")
    address, pages = site
    context = chromium.new_context(viewport=viewport, color_scheme=scheme, bypass_csp=False)
    page = context.new_page()
    page.set_default_timeout(120_000)
    elsewhere, complaints = [], []
    page.on("request", lambda request: elsewhere.append(request.url) if not request.url.startswith(address) else None)
    page.on("console", lambda message: complaints.append(message.text))
    faults = []
    for path in pages:
        page.goto(f"{address}/en/{path}")
        report = axe.Axe().run(page).response
        assert len(report["passes"]) > 10, path
        faults += [
            (path, rule["id"], node["html"][:200])
            for rule in report["violations"]
            for node in rule["nodes"]
            if rule["impact"] in ("serious", "critical")
        ]
        if page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            faults.append((path, "wider than the screen", ""))
    context.close()
    assert faults == []
    assert elsewhere == []
    assert [text for text in complaints if "404" not in text] == []


def test_a_board_is_sorted_and_filtered_by_the_keyboard_alone_and_without_scripts(chromium, site):
    address, _pages = site
    context = chromium.new_context(viewport=DESKTOP, java_script_enabled=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{address}/en/boards/{TASK}/")
    page.keyboard.press("Tab")
    assert page.evaluate(FOCUS)[1:] == ["Skip to the content", True, "solid"]
    page.keyboard.press("Enter")
    seen = []
    for _ in range(30):
        page.keyboard.press("Tab")
        tag, text, is_seen, ring = page.evaluate(FOCUS)
        seen.append(text)
        assert is_seen and ring != "none", (tag, text)
        if text == "Model":
            break
    assert "Filter" in seen
    page.keyboard.press("Enter")
    page.wait_for_url("**/?sort=model")
    assert page.locator('th[aria-sort="ascending"]').inner_text().startswith("Model")
    page.focus('select[name="openness"]')
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.focus("form.filters button")
    page.keyboard.press("Enter")
    page.wait_for_url("**/?sort=model&openness=open")
    context.close()


@pytest.mark.parametrize(
    ("zone", "closes"),
    [
        ("Europe/Budapest", "2026-07-01 03:30 UTC (2026-07-01 05:30 CEST)"),
        ("America/New_York", "2026-07-01 03:30 UTC (2026-06-30 23:30 GMT−4)"),
        ("UTC", "2026-07-01 03:30 UTC"),
    ],
)
def test_dates_of_a_phase_are_in_the_zone_of_the_reader_too(chromium, site, zone, closes):
    address, _pages = site
    page = chromium.new_context(viewport=DESKTOP, timezone_id=zone).new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{address}/en/boards/{TASK}/")
    assert page.locator("dd:has(time)").last.inner_text() == closes
    page.context.close()


@pytest.mark.parametrize("language", ["en", "hu"])
def test_a_phone_shows_rank_model_and_score_side_by_side(chromium, site, language):
    address, _pages = site
    page = chromium.new_context(viewport=PHONE).new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{address}/{language}/boards/{TASK}/")
    score = page.locator("tbody tr").first.locator("td.number").nth(1).bounding_box()
    assert score["x"] + score["width"] <= PHONE["width"]
    for path in (f"boards/{TASK}/", "families/hulu/"):
        page.goto(f"{address}/{language}/{path}")
        text = page.locator("tbody tr").first.locator(".who").inner_text()
        assert re.fullmatch(r"Team \S+ \d+\s+20\d\d-\d\d-\d\d", text)
        who = page.locator("tbody tr").first.locator(".who").bounding_box()
        assert who["x"] + who["width"] <= PHONE["width"]
    page.context.close()


@pytest.mark.parametrize("language", ["en", "hu"])
def test_the_header_of_a_phone_is_one_line_whose_menu_needs_no_script(chromium, site, language):
    address, _pages = site
    page = chromium.new_context(viewport=PHONE, java_script_enabled=False).new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{address}/{language}/families/hulu/")
    assert page.locator("header.site").bounding_box()["height"] < 56
    tasks = page.locator(f'header.site a[href="/{language}/tasks/"]')
    assert not tasks.is_visible()
    page.locator("header.site button.menu").press("Enter")
    assert tasks.is_visible()
    tasks.click()
    page.wait_for_url("**/tasks/")
    page.set_viewport_size(DESKTOP)
    assert tasks.is_visible()
    assert not page.locator("header.site button.menu").is_visible()
    page.context.close()
