from itertools import combinations

import numpy as np
import pytest

from hueval_metrics.reports.figures.theme import DARK, LIGHT, line_style
from tests.each import each

THEMES = pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
# Machado, Oliveira & Fernandes 2009, table of matrices at severity 1.0, for linear RGB.
SIGHTS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(color: str) -> np.ndarray:
    channels = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(first: str, second: str) -> float:
    """WCAG 2.2, relative luminance and contrast ratio."""
    darker, lighter = sorted(float(TO_XYZ[1] @ linear(color)) for color in (first, second))
    return (lighter + 0.05) / (darker + 0.05)


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE 1976 L*a*b* under D65."""
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / [0.9505, 1, 1.089]
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@THEMES
def test_what_carries_meaning_stands_out_from_the_paper(theme):
    # WCAG 2.2, 1.4.11 (graphics) and 1.4.3 (text).
    assert all(contrast(c, theme.paper) >= 3 for c in (*theme.colors, theme.fill))
    assert all(contrast(c, theme.paper) >= 4.5 for c in (theme.ink, theme.soft))


@THEMES
@each("sight", SIGHTS)
def test_colours_of_models_differ_for_every_kind_of_sight(theme, sight):
    seen = [lab(SIGHTS[sight] @ linear(color)) for color in theme.colors]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 15  # 2.3 can just be told apart


@THEMES
def test_no_two_of_ten_models_are_told_apart_by_colour_alone(theme):
    styles = [line_style(place, theme) for place in range(10)]
    assert len({style["marker"] for style in styles}) == 10
    assert len({(style["color"], str(style["linestyle"])) for style in styles}) == 10
