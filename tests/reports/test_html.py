import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from hueval_metrics.records import InputError
from hueval_metrics.reports.html import page_html, write_report
from hueval_metrics.runs.load import Run

FIB = "openhueval_humatchingfib"
PAYLOADS = [
    "<script>alert(1)</script>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><style>*{background:url(//evil.example)}</style>",
    "<img src=x onerror=alert(1)>",
    "{{ 7 * 7 }}{% raw %}",
    '<a href="javascript:alert(1)">x</a>',
]


class Reader(HTMLParser):
    """Collects the tags with their attributes and the text outside the style sheet."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        if self.tags and self.tags[-1][0] != "style":
            self.text += data


@pytest.mark.parametrize("payload", PAYLOADS)
def test_names_are_inert(payload, paper_runs):
    evil = Run(payload, Path(payload), {FIB: {payload: 1.0}, f"openhueval_{payload}": {"x": 1.0}}, {}, {FIB: 1},
               {FIB: 2}, {FIB: payload}, True)  # fmt: skip
    usual = Reader(page_html([replace(paper_runs[0], sample=True, signatures={FIB: "s"}), paper_runs[1]]))
    page = Reader(page_html([evil, paper_runs[1]]))
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in usual.tags}
    assert not [name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "style"]
    assert not [tag for tag, _ in page.tags if tag in ("script", "svg", "img", "a", "link", "iframe")]
    assert payload in page.text


def test_the_policy_allows_the_one_style_sheet_and_nothing_else(paper_runs):
    page = page_html(paper_runs)
    (css,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    (policy,) = [a["content"] for _, a in Reader(page).tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_nothing_is_fetched(paper_runs):
    page = page_html(paper_runs)
    assert not re.search(r"https?:|url\(|@import|\ssrc=|\shref=", page)


def test_structure_for_readers_who_do_not_see_it(paper_runs):
    reader = Reader(page_html(paper_runs))
    assert ("html", {"lang": "en"}) in reader.tags
    tables = sum(tag == "table" for tag, _ in reader.tags)
    assert tables == 7
    assert sum(tag == "caption" for tag, _ in reader.tags) == tables
    assert all("scope" in attributes for tag, attributes in reader.tags if tag == "th")
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {a["aria-labelledby"] for _, a in reader.tags if "aria-labelledby" in a} <= set(ids)


def test_places_are_marked_in_words(paper_runs):
    page = page_html(paper_runs)
    assert (
        '<td class="number place-1">50.30<sup aria-hidden="true">1</sup><span class="unseen">, first place</span></td>'
        in page
    )
    assert "red with a small 1" in Reader(page).text
    assert "red with a small 1" not in Reader(page_html(paper_runs[:1])).text


def test_warnings_stand_above_the_tables(paper_runs):
    text = Reader(page_html([replace(paper_runs[0], sample=True, limit=3.0), paper_runs[1]])).text
    above = text[: text.index("Overview")]
    assert "Packaged sample: not comparable with published numbers (GPT-4o)." in above
    assert "Run with --limit 3: not comparable with published numbers (GPT-4o)." in above
    assert "Before you compare" not in Reader(page_html(paper_runs)).text


def test_signatures_and_intervals():
    runs = [
        Run(
            "A", Path("x"), {FIB: {"blank_acc": 61.0}}, {FIB: {"blank_acc": (59.0, 63.0)}}, {FIB: 278}, {}, {FIB: "s1"}
        ),
        Run("B", Path("x"), {FIB: {"blank_acc": 60.0}}, {}, {}, {}, {FIB: "s2"}),
        Run("C", Path("x"), {FIB: {"blank_acc": 60.0}}, {}, {}, {}, {FIB: "s1"}),
    ]
    page = page_html(runs)
    assert '<td class="number">[59.00, 63.00]</td>' in page
    assert "<dt>Signature of A, C</dt>\n<dd><code>s1</code></dd>" in page
    assert "<dt>Signature of B</dt>\n<dd><code>s2</code></dd>" in page
    assert "<dt>Signature of every run</dt>" in page_html([runs[0], runs[2]])


def test_the_folder_is_made_and_nothing_else_is_left(paper_runs, tmp_path):
    path = tmp_path / "new" / "report.html"
    write_report(paper_runs, path)
    write_report(paper_runs, path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>\n<html")
    assert [each.name for each in path.parent.iterdir()] == ["report.html"]


def test_a_target_that_cannot_be_written(paper_runs, tmp_path):
    with pytest.raises(InputError, match=r"cannot write .* \(Is a directory\)\. .* choose another folder"):
        write_report(paper_runs, tmp_path)
    assert list(tmp_path.parent.glob(f".{tmp_path.name}.*")) == []


def test_an_old_report_survives_a_failure(paper_runs, tmp_path, monkeypatch):
    path = tmp_path / "report.html"
    path.write_text("old")

    def full_disk(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full_disk)
    with pytest.raises(InputError, match="No space left on device"):
        write_report(paper_runs, path)
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("report.html", "old")]
