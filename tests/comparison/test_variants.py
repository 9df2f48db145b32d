"""Runs of one model in two settings: the effect of the setting, and numbers that span both."""

import csv
import io
import json

import pytest

from hueval_metrics.cli import main
from hueval_metrics.comparison.across import across_scores
from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.variants import variant_effects
from hueval_metrics.errors import InputError
from hueval_metrics.runs.load import load_runs
from lm_eval_tasks.kolassimpleqa.languages import LANGUAGES

TASKS = [f"kolassimpleqa_{language}_{domain}" for language in LANGUAGES for domain in ("general", "specific")]
HU = "kolassimpleqa_hu_general"


def rows(task, outcomes):
    """Pairs: `11` both right, `10` the forward one, `1?` no verdict on the reverse one; sure by 95 % of all."""
    found = []
    for n, pair in enumerate(outcomes):
        for is_reverse, letter in enumerate(pair):
            values = {"judge_coverage": float(letter != "?"), "f_score": None, "ece": None, "bidirectional": None}
            if letter != "?":
                right = float(letter)
                values |= {"f_score": [2 * int(right), 2], "ece": [0.95, right]}
                values["bidirectional"] = [f"t{n}", bool(is_reverse), right]
            qid = f"t{n}-reverse" if is_reverse else f"t{n}"
            dimension = ("forward", "reverse")[is_reverse]
            row = {"task": task, "qid": qid, "knowledge_track_id": f"t{n}", "dimension": dimension, "values": values}
            found.append(row)
    return found


def write(folder, model, asked_in, outcomes, more=""):
    """A run; `asked_in` is `own` or a language."""
    folder.mkdir(parents=True)
    results, items = {}, []
    for task, pairs in outcomes.items():
        asked = task.split("_")[1] if asked_in == "own" else asked_in
        signature = (
            f"task:{task}|v:1.0|data:6d6b9c887861|q:{asked}|prompt:ours-{asked}-1|shots:0{more}|judge:j|rubric:k/1"
        )
        items += rows(task, pairs)
        results[task] = {"f_score": 50.0, "ece": 0.5, "n": 2 * len(pairs), "model": model, "signature": signature}
    (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in items), encoding="utf-8")
    return folder


@pytest.fixture
def runs(tmp_path):
    """Loads runs, each given as (model, setting, task → pairs)."""

    def load(*given):
        return load_runs([write(tmp_path / f"{n}-{one[1]}", *one) for n, one in enumerate(given)])

    return load


def test_the_gain_is_over_the_items_that_both_runs_have_by_hand(runs):
    own, other = ["11", "10", "00", "00"], ["11", "11", "10", "1?"]
    (found,) = variant_effects(runs(("org/m", "own", {HU: own}), ("org/m", "en", {HU: other})), metric="f_score")
    # Without the answer that has no verdict in one of them: 3 of 7 against 6 of 7.
    assert (found.label, found.task, found.value, found.n) == ("org/m", HU, "en", 7)
    assert found.scores == pytest.approx((300 / 7, 600 / 7))
    assert found.difference == pytest.approx(300 / 7)
    # Three of four facts differ; of their 8 swaps two are as far apart.
    assert (found.p, found.p_holm, found.test) == (0.25, 0.25, "paired permutation")


def test_p_is_corrected_over_the_languages_of_a_domain(runs):
    worse, better = ["00"] * 6, ["11"] * 6
    found = variant_effects(
        runs(("org/m", "own", dict.fromkeys(TASKS, worse)), ("org/m", "en", dict.fromkeys(TASKS, better)))
    )
    tasks = [one for one in found if one.task in TASKS]
    assert [one.task for one in tasks] == TASKS
    assert {one.p for one in tasks} == {2 / 2**6}
    assert {one.p_holm for one in tasks} == {9 * 2 / 2**6}  # nine languages, not eighteen tasks
    averages = {one.metric: (one.difference, one.p_holm) for one in found if one.task == "kolassimpleqa"}
    assert averages == {"f_score_general": (100.0, None), "f_score_specific": (100.0, None), "domain_gap": (0.0, None)}


@pytest.mark.parametrize(
    ("model", "asked", "settings"),
    [("org/other", "en", "0"), ("org/m", "en", "1"), ("org/m", "own", "0")],
    ids=["another model", "other settings", "the same language"],
)
def test_other_runs_are_no_pair(runs, model, asked, settings):
    pairs = {HU: ["10", "11"]}
    given = runs(("org/m", "own", pairs, "|gen:temperature=0"), (model, asked, pairs, f"|gen:temperature={settings}"))
    with pytest.raises(InputError, match="no model has two runs that differ in question_lang alone"):
        variant_effects(given)


@pytest.mark.parametrize(
    ("key", "metric", "said"),
    [
        ("colour", None, 'no task has "colour" among its settings'),
        ("question_lang", "blank_acc", 'no task of these runs has items with values of "blank_acc"'),
    ],
    ids=["key", "metric"],
)
def test_unknown_names_are_said(runs, key, metric, said):
    given = runs(("org/m", "own", {HU: ["10", "11"]}), ("org/m", "en", {HU: ["10", "01"]}))
    with pytest.raises(InputError, match=said):
        variant_effects(given, key, metric)


def test_a_number_over_both_settings_by_hand(runs):
    own, other = ["11", "11", "10"], ["11", "10", "00"]
    given = runs(
        ("org/m", "own", dict.fromkeys(TASKS, own)),
        ("org/m", "en", dict.fromkeys(TASKS, other)),
        ("org/alone", "own", dict.fromkeys(TASKS, own)),
    )
    (found,) = across_scores(given)
    assert (found.label, found.score.summary.name) == ("org/m", "mece")
    assert found.score.value == pytest.approx(((0.95 - 5 / 6) + (0.95 - 3 / 6)) / 2)
    assert found.score.n == 54  # the facts of 18 tasks, each asked in both settings
    low, high = found.score.ci95
    assert low <= found.score.value <= high


def test_models_are_compared_in_it_that_have_both_settings(runs):
    good, bad = ["11"] * 9 + ["10"], ["00"] * 9 + ["10"]
    given = runs(
        *(
            (model, asked, dict.fromkeys(TASKS, own))
            for model, own in (("a", good), ("b", bad))
            for asked in ("own", "en")
        ),
        ("c", "own", dict.fromkeys(TASKS, good)),
    )
    (found,) = compare_runs(given, CompareOptions(metrics=["mece"])).metrics
    assert (found.task, found.metric, [one.label for one in found.scores]) == ("kolassimpleqa", "mece", ["a", "b"])
    (pair,) = found.pairs
    assert (pair.leader, pair.difference) == ("a", pytest.approx(-0.9))


def test_numbers_over_tasks_are_compared_by_name(runs):
    good, bad = ["11"] * 5, ["10"] * 5
    given = runs(("a", "own", dict.fromkeys(TASKS, good)), ("b", "own", dict.fromkeys(TASKS, bad)))
    for name, difference in (("f_score_general", 50.0), ("bidirectional_specific", 100.0), ("domain_gap", 0.0)):
        (found,) = compare_runs(given, CompareOptions(metrics=[name])).metrics
        assert (found.metric, found.pairs[0].difference) == (name, difference)
    names = [one.metric for one in compare_runs(given).metrics if one.task == "kolassimpleqa"]
    assert names == ["f_score_general", "f_score_specific", "domain_gap"]
    with pytest.raises(InputError, match='"f_score_genera": no such metric'):
        compare_runs(given, CompareOptions(metrics=["f_score_genera"]))


def test_within_a_direction_only_its_own_answers_count(runs):
    given = runs(("a", "own", {HU: ["11"] * 6 + ["10"] * 2}), ("b", "own", {HU: ["10"] * 8}))
    (f_score,) = compare_runs(given, CompareOptions(metrics=["f_score"])).metrics
    assert {(one.dimension, one.n, one.scores) for one in f_score.dimensions} == {
        ("forward", 8, (100.0, 100.0)),
        ("reverse", 8, (75.0, 0.0)),
    }
    (pairs,) = compare_runs(given, CompareOptions(metrics=["bidirectional"])).metrics
    assert (pairs.scores[0].value, pairs.scores[1].value, pairs.dimensions) == (75.0, 0.0, ())


def test_both_settings_stay_two_rows_each_named_by_its_own(tmp_path):
    for name, asked in (("one", "own"), ("two", "en")):
        write(tmp_path / name, "org/m", asked, {task: ["10"] for task in TASKS})
    assert [run.label for run in load_runs([tmp_path])] == ["org/m (one)", "org/m (two)"]
    assert {run.model for run in load_runs([tmp_path])} == {"org/m"}


def test_the_command_prints_it(tmp_path, capsys):
    write(tmp_path / "one", "org/m", "own", {HU: ["00"] * 8})
    write(tmp_path / "two", "org/m", "en", {HU: ["11"] * 8})
    options = ["compare", str(tmp_path), "--by-variant", "question_lang"]
    assert main(options) == 0
    out = capsys.readouterr().out
    assert "+100.0" in out
    assert "KoLasSimpleQA hu general" in out
    assert main([*options, "--format", "csv"]) == 0
    (row,) = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["difference"], row["p"], row["n"]) == ("100.0", str(2 / 2**8), "16")
    assert main([*options, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["scores"] == [0.0, 100.0]
    assert main([*options, "--format", "markdown", "--metric", "bidirectional"]) == 0
    assert main([*options, "--all"]) == 1
    assert "--by-variant: it takes one --metric" in capsys.readouterr().err
