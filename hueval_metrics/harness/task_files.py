"""The YAML tasks that a family's `generate.py` makes from its declaration: written, or checked against it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType

from hueval_metrics.metric import Metric


def metric_list(metrics: Mapping[str, Metric], modules: Iterable[ModuleType]) -> str:
    """The entries of `metric_list`.

    Args:
        metrics: column → its metric.
        modules: where the metrics are constants, by which YAML names them; the first that has it.

    Raises:
        LookupError: a metric is a constant of none of the modules.
    """
    homes: dict[tuple[str, object], str] = {}
    for module in modules:
        for constant, metric in vars(module).items():
            if isinstance(metric, Metric):
                homes.setdefault((metric.name, metric.statistics), f"{module.__name__}.{constant}")
    entries = []
    for name, metric in metrics.items():
        if (home := homes.get((metric.name, metric.statistics))) is None:
            raise LookupError(f"{name}: {metric!r} is a constant of none of the modules")
        higher = {"higher": "true", "lower": "false", None: "null"}[metric.better]  # null: lm-eval prints no arrow
        entries.append(f"  - metric: {name}\n    aggregation: !function {home}\n    higher_is_better: {higher}")
    return "\n".join(entries)


def main(wanted: Mapping[Path, str], written: Iterable[Path], package: str, arguments: list[str] | None = None) -> int:
    """Write the files of a generator, or check them.

    Args:
        wanted: path → text of each file.
        written: the files that exist and that the generator would have written; what is not wanted is removed.
        package: the family's package, for messages.
        arguments: of the command line; `--check` writes nothing.

    Returns:
        1 where `--check` found a difference, else 0.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {package}.generate", description="Write the YAML tasks.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a file differs")
    given = parser.parse_args(arguments)
    stale = [path for path in written if path not in wanted]
    changed = [path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if given.check:
        for path in (*changed, *stale):
            print(f"{path}: not as {package}.generate writes it. Run: python -m {package}.generate")
        return int(bool(changed or stale))
    for path in changed:
        path.parent.mkdir(exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
    for path in stale:
        path.unlink()
    return 0
