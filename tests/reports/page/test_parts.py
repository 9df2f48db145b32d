import re
from pathlib import Path

import pytest

from hueval_metrics.reports.figures.figure import Figure
from hueval_metrics.reports.page.marks import Marks
from hueval_metrics.reports.page.parts import Lengths, judge_rows, parts
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import JudgeUse, Run, TaskResult
from tests.helpers import run_of

WB, QA = "openhueval_huwildbench", "openhueval_husimpleqa"


def english(markup):
    return re.sub(r'<span lang="hu">.*?</span>|<.*?>', "", str(markup))


def part(name, runs, lengths=None, figures=()):
    marks = Marks({(WB, "wb_score"): dict.fromkeys([run.label for run in runs], False)})
    found = parts(runs, figures, lengths or Lengths(), marks)
    return next((one for one in found if one.id == name), None)


def test_published_rows_stand_in_a_block_of_their_own():
    found = part("published", [run_of("ours", Path("x"), {WB: {"wb_score": 50.0}})])
    (table,) = found.tables
    ours, theirs = table.blocks
    assert (ours.rows, ours.is_published) == ([["ours", "50.00", *[""] * 7]], False)
    assert theirs.is_published
    assert english(theirs.title) == "Published, with another protocol"
    assert theirs.rows[0] == ["GPT-4o", "81.09", "50.30", "89.16", "95.51", "77.78", "43.88", "57.36", "15.05"]
    assert "another protocol" in english(found.intro)


def test_the_row_that_the_paper_misnames_has_its_right_name_and_a_remark():
    found = part("published", [run_of("ours", Path("x"), {QA: {"correct": 50.0}})])
    (row,) = [row for row in found.tables[1].blocks[1].rows if row[1] == "5.29"]
    assert row[0] == "Qwen2.5-Instruct-7B"
    assert "it is the 7B model" in english(found.remarks[0])


def test_published_rows_stand_beside_each_form_of_a_task_that_was_run():
    scores = {"hulu_hucola": {"mcc": 1.0}, "hulugen_hucola": {"mcc": 2.0}}
    found = part("published", [run_of("ours", Path("x"), scores)])
    chosen, generated = found.tables
    assert (chosen.header[1], generated.header[1]) == ("HuCOLA MCC", "HuCOLA (generated) MCC")
    assert [table.blocks[0].rows[0][:2] for table in found.tables] == [["ours", "1.00"], ["ours", "2.00"]]
    assert [table.blocks[1].rows[0][1] for table in found.tables] == ["70.90", "70.90"]
    assert len(found.remarks) == 1


def test_a_run_without_these_tasks_has_none_of_these_parts():
    assert parts([run_of("x", Path("x"), {"openhueval_new": {"acc": 1.0}})], [], Lengths(), Marks()) == []


def test_rank_changes_are_from_each_column_of_a_figure_to_its_first():
    ranks = {"ours": (1, 2, 3), "theirs": (1, 3, 2)}
    rows = [
        {"column": column, "model": f"m{place}", "rank": rank}
        for column, own in ranks.items()
        for place, rank in enumerate(own)
    ]
    figures = [Figure(name, "ranks", rows, draw=lambda theme: None) for name in ("ranks-maps", "other")]
    (table,) = part("ranks", [], figures=figures).tables
    assert table.blocks[0].rows == [["theirs → ours", "3", "67", "0.7", "0.33", "0.50"]]


def wild_bench(rows):
    lengths = Lengths()
    for run, qid, score, response in rows:
        lengths.add(run, Item.of({"task": WB, "qid": qid, "values": {"wb_score": score}, "response": "x" * response}))
    return lengths


def test_equal_length_takes_out_what_length_alone_gives():
    # A point more for each doubling of the length, whoever writes it; the second mostly writes twice as much.
    rows = [(run, str(n), 3 + run + n % 2, 2 ** (6 + run + n % 2) - 1) for run in (0, 1) for n in range(40)]
    rows += [(run, f"x{n}", 4 - run, 2 ** (7 - run) - 1) for run in (0, 1) for n in range(10)]
    runs = [run_of(label, Path("x"), {WB: {"wb_score": 1.0}}) for label in ("short", "long")]
    (table,) = part("length", runs, wild_bench(rows)).tables
    short, long = table.blocks[0].rows
    assert float(long[1]) - float(short[1]) == pytest.approx(6, abs=0.01)
    assert float(long[3]) - float(short[3]) == pytest.approx(0, abs=0.01)
    assert (short[0], short[5], long[5]) == ("short", "101", "165")


@pytest.mark.parametrize("rows", [[], [(0, "1", 5.0, 10)], [(0, "1", None, 10), (1, "1", 5.0, 10)]])
def test_equal_length_needs_two_runs_over_the_same_items(rows):
    runs = [run_of(label, Path("x"), {WB: {"wb_score": 1.0}}) for label in "ab"]
    assert part("length", runs, wild_bench(rows)) is None


def test_judges_with_what_they_took():
    judges = {"gpt": JudgeUse(3, 1, 900, 100, 0.125), "old": JudgeUse()}
    found = TaskResult({"judge_coverage": 97.5}, judges=judges, n_judge_errors=2, n_suspicious=0, agreement=87.5)
    runs = [
        Run("a", Path("x"), {QA: found}),
        run_of("older", Path("x"), {QA: {"judge_coverage": 100.0}}),
        run_of("rule", Path("x"), {"openhueval_humatchingfib": {"blank_acc": 1.0}}),
    ]
    assert judge_rows(runs) == [
        ["HuSimpleQA", "a", "gpt", "97.5", "3", "1", "1000", "0.12", "2", "0", "87.5"],
        ["HuSimpleQA", "a", "old", "97.5", "", "", "", "", "2", "0", "87.5"],
        ["HuSimpleQA", "older", "", "100.0", "", "", "", "", "", "", ""],
    ]


def test_the_shares_of_readings_of_each_task_and_run_that_has_them():
    shares = {"answered": 92.5, "refused": 7.5}
    found = part("readings", [run_of("a", Path("x"), {QA: {"correct": 1.0}}, readings={QA: shares}), run_of("older")])
    (table,) = found.tables
    assert [english(cell) for cell in table.header] == [
        *("Task", "Model", "answered", "no answer", "refused", "several answers", "unreadable")
    ]
    (block,) = table.blocks
    assert block.rows == [["HuSimpleQA", "a", "92.5", "0.0", "7.5", "0.0", "0.0"]]
