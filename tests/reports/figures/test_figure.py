import csv
import io
import struct
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from xml.etree import ElementTree

import matplotlib
import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.reports.figures.charts.bars import BarPanel, bars
from hueval_metrics.reports.figures.figure import Figure, numbers_csv, png, save, svg
from hueval_metrics.reports.figures.names import lineup, short_names, slug
from hueval_metrics.reports.figures.points import Point
from hueval_metrics.reports.figures.theme import DARK, LIGHT
from tests.each import each
from tests.helpers import run_of

HOSTILE = [
    "<script>alert(1)</script>",
    'a"onload="alert(1)&amp;',
    r"$\frac{1}$ costs $5 and $6",
    "\u202eevil\x1b[31m\ud800",
    "\ufffe\uffff",
    "_private",
    "百川智能",
    "نموذج",
    "=HYPERLINK(1)",
]


def figure(labels, name="test") -> Figure:
    points = [Point(50.0 + i, 40.0, 60.0) for i in range(len(labels))]
    rows = [{"model": label, "score": 50.0 + i, "n": None} for i, label in enumerate(labels)]
    shown = lineup([run_of(label) for label in labels]).names
    return Figure(name, "dimensions-bars", rows, partial(bars, [BarPanel("H", points, 100.0)], shown))


@each("label", HOSTILE)
def test_any_name_gives_svg_that_holds_it_as_text(label, texts):
    drawn = figure([label])
    assert short_names([label])[0] in texts(drawn)
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg(drawn, LIGHT)).iter()}
    assert tags <= {"svg", "defs", "style", "g", "path", "use", "text", "clipPath", "rect"}


@pytest.mark.filterwarnings("error")
def test_characters_that_the_font_lacks_are_no_warning():
    assert png(figure(["百川智能"]), LIGHT).startswith(b"\x89PNG")


def test_svg_asks_for_nothing_and_keeps_no_date():
    text = svg(figure(["a"]), LIGHT)
    assert text.startswith("<svg ")
    assert 'href="http' not in text
    assert "metadata" not in text
    assert "url(http" not in text


def test_coordinates_are_short_and_names_are_not():
    text = svg(figure(["model-1.23456"]), LIGHT)
    assert ">model-1.23456<" in text
    assert "DejaVu" not in text
    assert len(text) < 6000


def test_the_same_numbers_give_the_same_file():
    assert svg(figure(["a", "b"]), DARK) == svg(figure(["a", "b"]), DARK)
    assert png(figure(["a", "b"]), DARK) == png(figure(["a", "b"]), DARK)


def test_themes_differ_in_colours_alone():
    light, dark = (ElementTree.tostring(ElementTree.fromstring(svg(figure(["a"]), t))).decode() for t in (LIGHT, DARK))
    assert LIGHT.paper in light
    assert DARK.paper in dark
    for name in ("paper", "ink", "soft", "line", "fill"):
        light = light.replace(getattr(LIGHT, name), name)
        dark = dark.replace(getattr(DARK, name), name)
    assert light == dark


def test_the_users_own_settings_of_matplotlib_neither_show_nor_change():
    plain = svg(figure(["a"]), LIGHT)
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "text.usetex": True, "svg.fonttype": "path"}):
        before = dict(matplotlib.rcParams)
        assert svg(figure(["a"]), LIGHT) == plain
        assert dict(matplotlib.rcParams) == before


def test_drawing_in_threads_gives_the_same():
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda _: svg(figure(["$a$", "b"]), LIGHT), range(8)))
    assert set(drawn) == {svg(figure(["$a$", "b"]), LIGHT)}


def test_pyplot_keeps_no_figure():
    from matplotlib import pyplot

    svg(figure(["a"]), LIGHT)
    assert pyplot.get_fignums() == []


def test_csv_has_whole_names_and_all_decimals():
    text = numbers_csv(figure(["org/" + "x" * 90, "=1+1"]))
    assert list(csv.reader(io.StringIO(text))) == [
        ["model", "score", "n"],
        ["org/" + "x" * 90, "50.0", ""],
        ["'=1+1", "51.0", ""],
    ]


def test_save_writes_three_files_a_figure(tmp_path):
    files = save([figure(["Gödöllő"], "one"), figure(["b"], "two")], tmp_path / "new" / "folder")
    assert [file.name for file in files] == ["one.svg", "one.png", "one.csv", "two.svg", "two.png", "two.csv"]
    assert "Gödöllő" in files[0].read_text(encoding="utf-8")
    points = float(ElementTree.parse(files[0]).getroot().get("width", "").removesuffix("pt"))
    (wide,) = struct.unpack(">I", files[1].read_bytes()[16:20])
    assert wide == pytest.approx(points / 72 * 96 * 2, abs=1)  # two dots a CSS pixel
    assert files[2].read_bytes().startswith("\ufeffmodel".encode())


def test_a_folder_that_cannot_be_written_is_said_in_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write .*file.*one\.svg"):
        save([figure(["a"], "one")], tmp_path / "file")


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    with pytest.raises(InputError, match=r"not installed\. pip install matplotlib$"):
        svg(figure(["a"]), LIGHT)


def test_a_task_that_no_family_declares_makes_no_path():
    """Its name is out of a results file that anyone may have written."""
    assert slug("openhueval_/../../escaped/evil") == "openhueval-escaped-evil"
    assert slug("openhueval_huwildbench") == "huwildbench"
