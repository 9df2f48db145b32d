from functools import partial

from hueval_metrics.reports.figures.charts.heatmap import HeatCell, HeatPanel, heatmap, score_cell
from hueval_metrics.reports.figures.figure import Figure, marked_svg
from hueval_metrics.reports.figures.names import names_of
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.sheet import NARROW, WIDE
from hueval_metrics.reports.figures.theme import DARK, LIGHT
from hueval_metrics.reports.page.inline import inline_svg
from tests.each import each

COLUMNS = [(code, code.upper()) for code in ("hu", "cs", "sr", "ru", "zh", "ko", "th", "ar", "vi")]


def figure_of(*panels, words=None):
    models = names_of([f"org/model-{number}" for number in range(len(panels[0].cells))])
    return Figure("map", "kolas-scores", [], partial(heatmap, panels, models), words=words or {})


def panel(values, title="general", columns=COLUMNS):
    return HeatPanel(title, columns, [[score_cell(one and Point(one), (0, 100)) for one in row] for row in values])


def test_every_cell_has_its_number_in_full_where_there_is_room_and_rounded_where_there_is_not(texts):
    figure = figure_of(panel([[10.04 + place for place in range(9)]]))
    assert {"10.0", "18.0"} <= set(texts(figure))
    narrow, _ = marked_svg(figure, LIGHT, NARROW)
    assert ">10<" in narrow
    assert ">10.0<" not in narrow


def test_a_cell_without_a_score_has_a_dash_and_tells_nothing(texts):
    figure = figure_of(panel([[50.0, None]], columns=COLUMNS[:2]))
    assert texts(figure).count("–") == 1
    _, marks = marked_svg(figure, LIGHT, WIDE)
    assert [(mark.what, mark.value) for mark in marks] == [("general, HU", "50.0")]


@each(
    ("value", "narrow"),
    [(0.0, ".00"), (0.062, ".06"), (1.0, "1.00")],  # a fraction has no leading zero where room is short
)
def test_a_fraction_is_short_in_a_narrow_drawing(value, narrow):
    assert score_cell(Point(value), (0, 1)).narrow == narrow


def test_what_falls_has_another_colour_than_what_rises():
    cells = [[HeatCell(0.5, "+5", "+5", "+5"), HeatCell(-0.5, "-5", "-5", "-5")]]
    for theme in (LIGHT, DARK):
        svg, _ = marked_svg(figure_of(HeatPanel("x", COLUMNS[:2], cells)), theme, WIDE)
        assert theme.fill in svg
        assert theme.colors[1] in svg


@each("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_the_strongest_shade_leaves_the_numbers_legible(theme):
    """WCAG 2.2, 1.4.3: 4.5 : 1, of ink on a shade of 0.55 over the paper."""

    def channels(color):
        return [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]

    def luminance(parts):
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    for color in (theme.fill, theme.colors[1]):
        mixed = [0.55 * one + 0.45 * other for one, other in zip(channels(color), channels(theme.paper), strict=True)]
        dark, light = sorted((luminance(mixed), luminance(channels(theme.ink))))
        assert (light + 0.05) / (dark + 0.05) >= 4.5


def test_words_of_the_drawing_stand_in_both_languages_in_the_page():
    words = {"general": {"en": "general", "hu": "általános"}, "average": {"en": "average", "hu": "átlag"}}
    figure = figure_of(panel([[50.0]], columns=[("hu", "average")]), words=words)
    svg = str(inline_svg(figure, WIDE, "x-"))
    assert '<tspan lang="en">general</tspan><tspan lang="hu">általános</tspan>' in svg
    assert 'data-what="general, average"' in svg
    assert 'data-what-hu="általános, átlag"' in svg
