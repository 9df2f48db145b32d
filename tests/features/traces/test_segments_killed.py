"""A run that is killed while segments are classified goes on where it was: only what is missing is asked."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.fakes.segment_judge import judge, step_of
from tests.features.traces.test_segments import TRACE, item_of, values
from tests.killed import kill_after

pytestmark = pytest.mark.process

ITEMS, CLASSIFIED = 20, 8
RUN = """
import pytest
import sys
sys.path.insert(0, sys.argv[2])
from hueval_metrics.traces.judging import Asking
from hueval_metrics.traces.steps.segments import step
from hueval_metrics.traces.settings import Settings
from tests.fakes.judge_server import settings_for
from tests.features.traces.test_segments_killed import items
step(items(), Asking(settings_for(sys.argv[1])), Settings(("segments",)))
"""


def items():
    """Replies of which no two are alike."""
    return [item_of(n, TRACE.replace("text", f"text {n}")) for n in range(ITEMS)]


def test_killed_in_the_second_step():
    kill_after(ITEMS + CLASSIFIED, judge, RUN)
    found, requests = values(items())
    assert Counter(map(step_of, requests)) == {"segment_dimensions": ITEMS - CLASSIFIED}
    assert all(value["dimensions_left_out"] is None for value in found.values())
    assert [len(value["segments"]) for value in found.values()] == [5] * ITEMS
    _, none = values(items())
    assert none == []
