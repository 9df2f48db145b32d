"""A folder that grows: several models, half-written results, files that come and go."""

from __future__ import annotations

import json
import os
import re

import pytest

from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from hueval_metrics.view.folder import Folder
from tests.view.conftest import JUDGED, NAME, RULE, answers, header, text


@pytest.fixture
def grow(tmp_path):
    """Appends to the live file of a model."""

    def append(model, *rows, name=NAME):
        file = tmp_path / model / name
        file.parent.mkdir(exist_ok=True)
        with file.open("a", encoding="ascii") as out:
            out.write(text(*rows))
        return file

    return append


def finished(folder, model, n=5):
    """Results of `hueval score`."""
    given = folder / f"{model}.jsonl"
    rows = [{"qid": row["doc"]["qid"], "prediction": row["resps"][0]} for row in answers(JUDGED, n=n)]
    given.write_text(text(*rows), encoding="utf-8")
    score_into(folder / model, [given], JUDGED, {}, JudgePlan(asks=False))
    return folder / model / "results.json"


def progress(folder):
    folder.refresh()
    return folder.progress()


def rows_of(folder, language="en"):
    """The row headings of the page's tables, each once."""
    found = re.findall(r'<th scope="row"[^>]*><bdi>([^<]*)</bdi>', "".join(folder.page(language)))
    return list(dict.fromkeys(found))


def test_a_folder_that_is_not_there_yet(tmp_path):
    folder = Folder(tmp_path / "later")
    assert progress(folder)["runs"] == []
    page = "".join(folder.page("hu"))
    assert '<html lang="hu">' in page and "Várakozás az első válaszokra" in page
    (tmp_path / "later" / "m").mkdir(parents=True)
    (tmp_path / "later" / "m" / NAME).write_text(text(header(**{RULE: 2}), *answers(RULE, n=1)), encoding="ascii")
    assert progress(folder)["answers"] == 1
    assert rows_of(folder)[0] == "org/model (live)"


def test_several_models_and_a_finished_one(tmp_path, grow):
    finished(tmp_path, "done")
    grow("a", header(label="a", **{RULE: 4}), *answers(RULE, n=2))
    grow("b", header(label="b", **{RULE: 4}), *answers(RULE, n=3))
    grow("b", header(label="b", **{JUDGED: 2}), *answers(JUDGED, n=1), name=NAME.replace("0123", "4567"))
    folder = Folder(tmp_path)
    said = progress(folder)
    assert (said["stored"], said["answers"]) == (1, 6)
    assert [(run["model"], run["done"], run["total"]) for run in said["runs"]] == [
        ("a", 2, 4),
        ("b", 3, 4),
        ("b", 1, 2),
    ]
    assert set(rows_of(folder)) >= {"done", "a (live)", "b (live)", "b (live) 2"}


def test_only_what_was_added_is_read(tmp_path, grow):
    first, *rest = answers(RULE, n=3)
    file = grow("a", header(**{RULE: 4}), first)
    folder = Folder(tmp_path)
    assert progress(folder)["answers"] == 1
    size = file.stat().st_size
    with file.open("r+b") as out:  # what was read is broken now, and not read again
        out.write(b"x" * size)
    grow("a", *rest)
    assert progress(folder)["answers"] == 3


def test_results_that_are_half_written_are_read_when_they_are_whole(tmp_path):
    results = finished(tmp_path, "done")
    whole = results.read_text(encoding="utf-8")
    results.write_text(whole[: len(whole) // 2], encoding="utf-8")
    folder = Folder(tmp_path)
    torn = progress(folder)
    assert torn["stored"] == 0
    assert "Waiting for the first answers" in "".join(folder.page("en"))
    results.write_text(whole, encoding="utf-8")
    later = progress(folder)
    assert later["stored"] == 1 and later["results"] != torn["results"]
    assert rows_of(folder)[0] == "done"


def test_one_broken_file_leaves_the_others(tmp_path):
    finished(tmp_path, "done")
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "results.json").write_text('{"x": ', encoding="utf-8")
    folder = Folder(tmp_path)
    assert progress(folder)["stored"] == 1
    assert "Not read:" in "".join(folder.page("en"))


def test_the_results_take_the_place_of_the_answers(tmp_path, grow):
    file = grow("done", header(label="done", **{JUDGED: 5}), *answers(JUDGED, n=5))
    folder = Folder(tmp_path)
    before = progress(folder)
    assert [run["state"] for run in before["runs"]] == ["scoring"]
    finished(tmp_path, "done")
    file.unlink()
    after = progress(folder)
    assert (after["runs"], after["stored"], after["answers"]) == ([], 1, 0)
    assert after["results"] != before["results"]
    assert rows_of(folder)[0] == "done"


def test_a_run_that_began_anew_is_read_anew(tmp_path, grow):
    file = grow("a", header(**{RULE: 4}), *answers(RULE, n=3))
    folder = Folder(tmp_path)
    assert progress(folder)["answers"] == 3
    file.unlink()
    kept = [row | {"kept": True} for row in answers(RULE, n=2)]
    grow("a", header(**{RULE: 4}), *kept)
    (run,) = progress(folder)["runs"]
    assert (run["done"], run["per_minute"], run["left"]) == (2, None, None)


def test_what_is_no_ordinary_file_is_left_alone(tmp_path, grow):
    grow("a", header(**{RULE: 4}), *answers(RULE, n=1))
    os.mkfifo(tmp_path / "a" / NAME.replace("0123", "ffff"))
    (tmp_path / "a" / NAME.replace("0123", "eeee")).symlink_to("/dev/zero")
    (tmp_path / "a" / NAME.replace("0123", "dddd")).symlink_to(tmp_path / "nothing")
    (tmp_path / "a" / NAME.replace("0123", "cccc")).mkdir()
    os.mkfifo(tmp_path / "results.json")
    assert progress(Folder(tmp_path))["answers"] == 1


def test_what_models_write_stays_text(tmp_path, grow):
    attack = "'\"></aside></script><script>window.hit=1</script>"
    rows = [row | {"resps": [attack]} for row in answers(RULE, n=2)]
    grow("a", header(label=attack, **{RULE: 2, attack: 3}), *rows)
    folder = Folder(tmp_path)
    folder.refresh()
    page = "".join(folder.page("en"))
    assert "</aside></script>" not in page and "<script>window" not in page


def test_a_page_that_is_a_file_has_no_bar_and_may_ask_nobody(tmp_path):
    from hueval_metrics.reports.page.build import page
    from hueval_metrics.runs.load import load_runs

    finished(tmp_path, "done")
    written = "".join(page(load_runs([tmp_path])))
    assert 'id="live"' not in written and "connect-src" not in written and "fetch(" not in written


def test_a_run_that_goes_on_takes_no_place(tmp_path, grow):
    (tmp_path / "done").mkdir()
    results = {RULE: {"acc": 10.0, "n": 28, "model": "done"}}
    (tmp_path / "done" / "results.json").write_text(json.dumps(results), encoding="utf-8")
    grow("a", header(label="a", **{RULE: 28}), *answers(RULE, n=4))
    folder = Folder(tmp_path)
    folder.refresh()
    page = "".join(folder.page("en"))
    assert 'class="number" data-value="100.0"' in page
    assert 'class="number place-' not in page
