"""Shared by the tests of the judge: the default log level, and a judging whose verdicts are checked."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict

import pytest
from pydantic import SecretStr

from hueval_metrics.judge.ledger import ledger
from tests.fakes.judge_server import KEY, install_toy_rubric, judge_all, settings_for, toy_items


@pytest.fixture(autouse=True)
def default_log():
    """The command lowers the log level of the judge, and tests run the command in this process."""
    logging.getLogger("hueval_metrics.judge").setLevel(logging.NOTSET)


@pytest.fixture
def hurried():
    """A toy rubric, and nothing spent."""
    ledger.cache_clear()
    return install_toy_rubric()


@pytest.fixture
def judged(hurried, caplog):
    """Judge so many items; each must get its verdict, or an error on one line without the key."""
    caplog.set_level(logging.DEBUG)

    def run(url="", count=20, settings=None, **changes):
        settings = settings or settings_for(url, **({"api_key": SecretStr(KEY)} | changes))
        verdicts = judge_all(toy_items(count), hurried, settings)
        assert len(verdicts) == count
        for number, verdict in enumerate(verdicts):
            if verdict.is_missing:
                assert verdict.error and "\n" not in verdict.error
            else:
                assert verdict.label == ("NO" if number % 2 else "YES")
        assert KEY not in caplog.text + json.dumps([asdict(verdict) for verdict in verdicts])
        return verdicts

    return run
