"""Rows as a user has them in memory: replies to the packaged sample, right and wrong by turns."""

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.registry import task_spec

FIB, PAIRS, QA = "openhueval_hustandardfib", "openhueval_huproverbrea_2cq", "openhueval_husimpleqa"


@pytest.fixture
def on_the_sample(monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")


def rows_of(task, wrong_every=3):
    """A row for each document of a task: the reference, or in every third place what is none."""
    spec = task_spec(task)
    fields = spec.declared.key
    return [
        {name: doc[name] for name in fields}
        | {"prediction": "Nem tudom." if place % wrong_every == 0 else str(spec.target(doc))}
        for place, doc in enumerate(documents(task)[0])
    ]
