"""What the OpenHuEval paper printed: scores, ranks on other benchmarks, and what the models are (README.md).

Made under another protocol than ours (its own prompts, settings, judge and the reference scorer), so to be set beside
our figures, not among them.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

from hueval_metrics.records import InputError
from hueval_metrics.stats.model_cards import ModelCard, read_model_cards

Table = Literal["table5", "table11"]

OURS = ("huproverbrea", "husimpleqa")  # columns of ranks.csv that are OpenHuEval's own
_HERE = files("hueval_metrics.published")


def published_scores(table: Table = "table5") -> dict[str, dict[str, dict[str, float]]]:
    """Model → task → metric → score in percent, models in the order printed.

    Args:
        table: `table5`, ten models on all tasks; `table11`, the same on HuSimpleQA with every metric.

    >>> published_scores()["GPT-4o"]["openhueval_huproverbrea_2cq"]
    {'acc': 95.51}
    """
    scores: dict[str, dict[str, dict[str, float]]] = {}
    for row in _rows(f"{table}.csv"):
        tasks = scores.setdefault(row.pop("model"), {})
        for column, text in row.items():
            task, _, metric = column.partition("/")
            tasks.setdefault(task, {})[metric] = float(text)
    return scores


def published_ranks(benchmark: str) -> dict[str, float]:
    """Model → rank on a benchmark, from Tables 6, 7 and 12.

    Args:
        benchmark: one of `published_benchmarks`, or of `OURS`: HuProverbRea ranked by 2CQ, HuSimpleQA by `correct`.

    Raises:
        InputError: there is no such benchmark.

    >>> published_ranks("simpleqa")["QwQ"]
    5.0
    """
    rows = _rows("ranks.csv")
    if benchmark == "model" or benchmark not in rows[0]:
        raise InputError(f'no published ranks of "{benchmark}". Published: {", ".join(published_benchmarks())}')
    return {row["model"]: float(row[benchmark]) for row in rows}


def published_benchmarks() -> Sequence[str]:
    """The other benchmarks with published ranks: MAPS in six languages, and SimpleQA."""
    return [name for name in _rows("ranks.csv")[0] if name not in ("model", *OURS)]


def model_cards(path: Path | None = None) -> dict[str, ModelCard]:
    """What the models are: those of Table 4, or those of a file of the user's.

    Args:
        path: a YAML file; None for Table 4.

    Raises:
        InputError: see `stats.model_cards.read_model_cards`.

    >>> model_cards()["Deepseek-R1"].base
    'Deepseek-V3'
    """
    if path is not None:
        return read_model_cards(path)
    with as_file(_HERE / "model_cards.yaml") as packaged:
        return read_model_cards(packaged)


def _rows(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader((_HERE / name).read_text(encoding="utf-8").splitlines()))
