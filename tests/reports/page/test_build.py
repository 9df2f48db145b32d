import base64
import hashlib
import json
import re
import sys
from html.parser import HTMLParser

import pytest
from jinja2 import UndefinedError

from hueval_metrics.errors import InputError
from hueval_metrics.reports.page import browser, build, pictures
from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from tests.helpers import run_of
from tests.reports.page.conftest import FIB, PAYLOADS, QA, hostile_run


class Reader(HTMLParser):
    """Collects the tags with their attributes, and the text outside scripts and the style sheet."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._skipping = False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._skipping = tag in ("script", "style")

    def handle_endtag(self, tag):
        self._skipping = False

    def handle_data(self, data):
        if not self._skipping:
            self.text += data


def page_of(folders, path, **settings):
    write_report(load_runs(folders), path, **settings)
    return path.read_text(encoding="utf-8")


def test_the_policy_allows_the_one_script_and_the_one_style_sheet_and_nothing_else(sample_page):
    page = sample_page.read_text(encoding="utf-8")
    (css,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, css)]
    (policy,) = [a["content"] for _, a in Reader(page).tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{digests[0]}'; style-src 'sha256-{digests[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_no_style_handler_or_address_stands_in_a_tag(sample_page):
    for tag, attributes in Reader(sample_page.read_text(encoding="utf-8")).tags:
        assert not [name for name in attributes if name == "style" or name.startswith("on")]
        for name in ("src", "srcset", "href", "action"):
            assert (attributes.get(name) or "#").startswith(("#", "data:image/svg+xml;base64,")), tag


def test_structure_for_readers_who_do_not_see_it(sample_page):
    reader = Reader(sample_page.read_text(encoding="utf-8"))
    names = [tag for tag, _ in reader.tags]
    assert names.count("table") == names.count("caption") > 10
    assert all("scope" in attributes for tag, attributes in reader.tags if tag == "th")
    assert all(attributes.get("alt") for tag, attributes in reader.tags if tag == "img")
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {a["aria-labelledby"] for _, a in reader.tags if "aria-labelledby" in a} <= set(ids)
    assert {a["href"][1:] for tag, a in reader.tags if tag == "a"} <= set(ids)
    scrolling = [a for _, a in reader.tags if a.get("class") in ("scroll", "drawing")]
    assert all(a["tabindex"] == "0" and a["role"] == "region" for a in scrolling)


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_stands_in_files_is_text_in_the_page(payload, write_run, tmp_path):
    usual = Reader(page_of([hostile_run("harmless", write_run, 1)], tmp_path / "usual.html"))
    page = Reader(page_of([hostile_run(payload, write_run, 0)], tmp_path / "report.html"))
    assert {tag for tag, _ in page.tags} <= {tag for tag, _ in usual.tags}
    names = {(tag, name) for tag, attributes in page.tags for name in attributes}
    assert names <= {(tag, name) for tag, attributes in usual.tags for name in attributes}
    if payload.isprintable():
        assert payload in page.text


def test_the_same_runs_give_the_same_bytes(sample_runs, sample_page, tmp_path):
    assert page_of(sample_runs, tmp_path / "again.html") == sample_page.read_text(encoding="utf-8")


def test_places_and_differences_are_marked_in_words(sample_page):
    page = sample_page.read_text(encoding="utf-8")
    assert '<span class="unseen">, <span lang="en">first place</span><span lang="hu">első hely</span></span>' in page
    assert '<span class="unseen">, <span lang="en">differs significantly from the best</span>' in page
    assert "exact McNemar test" in page
    assert "egzakt McNemar-próba" in page


def test_a_section_without_data_is_left_out(small_run, tmp_path):
    page = page_of([small_run], tmp_path / "report.html")
    for section in ("signatures", "judge", "ranks", "length"):
        assert f'id="{section}"' not in page
        assert f'href="#{section}"' not in page
    assert 'id="metrics"' in page


def test_a_run_alone_has_no_marks(sample_runs, tmp_path):
    page = page_of(sample_runs[:1], tmp_path / "report.html")
    assert "first place" not in page.replace("take no first, second or third place", "")
    assert "differs from the best" not in page


def test_items_that_cannot_be_read_are_said_and_the_rest_reported(write_run, tmp_path, caplog):
    row = {"task": FIB, "qid": "1", "prediction": "x", "blanks_correct": 1, "blanks_total": 2}
    broken = write_run("broken", {FIB: {"blank_acc": 50.0, "n": 2}}, [row])
    with (broken / "items.jsonl").open("a") as file:
        file.write('{"task": "openhueval_humatchi')
    missing = write_run("missing", {FIB: {"blank_acc": 60.0, "n": 2}})
    page = Reader(page_of([broken, missing], tmp_path / "report.html"))
    assert "Items of broken that could not be read" in page.text
    assert "items.jsonl line 2: not JSON" in page.text
    assert "its items are not there" in page.text
    assert f"Not compared: {FIB}, broken: items without per-item values" in page.text
    for score in ("50.00", "60.00"):
        assert score in page.text
    assert "broken" in caplog.text
    assert "items.jsonl line 2: not JSON" in caplog.text


def test_of_an_item_that_is_there_twice_the_first_row_counts_and_it_is_said(write_run, tmp_path):
    row = {"task": FIB, "qid": "1", "prediction": "first", "blanks_correct": 1, "blanks_total": 2}
    folder = write_run("run", {FIB: {"blank_acc": 50.0, "n": 1}}, [row, row | {"prediction": "second"}])
    runs = load_runs([folder])
    content = build.gather(runs)
    assert content.faults == [("run", "1 of its rows are of items that were there already; the first of each counts")]
    assert content.figures.of(0, FIB).whole_length.tolist() == [len("first")]
    assert "of items that were there already" in Reader(page_of([folder], tmp_path / "report.html")).text


def test_a_missing_file_is_said_once_for_all_its_tasks(write_run, tmp_path):
    folder = write_run("run", {QA: {"correct": 50.0, "n": 1}, FIB: {"blank_acc": 50.0, "n": 1}})
    ((label, fault),) = build.gather(load_runs([folder])).faults
    assert label == "run"
    assert "its items are not there" in fault


def test_without_any_items_the_scores_remain(write_run, tmp_path):
    folder = write_run("run", {QA: {"correct": 50.0, "correct_ci95": [40.0, float("nan")], "ece": None, "n": 1}})
    page = Reader(page_of([folder], tmp_path / "report.html"))
    assert "There are no items beside these results." in page.text
    assert "50.00" in page.text
    assert not [a for tag, a in page.tags if tag == "script" and a]


def test_files_that_were_not_read_stand_among_the_notes(small_run, tmp_path):
    page = page_of([small_run], tmp_path / "report.html", faults=["<x>.json: not valid JSON"])
    assert '<span lang="en">Not read: <samp>&lt;x&gt;.json: not valid JSON</samp></span>' in page


def test_figures_go_into_a_folder_too(small_run, tmp_path):
    page_of([small_run], tmp_path / "report.html", figures_dir=tmp_path / "figures")
    names = {file.suffix for file in (tmp_path / "figures").iterdir()}
    assert names == {".svg", ".png", ".csv"}


def test_without_matplotlib_the_page_says_so_and_keeps_the_rest(sample_runs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    page = Reader(page_of(sample_runs, tmp_path / "report.html"))
    assert "The figures are left out: figures need matplotlib" in page.text
    assert not [tag for tag, _ in page.tags if tag == "img"]
    assert "Rank changes" in page.text


def test_the_folder_is_made_and_nothing_else_is_left(small_run, tmp_path):
    path = tmp_path / "new" / "report.html"
    assert page_of([small_run], path).startswith("<!doctype html>\n<html")
    assert [each.name for each in path.parent.iterdir()] == ["report.html"]


def test_a_target_that_cannot_be_written(small_run, tmp_path):
    with pytest.raises(InputError, match=r"cannot write .* \(Is a directory\)\. .* choose another folder"):
        write_report(load_runs([small_run]), tmp_path)


def test_an_old_report_survives_a_failure(small_run, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("old")
    with pytest.raises(UndefinedError):  # in the middle of the template
        write_report(load_runs([small_run]), path, language="xx")
    assert [(each.name, each.read_text()) for each in tmp_path.glob("*report*")] == [("report.html", "old")]


def test_a_page_keeps_to_3_mb_a_run(write_run, tmp_path):
    """Two thousand answers with traces that do not compress well: 60 MB of items."""
    traces = [hashlib.shake_256(str(number).encode()).hexdigest(15_000) for number in range(2_000)]
    rows = [
        {"task": FIB, "qid": str(number), "prompt": "?", "prediction": f"{trace}</think>A", "response": "A"}
        for number, trace in enumerate(traces)
    ]
    folder = write_run("run", {FIB: {"blank_acc": 1.0, "n": 2_000}}, rows)
    page = page_of([folder], tmp_path / "report.html")
    assert 1_000_000 < len(page.encode()) < 3_000_000
    assert "have lost their middles" in page


def test_where_the_whole_text_is(tmp_path):
    run = run_of("m", tmp_path / "results.json", source={FIB: tmp_path / "results.json"})
    live = run_of("m", tmp_path / "r", source={FIB: tmp_path / "results_2026-01-01T00-00-00.000.json"})
    assert browser.where(run, FIB) == f"{tmp_path.name}/items.jsonl"
    assert browser.where(live, FIB) == f"{tmp_path.name}/samples_{FIB}_*.jsonl"
    assert browser.where(run, QA) == ""


def test_live_samples_are_shown_with_their_verdicts(write_run, tmp_path):
    """The names of files as lm-eval gives them; nobody is asked for a verdict."""
    date = "2026-01-01T00-00-00.000000"
    doc = {
        "task": "husimpleqa",
        "qid": "1",
        "question": "?",
        "answer": "x",
        "hu_specific_dim": "History",
        "prompt_lang": "hu",
    }
    verdict = {"label": "CORRECT", "judge": "j", "rubric": "husimpleqa/1", "raw": "A"}
    sample = {"doc": doc, "resps": [["x"]], "filtered_resps": [json.dumps({"response": "x", "verdict": verdict})]}
    (tmp_path / f"samples_{QA}_{date}.jsonl").write_text(json.dumps(sample) + "\n")
    results = {"results": {QA: {"correct,r": 100.0}}, "configs": {QA: {}}, "config": {"model": "m"}}
    (tmp_path / f"results_{date}.json").write_text(json.dumps(results))
    content = build.gather(load_runs([tmp_path]))
    assert content.faults == []
    assert content.answers[0].codes(1) == "r"


def test_numbers_of_a_figure_are_written_without_powers_of_ten():
    cells = [pictures._cell(value) for value in (29_094.5, 1234.4, 0.12345, 61.25, 7, None)]
    assert [cell.text for cell in cells] == ["29094", "1234", "0.1235", "61.25", "7", ""]
