"""What can be run: every task with its items, its metrics and who scores it, and the names that stand for several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from hf_datasets.repo import dataset_repo
from hueval_metrics.declare import Family
from hueval_metrics.registry import families, read_yaml, task_folders, task_spec
from hueval_metrics.reports.formats import Block, Cell, Column, Grid, terminal_page

_MOST_LINES = 24  # of tasks with one prefix; a longer list does not fit on a screen
_WIDE = 120  # columns


@dataclass(frozen=True)
class ListedTask:
    """A task.

    Attributes:
        name: its name in lm-eval.
        n_items: rows of the split that is scored, of all splits where the paper counts these only; None where they
            could not be counted.
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
    configs = {one.name: one for one in dataset_repo(family.data_set).configs}
    for name, task in family.tasks.items():
        variants = {**family.variants, **task.variants}
        languages = tuple(map(str, variants.get("question_lang", family.languages)))
        config = configs[task.config or family.short_name(name)]
        scored = task_spec(name).variants({})["split"] if "split" in variants else "test"
        split = config.split(str(scored))
        n_items = split.rows or split.printed or config.printed
        scored_by = "judge" if task.rubric else "rule" if task.output_type == "generate_until" else "log-likelihood"
        found.append(ListedTask(name, n_items, tuple(task.headline), scored_by, languages))
    return found


def overview(family: Family) -> list[ListedTask]:
    """The tasks of a family, and one line for each prefix that more of them have than can be read."""
    found: list[ListedTask] = []
    for prefix in family.prefixes:
        tasks = [one for one in listed_tasks(family) if one.name.startswith(prefix)]
        found += tasks if len(tasks) <= _MOST_LINES else [_as_one(f"{prefix}* ({len(tasks)} tasks)", tasks)]
    return found


def _as_one(name: str, tasks: Sequence[ListedTask]) -> ListedTask:
    counts = [one.n_items for one in tasks if one.n_items is not None]
    return ListedTask(
        name,
        sum(counts) if len(counts) == len(tasks) else None,
        tuple(dict.fromkeys(metric for one in tasks for metric in one.metrics)),
        ", ".join(dict.fromkeys(one.scored_by for one in tasks)),
        tuple(dict.fromkeys(language for one in tasks for language in one.languages)),
    )


def named_groups() -> Mapping[str, tuple[str, ...]]:
    """Name of a group or a tag → the names of its tasks, those of the groups in it among them."""
    found: dict[str, list[str]] = {}
    for folder in task_folders():
        for file in sorted(folder.rglob("*.yaml")):
            config = read_yaml(file, resolve=False)
            if "group" in config:
                found[config["group"]] = [name for name in config.get("task", ()) if isinstance(name, str)]
            tags = config.get("tag", ())
            for tag in [tags] if isinstance(tags, str) else tags:
                found.setdefault(tag, []).append(config["task"])

    def leaves(name: str) -> list[str]:
        return [leaf for member in found[name] for leaf in (leaves(member) if member in found else [member])]

    return {name: tuple(leaves(name)) for name in sorted(found)}


def render_task_list(only: str | None = None, *, width: int = 80, color: bool = False) -> str:
    """Tasks as terminal text, a table for each family; then groups, tags and what else can be asked for.

    Args:
        only: the family whose tasks to list, each in a line; None for all families.
        width: columns of the terminal. The list of a family is wider if it must: its names stay whole.
        color: whether it shows colours.
    """
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
                    for one in (overview(family) if only is None else listed_tasks(family))
                ],
            ),
        )
        for family in families().values()
        if only in (None, family.name)
    ]
    listed = {name for family in families().values() if only in (None, family.name) for name in family.tasks}
    groups = [
        [Cell(name), Cell(str(len(tasks)))] for name, tasks in named_groups().items() if listed.intersection(tasks)
    ]
    blocks.append(Block("Several at once", Grid([Column("Name", kind="label"), Column("Tasks")], groups)))
    notes = [
        "To run some: hueval run --model NAME --tasks TASK[,TASK…]",
        *(["Every task of a benchmark: hueval ls NAME"] if only is None else []),
        "lm-eval's own tasks: hueval ls --all",
    ]
    wide = width if only is None else max(width, _WIDE)
    return terminal_page([*blocks, Block("", None, notes)], wide, color)
