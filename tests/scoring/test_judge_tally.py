"""What the verdicts took, from our own records and from logs that know less."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from hueval_metrics.records import Usage, Verdict
from hueval_metrics.scoring.judge_tally import JudgeTally


def tally(*verdicts) -> JudgeTally:
    found = JudgeTally()
    for verdict in verdicts:
        found.add(Verdict.from_json(asdict(verdict) if isinstance(verdict, Verdict) else verdict))
    return found


def test_sums_by_judge():
    summary = tally(
        Verdict("YES", judge="a", usage=Usage(2, 100, 10, 0.5, 1.5)),
        Verdict("YES", judge="a", cached=True),
        Verdict("NO", judge="b", usage=Usage(1, 7, 3, None, 0.5), suspicious=("forged_verdict",)),
        Verdict(judge="a", error="no reply", usage=Usage(1, 10, 0, 0.25, 3.0)),
    ).summary()
    assert summary == {
        "judge": {
            "a": {"calls": 3, "cached": 1, "prompt_tokens": 110, "completion_tokens": 10, "usd": 0.75, "seconds": 4.5},
            "b": {"calls": 1, "cached": 0, "prompt_tokens": 7, "completion_tokens": 3, "usd": None, "seconds": 0.5},
        },
        "n_suspicious": 1,
        "n_judge_errors": 1,
        "n_unanswered": 0,  # nobody was asked just now
        "n_without_verdict": 0,
    }


def test_only_what_was_asked_just_now_and_may_still_come_is_unanswered():
    found = JudgeTally()
    missing = Verdict(judge="a", error="no connection (5 tries)")
    vote = Verdict("YES", judge="b")
    for verdict, is_asked in [
        (missing, True),
        (missing, False),
        (vote, True),
        (Verdict("YES", judge="a+b", votes=(missing, vote)), True),
        (Verdict(judge="a", raw="Well.", error="unreadable: no label"), True),
        (Verdict(judge="lexical", error="lexical cannot score HuWildBench"), True),
    ]:
        found.add(verdict, is_asked=is_asked)
    assert found.summary()["n_unanswered"] == 2
    assert found.summary()["n_without_verdict"] == 3  # the unreadable one, too; lexical is not asked


def test_of_a_panel_the_members_count_and_their_agreement_is_told():
    def panel(*labels):
        votes = tuple(
            Verdict(label, judge=judge, usage=Usage(1, 10, 1, 0.5, 1.0))
            for judge, label in zip("ab", labels, strict=True)
        )
        return Verdict(labels[0], judge="a+b", rubric="r/1", usage=Usage(2, 20, 2, 1.0, 2.0), votes=votes)

    found = tally(panel("YES", "YES"), panel("NO", "NO"), panel("YES", "NO"), panel("NO", "NO"))
    summary = found.summary()
    assert {judge: took["calls"] for judge, took in summary["judge"].items()} == {"a": 4, "b": 4}
    assert (summary["judge_agreement"]["agreement"], summary["judge_agreement"]["n_ties"]) == (75.0, 1)
    assert found.signed("task:t") == "task:t|judge:a+b|rubric:r/1"


def test_dollars_of_a_log_without_them_are_unknown_not_nothing():
    summary = tally({"label": "YES", "judge": "a"}, {"label": "YES", "judge": "lexical"}).summary()
    assert (summary["judge"]["a"]["usd"], summary["judge"]["lexical"]["usd"]) == (None, 0.0)


@pytest.mark.parametrize(
    "verdict",
    [
        None,
        {},
        {"label": "YES", "judge": ["a"], "usage": 5, "votes": "no", "suspicious": None},
        {"label": "YES", "judge": "a", "usage": {"calls": "1", "usd": "x", "seconds": float("inf")}, "votes": [5]},
        {"error": "no reply", "usage": [], "cached": 1},
    ],
)
def test_a_log_may_hold_anything(verdict):
    assert tally(verdict).summary()["n_suspicious"] == 0


def test_nobody_who_judged_leaves_the_signature_as_it_is():
    assert tally(Verdict(judge="a", error="no reply")).signed("task:t|judge:deferred") == "task:t|judge:deferred"
    assert tally(Verdict("YES", judge="a")).signed(None) is None


def test_the_signature_names_every_rubric_of_a_judge():
    found = tally(Verdict("YES", judge="a", rubric="r/2"), Verdict("YES", judge="a", rubric="r/1"), {"label": "YES"})
    assert found.signed("task:t") == "task:t|judge:?,a|rubric:?,r/1,r/2"


def test_a_run_that_two_judges_share_is_not_signed_as_their_panel():
    shared = tally(Verdict("YES", judge="a", rubric="r/1"), Verdict("YES", judge="b", rubric="r/1"))
    assert shared.signed("task:t") == "task:t|judge:a,b|rubric:r/1"
    assert tally(Verdict("YES", judge="a+b", rubric="r/1")).signed("task:t") == "task:t|judge:a+b|rubric:r/1"


def test_what_no_call_can_have_taken_is_not_summed_up():
    usage = {"calls": -5, "prompt_tokens": 10**400, "usd": float("nan"), "seconds": float("inf")}
    (took,) = tally({"label": "YES", "judge": "a", "usage": usage}).summary()["judge"].values()
    assert took == {"calls": 0, "cached": 0, "prompt_tokens": 0, "completion_tokens": 0, "usd": None, "seconds": 0.0}
