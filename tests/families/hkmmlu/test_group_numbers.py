"""The numbers over the subjects: live, by `hueval score`, as the group's, and computed from the rows themselves."""

from __future__ import annotations

import json

import pytest

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.stats.intervals import wilson
from tests.families.hkmmlu import full_size
from tests.harness.runs import hueval_here, results

SCALE = 0.02
MEMBERS = {
    "stem": [slug for slug, one in SUBJECTS.items() if one.category == "STEM"],
    "social": [slug for slug, one in SUBJECTS.items() if one.category == "Social Sciences"],
    "humanities": [slug for slug, one in SUBJECTS.items() if one.category == "Humanities"],
    "other": [slug for slug, one in SUBJECTS.items() if one.category == "Other"],
    "avg": [*SUBJECTS],
    "hk": [slug for slug, one in SUBJECTS.items() if one.is_hk_specific],
    "non_stem": [slug for slug, one in SUBJECTS.items() if one.category != "STEM"],
}
GROUPS = {"avg": "", **{code: f"-{code}" for code in ("stem", "social", "humanities", "other")}}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Folders with live runs on a small copy, one of them of another method, and what `hueval score` makes of them."""
    home = tmp_path_factory.mktemp("hkmmlu")
    settings = {"HUEVAL_DATA_DIR": str(full_size.write(home, scale=SCALE)), "HUEVAL_OFFLINE": "1"}
    metadata = {"cot": ("--metadata", '{"method": "cot"}')}
    for name, policy in {"random": "random", "first": "first", "cot": "random,seed=2"}.items():
        options = ("--model", "hueval-baseline", "--model_args", f"policy={policy}", *metadata.get(name, ()))
        live = hueval_here(
            "run", *options, "--tasks", "hkmmlu", "--output_path", home / name, "--log_samples", **settings
        )
        assert live.status == 0, live.err
        scored = hueval_here("score", home / name, "--output", home / f"{name}-scored", **settings)
        assert scored.status == 0, scored.err
        (home / f"{name}.txt").write_text(scored.out, encoding="utf-8")
    return home


def family_row(folder):
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))["hkmmlu"]


def outcomes(folder):
    """Subject → whether each reply is right, from the samples."""
    found = {}
    for slug in SUBJECTS:
        (file,) = folder.rglob(f"samples_hkmmlu_{slug}_*.jsonl")
        rows = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        found[slug] = [json.loads(row["filtered_resps"][0])["response"] == row["doc"]["answer"] for row in rows]
    return found


@pytest.mark.nightly
@pytest.mark.slow
def test_live_scored_and_computed_by_hand_are_one_number(made):
    live, scored = results(made / "random")["summaries"]["hkmmlu"], family_row(made / "random-scored")
    assert not any("_ll_" in name for name in scored)  # of the other form, which was not run
    assert live == scored
    by_subject = outcomes(made / "random")
    assert sum(map(len, by_subject.values())) > 66 * 5
    for code, slugs in MEMBERS.items():
        right = [one for slug in slugs for one in by_subject[slug]]
        assert scored[f"acc_{code}"] == 100 * sum(right) / len(right), code
        assert scored[f"acc_{code}_n"] == len(right)
        low, high = wilson(sum(right), len(right))
        assert scored[f"acc_{code}_ci95"] == pytest.approx([100 * low, 100 * high])
        assert scored["ci_method"][f"acc_{code}"] == "wilson"


@pytest.mark.parametrize("code", GROUPS)
def test_the_group_of_lm_eval_has_the_same_number(made, code):
    row = results(made / "random")["results"][f"hkmmlu{GROUPS[code]}"]
    expected = family_row(made / "random-scored")
    for metric in ("acc", "acc_first_letter", "parse_rate", "truncated_rate"):
        assert row[f"{metric},response"] == expected[f"{metric}_{code}"]


def test_the_terminal_has_a_row_a_number_and_none_a_subject(made):
    text = (made / "random.txt").read_text(encoding="utf-8")
    names = [line.split()[0] for line in text.splitlines() if line.startswith(("acc", "parse", "truncated"))]
    codes = ("stem", "social", "humanities", "other", "avg")
    rest = ["acc_first_letter_avg", "parse_rate_avg", "truncated_rate_avg"]
    assert names == [*(f"acc_{code}" for code in codes), *rest]
    assert "`hueval table --all` shows the 66 tasks one by one" in text
    assert len(text.splitlines()) < 24


def test_without_a_subject_its_numbers_are_lacking_in_one_line(made, tmp_path):
    missing = "hkmmlu_hk_law"
    files = [*(made / "random").rglob("*.json*")]
    for file in files:
        if missing not in file.name:
            (tmp_path / file.name).write_bytes(file.read_bytes())
    found = hueval_here("score", tmp_path, "--output", tmp_path / "scored")
    row = family_row(tmp_path / "scored")
    of_law = {code for code, slugs in MEMBERS.items() if "hk_law" in slugs}
    assert {code for code in MEMBERS if row[f"acc_{code}"] is None} == of_law
    assert {code: row["lacking"][f"acc_{code}"] for code in of_law} == {code: [missing] for code in of_law}
    assert row["acc_stem"] == family_row(made / "random-scored")["acc_stem"]
    (line,) = found.complaints
    assert missing in line and "acc_avg" in line


def compare(made, *options):
    return hueval_here("compare", made / "random-scored", made / "first-scored", "--format", "json", *options)


def test_two_runs_differ_in_the_numbers_over_subjects(made):
    from scipy.stats import binomtest

    found = json.loads(compare(made).out)
    assert [(one["task"], one["metric"]) for one in found["metrics"]] == [
        ("hkmmlu", f"acc_{code}") for code in ("stem", "social", "humanities", "other", "avg")
    ]
    assert found["n_tests"] == 5
    first, second = (outcomes(made / policy) for policy in ("random", "first"))
    paired = [both for slug in SUBJECTS for both in zip(first[slug], second[slug], strict=True)]
    only_first, only_second = paired.count((True, False)), paired.count((False, True))
    (pair,) = found["metrics"][-1]["pairs"]
    assert pair["test"] == "exact McNemar"
    assert pair["p"] == pytest.approx(binomtest(only_first, only_first + only_second).pvalue)
    assert pair["difference"] == pytest.approx(100 * (only_first - only_second) / len(paired))


@pytest.mark.parametrize(("metric", "n_metrics"), [("acc_hk", 1), ("acc", 66)])
def test_what_is_asked_for_is_compared_and_corrected_together(made, metric, n_metrics):
    found = json.loads(compare(made, "--metric", metric).out)
    assert len(found["metrics"]) == found["n_tests"] == n_metrics


def test_what_many_tasks_lack_is_one_line(made, tmp_path):
    rows = []
    for slug in SUBJECTS:
        (file,) = (made / "random").rglob(f"samples_hkmmlu_{slug}_*.jsonl")
        for line in file.read_text(encoding="utf-8").splitlines()[1:]:
            row = json.loads(line)
            one = {"qid": row["doc"]["qid"], "task": f"hkmmlu_{slug}", "prediction": row["resps"][0][0]}
            rows.append(json.dumps(one) + "\n")
    (tmp_path / "some.jsonl").write_text("".join(rows), encoding="utf-8")
    settings = {"HUEVAL_DATA_DIR": str(made)}
    found = hueval_here("score", tmp_path / "some.jsonl", "--output", tmp_path / "scored", **settings)
    assert found.status == 0
    (line,) = found.complaints
    assert f": 66 of {len(rows) + 66} documents have no prediction" in line
    assert "scored lacks 66, in 66 tasks; scored on the others." in " ".join(found.out.split())
    refused = hueval_here("compare", made / "random-scored", tmp_path / "scored")
    assert (refused.status, "and 65 more tasks" in refused.err) == (1, True)
    assert len(refused.err) < 500
    allowed = hueval_here("compare", made / "random-scored", tmp_path / "scored", "--despite", "items")
    assert (allowed.status, f"{len(rows):,}" in allowed.out) == (0, True)


def test_two_runs_are_told_on_one_screen(made):
    found = hueval_here("compare", made / "random-scored", made / "first-scored", COLUMNS="80")
    rows = [line for line in found.out.splitlines() if line.startswith("acc_")]
    assert [row.split()[0] for row in rows] == [f"acc_{code}" for code in MEMBERS if code not in ("hk", "non_stem")]
    assert all(row.endswith(("A ahead", "B ahead", "not told apart")) for row in rows)
    assert len(found.out.splitlines()) < 24


def test_another_method_changes_the_numbers_over_subjects(made):
    runs = (made / "random-scored", made / "cot-scored", "--by-variant", "method", "--format", "json")
    found = json.loads(hueval_here("compare", *runs).out)
    assert [one["metric"] for one in found] == [f"acc_{code}" for code in MEMBERS]
    first, second = (outcomes(made / name) for name in ("random", "cot"))
    for one in found:
        slugs = MEMBERS[one["metric"].removeprefix("acc_")]
        n = sum(len(first[slug]) for slug in slugs)
        gain = sum(sum(second[slug]) - sum(first[slug]) for slug in slugs)
        assert (one["n"], one["test"]) == (n, "exact McNemar")
        assert one["difference"] == pytest.approx(100 * gain / n)
    ps = sorted(one["p"] for one in found)
    assert min(one["p_holm"] for one in found) == pytest.approx(min(1.0, 7 * ps[0]))  # Holm, over the seven
    (alone,) = json.loads(hueval_here("compare", *runs, "--metric", "acc_hk").out)
    assert (alone["metric"], alone["p_holm"]) == ("acc_hk", alone["p"])
