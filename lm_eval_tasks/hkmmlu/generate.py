"""Write the YAMLs of HKMMLU from its list of subjects: `python -m lm_eval_tasks.hkmmlu.generate`.

`--check` writes nothing and fails on any difference; a test runs it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hf_datasets.hkmmlu.subjects import CATEGORIES, SUBJECTS
from hueval_metrics.harness import task_files
from hueval_metrics.metric import Metric
from hueval_metrics.metrics import basic, translation
from lm_eval_tasks.hkmmlu.family import BY_LIKELIHOOD, DIRECTIONS, FAMILY, GENERATED
from lm_eval_tasks.hkmmlu.summaries import CODES

_FOLDER = Path(__file__).parent
TASKS = _FOLDER / "tasks"
# Prefix, template, filter of the aggregates, metrics.
_FORMS: tuple[tuple[str, str, str, Mapping[str, Metric]], ...] = (
    ("hkmmlu", "subject", "response", GENERATED),
    ("hkmmlull", "likelihood", "none", BY_LIKELIHOOD),
)


def files() -> Iterator[tuple[Path, str]]:
    """The path and text of each file: a YAML a task, and those of the groups."""
    for form, template, filtered, metrics in _FORMS:
        for slug, subject in SUBJECTS.items():
            tag = f"\ntag: [{form}-hk]" if subject.is_hk_specific else ""
            yield (
                TASKS / f"{form}_{slug}.yaml",
                _filled(
                    template,
                    slug=slug,
                    name=subject.name,
                    name_zh=subject.name_zh,
                    category=subject.category,
                    tag=tag,
                    metrics=_entries(metrics),
                ),
            )
        for category in CATEGORIES:
            members = [f"{form}_{slug}" for slug, subject in SUBJECTS.items() if subject.category == category]
            name = f"{form}-{CODES[category]}"
            yield TASKS / f"{name}.yaml", _group(name, f"the subjects of {category}", members, filtered, metrics)
        members = [f"{form}-{code}" for code in CODES.values()]
        yield TASKS / f"{form}.yaml", _group(form, "all subjects", members, filtered, metrics)
    for slug, title in DIRECTIONS.items():
        source, target = title.split(" → ")
        scored = FAMILY.tasks[f"hkmmlutr_{slug}"].metrics
        text = _filled("translation", slug=slug, source=source, target=target, metrics=_entries(scored))
        yield TASKS / f"hkmmlutr_{slug}.yaml", text
    members = [f"hkmmlutr_{slug}" for slug in DIRECTIONS]
    yield TASKS / "hkmmlu-translation.yaml", _group("hkmmlu-translation", "both directions", members)


def _filled(template: str, **fields: str) -> str:
    return (_FOLDER / f"{template}.yaml.template").read_text(encoding="utf-8").format_map(fields)


def _group(
    name: str, about: str, members: Iterable[str], filtered: str = "", metrics: Mapping[str, Metric] | None = None
) -> str:
    lines = [f"# HKMMLU (arXiv:2505.02177): {about}. Written by generate.py.", f"group: {name}", "task:"]
    lines += [f"  - {member}" for member in members]
    if metrics:
        lines.append("aggregate_metric_list:  # over questions: each subject counts by its size")
        for metric in metrics:
            given = f"metric: {metric}, aggregation: mean, weight_by_size: true, filter_list: {filtered}"
            lines.append(f"  - {{{given}}}")
    version = "1.0" if name.startswith("hkmmlull") else "1.1"
    return "\n".join([*lines, f"metadata: {{version: {version}}}", ""])


def _entries(metrics: Mapping[str, Metric]) -> str:
    return task_files.metric_list(metrics, (basic, translation))


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or check them."""
    return task_files.main(dict(files()), TASKS.glob("*.yaml"), __package__, arguments)


if __name__ == "__main__":
    sys.exit(main())
