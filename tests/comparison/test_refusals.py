import math
from dataclasses import replace

import pytest

from hueval_metrics.comparison.compare import compare_runs
from hueval_metrics.comparison.options import CompareOptions
from hueval_metrics.comparison.results import LeftOut, grouped
from hueval_metrics.errors import InputError
from hueval_metrics.runs.load import load_runs
from tests.comparison.conftest import FIB, JUDGE, QA, SIGNATURE, TWO, qa_rows, two_rows
from tests.each import each

QA_SIGNATURE = SIGNATURE.format(task=QA) + JUDGE


def only(found):
    (one,) = found
    return one


def reasons(comparison):
    return {(one.task, one.label): one.reason for one in comparison.left_out}


@each(
    ("old", "new", "kind"),
    [
        ("prompt:hu-1f0c9a2b", "prompt:en-00000000", "prompts"),
        ("judge:gpt-4o-2024-11-20", "judge:lexical", "judge"),
        ("data:6d6b9c887861", "data:000000000000", "data"),
        ("sample:no", "sample:yes", "data"),
        ("v:1.0", "v:2.0", "version"),
    ],
)
def test_runs_that_differ_in_more_than_the_model_are_refused_unless_told_to(make_run, old, new, kind):
    rows = qa_rows("1100") + two_rows("10")
    runs = [make_run("A", rows), make_run("B", rows, {QA: QA_SIGNATURE.replace(old, new)})]
    comparison = compare_runs(runs)
    assert [metric.task for metric in comparison.metrics] == [TWO]  # the other task is compared all the same
    reason = reasons(comparison)[QA, "B"]
    assert reason.startswith("against A: different ")
    assert new.partition(":")[2] in reason
    assert reason.endswith(f"--despite {kind}")
    assert comparison.has_faults
    told = compare_runs(runs, CompareOptions(despite=[kind]))
    assert [metric.task for metric in told.metrics] == [QA, TWO]
    assert "despite a difference in" in told.notes[QA][0]


def test_other_items_are_refused_and_named(make_run):
    runs = [make_run("A", qa_rows("1100") + two_rows("10")), make_run("B", qa_rows("110") + two_rows("10"))]
    reason = reasons(compare_runs(runs))[QA, "B"]
    assert "items (1 only in A: q3; 0 only in B)" in reason
    comparison = compare_runs(runs, CompareOptions(despite=["items"]))
    assert comparison.metrics[0].n == 3
    assert "items left out, as not all runs have them: 1" in comparison.notes[QA]


def test_no_item_in_common_cannot_be_forced(make_run):
    rows = [row | {"qid": f"x{row['qid']}"} for row in qa_rows("11")]
    sample = QA_SIGNATURE.replace("sample:no", "sample:yes")
    message = r"no item in common, different packaged sample \(no against yes\)$"
    with pytest.raises(InputError, match=message):
        compare_runs(
            [make_run("A", qa_rows("11")), make_run("B", rows, {QA: sample})], CompareOptions(despite=["items", "data"])
        )


def test_other_generation_settings_are_a_note(make_run):
    rows = qa_rows("1100")
    other = QA_SIGNATURE.replace("do_sample=False", "temperature=0.6")
    comparison = compare_runs([make_run("A", rows), make_run("B", rows, {QA: other}), make_run("C", rows, {QA: other})])
    assert len(comparison.metrics) == 1
    assert comparison.notes[QA] == (
        "A against B, C: different generation settings (do_sample=False against temperature=0.6)",
    )
    assert not comparison.has_faults


def test_a_run_without_a_signature_is_compared_with_a_note(make_run):
    rows = qa_rows("1100")
    comparison = compare_runs([make_run("A", rows), make_run("B", rows, {QA: ""})])
    assert comparison.notes[QA] == ("no signature, so differences in data, prompts and judge cannot be detected: B",)


def broken(folder_of, change):
    """Change the items of a run."""
    path = folder_of.path.with_name("items.jsonl")
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")


def test_repeated_items_are_a_fault_and_the_other_task_is_compared(make_run):
    rows = qa_rows("1100")
    runs = [make_run("A", rows + two_rows("10")), make_run("B", rows + rows[:1] + two_rows("10"))]
    comparison = compare_runs(runs)
    assert [metric.task for metric in comparison.metrics] == [TWO]
    assert reasons(comparison)[QA, "B"].startswith("items repeated: 1 (q0")


@each("value", [math.nan, math.inf, "seven", [1, 2, 3], {"a": 1}, 10**400])
def test_an_unreadable_value_is_a_fault_of_its_item(make_run, value):
    rows = qa_rows("1100")
    rows[2]["values"]["correct"] = value
    comparison = compare_runs([make_run("A", qa_rows("1100") + two_rows("1")), make_run("B", rows + two_rows("1"))])
    assert [metric.task for metric in comparison.metrics] == [TWO]
    assert "the value of correct of qid q2 is unreadable" in reasons(comparison)[QA, "B"]


def test_no_verdicts_are_a_fault(make_run):
    runs = [make_run("A", qa_rows("11") + two_rows("1")), make_run("B", qa_rows("??") + two_rows("1"))]
    assert reasons(compare_runs(runs))[QA, "B"].startswith("no verdicts")


def test_verdicts_on_different_items_leave_nothing(make_run):
    runs = [make_run("A", qa_rows("1?") + two_rows("1")), make_run("B", qa_rows("?1") + two_rows("1"))]
    assert reasons(compare_runs(runs))[QA, None] == "no item on which all of them have a verdict"


def test_items_of_an_older_version_are_to_be_scored_again(make_run):
    rows = qa_rows("11")
    runs = [make_run("A", rows + two_rows("1")), make_run("B", rows + two_rows("1"))]
    broken(runs[1], lambda text: text.replace('"values": {"correct"', '"older": {"correct"'))
    assert "items without per-item values, as older versions wrote them: 2" in reasons(compare_runs(runs))[QA, "B"]


def test_a_broken_line_is_told_and_its_item_is_lacking(make_run):
    runs = [make_run("A", qa_rows("11") + two_rows("1")), make_run("B", qa_rows("11") + two_rows("1"))]
    broken(runs[1], lambda text: text[10:])
    comparison = compare_runs(runs)
    assert "line 1" in only(comparison.faults)
    assert "1 only in A: q0" in reasons(comparison)[QA, "B"]
    assert [metric.task for metric in comparison.metrics] == [TWO]


def test_a_file_that_was_cut_off_is_told(make_run):
    runs = [make_run("A", two_rows("11") + qa_rows("11")), make_run("B", two_rows("11") + qa_rows("11"))]
    broken(runs[1], lambda text: text[:-30])
    comparison = compare_runs(runs)
    assert "cut off" in only(comparison.faults)
    assert "1 only in A: q1" in reasons(comparison)[QA, "B"]


def test_a_cut_samples_file_leaves_its_task_out(live_run):
    folders = [live_run("humatchingfib", "huproverbrea_2cq", name=name) for name in "AB"]
    (samples,) = folders[1].glob(f"samples_{FIB}_*")
    samples.write_bytes(samples.read_bytes()[:-40])
    comparison = compare_runs(load_runs(folders))
    assert {metric.task for metric in comparison.metrics} == {TWO}
    assert samples.name in only(comparison.faults)
    assert comparison.left_out[0].reason == "no items could be read"


def test_missing_items_files_leave_nothing(make_run):
    runs = [make_run("A", qa_rows("11")), make_run("B", qa_rows("11"))]
    runs[1].path.with_name("items.jsonl").unlink()
    with pytest.raises(InputError, match=r"nothing to compare: .*items\.jsonl"):
        compare_runs(runs)


def test_what_is_to_be_mended_is_not_buried_under_tasks_that_one_run_lacks(make_run):
    runs = [make_run("A", two_rows("11") + qa_rows("11")), make_run("B", qa_rows("??"))]
    with pytest.raises(InputError) as error:
        compare_runs(runs)
    assert str(error.value) == (
        "nothing to compare: openhueval_husimpleqa, B: no verdicts. Let a judge see it: hueval score"
    )


def test_runs_without_a_common_task_say_so_in_three_lines_at_most(make_run):
    start = "nothing to compare: no two runs have a task in common. Run the same --tasks with both. "
    with pytest.raises(InputError) as error:
        compare_runs([make_run("A", qa_rows("11")), make_run("B", two_rows("11"))])
    assert str(error.value) == f"{start}A: {QA}; B: {TWO}"
    runs = [make_run(name, qa_rows("11")) for name in "CD"]
    many = [f"task_{number}" for number in range(24)]
    runs = [replace(runs[0], tasks=dict.fromkeys(many[:12])), replace(runs[1], tasks=dict.fromkeys(many[12:]))]
    with pytest.raises(InputError) as error:
        compare_runs(runs)
    assert str(error.value) == f"{start}C: task_0, task_1, task_2 and 9 more; D: task_12, task_13, task_14 and 9 more"
    with pytest.raises(InputError) as error:
        compare_runs([replace(runs[0], label="x" * 1000), runs[1]])
    assert len(str(error.value)) == 300


def test_one_reason_of_many_tasks_is_told_once():
    alike = [LeftOut(f"task_{number}", "B", "no verdicts (0 of 9)", True) for number in range(4)]
    assert list(grouped(alike)) == [(alike[0], " and 3 more tasks")]
    assert list(grouped(alike[:3])) == [(one, "") for one in alike[:3]]


def test_a_missing_items_file_is_told_once_for_all_tasks(make_run):
    rows = qa_rows("11") + two_rows("11")
    runs = [make_run("A", rows), make_run("B", rows), make_run("C", rows)]
    runs[1].path.with_name("items.jsonl").unlink()
    assert "no items.jsonl beside it" in only(compare_runs(runs).faults)


def test_a_task_of_one_run_only_is_no_fault(make_run):
    comparison = compare_runs([make_run("A", qa_rows("11") + two_rows("1")), make_run("B", qa_rows("10"))])
    assert reasons(comparison) == {(TWO, "A"): "no other run to compare it with", (TWO, "B"): "not run"}
    assert not comparison.has_faults


def test_a_metric_that_one_run_lacks_is_left_out(make_run):
    rows = qa_rows("11")
    for row in rows:
        del row["values"]["incorrect"]
    comparison = compare_runs(
        [make_run("A", qa_rows("11")), make_run("B", rows)], CompareOptions(metrics=["correct", "incorrect"])
    )
    assert [metric.metric for metric in comparison.metrics] == ["correct"]
    assert reasons(comparison)[QA, "B"] == "has no incorrect; not compared"


def test_another_task_of_the_same_family_is_left_out(make_run):
    rows = [row | {"task": "openhueval_other"} for row in qa_rows("11")]
    comparison = compare_runs([make_run("A", qa_rows("11") + rows), make_run("B", qa_rows("11") + rows)])
    assert [metric.task for metric in comparison.metrics] == [QA]
    assert reasons(comparison)["openhueval_other", None] == "no task of this version"


@each(
    ("options", "message"),
    [
        ({"metrics": ["corect"]}, '^metrics "corect": no such metric. The tasks have .*correct'),
        ({"margin": 0}, "^margin 0: expected points above 0"),
        ({"margin": -3.0}, "^margin -3"),
        ({"margin": math.nan}, "^margin nan"),
    ],
)
def test_an_option_that_cannot_be_is_refused(make_run, options, message):
    runs = [make_run("A", qa_rows("11")), make_run("B", qa_rows("10"))]
    with pytest.raises(InputError, match=message):
        compare_runs(runs, CompareOptions(**options))


def test_one_run_is_no_comparison(make_run):
    with pytest.raises(InputError, match="only one run"):
        compare_runs([make_run("A", qa_rows("11"))])
