"""The scored examples in `shared/parity`: our numbers against the reference scorers' and the careful reader's.

Once from the metric functions, once from the files that the `hueval score` command writes.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from rapidfuzz import fuzz

from hueval_metrics.answers.blanks.blank import split_mark
from hueval_metrics.answers.blanks.parse import align, parse_blanks
from hueval_metrics.loader import documents
from hueval_metrics.metrics.basic import PERCENT, POOLED
from hueval_metrics.records import Filtered
from hueval_metrics.scoring.score import TaskScore, score_paths
from lm_eval_tasks.openhueval.hooks import hustandardfib
from lm_eval_tasks.openhueval.metrics.two_choice import reference_choice
from tests.answers.test_choice import option
from tests.each import each
from tests.harness.runs import hueval_here
from tests.helpers import json_lines, shared

FIB = [("humatchingfib", "corrupt40"), ("hustandardfib", "corrupt40"), ("hustandardfib", "gold_first_alternative")]
TWO_CHOICE = [("huproverbrea_2cq", "corrupt40"), ("huproverbrea_2cq", "always_1")]
pytestmark = pytest.mark.no_cover
DIMENSIONS = {"l": "language", "h": "history"}


@pytest.fixture(autouse=True)
def no_sample(monkeypatch):
    for variable in ("HUEVAL_SAMPLE", "HUEVAL_DATA_DIR"):
        monkeypatch.delenv(variable, raising=False)


@cache
def expected(task: str, name: str) -> dict:
    return json.loads(shared("parity", task, f"{name}.expected.json").read_text(encoding="utf-8"))


@cache
def items(task: str, name: str) -> list[dict]:
    return json_lines(shared("parity", task, f"{name}.items.jsonl"))


@cache
def scored(task: str, name: str) -> TaskScore:
    path = shared("parity", task, f"{name}.predictions.jsonl")
    (score,) = score_paths([path], f"openhueval_{task}", {"data_dir": str(shared("data"))})
    return score


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A function that runs the command once per example and returns results.json and the rows of items.jsonl."""
    done: dict[tuple[str, str], tuple[dict, list[dict]]] = {}

    def read(task: str, name: str) -> tuple[dict, list[dict]]:
        if (task, name) not in done:
            folder = tmp_path_factory.mktemp("scores")
            predictions = shared("parity", task, f"{name}.predictions.jsonl")
            options = ("--task", f"openhueval_{task}", "--data-dir", shared("data"))
            assert hueval_here("score", predictions, "--output", folder, *options).status == 0
            done[task, name] = results_and_items(folder)
        return done[task, name]

    return read


def results_and_items(folder: Path) -> tuple[dict, list[dict]]:
    return json.loads((folder / "results.json").read_text(encoding="utf-8")), json_lines(folder / "items.jsonl")


@each(("task", "name"), FIB)
def test_items_of_the_reference_scorer(task, name):
    for ours, theirs in zip(scored(task, name).items, items(task, name), strict=True):
        reference = theirs["reference"]
        blanks = reference["blanks_correct"] if task == "humatchingfib" else reference["blank_count"]
        assert ours["qid"] == theirs["qid"]
        assert ours["blanks_total"] == reference["blanks_total"]
        assert ours["metrics"]["blank_acc_ref"] == pytest.approx(100 * blanks / reference["blanks_total"]), ours["qid"]
        assert ours["metrics"]["question_acc_ref"] == 100 * reference["question_correct"], ours["qid"]


@each(("task", "name"), FIB)
def test_items_of_the_headline(task, name):
    for ours, theirs in zip(scored(task, name).items, items(task, name), strict=True):
        lenient = theirs["lenient"]
        assert (ours["blanks_correct"], ours["blanks_total"]) == (lenient["blanks_correct"], lenient["blanks_total"])
        assert ours["metrics"]["question_acc"] == 100 * lenient["question_correct"], ours["qid"]


@each(("task", "name"), FIB)
def test_aggregates(task, name):
    summary, theirs = scored(task, name).summary, expected(task, name)
    assert round(summary["blank_acc_ref"], 2) == theirs["reference"]["blank_level_correctness"]
    assert round(summary["question_acc_ref"], 2) == theirs["reference"]["question_level_correctness"]
    headline = theirs.get("lenient_normalised", theirs["paper"])
    assert round(summary["blank_acc"], 2) == headline["blank_acc"]
    assert round(summary["question_acc"], 2) == headline["question_acc"]
    assert sum(row["blanks_correct"] for row in scored(task, name).items) == headline["blanks_correct"]
    assert sum(row["blanks_total"] for row in scored(task, name).items) == theirs["blanks"]
    assert (summary["n"], summary["n_missing"]) == (theirs["questions"], 0)


def test_by_dimension():
    summary, theirs = scored("humatchingfib", "corrupt40").summary, expected("humatchingfib", "corrupt40")
    for code, name in DIMENSIONS.items():
        assert round(summary[f"blank_acc_{code}"], 2) == theirs["paper_by_hu_specific_dim"][name]["blank_acc"]


@pytest.mark.slow
@pytest.mark.parametrize(("task", "name"), FIB + TWO_CHOICE)
def test_the_command_writes_the_same_numbers(task, name, written):
    results, rows = written(task, name)
    score = scored(task, name)
    assert results == {f"openhueval_{task}": json.loads(json.dumps(score.summary))}
    assert rows == json.loads(json.dumps(score.items))


@cache
def standard_docs() -> dict[str, dict]:
    docs, _ = documents("openhueval_hustandardfib", data_dir=str(shared("data")))
    return {doc["qid"]: doc for doc in docs}


@each("name", ["corrupt40", "gold_first_alternative"])
def test_the_paper_key_is_the_headline_without_normalisation(name):
    """`paper` compares raw texts, case and composition included; nothing else separates it from our headline."""
    predictions = json_lines(shared("parity", "hustandardfib", f"{name}.predictions.jsonl"))
    raw, normalised, dimensions = [], [], []
    for row, theirs in zip(predictions, items("hustandardfib", name), strict=True):
        doc = standard_docs()[row["qid"]]
        hits = paper_hits(doc, row["prediction"])
        assert hits == theirs["paper"]["blanks"], row["qid"]
        values = hustandardfib(doc, [Filtered(row["prediction"]).to_json()])
        raw.append((sum(hits), len(hits)))
        normalised.append(values["blank_acc"])
        dimensions.append(doc["hu_specific_dim"])
    want = expected("hustandardfib", name)
    assert sum(right for right, _ in raw) == want["paper"]["blanks_correct"]
    assert round(POOLED(raw), 2) == want["paper"]["blank_acc"]
    assert round(PERCENT(right == total for right, total in raw), 2) == want["paper"]["question_acc"]
    assert sum(right for right, _ in normalised) == want["lenient_normalised"]["blanks_correct"]
    for dimension, theirs in want["paper_by_hu_specific_dim"].items():
        of_it = [pair for pair, name_ in zip(raw, dimensions, strict=True) if name_ == dimension]
        assert round(POOLED(of_it), 2) == theirs["blank_acc"]


def paper_hits(doc: dict, prediction: str) -> list[bool]:
    """Our own parsing and alignment, but similarity of the texts as they stand."""
    gold = [split_mark(answer) for answer in doc["answers"]]
    filled = align(parse_blanks(prediction), [mark.id for mark in gold], range(len(gold)))
    return [
        any(text and round(fuzz.ratio(text, alternative)) > 70 for alternative in mark.text.split(";"))
        for text, mark in zip((text or "" for text in filled), gold, strict=True)
    ]


def test_normalisation_is_worth_28_blanks():
    theirs = expected("hustandardfib", "corrupt40")
    ours = sum(row["blanks_correct"] for row in scored("hustandardfib", "corrupt40").items)
    assert (theirs["paper"]["blanks_correct"], ours, theirs["blanks"]) == (587, 615, 727)


@each(("task", "name"), TWO_CHOICE)
def test_two_choice_items(task, name):
    predictions = json_lines(shared("parity", task, f"{name}.predictions.jsonl"))
    for row, theirs, ours in zip(predictions, items(task, name), scored(task, name).items, strict=True):
        assert (ours["qid"], ours["correct_option"]) == (theirs["qid"], theirs["correct_option"])
        assert ours["answer"] == option(row["prediction"]) == theirs["sense"], row
        assert reference_choice(row["prediction"]) == theirs["reference_parsed"], row


@each(("task", "name"), TWO_CHOICE)
def test_two_choice_aggregates(task, name):
    summary, theirs = scored(task, name).summary, expected(task, name)
    assert summary["acc_ref"] == pytest.approx(theirs["reference"]["correct_ratio"], abs=1e-9)
    assert summary["acc"] == pytest.approx(theirs["sense"]["correct_ratio"], abs=1e-9)
    assert summary["acc_single"] == pytest.approx(theirs["sense"]["single_order_accuracy"], abs=1e-9)
    assert summary["parse_rate"] == 100 - theirs["sense"]["fail_parse_ratio"]
    assert (summary["n"], summary["n_missing"], summary["n_single_order"]) == (theirs["predictions"], 0, 0)
    right = round(summary["acc"] * theirs["questions"] / 100)
    low, high = theirs["acceptable_correct_range"]
    assert low <= right <= high
