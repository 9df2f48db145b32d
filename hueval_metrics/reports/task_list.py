"""What can be run: every task with its items, its metrics and who scores it, and the names that stand for several."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hf_datasets.repo import dataset_repo
from hueval_metrics.declare import Family
from hueval_metrics.registry import families, read_yaml, task_folders, task_spec
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, terminal_page


@dataclass(frozen=True)
class ListedTask:
    """A task.

    Attributes:
        name: its name in lm-eval.
        n_items: rows of the split that is scored; None where they could not be counted.
        metrics: the headline metrics.
        scored_by: `rule`, `judge` or `log-likelihood`.
        languages: of the questions.
    """

    name: str
    n_items: int | None
    metrics: tuple[str, ...]
    scored_by: str
    languages: tuple[str, ...]


def listed_tasks(family: Family) -> list[ListedTask]:
    """The tasks of a family, in the order of its declaration."""
    found = []
    for name, task in family.tasks.items():
        variants = {**family.variants, **task.variants}
        languages = tuple(map(str, variants.get("question_lang", family.languages)))
        spec = task_spec(name)
        config = next(one for one in dataset_repo(family.data_set).configs if one.name == spec.data_config)
        split = config.split(str(spec.variants({}).get("split", "test")))
        scored_by = "judge" if task.rubric else "rule" if spec.generates else "log-likelihood"
        found.append(ListedTask(name, split.rows or split.printed, tuple(task.headline), scored_by, languages))
    return found


def named_groups() -> Mapping[str, tuple[str, ...]]:
    """Name of a group or a tag → the names of its tasks."""
    found: dict[str, list[str]] = {}
    for folder in task_folders():
        for file in sorted(folder.rglob("*.yaml")):
            config = read_yaml(file, resolve=False)
            if "group" in config:
                found[config["group"]] = [name for name in config.get("task", ()) if isinstance(name, str)]
            tags = config.get("tag", ())
            for tag in [tags] if isinstance(tags, str) else tags:
                found.setdefault(tag, []).append(config["task"])
    return {name: tuple(tasks) for name, tasks in sorted(found.items())}


def render_task_list(*, width: int = 80, color: bool = False) -> str:
    """All tasks as terminal text, a table for each family; then groups, tags and what else can be asked for."""
    heads = [Column("Task", kind="label"), Column("Items")]
    heads += [Column(name, kind="text") for name in ("Metrics", "Scored by", "Lang.")]
    blocks = [
        Block(
            family.title,
            Grid(
                heads,
                [
                    [
                        Cell(one.name),
                        Cell(f"{one.n_items:,}" if one.n_items else "?"),
                        *(Cell(text) for text in (", ".join(one.metrics), one.scored_by, " ".join(one.languages))),
                    ]
                    for one in listed_tasks(family)
                ],
            ),
        )
        for family in families().values()
    ]
    groups = [[Cell(name), Cell(str(len(tasks)))] for name, tasks in named_groups().items()]
    blocks.append(Block("Several at once", Grid([Column("Name", kind="label"), Column("Tasks")], groups)))
    notes = ["To run some: hueval run --model NAME --tasks TASK[,TASK…]", "lm-eval's own tasks: hueval ls --all"]
    return terminal_page([*blocks, Block("", None, notes)], width, color)
