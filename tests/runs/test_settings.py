"""In which settings a run has its tasks, as its signatures tell."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.runs.settings import by_values, signed_variants, values_of
from tests.each import each
from tests.helpers import run_of

LAW, MUSIC = "hkmmlu_hk_law", "hkmmlu_hk_music"
KEYS = ("script", "shots")
OWN = "task:t|shots:0|script:tc"


def run(label, **signatures):
    scores = {task: {"acc": 50.0} for task in signatures}
    return run_of(label, Path("results.json"), scores=scores, signature=signatures)


@each(
    ("signatures", "values"),
    [
        ({LAW: "task:t|shots:3|script:sc"}, ("sc", "3")),
        ({LAW: "task:t|shots:3|script:sc", MUSIC: "task:t|shots:3|script:sc"}, ("sc", "3")),
        ({LAW: "task:t|shots:?"}, ("tc", "0")),  # the task's own where nothing is told
        ({LAW: ""}, ("tc", "0")),
        ({LAW: OWN, MUSIC: "task:t|shots:3|script:tc"}, None),  # they differ
        ({"hulu_huwnli": OWN}, None),  # none of the tasks
    ],
)
def test_values(signatures, values):
    assert values_of(run("m", **signatures), [LAW, MUSIC], KEYS) == values


def test_runs_of_a_model_by_setting():
    first, other, again = run("m", **{LAW: OWN}), run("m", **{LAW: "script:sc"}), run("m", **{LAW: OWN})
    found = by_values([first, other, again, run("x", hulu_huwnli=OWN)], [LAW], KEYS)
    assert found == {"m": {("tc", "0"): [first, again], ("sc", "0"): [other]}}


def test_only_signed_variants_are_read():
    signature = "task:t|shots:1|script:sc|split:test|prompt:p|method:?"
    assert signed_variants(signature, LAW) == {"script": "sc", "shots": "1"}
    assert signed_variants("task:t|shots:1|split:test", "hulu_huwnli") == {}
    assert signed_variants(OWN, "nobody") == {}
