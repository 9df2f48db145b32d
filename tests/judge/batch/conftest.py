"""Shared by the tests of batches: virtual time."""

from __future__ import annotations

import pytest

from hueval_metrics.judge.batch.api import BatchApi


@pytest.fixture
def batch_clock(virtual_clock, monkeypatch):
    """Virtual time; each attempt at a request takes the real time that it needs."""
    monkeypatch.setattr(BatchApi, "_try", virtual_clock.counted(BatchApi._try))
