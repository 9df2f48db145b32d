"""Panels: their members, the combined verdict, and members that run at the same time. The engine is a fake here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import count, islice
from queue import Queue
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hueval_metrics.judge.panel import combine, is_tie, members_of, panel_verdicts
from hueval_metrics.judge.settings import SAMPLING_TEMPERATURE, JudgeSettings
from hueval_metrics.records import Usage, Verdict
from tests.helpers import load_cases, why

RUBRIC = "huproverbrea_oe"
TWO = JudgeSettings(model="a", panel=("a", "b"))
AHEAD = 8  # items that a fake engine takes in before it hands out its first verdict

votes_st = st.lists(
    st.sampled_from(["YES", "NO", "MAYBE"]).map(lambda label: Verdict(label=label))
    | st.just(Verdict(error="no reply")),
    min_size=1,
    max_size=7,
)


def items(n: int) -> list[tuple[dict, str]]:
    return [({"qid": str(i)}, f"response {i}") for i in range(n)]


def said(member: JudgeSettings, response: str) -> Verdict:
    """The verdicts of the fake judges: `raw` names the judge and the response; the judge `dead` has none."""
    if member.model == "dead":
        return Verdict(judge="dead", rubric=f"{RUBRIC}/1", error="the server is dead")
    label = "YES" if int(response.split()[-1]) % 2 or member.model == "yes" else "NO"
    return Verdict(label, raw=f"{member.model}: {response}", judge=member.model, rubric=f"{RUBRIC}/1")


def in_order(source, rubric, member, total) -> Iterator[Verdict]:
    for _, response in source:
        yield said(member, response)


def in_threads(source, rubric, member, total) -> Iterator[Verdict]:
    """As the engine, reads the source in a thread of its own, a few items ahead of the verdicts that are taken."""
    window: Queue = Queue(AHEAD)

    def work() -> None:
        try:
            for _, response in source:
                window.put(said(member, response))
            window.put(None)
        except Exception as error:
            window.put(error)

    def verdicts() -> Iterator[Verdict]:
        while (verdict := window.get()) is not None:
            if isinstance(verdict, Exception):
                raise verdict
            yield verdict

    Thread(target=work, daemon=True).start()
    return verdicts()


ENGINES = pytest.mark.parametrize("judge", [in_order, in_threads])


class Watched:
    """A judge that records which of its iterators are open."""

    def __init__(self) -> None:
        self.open: list[str] = []

    def __call__(self, source, rubric, member, total) -> Iterator[Verdict]:
        self.open.append(member.model)
        try:
            yield from in_order(source, rubric, member, total)
        finally:
            self.open.remove(member.model)


@pytest.mark.parametrize("case", load_cases("panel"), ids=why)
def test_combine(case):
    votes = [Verdict(**vote, judge=f"judge {i}", rubric="r/1") for i, vote in enumerate(case["votes"])]
    expected = Verdict(**case["combined"], judge="the panel", rubric="r/1", votes=tuple(votes))
    assert combine(votes, "the panel") == expected


def test_combined_usage_is_the_sum_of_those_who_were_asked():
    votes = [Verdict("YES", usage=Usage(1, 100, 10, 0.5, 2.0)), Verdict("YES", usage=Usage(2, 50, 5, 0.25, 1.0))]
    assert combine(votes, "p").usage == Usage(3, 150, 15, 0.75, 3.0)
    assert combine([*votes, Verdict("YES", cached=True)], "p").usage == Usage(3, 150, 15, 0.75, 3.0)
    assert combine([Verdict("YES", cached=True)] * 2, "p").usage is None


def test_combined_rubric_is_that_of_a_vote_that_counts():
    """An engine that fails before it knows the rubric's version names the rubric without it."""
    votes = [Verdict(rubric="r", error="the judge engine failed"), Verdict("YES", rubric="r/1")]
    assert combine(votes, "p").rubric == "r/1"


@given(votes_st)
def test_combined_label_is_one_that_nobody_outvotes(votes):
    labels = [vote.label for vote in votes if vote.label]
    label = combine(votes, "p").label
    assert (label is None) == (not labels)
    assert all(labels.count(label) >= labels.count(other) for other in labels)


@given(votes_st, st.randoms())
def test_order_of_judges_matters_in_a_tie_alone(votes, draw):
    shuffled = draw.sample(votes, len(votes))
    labels = [vote.label for vote in votes if vote.label]
    assert is_tie(labels) or combine(shuffled, "p").label == combine(votes, "p").label


@pytest.mark.parametrize(
    ("labels", "tied"),
    [
        ([], False),
        (["YES"], False),
        (["YES", "YES"], False),
        (["YES", "NO"], True),
        (["A", "B", "C"], True),
        (["A", "A", "B", "B", "C"], True),
        (["A", "A", "A", "B", "B", "C", "C"], False),
    ],
)
def test_is_tie(labels, tied):
    assert is_tie(labels) is tied


def test_members_share_the_caps_and_keep_the_rest():
    settings = JudgeSettings(model="a", panel=("a", "b"), concurrency=65, rpm=300, tpm=1000, budget_usd=5, seed=3)
    a, b = members_of(settings)
    assert (a.model, b.model) == ("a", "b")
    for member in (a, b):
        assert (member.concurrency, member.rpm, member.tpm) == (32, 150, 500)
        assert (member.panel, member.repeats, member.seed, member.temperature) == ((), 1, 3, 0)
        assert member.budget_usd == 5  # one ledger keeps it for all
        assert member.name == member.model


def test_members_of_an_unlimited_panel_are_unlimited():
    assert [(m.rpm, m.tpm) for m in members_of(TWO)] == [(None, None)] * 2


def test_each_member_may_ask_whatever_the_number_of_members():
    assert {m.concurrency for m in members_of(JudgeSettings(concurrency=2, repeats=5))} == {1}


def test_one_judge_asked_several_times_is_asked_under_different_seeds_and_not_at_temperature_0():
    members = members_of(JudgeSettings(model="a", repeats=3, seed=7))
    assert [(m.model, m.seed, m.temperature) for m in members] == [("a", s, SAMPLING_TEMPERATURE) for s in (7, 8, 9)]


def test_several_judges_asked_several_times():
    members = members_of(JudgeSettings(model="a", panel=("a", "b"), repeats=2))
    assert [(m.model, m.seed) for m in members] == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]


@ENGINES
def test_verdicts_come_in_the_order_of_the_items(judge):
    verdicts = list(panel_verdicts(items(50), RUBRIC, TWO, 50, judge))
    assert [v.label for v in verdicts] == ["NO", "YES"] * 25
    assert {v.judge for v in verdicts} == {"a+b"}
    for i, verdict in enumerate(verdicts):
        assert [vote.raw for vote in verdict.votes] == [f"a: response {i}", f"b: response {i}"]


@ENGINES
@pytest.mark.parametrize("panel", [("dead", "yes"), ("yes", "dead")])
def test_one_member_dead_from_the_start_leaves_it_to_the_other(judge, panel):
    settings = JudgeSettings(model=panel[0], panel=panel)
    verdicts = list(panel_verdicts(items(20), RUBRIC, settings, 20, judge))
    assert [(v.label, v.error) for v in verdicts] == [("YES", None)] * 20
    assert all({vote.error for vote in v.votes} == {None, "the server is dead"} for v in verdicts)


@ENGINES
def test_all_members_dead_leaves_every_verdict_missing(judge):
    verdicts = list(panel_verdicts(items(5), RUBRIC, JudgeSettings(model="dead", repeats=2), 5, judge))
    assert [(v.is_missing, v.error, v.judge) for v in verdicts] == [(True, "the server is dead", "dead*2")] * 5


@ENGINES
def test_no_items(judge):
    assert list(panel_verdicts([], RUBRIC, TWO, 0, judge)) == []


@ENGINES
def test_a_generator_is_read_once_and_only_a_window_ahead(judge):
    """Ten thousand items of an endless source: only those in the members' windows are kept."""
    taken = 0

    def source():
        nonlocal taken
        for i in count():
            taken = i + 1
            yield {"qid": str(i)}, f"response {i}"

    stream = panel_verdicts(source(), RUBRIC, JudgeSettings(model="a", repeats=3), None, judge)
    for i, verdict in enumerate(islice(stream, 10_000)):
        assert verdict.votes[2].raw == f"a: response {i}"
        assert taken <= i + 3 * AHEAD
    assert i == 9_999


@ENGINES
def test_what_the_source_raises_comes_out_after_the_verdicts_before_it(judge):
    def source():
        yield from items(3)
        raise OSError("the disk is gone")

    stream = panel_verdicts(source(), RUBRIC, TWO, None, judge)
    assert len(list(islice(stream, 3))) == 3
    with pytest.raises(OSError, match="the disk is gone"):
        next(stream)


def test_a_member_that_loses_a_verdict_is_noticed():
    def judge(source, rubric, member, total):
        return in_order(islice(source, 2 if member.model == "b" else None), rubric, member, total)

    with pytest.raises(ValueError, match="shorter"):
        list(panel_verdicts(items(3), RUBRIC, TWO, 3, judge))


def test_closing_closes_every_member():
    judge = Watched()
    stream = panel_verdicts(items(9), RUBRIC, TWO, 9, judge)
    next(stream)
    assert judge.open == ["a", "b"]
    stream.close()
    assert judge.open == []


def test_ctrl_c_in_one_member_closes_the_others():
    judge = Watched()

    def broken_off(source, rubric, member, total):
        stream = judge(source, rubric, member, total)
        yield next(stream)
        if member.model == "b":
            raise KeyboardInterrupt
        yield from stream

    stream = panel_verdicts(items(9), RUBRIC, TWO, 9, broken_off)
    next(stream)
    with pytest.raises(KeyboardInterrupt):
        next(stream)
    assert judge.open == []


def test_a_member_that_cannot_begin_closes_those_that_have():
    closed = []

    class Stream:
        def __next__(self):
            raise AssertionError("nobody may ask before all have begun")

        def __iter__(self):
            return self

        def close(self):
            closed.append("a")

    def judge(source, rubric, member, total):
        if member.model == "b":
            raise RuntimeError("no thread can be started")
        return Stream()

    with pytest.raises(RuntimeError, match="no thread"):
        next(panel_verdicts(items(1), RUBRIC, TWO, 1, judge))
    assert closed == ["a"]


def test_members_in_threads_may_pull_at_the_same_moment():
    """Without its lock `itertools.tee` fails here, or yields an item twice."""
    members = 4
    start = Barrier(members)

    def judge(source, rubric, member, total):
        def reading():
            start.wait(240)
            yield from source

        return in_threads(reading(), rubric, member, total)

    def slow_source():
        for item in items(200):
            time.sleep(0.0001)  # lets another thread in
            yield item

    verdicts = panel_verdicts(slow_source(), RUBRIC, JudgeSettings(model="a", repeats=members), None, judge)
    raws = [[vote.raw for vote in verdict.votes] for verdict in verdicts]
    assert raws == [[f"a: response {i}"] * members for i in range(200)]
