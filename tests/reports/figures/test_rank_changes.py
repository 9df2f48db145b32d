from dataclasses import replace

import pytest

from hueval_metrics import registry
from hueval_metrics.reports.figures.rank_changes import rank_figures
from hueval_metrics.summary import Summary, parts_of
from tests.each import each
from tests.helpers import changed

QA, WILD, CHOICE = "openhueval_husimpleqa", "openhueval_huwildbench", "openhueval_huproverbrea_2cq"


def by_model(figure, column):
    return {row["model"]: row["rank"] for row in figure.rows if row["column"] == column}


def test_the_papers_figures_give_the_papers_ranks(published_runs):
    by_task, maps, simple = rank_figures(published_runs)
    # Tables 6 and 7: 7 of 10 models moved by 1.4 positions on average, 6 of 10 by 1.4.
    for figure, ours, theirs, moved in (
        (maps, "HuProverbRea 2CQ", "MAPS en", 7),
        (simple, "HuSimpleQA", "SimpleQA", 6),
    ):
        own, other = by_model(figure, ours), by_model(figure, theirs)
        moves = [abs(own[model] - other[model]) for model in own]
        assert (sum(move > 0 for move in moves), sum(moves) / len(moves)) == (moved, pytest.approx(1.4))
    assert by_model(by_task, "HuSimpleQA Acc") == by_model(simple, "HuSimpleQA")
    assert len({row["column"] for row in by_task.rows}) == 8


def test_names_match_whatever_the_organisation_and_the_order_of_their_words(run):
    runs = [
        run("meta-llama/Llama-3.1-70B-Instruct", {QA: {"correct": 50.0}}),
        run("openai/gpt-4o", {QA: {"correct": 60.0}}),
        run("openai/gpt-4o-2024-11-20", {QA: {"correct": 70.0}}),  # another version is another model
    ]
    (simple,) = rank_figures(runs)
    assert by_model(simple, "SimpleQA") == {"openai/gpt-4o": 1, "meta-llama/Llama-3.1-70B-Instruct": 2}
    assert by_model(simple, "HuSimpleQA") == {"openai/gpt-4o": 1, "meta-llama/Llama-3.1-70B-Instruct": 2}


def test_equal_scores_share_a_rank_and_stand_below_one_another(run, texts):
    runs = [run(name, {QA: {"correct": 50.0}, WILD: {"wb_score": score}}) for name, score in (("a", 70.0), ("b", 60.0))]
    (figure,) = rank_figures(runs)
    assert by_model(figure, "HuSimpleQA Acc") == {"a": 1, "b": 1}
    assert texts(figure).count("1") == 3
    assert texts(figure).count("2") == 1


def test_a_model_without_a_task_has_no_rank_there_and_still_its_name(run, texts):
    runs = [
        run("a", {QA: {"correct": 50.0}, WILD: {"wb_score": 70.0}, CHOICE: {"acc": 50.0}}),
        run("b", {QA: {"correct": 40.0}, WILD: {"wb_score": 60.0}, CHOICE: {"acc": 40.0}}),
        run("c", {QA: {"correct": None}, WILD: {}, CHOICE: {"acc": 45.0}}),
    ]
    (figure,) = rank_figures(runs)
    assert by_model(figure, "HuProverbRea Acc. (2CQ)") == {"a": 1, "c": 2, "b": 3}
    assert "c" not in by_model(figure, "HuSimpleQA Acc")
    assert "c" in texts(figure)


@each("partial", [{"sample": True}, {"limit": 10.0}])
def test_runs_of_a_part_take_no_rank_beside_whole_ones_nor_beside_published_ones(published_runs, partial):
    first, second, third = published_runs[:3]
    by_task, *_ = rank_figures([first, second, changed(third, **partial)])
    assert {row["model"] for row in by_task.rows} == {first.label, second.label}
    alone = list(rank_figures([changed(one, **partial) for one in (first, second)]))
    assert [figure.name for figure in alone] == ["ranks-by-task"]


def test_one_model_has_no_rank(published_runs):
    assert list(rank_figures(published_runs[:1])) == []
    assert list(rank_figures([])) == []


def test_summaries_have_ranks_where_an_end_is_the_better_one(run, monkeypatch):
    family = registry.families()["openhueval"]
    parts = parts_of((QA, "correct"), (CHOICE, "acc"))
    summaries = (
        Summary("mean", "Mean", parts),
        Summary("gap", "Gap", parts, lambda parts: parts[..., 0] - parts[..., 1], better=None),
    )
    monkeypatch.setitem(registry.families(), "openhueval", replace(family, summaries=summaries))
    runs = [
        run("a", {QA: {"correct": 50.0}, CHOICE: {"acc": 50.0}}),
        run("b", {QA: {"correct": 40.0}, CHOICE: {"acc": 90.0}}),
        run("broken", {QA: {"correct": 1e9}, CHOICE: {"acc": 10.0}}),
    ]
    (figure,) = rank_figures(runs)
    assert by_model(figure, "Mean") == {"b": 1, "a": 2}
    assert by_model(figure, "Gap") == {}
