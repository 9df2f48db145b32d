"""Intervals of means over prompts: draws of the items that all prompts share."""

import json
from pathlib import Path

import pytest

from hueval_metrics.comparison.facets import as_repeats, with_intervals
from hueval_metrics.errors import InputError
from hueval_metrics.registry import declared
from hueval_metrics.runs.facets import FACETS
from hueval_metrics.runs.load import load_runs
from hueval_metrics.stats.intervals import interval
from tests.comparison.conftest import QA, SIGNATURE
from tests.helpers import run_of

RTE = "hulu_hurte"
GOLD = [1, 0] * 20  # 40 items
WRONG = [1 - label for label in GOLD]


def write(folder: Path, prompt: int, guesses: list[int], first: int = 0) -> None:
    """What `hueval score` leaves of one model's answers to one prompt."""
    folder = folder / f"p{prompt}"
    folder.mkdir()
    signature = f"task:{RTE}|prompt:hu{prompt}-ab|split:validation"
    row = {"mcc": 0.0, "acc": 50.0, "mcc_ci95": [-9, 9], "n": len(GOLD), "signature": signature, "model": "m"}
    (folder / "results.json").write_text(json.dumps({RTE: row}))
    rows = [
        {"task": RTE, "qid": str(first + at), "split": "validation", "values": dict.fromkeys(("mcc", "acc"), pair)}
        for at, pair in enumerate(zip(GOLD, guesses, strict=True))
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows))


def intervals(folder: Path):
    (run,) = load_runs([folder], over=FACETS)
    return with_intervals(run).result(RTE).intervals


def test_prompts_with_the_same_answers_have_the_interval_of_one(tmp_path):
    guesses = [*GOLD[:30], *WRONG[30:]]
    for prompt in (1, 2, 3):
        write(tmp_path, prompt, guesses)
    mcc = declared(RTE).metrics["mcc"]
    one = interval(mcc, mcc.rows(list(zip(GOLD, guesses, strict=True))))
    assert intervals(tmp_path)["mcc"] == pytest.approx((one.low, one.high))


def test_a_mean_that_no_item_moves_is_as_sure_as_40_items_are(tmp_path):
    # Each item is right with one prompt and wrong with the other, so that every draw has 50 %. Wilson's upper limit for
    # 0 of 40 is 8.76 %: as many items may be wrong with both, or right.
    write(tmp_path, 1, [*GOLD[:20], *WRONG[20:]])
    write(tmp_path, 2, [*WRONG[:20], *GOLD[20:]])
    assert intervals(tmp_path)["acc"] == pytest.approx((45.62, 54.38), abs=0.01)


def test_prompts_that_err_on_different_items_are_surer_together(tmp_path):
    write(tmp_path, 1, [*GOLD[:30], *WRONG[30:]])
    write(tmp_path, 2, [*WRONG[:10], *GOLD[10:]])
    low, high = intervals(tmp_path)["acc"]
    assert low < 75 < high
    acc = declared(RTE).metrics["acc"]
    one = interval(acc, acc.rows(list(zip(GOLD, [*GOLD[:30], *WRONG[30:]], strict=True))))
    assert high - low < (one.high - one.low) * 0.75


def test_prompts_over_other_items_have_no_common_interval(tmp_path):
    write(tmp_path, 1, GOLD)
    write(tmp_path, 2, GOLD, first=3)
    assert intervals(tmp_path) == {}


def test_items_that_are_not_there_leave_the_mean_without_an_interval(tmp_path):
    write(tmp_path, 1, GOLD)
    write(tmp_path, 2, GOLD)
    (tmp_path / "p2" / "items.jsonl").unlink()
    assert intervals(tmp_path) == {}


def test_runs_that_were_not_numbered_are_in_the_order_given():
    one, two = sampled("first", 60.0), sampled("second", 64.0)
    mean = as_repeats([one, two])
    assert (mean.label, mean.score(QA, "correct"), len(mean.averaged)) == ("first", 62.0, 2)
    assert mean.result(QA).signature.endswith("|repeat:1,2")


@pytest.mark.parametrize("despite", [(), ("prompts",)])
def test_runs_that_differ_in_more_than_the_draw_are_no_repeats(despite):
    one, two = sampled("first", 60.0), sampled("second", 64.0, "en-0")
    if despite:
        assert as_repeats([one, two], despite).score(QA, "correct") == 62.0
        return
    with pytest.raises(InputError, match="first and second are no repeats of one another: different prompt"):
        as_repeats([one, two])


def test_one_run_has_no_spread():
    with pytest.raises(InputError, match="one run shows no spread"):
        as_repeats([sampled("first", 60.0)])


def sampled(label, correct, prompt="hu-1f0c9a2b"):
    signature = SIGNATURE.format(task=QA).replace("hu-1f0c9a2b", prompt)
    return run_of(label, Path(f"{label}/results.json"), {QA: {"correct": correct}}, signature={QA: signature})
