"""The data set card of a frozen set: its `README.md`, with the YAML head that the Hub reads."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hf_datasets.card import size_category
from hf_datasets.repo import dataset_repo
from hueval_metrics.judge.templates import fill, text_beside
from hueval_metrics.one_line import one_line
from hueval_metrics.records import Verdict
from hueval_metrics.registry import known_tasks, title
from hueval_metrics.text.quick_json import to_json

if TYPE_CHECKING:
    from hueval_metrics.judges.bench.frozen import FrozenSet

_UNKNOWN = "not known"


def card(frozen: FrozenSet) -> str:
    """The text of the card."""
    manifest, answers = frozen.manifest, frozen.answers
    by_task, by_model = (Counter(getattr(answer, name) for answer in answers) for name in ("task", "model"))
    judges: dict[str, set[str]] = {}
    for answer in answers:
        said = Verdict.from_json(answer.verdict)
        judges.setdefault(answer.task, set()).add((said and said.judge) or "?")
    licences = sorted({(model.licence or "other").lower() for model in manifest.models.values()})
    unknown = [label for label, model in manifest.models.items() if model.licence is None]
    data_sets = {known_tasks()[task].data_set: known_tasks()[task].title for task in sorted(by_task)}
    left_out = ", ".join(f"{count} {reason}" for reason, count in manifest.left_out.items())
    values = {
        "title": "Frozen answers for judges",
        "licences": "\n".join(f"- {_quoted(licence)}" for licence in licences),
        "size": size_category(len(answers)),
        "configs": "\n".join(
            f"- config_name: {task}\n  data_files:\n  - split: test\n    path: data/{task}.jsonl" for task in by_task
        ),
        "n": f"{len(answers):,}",
        "n_models": str(len(by_model)),
        "version": manifest.hueval,
        "seed": str(manifest.seed),
        "tasks": "\n".join(
            f"| {title(task)} (`{task}`) | `{manifest.rubrics[task]}` | {count} | {manifest.population[task]:,} | "
            f"{', '.join(map(_cell, sorted(judges[task])))} |"
            for task, count in sorted(by_task.items())
        ),
        "models": "\n".join(
            f"| {_cell(label)} | {model.licence or _UNKNOWN} | {by_model[label]} |"
            for label, model in manifest.models.items()
        ),
        "left_out": f"Not drawn from: {left_out}." if left_out else "Every verdict could be drawn.",
        "documents": "\n".join(
            f"- {name}: licence `{dataset_repo(data_set).license}`" for data_set, name in data_sets.items()
        ),
        "licence_note": (
            f"The licence of the answers of {', '.join(map(_cell, unknown))} is not known: do not publish or reuse "
            "them before you know it."
            if unknown
            else "Each row has the licence of its answer, as whoever made the set has stated it."
        ),
    }
    return fill(text_beside(__file__, "card"), values) + "\n"


def _quoted(text: str) -> str:
    return to_json(text).decode()


def _cell(text: str) -> str:
    """A name in a Markdown table."""
    return one_line(text, 80).replace("|", "\\|").replace("`", "'")
