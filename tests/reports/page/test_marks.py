import pytest

from hueval_metrics.reports.page.marks import differing, overview_metrics
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.table import TaskItems
from hueval_metrics.stats.paired import MCNEMAR

OE, WNLI = "openhueval_huproverbrea_oe", "hulu_huwnli"
SIGNATURE = f"task:{OE}|v:1.0|data:d|prompt:p|judge:j|rubric:r"


def task_items(label, right, n=100, signature=SIGNATURE):
    """A run that has the first `right` of n items right."""
    items = TaskItems(OE, label, signature)
    for number in range(n):
        values = {"acc": float(number < right), "judge_coverage": 1.0}
        items.add(Item.of({"task": OE, "qid": str(number), "values": values}))
    return {OE: items}


def test_a_run_far_behind_the_best_is_marked_and_a_near_one_is_not():
    marks = differing([task_items("near", 88), task_items("best", 90), task_items("far", 40)])
    assert marks.differs == {(OE, "acc"): {"near": False, "best": False, "far": True}}
    assert marks.tests == {MCNEMAR}
    assert marks.problems == []


def test_more_comparisons_ask_for_more():
    # 7 against 0 discordant items: p = 0.0156 alone, 0.047 in three equal tests, above 0.05 in four.
    runs = [task_items("best", 50), *(task_items(f"run {number}", 43) for number in range(4))]
    labels = [f"run {number}" for number in range(4)]
    assert differing(runs[:4]).differs[OE, "acc"] == {"best": False} | dict.fromkeys(labels[:3], True)
    assert differing(runs).differs[OE, "acc"] == dict.fromkeys(["best", *labels], False)


def test_what_cannot_be_compared_stays_unmarked_and_is_said():
    other_judge = task_items("other judge", 10, signature=SIGNATURE.replace("judge:j", "judge:k"))
    empty = {OE: TaskItems(OE, "empty")}
    marks = differing([task_items("best", 90), other_judge, empty, {}, task_items("far", 10)])
    assert marks.differs == {(OE, "acc"): {"best": False, "far": True}}
    assert [problem.partition(": ")[0] for problem in marks.problems] == [f"{OE}, empty", f"{OE}, other judge"]
    assert "judge (j against k)" in marks.problems[1]


def test_a_stranger_in_the_first_row_does_not_keep_the_others_from_being_compared():
    stranger = task_items("stranger", 99, signature=SIGNATURE.replace("judge:j", "judge:k"))
    marks = differing([stranger, task_items("best", 90), task_items("far", 10)])
    assert marks.differs == {(OE, "acc"): {"best": False, "far": True}}


@pytest.mark.parametrize("items", [[], [{}], [task_items("alone", 5)], [{OE: TaskItems(OE, "alone")}]])
def test_a_run_alone_is_neither_marked_nor_complained_of(items):
    marks = differing(items)
    assert (marks.differs, marks.problems) == ({}, [])


def hulu(label, right, prompt, split="validation"):
    signature = f"task:{WNLI}|data:{split}|prompt:hu{prompt}-ab|split:{split}"
    items = TaskItems(WNLI, label, signature)
    for number in range(60):
        row = {"task": WNLI, "qid": str(number), "split": split, "values": {"acc": [1, int(number < right)]}}
        items.add(Item.of(row))
    return {WNLI: items}


def test_wordings_of_a_question_are_compared_and_splits_are_not():
    runs = [hulu("tested", 60, 1, "test"), hulu("best", 50, 1), hulu("same", 50, 2), hulu("far", 10, 3)]
    marks = differing(runs)
    assert marks.differs == {(WNLI, "acc"): {"best": False, "same": False, "far": True}}
    assert marks.problems == []


def law(label, right, script):
    task = "hkmmlu_hk_law"
    items = TaskItems(task, label, f"task:{task}|data:d|prompt:{script}-da0-ab|shots:0|script:{script}|method:da")
    for number in range(60):
        items.add(Item.of({"task": task, "qid": str(number), "values": {"acc": float(number < right)}}))
    return {task: items}


def test_only_runs_asked_in_the_setting_of_most_are_compared_and_no_task_complains():
    marks = differing([law("other", 60, "sc"), law("best", 50, "tc"), law("far", 10, "tc")])
    assert marks.differs == {("hkmmlu_hk_law", "acc"): {"best": False, "far": True}}
    assert marks.problems == []


def test_of_equally_many_those_in_the_tasks_own_setting_are_compared():
    marks = differing([law("a", 60, "sc"), law("b", 59, "sc"), law("best", 50, "tc"), law("far", 10, "tc")])
    assert marks.differs == {("hkmmlu_hk_law", "acc"): {"best": False, "far": True}}


def test_a_split_whose_labels_are_hidden_hides_no_difference():
    hidden = [hulu(f"hidden {n}", 60, 1, "test") for n in range(3)]
    for one in hidden:
        one[WNLI].values["acc"] = [None] * 60
    assert differing([*hidden, hulu("best", 50, 1), hulu("far", 10, 1)]).differs == {
        (WNLI, "acc"): {"best": False, "far": True}
    }


def test_the_overview_needs_headlines_and_what_summaries_are_made_of():
    assert overview_metrics(OE) == {"acc", "judge_coverage"}
    assert overview_metrics("openhueval_new") == {"judge_coverage"}


def test_what_is_wrong_with_several_runs_is_said_once():
    marks = differing([{OE: TaskItems(OE, "a")}, {OE: TaskItems(OE, "b")}])
    assert marks.problems == [f"{OE}, a, b: no items could be read"]
