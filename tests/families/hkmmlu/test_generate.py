"""The committed YAMLs are what the generator writes, and its check finds whatever is not."""

from __future__ import annotations

import pytest
import yaml
from lm_eval.tasks import TaskManager

from hf_datasets.hkmmlu.subjects import SUBJECTS
from lm_eval_tasks.hkmmlu import generate
from lm_eval_tasks.hkmmlu.family import FAMILY


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """The generator writes to an empty folder."""
    monkeypatch.setattr(generate, "TASKS", tmp_path / "tasks")
    assert generate.main([]) == 0
    return tmp_path / "tasks"


def test_it_writes_the_same_again(copy, capsys):
    committed = FAMILY.folder / "tasks"
    texts = {file.name: file.read_text(encoding="utf-8") for file in committed.glob("*.yaml")}
    assert {file.name: file.read_text(encoding="utf-8") for file in copy.iterdir()} == texts
    assert len(texts) == 2 * 66 + 2 + 2 * 5 + 1  # tasks of both forms, translations; groups of each


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("hkmmlu_hk_law.yaml", lambda file: file.write_text(file.read_text(encoding="utf-8") + "# by hand\n", "utf-8")),
        ("hkmmlu-stem.yaml", lambda file: file.unlink()),
        ("hkmmlu_hk_tea.yaml", lambda file: file.write_text("task: hkmmlu_hk_tea\n", encoding="utf-8")),
    ],
    ids=["edited by hand", "missing", "of no subject"],
)
def test_check_names_the_file_and_writing_puts_it_right(copy, capsys, name, change):
    before = {file.name: file.read_bytes() for file in copy.iterdir()}
    change(copy / name)
    assert generate.main(["--check"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line == (
        f"{copy / name}: not as lm_eval_tasks.hkmmlu.generate writes it. Run: python -m lm_eval_tasks.hkmmlu.generate"
    )
    assert generate.main([]) == 0
    assert {file.name: file.read_bytes() for file in copy.iterdir()} == before


def test_a_file_reads_alone():
    """No include; what it is, what scores it and what metadata changes all stand in it."""
    for name in FAMILY.tasks:
        text = (FAMILY.folder / "tasks" / f"{name}.yaml").read_text(encoding="utf-8")
        assert text.startswith("# HKMMLU, ") and "include:" not in text
        keys = [line.partition(":")[0] for line in text.splitlines() if line[0] not in " #"]
        assert keys[0] == "task" and keys[-3:] == ["process_results", "metric_list", "metadata"]


@pytest.mark.parametrize(
    ("name", "n_tasks", "n_printed"),  # Table 5; the paper's Table 6 swaps two categories
    [
        ("hkmmlu", 66, 26_698),
        ("hkmmlu-stem", 18, None),
        ("hkmmlu-social", 16, 4_834),
        ("hkmmlu-humanities", 18, 8_904),
        ("hkmmlu-other", 14, None),
        ("hkmmlu-hk", 23, 14_912),
        ("hkmmlull", 66, 26_698),
        ("hkmmlull-hk", 23, 14_912),
        ("hkmmlu-translation", 2, None),
    ],
)
def test_groups_and_tags_have_the_papers_sizes(name, n_tasks, n_printed, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    manager = TaskManager(include_path=str(FAMILY.folder), include_defaults=False)
    tasks = manager.load([name])["tasks"]
    assert len(tasks) == n_tasks
    if n_printed is not None:
        assert sum(SUBJECTS[task.partition("_")[2]].printed for task in tasks) == n_printed


def test_groups_weigh_questions_alike():
    for name in ("hkmmlu", "hkmmlu-stem", "hkmmlull", "hkmmlull-other"):
        group = yaml.safe_load((FAMILY.folder / "tasks" / f"{name}.yaml").read_text(encoding="utf-8"))
        assert all(entry["weight_by_size"] is True for entry in group["aggregate_metric_list"])
