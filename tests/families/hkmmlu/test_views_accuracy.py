"""The tables of accuracy by way of asking (`hueval table --view hkmmlu-1|3|8|9|11`), of runs whose numbers are known.

Each subject has five questions, so a category has 90 (STEM), 80 (Social Sciences), 90 (Humanities) or 70 (Other).
"""

from __future__ import annotations

import csv
import io
import json
import re

import pytest

import hueval_metrics as hueval
from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.cli import main
from hueval_metrics.loader import documents
from tests.families.hkmmlu import full_size

# Folder → settings, and of five questions how many are right in STEM, Social Sciences, Humanities, Other.
RUNS = {
    "direct/alpha": ({}, (3, 2, 4, 1)),
    "direct/beta": ({}, (4, 4, 4, 4)),
    "direct/hueval-baseline-first": ({}, (5, 5, 5, 5)),
    "simplified/alpha": ({"script": "sc"}, (2, 2, 4, 1)),
    "cot/alpha": ({"method": "cot"}, (5, 2, 3, 1)),
    "one-cot/alpha": ({"method": "cot", "shots": 1}, (5, 3, 3, 1)),
    "one/alpha": ({"shots": 1}, (3, 2, 4, 2)),
    "three/alpha": ({"shots": 3}, (3, 2, 4, 3)),
    "again/alpha": ({}, (0, 0, 0, 0)),
}
CATEGORIES = ("STEM", "Social Sciences", "Humanities", "Other")


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A folder for each run, as `hueval score` writes it."""
    folder = tmp_path_factory.mktemp("views")
    data = full_size.write(folder / "data", scale=0.001)
    worked = {"question": "一加一？", "choices": ["一", "二"], "answer": "B", "reasoning": "一加一等於二。"}
    (data / "hkmmlu" / "exemplars").mkdir()
    for slug in SUBJECTS:
        file = data / "hkmmlu" / "exemplars" / f"{slug}.json"
        file.write_text(json.dumps(worked, ensure_ascii=False), encoding="utf-8")
    asked = {slug: documents(f"hkmmlu_{slug}", data_dir=str(data))[0] for slug in SUBJECTS}
    for name, (settings, right) in RUNS.items():
        rows = [
            {"task": f"hkmmlu_{slug}", "qid": doc["qid"], "prediction": doc["answer"] if n < n_right else "不知道"}
            for slug, docs in asked.items()
            for n_right in [right[CATEGORIES.index(SUBJECTS[slug].category)]]
            for n, doc in enumerate(docs)
        ]
        hueval.score(rows, output=folder / name, data_dir=data, metadata=settings)
    return folder


def table(home, view, *runs, **options):
    """The rows of the CSV: heading → cell."""
    text = hueval.load(*(home / run for run in runs)).table("csv", view=view, **options)
    return list(csv.DictReader(io.StringIO(text)))


def numbers(row, *headings):
    return [round(float(row[one]), 2) if row[one] else None for one in headings]


def test_a_row_a_model_with_both_scripts(home):
    rows = table(home, "hkmmlu-1", "direct", "simplified")
    assert [row["Model"] for row in rows] == ["alpha", "beta", "Avg.", "baseline first"]
    alpha, beta, average, baseline = rows
    # (54 + 32 + 72 + 14) of 330, and in Simplified Chinese 18 fewer.
    assert numbers(alpha, "Avg. tc", "Avg. sc") == [52.12, 46.67]
    assert numbers(alpha, "STEM tc", "STEM sc", "Soc. Sci. tc", "Humanities tc", "Other sc") == [60, 40, 40, 80, 20]
    assert numbers(beta, "STEM tc", "STEM sc") == [80, None]
    assert numbers(average, "STEM tc", "STEM sc") == [70, 40]  # of the models: the baseline is none
    assert numbers(baseline, "Avg. tc") == [100]
    # Wilson's interval of 54 of 90, by hand: 0.5959 ± 0.0992.
    assert numbers(alpha, "STEM tc ci95_low", "STEM tc ci95_high") == [49.67, 69.51]


def test_ways_of_asking(home):
    (row,) = table(home, "hkmmlu-3", "direct/alpha", "cot", "one-cot")
    assert numbers(row, "STEM DA", "STEM 0-CoT", "STEM 1-CoT") == [60, 100, 100]
    assert numbers(row, "Soc. Sci. DA", "Soc. Sci. 0-CoT", "Soc. Sci. 1-CoT") == [40, 40, 60]
    # (90 + 32 + 54 + 14) and (90 + 48 + 54 + 14) of 330.
    assert numbers(row, "Avg. DA", "Avg. 0-CoT", "Avg. 1-CoT") == [52.12, 57.58, 62.42]


def test_examples_and_reasoning(home):
    (row,) = table(home, "hkmmlu-9", "direct/alpha", "one", "one-cot")
    assert numbers(row, "STEM DA", "STEM 1s", "STEM 1s-CoT") == [60, 60, 100]
    # (32 + 72 + 14), (32 + 72 + 28), (48 + 54 + 14) of 240.
    assert numbers(row, "non-STEM DA", "non-STEM 1s", "non-STEM 1s-CoT") == [49.17, 55, 48.33]


def test_shots_are_rows(home):
    rows = table(home, "hkmmlu-8", "direct/alpha", "one", "three", "cot", "simplified")
    assert [(row["Shots"], row["Model"]) for row in rows] == [("0", "alpha"), ("1", "alpha"), ("3", "alpha")]
    assert [numbers(row, "Other")[0] for row in rows] == [20, 40, 60]


def test_subjects_specific_to_hong_kong(home):
    (row,) = table(home, "hkmmlu-11", "direct/alpha", "simplified")
    assert numbers(row, "HK-specific tc", "HK-specific sc") == [56.52, 56.52]  # (3·2 + 13·4 + 7·1) of 23·5


def test_published_rows_follow_the_models(home):
    rows = table(home, "hkmmlu-9", "direct", "one", published=True)
    names = [row["Model"] for row in rows]
    assert names[:4] == ["alpha", "beta", "Avg.", "DeepSeek-V3‡"]
    assert names[-2:] == ["Avg.‡", "baseline first"]
    assert numbers(rows[3], "STEM DA", "non-STEM DA") == [74.5, 75.0]
    assert "STEM 1s-CoT" not in rows[0]  # which no run of ours has


def test_of_two_runs_in_one_setting_the_first_counts_and_that_is_said(home):
    (row,) = table(home, "hkmmlu-11", "direct/alpha", "again")
    assert numbers(row, "HK-specific tc") == [56.52]
    told = hueval.load(home / "direct" / "alpha", home / "again").table("markdown", view="hkmmlu-11")
    assert "several runs in one setting; the first counts: alpha (direct) (script=tc" in told


def test_another_metric_and_one_that_there_is_not(home, capsys):
    (row,) = table(home, "hkmmlu-11", "direct/alpha", metric="parse_rate")
    assert numbers(row, "HK-specific tc") == [56.52]  # what is not the letter says none
    assert main(["table", str(home / "direct"), "--view", "hkmmlu-1", "--metric", "acc_letter"]) == 1
    assert "hkmmlu has no such metric. Near it: acc_first_letter" in capsys.readouterr().err


def test_a_run_of_one_category_has_its_columns_alone(home, tmp_path):
    scored = json.loads((home / "direct" / "alpha" / "results.json").read_text(encoding="utf-8"))
    kept = {name: row for name, row in scored.items() if name in {f"hkmmlu_{slug}" for slug in stem()}}
    (tmp_path / "gamma").mkdir()
    (tmp_path / "gamma" / "results.json").write_text(json.dumps(kept), encoding="utf-8")
    items = (home / "direct" / "alpha" / "items.jsonl").read_text(encoding="utf-8")
    (tmp_path / "gamma" / "items.jsonl").write_text(items, encoding="utf-8")
    text = hueval.load(tmp_path / "gamma").table("markdown", view="hkmmlu-1")
    assert "| Model | STEM tc |\n| --- | ---: |\n| gamma | 60.00 ([49.7, 69.5]) |\n" in text
    assert "No Avg. of gamma (script=tc, method=da, shots=0): the run lacks 48 of 66 subjects." in text


def stem():
    return [slug for slug, one in SUBJECTS.items() if one.category == "STEM"]


def test_runs_of_few_subjects_have_no_such_table(tmp_path, capsys):
    (tmp_path / "results.json").write_text(json.dumps({"hkmmlu_hk_law": {"acc": 50.0, "n": 2}}), encoding="utf-8")
    assert main(["table", str(tmp_path), "--view", "hkmmlu-1"]) == 1
    said = capsys.readouterr().err
    assert "--view hkmmlu-1: it needs a run of every subject of a category, and " in said and "two scripts" in said


@pytest.mark.parametrize(
    ("view", "missing"),
    [("hkmmlu-3", "two methods"), ("hkmmlu-8", "two shot counts"), ("hkmmlu-9", "two shot counts")],
)
def test_direct_answers_alone_have_no_table_of_ways_of_asking(home, capsys, view, missing):
    assert main(["table", str(home / "direct"), "--view", view]) == 1
    assert missing in capsys.readouterr().err


@pytest.mark.parametrize(
    ("runs", "keys"),
    [
        (("direct", "one", "one-cot"), ["method", "shots"]),  # one example against none, 1-CoT against one example
        (("direct", "one-cot"), []),  # which differ in both keys at once
    ],
)
def test_a_table_names_the_comparisons_that_its_runs_allow(home, runs, keys):
    text = hueval.load(*(home / run for run in runs)).table("markdown", view="hkmmlu-9")
    assert re.findall(r"--by-variant (\w+)", text) == keys


def test_the_tables_stand_on_the_page_in_both_languages(home, tmp_path):
    hueval.report([home / "direct", home / "simplified"], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'id="views"' in page
    assert '<span lang="hu">Pontosság kategóriánként, hagyományos (tc) és egyszerűsített (sc) írással</span>' in page
    assert '<bdi><span lang="en">Avg.</span><span lang="hu">átlag</span></bdi>' in page
    assert "Asked with script=sc: alpha (simplified)." in page
    assert "Not compared: hkmmlu_" not in page  # a line for each of 66 subjects
