"""`hueval.report`: the page of the command."""

import re

import pytest

import hueval_metrics as hueval
from hueval_metrics.cli import main
from tests.export.conftest import scored  # noqa: F401  fixture


def without_time(page):
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d", "", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize("form", [lambda folder: folder, str, hueval.load, lambda folder: [hueval.load(folder)]],
                         ids=["path", "text", "results", "list"])  # fmt: skip
def test_the_page_is_that_of_the_command(scored, tmp_path, form):  # noqa: F811
    folder = scored()
    assert main(["report", str(folder), "--output", str(tmp_path / "command.html"), "--lang", "hu"]) == 0
    page = hueval.report(form(folder), tmp_path / "new" / "api.html", language="hu")
    assert page == tmp_path / "new" / "api.html"
    assert without_time(page) == without_time(tmp_path / "command.html")


def test_figures_are_written_beside_it(scored, tmp_path):  # noqa: F811
    hueval.report(scored(), tmp_path / "page.html", figures=tmp_path / "figures")
    assert {file.suffix for file in (tmp_path / "figures").iterdir()} == {".svg", ".png", ".csv"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda folder: hueval.report(folder, "page.html", language="de"), 'language "de": choose of en, hu'),
        (lambda folder: hueval.report(5), "results: of type int, expected results or paths"),
        (lambda folder: hueval.report([]), "no path given"),
        (lambda folder: hueval.report("nowhere"), "nowhere: no such file or folder"),
        (lambda folder: hueval.report(folder, 5), "path: of type int, expected str or pathlib.Path"),
        (lambda folder: hueval.report(folder, figures=5), "figures: of type int, expected str or pathlib.Path"),
    ],
    ids=["language", "number", "nothing", "missing", "path", "figures"],
)
def test_a_mistake_is_one_line(scored, tmp_path, monkeypatch, call, message):  # noqa: F811
    monkeypatch.chdir(tmp_path)
    with pytest.raises(hueval.InputError) as refused:
        call(scored())
    assert str(refused.value).startswith(message)
    assert not list(tmp_path.glob("*.html"))
