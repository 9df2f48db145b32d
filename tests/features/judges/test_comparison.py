"""Calibrated scores compared, against direct computations with numpy, and the cases in which runs are linked."""

import json
import random
import shutil
from dataclasses import replace

import numpy as np
import pytest

from hueval_metrics.cli import main
from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.results import TRANSPORTED
from hueval_metrics.errors import InputError
from hueval_metrics.judges.comparison.calibrated import FEW_IN_COMMON, RatedRun, compare_calibrated
from hueval_metrics.judges.stats.items import RatedItem
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.runs.load import load_runs
from hueval_metrics.stats.paired import PERMUTATION
from tests.each import each
from tests.features.judges.calibrate.runs import OE, QA, judged_by, row, run_of, verdict, write_run

LABELS = {"YES": {"acc": 1.0}, "NO": {"acc": 0.0}}
METRICS = {"acc": PERCENT}
PAIR = [(0, 1)]


def items(judge, reference, rated):
    """Items q0, q1, …: 1 for YES, 0 for NO; the reference's rating where `rated`."""
    name = ("NO", "YES")
    return [
        RatedItem(
            f"q{i:03}", name[j], LABELS[name[j]], name[r] if is_rated else None, LABELS[name[r]] if is_rated else {}
        )
        for i, (j, r, is_rated) in enumerate(zip(judge, reference, rated, strict=True))
    ]


def compared(*runs, permutations=1000):
    (metric,), left_out = compare_calibrated("toy", METRICS, runs, PAIR, permutations=permutations)
    assert not left_out
    return metric


def drawn(rng, n, share, sensitivity=0.9, specificity=0.7):
    truth = (rng.random(n) < share).astype(int)
    judge = np.where(truth, rng.random(n) < sensitivity, rng.random(n) > specificity).astype(int)
    return judge, truth


def prediction_powered(judge, truth, rated):
    """PPI++ (arXiv 2311.01453) for a mean, in percent."""
    h, j = truth[rated].astype(float), judge[rated].astype(float)
    slope = np.clip(np.cov(h, j, bias=True)[0, 1] / max(j.var(), 1e-12), 0, 1)
    return 100 * np.clip(h.mean() + slope * (judge.mean() - j.mean()), 0, 1)


def test_two_runs_with_ratings_of_their_own():
    rng, n = np.random.default_rng(1), 200
    (judge_a, truth_a), (judge_b, truth_b) = drawn(rng, n, 0.7), drawn(rng, n, 0.4)
    rated = np.arange(n) % 2 == 0
    metric = compared(
        RatedRun("A", items(judge_a, truth_a, rated), labels=LABELS),
        RatedRun("B", items(judge_b, truth_b, rated), labels=LABELS),
    )
    values = [prediction_powered(judge_a, truth_a, rated), prediction_powered(judge_b, truth_b, rated)]
    (pair,) = metric.pairs
    assert metric.metric == "acc_calibrated"
    assert metric.n == pair.n == n
    assert pair.scores == pytest.approx(values)
    assert pair.difference == pytest.approx(values[0] - values[1])
    assert pair.test == PERMUTATION
    draws = []
    for _ in range(4000):
        places = rng.integers(0, n, n)
        some = [one[places] for one in (judge_a, truth_a, rated, judge_b, truth_b)]
        draws.append(prediction_powered(*some[:3]) - prediction_powered(some[3], some[4], some[2]))
    assert pair.ci95 == pytest.approx(np.quantile(draws, [0.025, 0.975]), abs=1.5)
    assert pair.p is not None and pair.p < 0.01
    assert [score.rank.rank for score in metric.scores] == [1, 2]


def test_errors_of_a_shared_calibration_cancel_out_of_the_difference():
    rng, n = np.random.default_rng(2), 300
    (judge_a, _), (judge_b, _) = drawn(rng, n, 0.7), drawn(rng, n, 0.6)
    pool_judge, pool_truth = drawn(rng, 120, 0.5)
    pool = items(pool_judge, pool_truth, np.ones(120, bool))
    nothing = np.zeros(n, bool)
    runs = [
        RatedRun(label, items(judge, judge, nothing), pool, LABELS) for label, judge in (("A", judge_a), ("B", judge_b))
    ]
    metric = compared(*runs)
    (pair,) = metric.pairs
    sensitivity, false = pool_judge[pool_truth == 1].mean(), pool_judge[pool_truth == 0].mean()
    values = [100 * (judge.mean() - false) / (sensitivity - false) for judge in (judge_a, judge_b)]  # Rogan-Gladen
    assert pair.scores == pytest.approx(values)
    assert (pair.p, pair.test, pair.leader) == (None, TRANSPORTED, None)
    widths = [score.ci95[1] - score.ci95[0] for score in metric.scores]
    apart = [RatedItem(f"x{i}", one.judge, {}, one.reference) for i, one in enumerate(pool)]
    (other,) = compared(runs[0], RatedRun("B", runs[1].items, apart, LABELS)).pairs
    assert pair.ci95[1] - pair.ci95[0] < 0.9 * np.hypot(*widths)
    assert pair.ci95[1] - pair.ci95[0] < 0.9 * (other.ci95[1] - other.ci95[0])
    assert pair.difference == pytest.approx(other.difference)


def test_a_run_that_the_reference_judged_counts_as_it_is():
    rng, n = np.random.default_rng(3), 120
    (judge, truth), (_, other) = drawn(rng, n, 0.7), drawn(rng, n, 0.5)
    rated = np.arange(n) < 60
    metric = compared(
        RatedRun("A", items(judge, truth, rated), labels=LABELS),
        RatedRun("R", items(other, other, np.ones(n, bool)), labels=LABELS),
    )
    (pair,) = metric.pairs
    assert pair.scores == pytest.approx((prediction_powered(judge, truth, rated), 100 * other.mean()))
    assert pair.test == PERMUTATION


def test_too_few_items_rated_in_both_have_no_test():
    rng, n = np.random.default_rng(4), 120
    first, second = (
        RatedRun(label, items(*drawn(rng, n, 0.5), rated), labels=LABELS)
        for label, rated in (("A", np.arange(n) < 60), ("B", np.arange(n) >= 31))
    )
    (pair,) = compared(first, second).pairs  # 29 in common
    assert (pair.p, pair.test) == (None, FEW_IN_COMMON)
    assert pair.ci95 is not None


@each(("first", "test"), [(10, PERMUTATION), (11, FEW_IN_COMMON)])
def test_within_a_stratum_its_own_ratings_count(first, test):
    """Of 200 items 80 are of the stratum; B has ratings of its first 40, A from `first` on, and both of all others."""
    rng, labels, runs = np.random.default_rng(6), {"YES": {"acc_h": 1.0}, "NO": {"acc_h": 0.0}}, []
    for label, rated in (("A", np.arange(200) >= first), ("B", (np.arange(200) < 40) | (np.arange(200) >= 80))):
        given = items(*drawn(rng, 200, 0.5), rated)
        runs.append(
            RatedRun(
                label,
                [
                    replace(
                        one,
                        stratum="h" if place < 80 else "l",
                        values=labels[one.judge] if place < 80 else {},
                        reference_values=labels[one.reference] if one.reference and place < 80 else {},
                    )
                    for place, one in enumerate(given)
                ],
                labels=labels,
            )
        )
    (metric,), _ = compare_calibrated("toy", {"acc_h": PERCENT.within("h")}, runs, PAIR, permutations=200)
    (pair,) = metric.pairs
    assert (metric.n, pair.n, pair.test) == (80, 80, test)


def test_without_a_difference_small_p_are_rare():
    rng, n, found = np.random.default_rng(5), 100, []
    for _ in range(60):
        hard = rng.random(n)  # the same questions are hard for both
        runs = []
        for label, errors in (("A", (0.95, 0.9)), ("B", (0.75, 0.7))):  # judges of different quality
            truth = (rng.random(n) > hard).astype(int)
            judge = np.where(truth, rng.random(n) < errors[0], rng.random(n) > errors[1]).astype(int)
            runs.append(RatedRun(label, items(judge, truth, np.arange(n) < 50), labels=LABELS))
        found.append(compared(*runs, permutations=400).pairs[0].p)
    shares = [np.mean(np.array(found) < level) for level in (0.05, 0.25, 0.5, 0.75)]
    assert shares == pytest.approx([0.05, 0.25, 0.5, 0.75], abs=0.13)
    assert shares[0] <= 0.12


# --- through files and the command ---

LENIENT = {"YES": {"YES": 0.95, "NO": 0.05}, "NO": {"YES": 0.35, "NO": 0.65}}
STRICT = {"YES": {"YES": 0.7, "NO": 0.3}, "NO": {"YES": 0.05, "NO": 0.95}}
N, RATED = 150, 60


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A, B and C judged by a lenient judge, A and B calibrated on their own answers, C by theirs; A by a strict one."""
    base = tmp_path_factory.mktemp("runs")
    draws = random.Random(1)
    truth = {
        m: ["YES" if draws.random() < p else "NO" for _ in range(N)]
        for m, p in zip("abcd", (0.8, 0.4, 0.5, 0.6), strict=True)
    }
    for m in "abc":
        run_of(base / f"{m}.lenient", judged_by(truth[m], LENIENT, ord(m)), "lenient")
    run_of(base / "a.strict", judged_by(truth["a"], STRICT, 1), "strict")
    run_of(base / "d.gpt", truth["d"], "gpt-4o")
    for m in "ab":
        run_of(base / "gpt" / f"{m}.gpt", truth[m][:RATED], "gpt-4o")
    lenient = [base / f"{m}.lenient" for m in "abc"]
    for name, judges, runs in (("lenient", lenient[:2], lenient), ("strict", [base / "a.strict"], [base / "a.strict"])):
        fitted, references = base / f"{name}.json", [base / "gpt" / f"{run.name[0]}.gpt" for run in judges]
        call("calibrate", "fit", "--judge", *judges, "--reference", *references, "--output", fitted)
        call(
            "calibrate",
            "apply",
            fitted,
            *runs,
            "--output",
            base / "out" if len(runs) > 1 else base / "out" / "a.strict",
        )
    return base


def call(*arguments, status=0):
    assert main([str(one) for one in arguments]) == status


def comparison(folders, *names, **options):
    return compare_runs(load_runs([folders / name for name in names]), CompareOptions(**options))


def by_metric(found):
    return {one.metric: {(pair.first, pair.second): pair for pair in one.pairs} for one in found.metrics}


def test_own_against_own_is_tested_beside_the_plain_metric(folders):
    found = comparison(folders, "out/a.lenient", "out/b.lenient")
    metrics = by_metric(found)
    assert list(metrics) == ["acc", "acc_calibrated"]
    pair = metrics["acc_calibrated"]["a.lenient", "b.lenient"]
    results = [json.loads((folders / "out" / f"{m}.lenient" / "results.json").read_text())[OE] for m in "ab"]
    assert pair.scores == pytest.approx([one["acc_calibrated"] for one in results])
    assert [list(s.ci95) for s in found.metrics[1].scores] == [one["acc_calibrated_ci95"] for one in results]
    assert pair.leader == "a.lenient"
    assert found.n_tests == 2  # Holm's family has both
    assert not found.has_faults


def test_judges_are_linked_by_calibrations_to_one_reference_and_by_the_reference_itself(folders):
    names = ("out/a.lenient", "out/c.lenient", "out/a.strict", "d.gpt")
    found = comparison(folders, *names, all_pairs=True)
    pairs = by_metric(found)["acc_calibrated"]
    tests = {labels: pair.test for labels, pair in pairs.items()}
    assert tests == {
        ("a.lenient", "c.lenient"): TRANSPORTED,
        ("a.lenient", "a.strict"): PERMUTATION,
        ("a.lenient", "d.gpt"): PERMUTATION,
        ("c.lenient", "a.strict"): TRANSPORTED,
        ("c.lenient", "d.gpt"): TRANSPORTED,
        ("a.strict", "d.gpt"): PERMUTATION,
    }
    (low, high), difference = pairs["a.lenient", "a.strict"].ci95, pairs["a.lenient", "a.strict"].difference
    assert low < 0 < high and abs(difference) < 10  # one model, two judges
    assert not found.has_faults
    assert {one.label: one.reason for one in found.left_out} == dict.fromkeys(
        ("a.strict", "d.gpt"), "another judge than the first run's, so that only calibrated scores are compared"
    )
    note = next(note for note in found.notes[OE] if note.startswith("scores by gpt-4o"))
    assert "a.lenient judged by lenient and calibrated by 60 of its own answers" in note
    assert "c.lenient judged by lenient and calibrated by 120 answers of other runs (transported)" in note
    assert note.endswith("d.gpt judged by it")


def test_without_a_calibration_other_judges_are_refused_and_the_way_is_named(folders):
    with pytest.raises(InputError, match=r"hueval calibrate fit --judge RUN --reference RUN.*--despite judge$"):
        comparison(folders, "a.lenient", "d.gpt")


def test_a_run_of_neither_is_left_out(folders):
    found = comparison(folders, "out/a.lenient", "out/b.lenient", "c.lenient")
    (left_out,) = found.left_out
    assert left_out.reason == "calibrated scores: judged by lenient, not calibrated to gpt-4o"
    assert not found.has_faults  # all are compared by the judge's own scores
    assert ("a.lenient", "c.lenient") in by_metric(found)["acc"]


def test_different_references_are_refused(folders, tmp_path):
    shutil.copytree(folders / "out" / "b.lenient", tmp_path / "b.lenient")
    path = tmp_path / "b.lenient" / "results.json"
    path.write_text(path.read_text().replace('"reference": "gpt-4o"', '"reference": "people (3 raters)"'))
    found = compare_runs(load_runs([folders / "out" / "a.lenient", tmp_path / "b.lenient"]))
    assert [one.metric for one in found.metrics] == ["acc"]
    assert [one.reason for one in found.left_out] == [
        "calibrated scores: calibrated to people (3 raters), and another run to gpt-4o"
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda folder: (folder / "calibration.json").unlink(), "cannot be read"),
        (
            lambda folder: shutil.copy(folder.parent / "a.strict" / "calibration.json", folder),
            "not the one that the results",
        ),
        (lambda folder: (folder / "calibration.json").write_text("{"), "not valid JSON"),
    ],
    ids=["missing", "another", "broken"],
)
def test_a_calibration_that_is_not_the_one_of_the_results(folders, tmp_path, change, reason):
    shutil.copytree(folders / "out", tmp_path / "out")
    change(tmp_path / "out" / "b.lenient")
    found = compare_runs(load_runs([tmp_path / "out" / "a.lenient", tmp_path / "out" / "b.lenient"]))
    assert [one.metric for one in found.metrics] == ["acc"]
    assert reason in found.left_out[0].reason
    assert found.has_faults
    assert not any("scores by" in note for note in found.notes[OE])


def test_the_calibrated_metric_alone(folders, capsys):
    call("compare", folders / "out" / "a.lenient", folders / "out" / "c.lenient", "--metric", "acc_calibrated")
    text = " ".join(capsys.readouterr().out.split())
    assert "HuProverbRea (OE), acc_calibrated (150 items, a.lenient against c.lenient)" in text
    assert "; transported, no test." in text
    assert "Transported: corrected by the judge's errors on other runs." in text
    assert "HuProverbRea (OE), acc (" not in text


def test_a_table_of_several_runs_says_why_there_is_no_test(folders, capsys):
    runs = [folders / "out" / f"{m}.lenient" for m in "abc"]
    call("compare", *runs, "--no-dimensions", "--format", "markdown")
    text = capsys.readouterr().out
    (row,) = (line for line in text.splitlines() if line.startswith("| c.lenient") and "transported" in line)
    assert row.endswith("| transported, no test |")
    assert "behind" in next(line for line in text.split("calibrated (")[1].splitlines() if "| b.lenient" in line)


@each("order", ["abc", "cab"])
def test_a_run_without_confidences_hides_no_metric_of_the_others(order, tmp_path):
    draws = random.Random(2)
    for name in "abc":
        reply = {"answer": name} | ({} if name == "c" else {"confidence_score": 80})
        truth = ["CORRECT" if draws.random() < 0.5 else "INCORRECT" for _ in range(40)]
        for judge, said in (("cheap", ["CORRECT", *truth[1:]]), ("gold", truth)):
            rows = [row(QA, f"q{i}", json.dumps(reply), verdict(QA, label, judge)) for i, label in enumerate(said)]
            write_run(tmp_path / f"{name}.{judge}", {QA: rows})
    judged, rated = ([tmp_path / f"{name}.{judge}" for name in order] for judge in ("cheap", "gold"))
    call("calibrate", "fit", "--judge", *judged, "--reference", *rated, "--output", tmp_path / "fitted.json")
    call("calibrate", "apply", tmp_path / "fitted.json", *judged, "--output", tmp_path / "out")
    found = comparison(tmp_path / "out", *(run.name for run in judged), metrics=("brier",), all_pairs=True)
    pairs = by_metric(found)["brier_calibrated"]
    assert [key for key, pair in pairs.items() if pair.difference is not None] == [("a.cheap", "b.cheap")]


def test_no_such_metric(folders, capsys):
    call("compare", *(folders / "out" / f"{m}.lenient" for m in "ab"), "--metric", "accuracy_calibrated", status=1)
    assert '--metric "accuracy_calibrated": no such metric' in capsys.readouterr().err
