"""A run that is killed while thoughts are scored goes on where it was: only what is missing is asked."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fakes.thought_judge import judge, step_of
from tests.features.traces.thought_items import item_of, values
from tests.killed import kill_after

pytestmark = pytest.mark.process

ITEMS, THOUGHTS, SCORED = 10, 6, 25
RUN = """
import pytest
import sys
sys.path.insert(0, sys.argv[2])
from hueval_metrics.traces.judging import Asking
from hueval_metrics.traces.settings import Settings
from hueval_metrics.traces.steps.thoughts import step
from tests.fakes.judge_server import settings_for
from tests.features.traces.test_thoughts_killed import items
step(items(), Asking(settings_for(sys.argv[1])), Settings(("thoughts",)))
"""


def items():
    """Ten replies of six thoughts each, no two alike."""
    return [item_of(n, " ".join(f"De {n} {k}." for k in range(THOUGHTS))) for n in range(ITEMS)]


def test_killed_in_the_third_step():
    kill_after(2 * ITEMS + SCORED, judge, RUN)
    found, requests = values(items())
    assert Counter(map(step_of, requests)) == {"thought": ITEMS * THOUGHTS - SCORED}
    assert [value["starts"] for value in found.values()] == [[8 * k for k in range(THOUGHTS)]] * ITEMS
    assert all(value["scores"] == [0] * THOUGHTS for value in found.values())
    _, none = values(items())
    assert none == []
