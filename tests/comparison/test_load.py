from hueval_metrics.comparison.load import fault, pair_up
from hueval_metrics.comparison.measures import measures
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.table import TaskItems
from tests.comparison.conftest import QA, TWO, qa_rows, two_rows
from tests.each import each


def items(rows, label="A", task=QA, signature="task:t|data:a"):
    found = TaskItems(task, label, signature)
    for row in rows:
        found.add(Item.of({"task": task} | row))
    return found


def test_sound_items_have_no_fault():
    assert fault(items(qa_rows("10?")), measures(QA)) is None


@each(
    ("rows", "reason"),
    [
        ([], "no items could be read"),
        ([{"qid": "q0"}], "items without per-item values, as older versions wrote them: 1"),
        (qa_rows("11") + qa_rows("1"), r"items repeated: 1 (q0, …)"),
        (qa_rows("??"), "no verdicts"),
    ],
)
def test_a_fault_says_what_is_wrong(rows, reason):
    assert reason in fault(items(rows), measures(QA))


def test_a_metric_that_is_not_compared_may_be_broken():
    rows = qa_rows("11")
    rows[0]["values"]["brier"] = "broken"
    assert fault(items(rows), measures(QA)) is None
    assert "brier of qid q0" in fault(items(rows), measures(QA, ["brier"]))


def test_the_orders_of_a_proverb_are_two_items_of_one_question():
    paired, _ = pair_up([items(two_rows("1+"), "A", TWO), items(two_rows("0+")[::-1], "B", TWO)])
    assert paired.clusters == ["p0", "p0", "p1", "p1"]
    assert paired.values[1]["acc"] == [["p0", 1, 2], ["p0", 2, 1], ["p1", 1, 1], ["p1", 2, 1]]


def test_columns_are_in_the_order_of_the_first_run():
    rows = qa_rows("1100", "lhlh")
    paired, refused = pair_up([items(rows), items(rows[::-1], "B")])
    assert paired.clusters == ["q0", "q1", "q2", "q3"]
    assert paired.dimensions == ["l", "h", "l", "h"]
    assert paired.values[0]["correct"] == paired.values[1]["correct"] == [1.0, 1.0, 0.0, 0.0]
    assert refused == {}


def test_what_the_first_does_not_tell_still_sets_two_others_apart():
    runs = [
        items(qa_rows("10"), label, signature=signature)
        for label, signature in {"A": "", "B": "task:t|data:b", "C": "task:t|data:c", "D": "task:t|data:b"}.items()
    ]
    paired, refused = pair_up(runs)
    assert paired.labels == ("A", "B", "D")
    assert refused == {
        "C": "against B: different data hash (b against c). To compare anyway: hueval compare --despite data"
    }
    assert pair_up(runs, ["data"])[0].labels == ("A", "B", "C", "D")


def test_what_only_one_signature_tells_is_a_note():
    paired, _ = pair_up([items(qa_rows("10")), items(qa_rows("10"), "B", signature="task:t|data:a|judge:gpt-4o")])
    assert paired.notes == ("A against B: not known of one or both: judge, so that a difference cannot be detected",)


def test_a_verdict_lacking_in_one_run_takes_the_item_from_all():
    paired, _ = pair_up([items(qa_rows("1?1")), items(qa_rows("111"), "B"), items(qa_rows("11?"), "C")])
    assert paired.clusters == ["q0"]
    assert paired.notes == ("items left out of all runs, as they lack a verdict in some: 2 (1 of A, 1 of C)",)


def test_a_judge_that_compares_words_is_named():
    runs = [items(qa_rows("11")), items(qa_rows("11"), "B")]
    for run in runs:
        run.signature = "task:t|sample:yes|judge:lexical|rubric:husimpleqa/1"
    paired, _ = pair_up(runs)
    assert paired.notes == (
        "the packaged sample, not the benchmark",
        "judged by comparing words (lexical), which is approximate",
    )
