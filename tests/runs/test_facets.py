"""Runs that differ in the prompt alone are one run, the mean over them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hueval_metrics.runs.facets import FACETS, over_facets
from hueval_metrics.runs.load import load_runs
from tests.helpers import changed, run_of

COLA, COPA, RTE = "hulu_hucola", "hulu_hucopa", "hulu_hurte"
SIGNATURE = "task:t|prompt:hu{}-ab|shots:0|split:validation|hueval:1.0"


def row(prompt: int, scores: dict, *, folder: str = "a", label: str = "m", signature: str = SIGNATURE, **settings: str):
    signatures = dict.fromkeys(scores, signature.format(prompt))
    run = run_of(label, Path(folder, f"results_{prompt}.json"), scores, signature=signatures)
    return run, {"prompt": str(prompt), **settings} if prompt > 1 else settings


def labels(rows) -> list[tuple[str, str, int]]:
    return [(run.label, str(run.path), len(run.averaged)) for run, _ in rows]


def test_a_score_is_the_mean_of_those_that_there_are():
    rows = [
        row(1, {COLA: {"mcc": 12.0, "acc": None}, COPA: {"mcc": -3.0}}),
        row(2, {COLA: {"mcc": 24.0, "acc": 70.0}, COPA: {"mcc": 4.0}}),
        row(3, {COLA: {"mcc": 21.0, "f1_macro": 50.0}, RTE: {"mcc": None}}),
    ]
    ((run, settings),) = over_facets(rows)
    assert {task: dict(one.scores) for task, one in run.tasks.items()} == {
        COLA: {"mcc": 19.0, "acc": 70.0, "f1_macro": 50.0},
        COPA: {"mcc": 0.5},
        RTE: {"mcc": None},
    }
    assert run.averaged == tuple(one for one, _ in rows)
    signature = "task:t|prompt:hu1-ab,hu2-ab,hu3-ab|shots:0|split:validation|hueval:1.0"
    assert run.result(COLA).signature == signature
    assert settings == {}


def test_intervals_of_single_prompts_are_not_those_of_the_mean():
    rows = [row(n, {COLA: {"mcc": 10.0 * n}}) for n in (1, 2)]
    rows = [(changed(run, intervals={"mcc": (0.0, 50.0)}, missing=n), own) for n, (run, own) in enumerate(rows)]
    ((run, _),) = over_facets(rows)
    assert (run.result(COLA).intervals, run.result(COLA).missing) == ({}, 1)


@pytest.mark.parametrize(
    ("why", "second"),
    [
        ("another model", row(2, {COLA: {"mcc": 1.0}}, label="n")),
        ("other settings", row(2, {COLA: {"mcc": 1.0}}, split="test")),
        ("more shots", row(2, {COLA: {"mcc": 1.0}}, signature=SIGNATURE.replace("shots:0", "shots:5"))),
        ("the same prompt", row(1, {COLA: {"mcc": 1.0}}, folder="b")),
        ("no task in common", row(2, {COPA: {"mcc": 1.0}})),
        ("no signature", row(2, {COLA: {"mcc": 1.0}}, signature="")),
        ("no prompt", row(2, {COLA: {"mcc": 1.0}}, signature=SIGNATURE.replace("prompt:hu{}-ab|", ""))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_runs_that_differ_in_more_or_less_than_the_prompt_stay_apart(why, second):
    rows = [row(1, {COLA: {"mcc": 1.0}}), second]
    assert over_facets(rows) == rows


def test_a_family_without_prompts_to_choose_from_is_left_as_it_is():
    signature = "task:t|prompt:{}"
    rows = [row(n, {"openhueval_husimpleqa": {"correct": 1.0}}, signature=signature) for n in (1, 2)]
    assert over_facets(rows) == rows


def test_versions_of_libraries_may_differ():
    rows = [row(1, {COLA: {"mcc": 1.0}}), row(2, {COLA: {"mcc": 2.0}}, signature=SIGNATURE.replace("1.0", "1.1"))]
    assert labels(over_facets(rows)) == [("m", "a/results_1.json", 2)]


def test_folders_count_only_where_a_prompt_occurs_twice():
    two = [row(1, {COLA: {"mcc": 1.0}}, folder="a"), row(2, {COLA: {"mcc": 2.0}}, folder="b")]
    assert labels(over_facets(two)) == [("m", "a/results_1.json", 2)]
    four = [row(n, {COLA: {"mcc": 1.0}}, folder=folder) for n in (1, 2) for folder in ("a", "b")]
    assert labels(over_facets(four)) == [("m", "a/results_1.json", 2), ("m", "b/results_1.json", 2)]
    again = row(1, {COLA: {"mcc": 1.0}}, folder="b")
    assert labels(over_facets([*two, again])) == [("m", "a/results_1.json", 0), ("m", "b/results_2.json", 2)]


def test_what_has_nothing_to_do_with_them_keeps_no_prompts_apart():
    shots = row(1, {COLA: {"mcc": 9.0}}, folder="c", signature=SIGNATURE.replace("shots:0", "shots:5"))
    rows = [row(1, {COLA: {"mcc": 1.0}}), row(1, {COPA: {"mcc": 5.0}}, folder="b"), shots, row(2, {COLA: {"mcc": 3.0}})]
    assert labels(over_facets(rows)) == [
        ("m", "a/results_1.json", 2),
        ("m", "b/results_1.json", 0),
        ("m", "c/results_1.json", 0),
    ]


def test_a_joined_signature_names_every_prompt_and_version_in_order():
    rows = [row(2, {COLA: {"mcc": 1.0}}, signature=SIGNATURE.replace("1.0", "1.1")), row(1, {COLA: {"mcc": 2.0}})]
    ((run, _),) = over_facets(rows)
    assert run.result(COLA).signature == "task:t|prompt:hu1-ab,hu2-ab|shots:0|split:validation|hueval:1.0,1.1"


def test_rows_keep_their_order():
    rows = [row(1, {COLA: {"mcc": 1.0}}, label=label) for label in "cab"]
    rows.insert(1, row(2, {COLA: {"mcc": 1.0}}, label="b"))
    assert [run.label for run, _ in over_facets(rows)] == ["c", "b", "a"]


def test_files_of_lm_eval(lm_eval_file):
    for prompt in (1, 2):
        provenance = {"signature": SIGNATURE.format(prompt)}
        path = lm_eval_file(f"results_2026-01-0{prompt}.json", {COLA: {"mcc": 10.0 * prompt}}, provenance=provenance)
        path.write_text(path.read_text().replace('"version": 1.0', f'"version": 1.0, "prompt": {prompt}'))
    (run,) = load_runs([path.parent], over=FACETS)
    assert (run.label, run.score(COLA, "mcc")) == ("org/model", 15.0)
    assert [one.label for one in load_runs([path.parent])] == ["org/model (prompt=1)", "org/model (prompt=2)"]


def test_shots_tell_runs_apart(lm_eval_file):
    """0 and 5 examples in one folder: two rows, and neither replaces the other."""
    for shots in (0, 5):
        signature = SIGNATURE.format(1).replace("shots:0", f"shots:{shots}")
        name = f"results_2026-01-0{shots + 1}.json"
        path = lm_eval_file(name, {COLA: {"mcc": float(shots)}}, provenance={"signature": signature})
        path.write_text(json.dumps(json.loads(path.read_text()) | {"n-shot": {COLA: shots}}))
    runs = load_runs([path.parent], over=FACETS)
    found = {one.label: one.score(COLA, "mcc") for one in runs}
    assert found == {"org/model (num_fewshot=0)": 0.0, "org/model (num_fewshot=5)": 5.0}


def test_scores_made_again_belong_to_the_run_with_their_prompt(lm_eval_file):
    for prompt in (1, 2):
        provenance = {"signature": SIGNATURE.format(prompt)}
        path = lm_eval_file(f"results_2026-01-0{prompt}.json", {COLA: {"mcc": 10.0 * prompt}}, provenance=provenance)
        path.write_text(path.read_text().replace('"version": 1.0', f'"version": 1.0, "prompt": {prompt}'))
    again = {COLA: {"mcc": 21.0, "n": 3, "model": "org/model", "signature": SIGNATURE.format(2)}}
    (path.parent / "results.json").write_text(json.dumps(again))
    found = {one.label: one.score(COLA, "mcc") for one in load_runs([path.parent])}
    assert found == {"org/model (prompt=1)": 10.0, "org/model (prompt=2)": 21.0}


def test_paths_of_runs_are_what_tells_them_apart():
    one, settings = row(1, {COLA: {"mcc": 1.0}})
    rows = [(one, settings), (replace(one, path=Path("a/other.json")), settings)]
    assert over_facets(rows) == rows


def test_shares_of_readings_are_means_over_prompts_that_all_have_them():
    whole, part = {"answered": 100.0}, {"answered": 80.0, "refused": 20.0}
    (one, _), (two, settings) = row(1, {COLA: {"mcc": 1.0}}), row(2, {COLA: {"mcc": 1.0}})
    first = changed(one, readings=whole), {}
    ((run, _),) = over_facets([first, (changed(two, readings=part), settings)])
    assert run.result(COLA).readings == {"answered": 90.0, "refused": 10.0}
    ((older, _),) = over_facets([first, (two, settings)])
    assert older.result(COLA).readings == {}
