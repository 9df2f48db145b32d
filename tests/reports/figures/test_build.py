import re
from dataclasses import replace

import pytest
from matplotlib.text import Text

from hueval_metrics.reports.figures.build import figures
from hueval_metrics.reports.figures.figure import numbers_csv, svg
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.sheet import NARROW, WIDE
from hueval_metrics.reports.figures.theme import DARK, LIGHT
from tests.each import each
from tests.reports.figures.conftest import figures_of

QA, WILD, FIB = "openhueval_husimpleqa", "openhueval_huwildbench", "openhueval_humatchingfib"
ITEMS = [
    *[
        {"task": QA, "prediction": "x" * n, "values": {"ece": [n / 100, n % 2]}, "verdict": {"label": "CORRECT"}}
        for n in range(100)
    ],
    *[{"task": WILD, "prediction": "x" * 900, "values": {"wb_score": 1.0 + n}} for n in range(10)],
    *[
        {"task": FIB, "prediction": "x", "blanks_correct": n // 2, "blanks_total": n, "n_options": n}
        for n in range(2, 20)
    ],
]


@pytest.mark.slow
def test_all_figures_of_ten_models_are_small(published_runs):
    found = figures_of(published_runs, [ITEMS] * 10)
    assert [figure.name for figure in found] == [
        "scores",
        "dimensions-radar-husimpleqa",
        "dimensions-bars-husimpleqa",
        "dimensions-radar-huwildbench",
        "dimensions-bars-huwildbench",
        "dimensions-bars-humatchingfib",
        "dimensions-bars-hustandardfib",
        "outcomes-husimpleqa",
        "reliability-husimpleqa",
        "fib-by-blanks",
        "fib-by-options",
        "wb-score-distribution",
        "response-length",
        "truncated-responses",
        "ranks-by-task",
        "ranks-maps",
        "ranks-simpleqa",
    ]
    for figure in found:
        assert re.fullmatch("[a-z0-9-]+", figure.name)
        assert {*figure.rows[0]} == {key for row in figure.rows for key in row}
        assert numbers_csv(figure).count("\n") == len(figure.rows) + 1
        assert max(len(svg(figure, theme).encode()) for theme in (LIGHT, DARK)) < 70_000, figure.name


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, pytest.param(12, marks=pytest.mark.nightly)])
def test_any_number_of_models_can_be_drawn(published_runs, n, texts):
    runs = (published_runs * 2)[:n]
    for figure in figures_of(runs, [ITEMS] * n):
        assert texts(figure)


def test_scores_without_items_still_have_figures(published_runs):
    names = [figure.name for figure in figures(FigureData(), published_runs)]
    assert "outcomes-husimpleqa" in names
    assert "reliability-husimpleqa" not in names


def test_one_item_of_one_task_is_drawn(run, texts):
    (figure,) = figures_of([run("a", {})], [[{"task": QA, "values": {"ece": [0.5, 1.0]}}]])
    assert "ECE 0.500" in texts(figure)


def test_what_tells_nothing_is_left_out(run):
    """No answer was truncated, every answer has a verdict, and one model has no rank."""
    scores = {QA: {"truncated_rate": 0.0, "judge_coverage": 100.0, "correct": 50.0}}
    assert [figure.name for figure in figures(FigureData(), [run("a", scores)])] == ["scores"]


def test_baselines_are_lines_and_have_no_panels(published_runs, run):
    model, baseline = published_runs[0], replace(published_runs[1], label="hueval-baseline-oracle")
    found = {figure.name: figure for figure in figures_of([model, baseline], [ITEMS] * 2)}
    for name in ("reliability-husimpleqa", "fib-by-blanks", "wb-score-distribution", "response-length"):
        assert {row["model"] for row in found[name].rows} == {model.label}, name
    assert "oracle" in str(found["dimensions-bars-husimpleqa"].rows)
    assert "ranks-by-task" not in found


def test_baselines_alone_have_rows(published_runs):
    runs = [replace(run, label=f"hueval-baseline-{place}") for place, run in enumerate(published_runs[:2])]
    found = {figure.name: figure for figure in figures_of(runs, [ITEMS] * 2)}
    assert "scores" in found
    assert not [name for name in found if name.startswith(("ranks", "reliability", "fib", "dimensions-radar"))]


def test_few_figures_lead(published_runs):
    found = figures_of(published_runs, [ITEMS] * 10)
    assert [figure.name for figure in found if figure.lead] == ["scores", "dimensions-bars-husimpleqa"]


def test_nothing_gives_no_figures(run):
    assert figures_of([run("a", {})], [[]]) == []
    assert figures(FigureData(), []) == []


@each("label", ["WWWWMMMM" * 4, "org/a-long-name-70B-Instruct-2024-12"])
@each("wide", [WIDE, NARROW])
def test_no_text_is_cut(published_runs, label, wide):
    runs = [replace(run, label=f"{label}-{place}") for place, run in enumerate(published_runs[:4])]
    for figure in figures_of(runs, [ITEMS] * len(runs)):
        drawing = figure.draw(LIGHT, wide).drawing
        drawing.draw_without_rendering()
        for text in drawing.findobj(Text):
            if text.get_text() and (text.axes is None or text.axes.get_visible()):
                box = text.get_window_extent()
                inside = box.x0 >= 0 and box.y0 >= 0 and box.x1 <= drawing.bbox.x1 and box.y1 <= drawing.bbox.y1
                assert inside, (figure.name, text.get_text())
