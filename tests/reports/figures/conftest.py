"""Runs, items and drawn figures as the tests of the figures read them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from hueval_metrics.comparison.against import main_table
from hueval_metrics.reports.figures.build import figures
from hueval_metrics.reports.figures.figure import Figure, svg
from hueval_metrics.reports.figures.gather import FigureData
from hueval_metrics.reports.figures.theme import LIGHT, Theme
from hueval_metrics.runs.items import Item
from hueval_metrics.runs.run import Run
from tests.helpers import run_of

QA, WILD = "openhueval_husimpleqa", "openhueval_huwildbench"


def figures_of(runs: Sequence[Run], rows: Sequence[Sequence[Mapping[str, Any]]]) -> list[Figure]:
    """The figures of runs that have these rows of `items.jsonl`."""
    data = FigureData()
    for run_index, own in enumerate(rows):
        for row in own:
            data.add(run_index, Item.of(row))
    return figures(data, runs)


@pytest.fixture
def published_runs() -> list[Run]:
    """The paper's ten models, with dimensions, coverage and truncation that it does not print."""
    runs = []
    for place, (label, tasks) in enumerate(main_table(QA).scores.items()):
        scores = {task: dict(metrics) | {"truncated_rate": float(place)} for task, metrics in tasks.items()}
        correct = scores[QA]["correct"]
        scores[QA] |= {"not_attempted": 5.0, "incorrect": 95.0 - correct, "judge_coverage": 100.0}
        scores[QA] |= {f"correct_{code}": correct for code in ("l", "h", "lcc", "ep", "gp", "f", "ppl", "bf")}
        scores[WILD] |= {f"wb_score_{code}": 70.0 + place for code in ("lcc", "ep", "ppl", "bf")}
        for task in ("openhueval_humatchingfib", "openhueval_hustandardfib"):
            scores[task] |= {"blank_acc_l": 40.0, "blank_acc_h": 30.0}
        intervals = {
            task: {metric: (max(0.0, value - 3), min(100.0, value + 3)) for metric, value in metrics.items()}
            for task, metrics in scores.items()
        }
        runs.append(run_of(label, Path("results.json"), scores, intervals))
    return runs


@pytest.fixture
def run() -> Callable[..., Run]:
    def make(label: str, scores: dict, intervals: dict | None = None, **more) -> Run:
        return run_of(label, Path("results.json"), scores, intervals or {}, **more)

    return make


@pytest.fixture
def texts() -> Callable[..., list[str]]:
    """What stands in a drawn figure, word for word."""

    def read(figure: Figure, theme: Theme = LIGHT) -> list[str]:
        root = ElementTree.fromstring(svg(figure, theme))
        return [element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text")]

    return read
