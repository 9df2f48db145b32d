"""Write the YAMLs of HKMMLU from its list of subjects: `python -m lm_eval_tasks.hkmmlu.generate`.

`--check` writes nothing and fails on any difference; `make lint` runs it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from hf_datasets.hkmmlu.subjects import CATEGORIES, SUBJECTS
from hueval_metrics.metric import Metric
from hueval_metrics.metrics.basic import PERCENT
from hueval_metrics.metrics.translation import AVERAGE, BLEU, CHRF
from lm_eval_tasks.hkmmlu.family import BY_LIKELIHOOD, DIRECTIONS, FAMILY, GENERATED
from lm_eval_tasks.hkmmlu.summaries import CODES

_FOLDER = Path(__file__).parent
TASKS = _FOLDER / "tasks"
_PATHS = {  # name of a metric object → where it stands
    PERCENT.name: "hueval_metrics.metrics.basic.PERCENT",
    BLEU.name: "hueval_metrics.metrics.translation.BLEU",
    CHRF.name: "hueval_metrics.metrics.translation.CHRF",
    AVERAGE.name: "hueval_metrics.metrics.translation.AVERAGE",
}
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
    return "\n".join(
        f"""\
  - metric: {name}
    aggregation: !function {_PATHS[metric.name]}
    higher_is_better: {str(metric.better != "lower").lower()}"""
        for name, metric in metrics.items()
    )


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or check them."""
    parser = argparse.ArgumentParser(description="Write the YAML tasks of HKMMLU.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file differs")
    given = parser.parse_args(arguments)
    wanted = dict(files())
    stale = [path for path in TASKS.glob("*.yaml") if path not in wanted]
    changed = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if given.check:
        for path in (*changed, *stale):
            print(f"{path}: not as {__package__}.generate writes it. Run: python -m {__package__}.generate")
        return int(bool(changed or stale))
    TASKS.mkdir(exist_ok=True)
    for path in changed:
        path.write_text(wanted[path], encoding="utf-8")
    for path in stale:
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
