"""The scored examples in `shared/parity/kolassimpleqa`: our numbers, by `hueval score`, against the public scorer's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hueval_metrics.metrics.confidence import ece
from hueval_metrics.scoring.score import TaskScore, score_paths
from tests.each import each
from tests.families.kolassimpleqa.judged_rows import document, verdict, written
from tests.harness.runs import hueval_here
from tests.helpers import json_lines, shared

pytestmark = pytest.mark.no_cover
TASK = "kolassimpleqa_hu_general"
NAMES = {
    "correct": "CO",
    "incorrect": "IN",
    "not_attempted": "NA",
    "correct_given_attempted": "CGA",
    "f_score": "F",
}
COUNTED = {"all_items": "ece", "attempted_only": "ece_attempted"}


@pytest.fixture
def expected() -> dict:
    return json.loads(shared("parity", "kolassimpleqa", "expected.json").read_text(encoding="utf-8"))["general"]


@pytest.fixture
def samples(tmp_path) -> Path:
    """The examples as judged samples of a task."""
    rows = [
        (
            document(row["qid"], row["knowledge_track_id"], row["is_reverse"]),
            row["prediction"],
            verdict(row["judge"]),
        )
        for row in json_lines(shared("parity", "kolassimpleqa", "general.jsonl"))
    ]
    return written(tmp_path, rows)


@pytest.fixture
def score(samples) -> TaskScore:
    (found,) = score_paths([samples], None, {})
    return found


@each("metric", NAMES)
def test_shares(expected, score, metric):
    assert round(score.summary[metric], 2) == expected["all"][NAMES[metric]]
    for direction in ("forward", "reverse"):
        assert round(score.summary[f"{metric}_{direction}"], 2) == expected[direction][NAMES[metric]]


def test_numbers_of_answers(expected, score):
    found = [score.summary[f"correct{part}_n"] for part in ("", "_forward", "_reverse")]
    assert found == [expected[part]["n"] for part in ("all", "forward", "reverse")]


def test_the_judges_of_the_examples_write_a_letter_which_the_public_scorer_reads_as_we_do(score):
    for name in ("correct", "incorrect", "not_attempted", "f_score"):
        assert score.summary[f"{name}_ref"] == score.summary[name]


def test_mean_confidence(expected, score):
    for name, rows in {
        "all": score.items,
        "forward": [item for item in score.items if item["dimension"] == "forward"],
        "reverse": [item for item in score.items if item["dimension"] == "reverse"],
    }.items():
        stated = [item["values"]["ece"][0] for item in rows]
        assert 100 * sum(stated) / len(stated) == pytest.approx(expected[name]["mean_confidence"], abs=1e-9)


def test_pairs(expected, score):
    theirs = expected["pairs"]
    assert round(score.summary["bidirectional"], 2) == theirs["bidirectional"]
    assert (score.summary["n_pairs"], score.summary["n_unpaired"]) == (theirs["pairs"], 0)
    right: dict[str, dict[str, float]] = {}
    for item in score.items:
        right.setdefault(item["knowledge_track_id"], {})[item["dimension"]] = item["values"]["correct"]
    counts = [(way["forward"], way["reverse"]) for way in right.values()]
    assert {
        "both": counts.count((1.0, 1.0)),
        "forward_only": counts.count((1.0, 0.0)),
        "reverse_only": counts.count((0.0, 1.0)),
        "neither": counts.count((0.0, 0.0)),
    } == {name: theirs[name] for name in ("both", "forward_only", "reverse_only", "neither")}


@each("bins", [5, 10, 20])
@each("edges", ["left", "right"])
@each("counted", COUNTED)
def test_calibration(expected, score, bins, edges, counted):
    values = [item["values"][COUNTED[counted]] for item in score.items]
    assert round(ece(bins, edges)(values), 6) == expected["ece"][f"{bins}_bins_{edges}_closed"][counted]


def test_calibration_as_it_stands_in_the_results(expected, score):
    for counted, metric in COUNTED.items():
        assert round(score.summary[metric], 6) == expected["ece"]["10_bins_left_closed"][counted]
        assert score.summary[f"{metric}_n"] == sum(item["values"][metric] is not None for item in score.items)


@pytest.mark.parametrize(
    ("options", "key", "counted"),
    [
        (("--ece-bins", 5), "5_bins_left_closed", "all_items"),
        (("--ece-bins", 20, "--ece-edges", "right"), "20_bins_right_closed", "all_items"),
        (("--ece-edges", "right", "--ece-attempted"), "10_bins_right_closed", "attempted_only"),
    ],
)
def test_calibration_by_the_settings_of_the_command(expected, samples, tmp_path, options, key, counted):
    assert hueval_here("score", samples, "--output", tmp_path / "out", *options).status == 0
    found = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))[TASK]
    assert round(found["ece"], 6) == expected["ece"][key][counted]
    assert "|ece:" in found["signature"]


def test_nothing_to_count_is_null(tmp_path):
    nothing = written(tmp_path / "none", [(document("q"), '{"answer": "Eger"}', verdict("C"))])
    (found,) = score_paths([nothing], None, {})
    assert {name: found.summary[name] for name in ("ece", "ece_attempted", "brier", "bidirectional")} == dict.fromkeys(
        ("ece", "ece_attempted", "brier", "bidirectional")
    )
    assert (found.summary["correct_given_attempted"], found.summary["f_score"]) == (0.0, 0.0)  # as the public scorer
    assert (found.summary["n_confidence"], found.summary["f_score_reverse"]) == (0, None)
