"""What a leaderboard is for, in a real browser at a site as `hueval site up` runs it.

Signing up, bad and good files submitted by the keyboard alone, a result in words, a second one that tells no number,
publication, board and graph, withdrawal.

With HUEVAL_DATA_DIR the items are HuLU's test rows, otherwise rows of our own; the labels are drawn either way.
"""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from leaderboard.tests.browser_visitor import Visitor, printed
from leaderboard.tests.labelled import write_labelled
from leaderboard.tests.running import answered, free_port, hueval_site, site_env, started
from tests.preloaded import run

pytestmark = [pytest.mark.slow, pytest.mark.process]
TASK, FILE = "hulu_hucola", Path("hulu", "hucola", "cola_test.json")
REAL = Path(os.environ.get("HUEVAL_DATA_DIR", "")) / FILE


def right_labels(site: Path) -> dict[str, str]:
    """Write public rows and hidden labels; id → the right label."""
    write_labelled(site / "data", site / "hidden")
    public, known = site / "data" / FILE, site / "hidden" / FILE
    if REAL.is_file():
        rows = json.loads(REAL.read_text(encoding="utf-8-sig"))
        draws = random.Random(0)
        public.write_text(json.dumps(rows), encoding="utf-8")
        known.write_text(json.dumps([{**row, "label": draws.choice("01")} for row in rows]), encoding="utf-8")
    return {row["id"]: row["label"] for row in json.loads(known.read_text(encoding="utf-8"))}


def write_answers(path: Path, right: Mapping[str, str], n_wrong: int, seed: int = 0) -> Path:
    """A file as a model would have it, with so many wrong labels."""
    wrong = set(random.Random(seed).sample(sorted(right), n_wrong))
    rows = [{"id": key, "label": "10"[int(label)] if key in wrong else label} for key, label in right.items()]
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def hueval(*arguments: object, env: Mapping[str, str]) -> str:
    """What a command of `hueval` prints."""
    command = [sys.executable, "-m", "hueval_metrics", *map(str, arguments)]
    done = run(command, env=dict(env), capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("language", "scheme"), [("en", "light"), pytest.param("hu", "dark", marks=pytest.mark.nightly)]
)
def test_from_nothing_to_a_public_row_and_back(chromium, tmp_path, language, scheme):
    site = tmp_path / "site"
    right = right_labels(site)
    fifth = len(right) // 5
    first = write_answers(tmp_path / "first" / "cola_test.json", right, fifth)
    second = write_answers(tmp_path / "second" / "cola_test.json", right, fifth - 2, seed=1)
    nearly = write_answers(tmp_path / "nearly" / "cola_test.json", right, fifth - 1)
    bad = tmp_path / "bad" / "cola_test.json"
    bad.parent.mkdir()
    bad.write_text(first.read_text().replace('"label": "1"', '"label": "igen"'), encoding="utf-8")
    n_bad = bad.read_text(encoding="utf-8").count("igen")
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    env = site_env(site, port=str(port), language=language, admits_all="true")
    assert hueval_site("init", site, env=env).returncode == 0
    loaded = hueval_site("load-labels", TASK, site / "hidden" / FILE, env=env)
    assert f"labels of {len(right)} rows loaded" in loaded.stdout, loaded.stderr
    token = hueval_site("user", "add", "bela@example.org", "--team", "Másolók", "--token", env=env).stdout.split()[0]

    with started("up", site, "--port", port, env=env) as process:
        link = printed(process, r"http://\S+/setup/\S+")
        answered(f"{address}/{language}/")
        admin, anna = (Visitor(chromium, f"{address}/{language}", scheme) for _ in range(2))
        admin.become_admin(link)
        anna.join(site / "mail", "Őrhely")

        # Another team has nearly the same answers, which staff are shown.
        card = ("--model-name", "Másolat", "--contamination", "none", "--wait")
        said = hueval("submit", nearly, "--site", address, *card, env=env | {"HUEVAL_SITE_TOKEN": token})
        assert said.count(TASK) >= 2

        results = []
        for file, model in ((bad, "Bölény 7b"), (first, "Bölény 7b"), (second, "Bölény 7b v2")):
            anna.page.goto(f"{anna.address}/submit/{TASK}/")
            anna.submit_by_keyboard(file, model_name=model, size="7", contamination="None known.")
            results.append(anna.page.url)
            if file is bad:
                assert anna.page.locator("main ol li").count() == 20
                with anna.page.expect_download() as download:
                    anna.page.click("a[download]")
                _heading, *faults = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
                assert len(faults) == n_bad
                assert all("igen" in fault for fault in faults)
            else:  # htmx loads the page again when the result is there
                anna.page.wait_for_selector("p.lead", timeout=120_000)
            anna.look()
        anna.open(f"/submit/{TASK}/")
        assert anna.page.locator("#id_upload").count() == 0  # two a day
        _bad, told, silent = results
        anna.open(silent)
        assert not re.search(r"\d", anna.page.inner_text("p.lead"))
        anna.open(told)
        assert re.search(r"\d", anna.page.inner_text("p.lead"))
        anna.send(button='form[action$="/publication/"] button')

        exact = exact_scores(site, "Bölény 7b")
        out = tmp_path / "scores"
        options = ("--corpus", "hucola", "--data-dir", site / "hidden", "--output", out)
        hueval("hulu", "score", first, *options, env=env)
        here = json.loads((out / "results.json").read_text(encoding="utf-8"))[TASK]
        metrics = ("mcc", "mcc_ci95", "acc", "f1_weighted")
        assert {name: exact[name] for name in metrics} == {name: here[name] for name in metrics}

        admin.open("/staff/")
        admin.page.click("main tbody th a")
        admin.page.wait_for_selector("#id_reason")
        admin.look()
        page = admin.page.inner_text("main")
        assert f"{here['mcc']:.3f}" in page.replace(",", ".")
        assert "Másolat" in page
        admin.send(button="button[value=approve]")
        admin.open(f"{admin.address}/staff/{silent.rstrip('/').rpartition('/')[2]}/")
        differing = sum(a != b for a, b in zip(*map(answers, (first, second)), strict=True))
        assert re.search(
            rf"\b{differing}\b.*\b{len(right)}\b|\b{len(right)}\b.*\b{differing}\b", admin.page.inner_text("main")
        )

        anna.open(f"/boards/{TASK}/")
        assert "Bölény 7b" in anna.page.inner_text("main")
        assert f"{here['mcc']:.1f}" in anna.page.inner_text("main").replace(",", ".")
        graph = anna.page.locator("figure img")
        graph.scroll_into_view_if_needed()
        assert graph.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
        anna.open(told)
        anna.page.click("main details summary")
        anna.send(button="details button")
        anna.open(f"/boards/{TASK}/")
        assert "Bölény 7b" not in anna.page.inner_text("main")
        for visitor in (admin, anna):
            visitor.context.close()
    assert admin.faults == anna.faults == []


def answers(path: Path) -> list[str]:
    """The labels of a file."""
    return [row["label"] for row in json.loads(path.read_text(encoding="utf-8"))]


def exact_scores(site: Path, model: str) -> dict[str, Any]:
    """What the worker wrote for itself and staff."""
    with sqlite3.connect(site / "site.sqlite3") as base:
        query = "SELECT exact FROM submissions_submission WHERE model_name = ? AND exact IS NOT NULL"
        ((text,),) = base.execute(query, (model,)).fetchall()
    found: dict[str, Any] = json.loads(text)
    return found
