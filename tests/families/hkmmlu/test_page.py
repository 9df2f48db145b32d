"""The page's tests of scores: the averages are tested over all questions, and in place of the 66 subjects."""

from __future__ import annotations

from hf_datasets.hkmmlu.subjects import SUBJECTS
from hueval_metrics.reports.page.marks import differing
from hueval_metrics.runs.table import TaskItems

SIGNATURE = "script:tc|method:da|shots:0"


def items(label, right, subjects=tuple(SUBJECTS)):
    """Ten questions a subject, of which so many are answered right."""
    found = {}
    for slug in subjects:
        task = f"hkmmlu_{slug}"
        found[task] = TaskItems(task, label, f"task:{task}|{SIGNATURE}")
        for number in range(10):
            found[task].keys.append((f"{slug}-{number}",))
            found[task].clusters.append(f"{slug}-{number}")
            found[task].dimensions.append(None)
            found[task].values.setdefault("acc", []).append(float(number < right))
    return found


def test_averages_are_tested_in_place_of_their_subjects():
    marks = differing([items("better", 8), items("worse", 3)])
    assert {task for task, _ in marks.differs} == {"hkmmlu"}
    assert marks.differs["hkmmlu", "acc_avg"] == {"better": False, "worse": True}
    behind = marks.behind[("hkmmlu", "acc_avg"), "worse"].difference
    assert behind.n == 660  # all questions
    assert round(behind.value, 6) == 50.0


def test_runs_of_few_subjects_are_tested_by_subject():
    few = ("dentistry", "hk_law")
    marks = differing([items("better", 8, few), items("worse", 3, few)])
    assert {task for task, _ in marks.differs} == {"hkmmlu_dentistry", "hkmmlu_hk_law"}
