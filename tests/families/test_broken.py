"""Families that cannot be used: one line each that names the file, and the others go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.families.checkout import TOYBENCH, checkout, python

FAMILY = """
from pathlib import Path
from hueval_metrics.declare import Family, Task
HERE = Path(__file__).parent
FAMILY = Family("{name}", "{name}", HERE, ("{prefix}",), {tasks}, "{name}.documents", "{name}.prompt", data="{data}")
"""


def family(name: str, prefix: str = "", tasks: str = "{}", data: str = "") -> str:
    return FAMILY.format(name=name, prefix=prefix or f"{name}_", tasks=tasks, data=data)


def rubric(task: str, path: str) -> str:
    return f"'{task}': Task('T', {{}}, {{}}, rubric='{path}')"


# Folder → its family.py, and what the line on it says; the folder toybench is whole.
FOLDERS = {
    "a_without": (None, "a family's folder needs family.py"),
    "b_syntax": ("FAMILY = (", "SyntaxError: '(' was never closed (family.py, line 1)"),
    "c_import": ("import no_such_library", "ModuleNotFoundError: No module named 'no_such_library'"),
    "d_nothing": ("x = 1", "AttributeError: module 'lm_eval_tasks.d_nothing.family' has no attribute 'FAMILY'"),
    "e_other": ("FAMILY = 'e'", "expected a declare.Family, found str"),
    "f_task": (family("f_task", tasks="{'g_1': None}"), "g_1 begins with none of the prefixes f_task_"),
    "p_prefix": (family("p_prefix", "openhueval_x"), "the prefix openhueval_x is taken by openhueval, in "),
    "o_rubrics": (
        family("o_rubrics", tasks=f"{{{rubric('o_rubrics_1', 'a.same')}, {rubric('o_rubrics_2', 'b.same')}}}"),
        "there is another rubric same, of o_rubrics, in ",
    ),
    "u_rubric": (
        family("u_rubric", tasks=f"{{{rubric('u_rubric_1', 'mine.toyletters')}}}"),
        "there is another rubric toyletters, of toybench, in ",
    ),
    "u_twice": (family("openhueval", "twice_"), "there is another family openhueval, in "),
}
POINTS = {
    "late = elsewhere.family:LATE": "ZeroDivisionError: division by zero",
    "lost = elsewhere.nowhere:FAMILY": "ModuleNotFoundError: No module named 'elsewhere.nowhere'",
    "taken = elsewhere.taken:FAMILY": "there is another data set hkmmlu, in ",
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    folder = checkout(tmp_path_factory.mktemp("broken"), TOYBENCH)
    for name, (code, _) in FOLDERS.items():
        (folder / "lm_eval_tasks" / name).mkdir()
        (folder / "lm_eval_tasks" / name / "__init__.py").touch()
        if code is not None:
            (folder / "lm_eval_tasks" / name / "family.py").write_text(code, encoding="utf-8")
    (folder / "lm_eval_tasks" / "u_bare").mkdir()
    (folder / "lm_eval_tasks" / "u_bare" / "family.py").write_text(family("u_bare"), encoding="utf-8")
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "family.py").write_text("1 / 0", encoding="utf-8")
    (folder / "elsewhere" / "taken.py").write_text(family("hkmmlu", data="elsewhere.data:REPO"), encoding="utf-8")
    (folder / "elsewhere-1.0.dist-info").mkdir()
    (folder / "elsewhere-1.0.dist-info" / "METADATA").write_text("Name: elsewhere\nVersion: 1.0\n", encoding="utf-8")
    points = "\n".join(["[hueval.families]", *POINTS])
    (folder / "elsewhere-1.0.dist-info" / "entry_points.txt").write_text(points, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def said(tree) -> list[str]:
    """What is said on standard error as the families are looked for; the whole ones are used."""
    done = python(tree, "-c", "from hueval_metrics.registry import families; print(*families())")
    found = ["hulu", "kolassimpleqa", "openhueval", "toybench", "hkmmlu"]  # those in Hungarian first
    assert (done.status, done.out.split()) == (0, found), done.err
    return done.err.splitlines()


@pytest.mark.process
@pytest.mark.parametrize("name", [*FOLDERS, "u_bare"])
def test_a_broken_folder_costs_its_family_and_a_line_that_names_the_file(tree, said, name):
    fault = FOLDERS[name][1] if name in FOLDERS else "a family's folder needs __init__.py"
    (line,) = (line for line in said if f"/{name}/" in line)
    assert line.startswith(f"{tree / 'lm_eval_tasks' / name / 'family.py'}: left out, with its tasks ({fault}")
    assert line.endswith("). Fix the declaration.")


@pytest.mark.process
@pytest.mark.parametrize("point", POINTS)
def test_a_broken_entry_point_costs_its_family_and_a_line_that_names_it(said, point):
    (line,) = (line for line in said if f" {point}: " in line)
    assert line.startswith(f"entry point hueval.families: {point}: left out, with its tasks ({POINTS[point]}")


@pytest.mark.process
def test_each_has_one_line(said):
    assert len(said) == len(FOLDERS) + len(POINTS) + 1
