"""The drawings of the page in a real browser: no text over another, values on hover and on focus, hostile names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest

from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.figures.sheet import NARROW, WIDE
from hueval_metrics.reports.figures.theme import DARK, LIGHT, VARIABLES, Theme
from hueval_metrics.reports.page.build import write_report
from hueval_metrics.reports.page.inline import inline_svg
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.run import Run
from tests.reports.figures.conftest import figures_of, published_runs
from tests.reports.figures.test_build import ITEMS
from tests.reports.page.conftest import PAYLOADS, hostile_run

__all__ = ["published_runs"]

FIB = "openhueval_humatchingfib"
# Pairs of texts that overprint, and texts that leave their drawing; a pixel or two of empty room above the letters of
# a text is no text.
FAULTS = """() => [...document.querySelectorAll("svg")].flatMap((svg) => {
  const edge = svg.getBoundingClientRect();
  const texts = [...svg.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  const found = [];
  texts.forEach(([text, box], place) => {
    const isInside = box.left > edge.left - 1 && box.right < edge.right + 1;
    if (!isInside || box.top < edge.top - 2 || box.bottom > edge.bottom + 2)
      found.push([svg.parentElement.id, "cut", text]);
    for (const [other, its] of texts.slice(place + 1)) {
      const across = Math.min(box.right, its.right) - Math.max(box.left, its.left);
      const down = Math.min(box.bottom, its.bottom) - Math.max(box.top, its.top);
      if (across > 1 && down > 3) found.push([svg.parentElement.id, text, other]);
    }
  });
  return found;
})"""
CASES = {
    "one model": (1, "{}", 0),
    "four models and baselines": (4, "{}", 4),
    "twenty models with long names, and baselines": (20, "some-organisation/{}-Instruct-WWWW-bf16-step-{}", 4),
}


def drawn(figures: Sequence[Figure], wide: float) -> list[str]:
    return [str(inline_svg(figure, wide, f"{figure.name}-")) for figure in figures]


def runs_like(published: Sequence[Run], models: int, form: str, baselines: int) -> list[Run]:
    """So many models with scores of the paper's, and baselines from the floor to the ceiling."""
    many = [published[place % len(published)] for place in range(models)]
    found = [replace(run, label=form.format(run.label, place)) for place, run in enumerate(many)]
    for place, policy in enumerate(("abstain", "first", "random", "oracle")[:baselines]):
        tasks = {
            name: replace(result, scores=dict.fromkeys(result.scores, (0.0, 1.0, 28.0, 100.0)[place]), intervals={})
            for name, result in published[0].tasks.items()
        }
        found.append(replace(published[0], label=f"hueval-baseline-{policy}", tasks=tasks))
    return found


NIGHTLY = "four models and baselines"  # less than twenty


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=pytest.mark.nightly if case == NIGHTLY else ()) for case in CASES]
)
def test_no_text_is_over_another_and_none_is_cut(chromium, published_runs, case):
    runs = runs_like(published_runs, *CASES[case])
    figures = figures_of(runs, [ITEMS] * len(runs))
    page = chromium.new_page(viewport={"width": 800, "height": 600})
    for wide in (WIDE, NARROW):
        named = zip(figures, drawn(figures, wide), strict=True)
        page.set_content(
            "<style>[lang=hu] { display: none }</style>"
            + "".join(f'<div id="{figure.name}">{text}</div>' for figure, text in named)
        )
        assert page.evaluate("document.querySelectorAll('svg text').length") > 100
        assert page.evaluate(FAULTS) == [], wide
    page.close()


def test_a_narrow_drawing_fits_a_phone_at_its_own_size(published_runs):
    for text in drawn(figures_of(published_runs[:2], [[]] * 2), NARROW):
        root = ElementTree.fromstring(text)
        assert float(root.attrib["width"]) <= 340
        assert float(root.attrib["viewBox"].split()[2]) * 4 / 3 == pytest.approx(float(root.attrib["width"]), abs=1)
        # points; 11 CSS pixels
        sizes = {float(one.attrib["font-size"].removesuffix("px")) for one in root.iter() if "font-size" in one.attrib}
        assert min(sizes) * 4 / 3 >= 11


def test_colours_are_the_pages_and_no_style_is_left(published_runs):
    for text in drawn(figures_of(published_runs[:2], [[]] * 2), WIDE):
        assert "style" not in text
        assert not re.search(r"#[0-9a-f]{6}\b", text)
        assert set(re.findall(r"var\((--[\w-]+)\)", text)) <= set(VARIABLES.values())


@pytest.mark.parametrize(("theme", "at"), [(LIGHT, 0), (DARK, 1)], ids=["light", "dark"])
def test_the_style_sheet_has_the_colours_of_the_themes(sample_page, theme: Theme, at: int):
    page = sample_page.read_text(encoding="utf-8")
    pairs = re.findall(r"(--[\w-]+): light-dark\((#\w+), (#\w+)\)", page)
    found = {name: colors[at] for name, *colors in pairs}
    usual = {"#fff": "#ffffff"}
    for name in ("paper", "ink", "soft", "line", "fill"):
        assert usual.get(found[f"--{name}"], found[f"--{name}"]) == getattr(theme, name)
    assert [found[f"--model-{place}"] for place in range(len(theme.colors))] == list(theme.colors)


def test_ids_are_unique_and_every_reference_has_its_target(sample_page):
    page = sample_page.read_text(encoding="utf-8")
    drawings = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
    ids = [one for text in drawings for one in re.findall(r' id="([^"]*)"', text)]
    assert len(ids) == len(set(ids)) > 20
    for text in drawings:
        targets = {*re.findall(r'href="#([^"]*)"', text), *re.findall(r"url\(#([^)]*)\)", text)}
        assert targets <= set(re.findall(r' id="([^"]*)"', text))


def test_a_hostile_name_is_text_and_nothing_else(published_runs):
    runs = [replace(published_runs[place % 2], label=payload) for place, payload in enumerate(PAYLOADS)]
    for text in drawn(figures_of(runs, [ITEMS[:3]] * len(runs)), NARROW):
        root = ElementTree.fromstring(text)
        assert {one.tag for one in root.iter()} <= {
            "svg",
            "defs",
            "g",
            "path",
            "use",
            "text",
            "tspan",
            "clipPath",
            "rect",
        }
        assert not [name for one in root.iter() for name in one.attrib if name.startswith("on")]
        assert not [one.attrib["id"] for one in root.iter() if not re.fullmatch(r"[\w.-]*", one.get("id", ""))]


def test_numbers_are_written_in_both_languages_and_words_are_not_in_drawings(published_runs):
    names = {"oracle"}
    for text in drawn(figures_of(published_runs[:2], [ITEMS] * 2), WIDE):
        root = ElementTree.fromstring(text)
        for one in root.iter("text"):
            told = {part.get("lang"): part.text for part in one}
            if told:
                assert told["hu"] == (told["en"] or "").replace(".", ","), told
            elif re.fullmatch(r"[\d.]+", one.text or ""):
                assert "." not in (one.text or "")
            names.add(one.text or "")
    english = {"and", "the", "of", "score", "model", "models", "task", "rank", "answers", "length", "by"}
    assert not {word for name in names for word in name.casefold().split()} & english


@pytest.fixture
def opened(visit: Callable[..., Any], write_run, tmp_path) -> Callable[..., Any]:
    """A page of two runs, opened with these settings."""

    def open_page(**settings: Any) -> Any:
        for label, score in (("Llama-3.1", 61.25), ("gpt, the second", 48.5)):
            write_run(label, {FIB: {"blank_acc": score, "blank_acc_ci95": [score - 2, score + 2.5], "n": 278}})
        write_report(load_runs([tmp_path]), tmp_path / "report.html")
        return visit(tmp_path / "report.html", **settings)

    return open_page


def test_values_are_shown_on_hover_in_the_pages_language(opened):
    page = opened()
    page.locator(".wide .spot").first.hover()
    assert page.locator(".tip").inner_text().split("\n") == [
        "Llama-3.1",
        "HuMatchingFIB B acc.",
        "61.2 [59.2, 63.8], n = 278",
    ]
    page.locator("h1").hover()
    assert not page.locator(".tip").is_visible()
    page.select_option("#language", "hu")
    page.locator(".wide .spot").nth(1).hover()
    assert page.locator(".tip").inner_text().split("\n")[::2] == ["gpt, the second", "48,5 [46,5; 51,0]; n = 278"]
    label = "gpt, the second, HuMatchingFIB B acc.: 48,5 [46,5; 51,0]; n = 278"
    assert page.locator(".wide .spot").nth(1).get_attribute("aria-label") == label


def test_a_drawing_is_one_stop_of_the_tab_key_and_arrows_go_on(opened):
    page = opened()
    spots = page.locator(".wide").first.locator(".spot")
    assert page.locator(".wide").first.locator('.spot[tabindex="0"]').count() == 1
    spots.first.focus()
    assert page.locator(".tip b").inner_text() == "Llama-3.1"
    page.keyboard.press("ArrowDown")
    assert page.locator(".tip b").inner_text() == "gpt, the second"
    assert page.evaluate("document.activeElement.getAttribute('tabindex')") == "0"
    page.keyboard.press("ArrowDown")  # nothing is below
    assert page.locator(".tip b").inner_text() == "gpt, the second"
    page.keyboard.press("Home")
    assert page.locator(".tip b").inner_text() == "Llama-3.1"
    page.keyboard.press("Escape")
    assert not page.locator(".tip").is_visible()


def test_a_phone_has_the_narrow_drawing_and_shows_values_on_touch(opened):
    page = opened(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    assert not page.locator(".wide").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.locator(".narrow .spot").first.tap()
    assert page.locator(".tip b").inner_text() == "Llama-3.1"


def test_hostile_names_stay_text_when_shown(visit, write_run, tmp_path):
    for number, payload in enumerate(PAYLOADS[:3]):
        hostile_run(payload, write_run, number)
    write_report(load_runs([tmp_path]), tmp_path / "report.html")
    page = visit(tmp_path / "report.html")
    spots = page.locator(".wide").first.locator(".spot")
    shown = []
    for number in range(3):
        spots.nth(number).hover()
        shown.append(page.locator(".tip b").inner_text())
        assert page.locator(".tip *").count() == 3
    assert set(shown) == set(PAYLOADS[:3])
    assert page.evaluate("window.hit === undefined")
