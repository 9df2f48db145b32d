"""The tests of the client run in virtual time: pauses, time-outs and deadlines take no time."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def clock(virtual_clock):
    """Virtual time."""
