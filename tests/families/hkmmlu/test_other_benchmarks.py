"""The categories of other benchmarks' subjects, against the tasks of the installed lm-eval."""

from __future__ import annotations

import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

from lm_eval_tasks.hkmmlu.other_benchmarks import CATEGORIES
from lm_eval_tasks.hkmmlu.summaries import CODES

TASKS = Path(next(iter(find_spec("lm_eval").submodule_search_locations))) / "tasks"


def fields(file: Path) -> dict[str, str]:
    """The quoted keys and values of a task's YAML."""
    return dict(re.findall(r'^"(\w+)": "(.*)"$', file.read_text(encoding="utf-8"), re.MULTILINE))


def test_every_subject_of_cmmlu_has_a_category():
    installed = {fields(file)["task"] for file in (TASKS / "cmmlu").glob("cmmlu_*.yaml")}
    assert len(installed) == 67
    assert {task for task in CATEGORIES if task.startswith("cmmlu_")} == installed
    assert Counter(code for task, code in CATEGORIES.items() if task in installed) == {
        **{"stem": 26, "social": 19},
        **{"humanities": 16, "other": 6},
    }


def test_every_subject_of_tmmluplus_is_in_the_category_of_its_group():
    found = {}
    for file in (TASKS / "tmmluplus" / "default").glob("tmmluplus_*.yaml"):
        about = fields(file)
        name = about["tag"].removeprefix("tmmluplus_").removesuffix("_tasks").replace("_", " ")
        found[about["task"]] = CODES["STEM" if name == "STEM" else name.title()]
    assert {task: code for task, code in CATEGORIES.items() if task.startswith("tmmluplus_")} == found
