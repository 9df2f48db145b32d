"""Tables 10 and 2 of our runs: HKMMLU beside own runs of lm-eval's CMMLU and TMMLU+, and translation."""

from __future__ import annotations

import csv
import io
import json

import pytest

import hueval_metrics as hueval
from hueval_metrics.cli import main
from lm_eval_tasks.hkmmlu.other_benchmarks import CATEGORIES

MODEL = "org/alpha"
HUMANITIES = [task for task, code in CATEGORIES.items() if code == "humanities" and task.startswith("tmmluplus_")]
OURS = {"hkmmlu_hk_law": {"acc": 50.0, "n": 2, "model": MODEL}}


def lm_eval_results(folder, shares, model=MODEL):
    """A results file of lm-eval with these tasks: name → (share, n), and a group over them."""
    results = {name: {"alias": name, "acc,none": share, "acc_stderr,none": 0.1} for name, (share, _) in shares.items()}
    results["tmmluplus"] = {"alias": "tmmluplus", "acc,none": 0.99, "acc_stderr,none": 0.1}
    data = {
        "results": results,
        "n-samples": {name: {"original": n, "effective": n} for name, (_, n) in shares.items()},
        "config": {"model": "hf", "model_args": {"pretrained": model}},
        "date": 1.0,
    }
    folder.mkdir(parents=True)
    (folder / "results_2026-01-01T00-00-00.json").write_text(json.dumps(data), encoding="utf-8")


def ours(folder, rows=OURS):
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json.dumps(rows), encoding="utf-8")


def test_accuracy_is_over_all_questions_of_a_category(tmp_path):
    ours(tmp_path / "ours")
    # Six subjects of 10 questions, half of them right, and one of 40, all right: 70 of 100; their mean is 57.1.
    lm_eval_results(tmp_path / "theirs", dict.fromkeys(HUMANITIES[1:], (0.5, 10)) | {HUMANITIES[0]: (1.0, 40)})
    text = hueval.load(tmp_path / "ours", tmp_path / "theirs").table("csv", view="hkmmlu-10")
    (row,) = csv.DictReader(io.StringIO(text))
    assert {key: value for key, value in row.items() if key not in ("table", "Model")}.keys() == {
        "TMMLU+ Humanities",
        "TMMLU+ Humanities ci95_low",
        "TMMLU+ Humanities ci95_high",
    }
    assert float(row["TMMLU+ Humanities"]) == 70
    # Wilson's interval of 70 of 100.
    assert [round(float(row[f"TMMLU+ Humanities ci95_{end}"]), 2) for end in ("low", "high")] == [60.42, 78.11]


def test_a_category_that_lacks_a_subject_has_no_number(tmp_path):
    ours(tmp_path / "ours")
    stem = [task for task, code in CATEGORIES.items() if code == "stem" and task.startswith("cmmlu_")]
    lm_eval_results(tmp_path / "theirs", dict.fromkeys((*HUMANITIES, *stem[:-1]), (0.5, 10)))
    text = hueval.load(tmp_path / "ours", tmp_path / "theirs").table("markdown", view="hkmmlu-10")
    assert "CMMLU STEM" not in text.splitlines()[2]
    assert f"No CMMLU STEM of org/alpha: the run lacks 1 of {len(stem)} subjects." in text


def test_files_of_the_others_alone_are_refused_and_those_of_another_model_left_out(tmp_path, capsys):
    lm_eval_results(tmp_path / "theirs", {HUMANITIES[0]: (0.5, 10)}, model="org/beta")
    assert main(["table", str(tmp_path / "theirs")]) == 1
    assert f"tasks; found tmmluplus, {HUMANITIES[0]}. Run some" in capsys.readouterr().err
    ours(tmp_path / "ours")
    assert main(["table", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert f"org/beta: left out, with {HUMANITIES[0]}: there is no run of our tasks by that name" in told.err
    assert "org/beta" not in told.out


def translated(bleu, **norm):
    metrics = {"avg": 50.0, "meteor": 60.0, "rouge_l": 40.0, "chrf": 30.0, "bleu": bleu}
    metrics |= {"avg_norm": 55.0, "meteor_norm": 65.0, "rouge_l_norm": 45.0, "chrf_norm": 35.0, "bleu_norm": bleu + 5}
    return metrics | {"bleu_ci95": [bleu - 1, bleu + 1], "n": 9, "model": MODEL} | norm


@pytest.mark.parametrize(("metric", "headings"), [(None, ["BLEU", "METEOR", "ROUGE-L", "Avg."]), ("chrf", ["chrf"])])
def test_translation_has_both_directions_raw_and_normalised(tmp_path, metric, headings):
    ours(tmp_path / "m", {"hkmmlutr_yue_to_zh": translated(50.0), "hkmmlutr_zh_to_yue": translated(20.0)})
    text = hueval.load(tmp_path).table("csv", view="hkmmlu-2", metric=metric)
    rows = list(csv.DictReader(io.StringIO(text)))
    raw = next(row for row in rows if row["Model"] == MODEL)
    assert [name for name in raw if name.endswith("C→M")] == [f"{name} C→M" for name in headings]
    if metric is None:
        assert (raw["BLEU C→M"], raw["BLEU M→C"], raw["BLEU C→M ci95_low"]) == ("50.0", "20.0", "49.0")
        assert "table,Model,BLEU C→M,BLEU M→C,METEOR C→M" in text  # the second table, without intervals
        assert f'both texts in one script",{MODEL},55.0,25.0,65.0,65.0,45.0,45.0,55.0,55.0' in text


def test_published_translations_stand_beside_the_raw_ones_alone(tmp_path):
    ours(tmp_path / "m", {"hkmmlutr_yue_to_zh": translated(50.0), "hkmmlutr_zh_to_yue": translated(20.0)})
    text = hueval.load(tmp_path).table("csv", view="hkmmlu-2", published=True)
    assert text.count("GPT-4o‡") == 1
    assert "Translation of Cantonese (C) and Mandarin (M),GPT-4o‡,55.9,,,20.9,,,78.0,49.0,79.3,53.5,71.1,41.1\n" in text


def test_the_mean_is_named_in_both_languages_on_the_page(tmp_path):
    ours(tmp_path / "m", {"hkmmlutr_yue_to_zh": translated(50.0), "hkmmlutr_zh_to_yue": translated(20.0)})
    hueval.report([tmp_path / "m"], tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'class="span"><span lang="en">Avg.</span><span lang="hu">átlag</span>' in page
