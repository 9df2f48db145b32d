"""The settings of the judge as its environment variables have them; `variables.py` reads these when it is needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace

from hueval_metrics.judge.settings import JudgeSettings

_asks_final: ContextVar[bool] = ContextVar("asks_final", default=False)


def judge_settings() -> JudgeSettings:
    """The settings of the environment variables; an empty variable counts as unset.

    Under accelerate or torchrun (`WORLD_SIZE`) each rank judges its own part of the responses, with an equal part of
    the concurrency, the rate limits and the budget.

    Raises:
        InputError: a value is invalid; one line names the variable, the value and what is expected.
        DataError: HUEVAL_QUIET is invalid.
    """
    from hueval_metrics.judge.variables import read_variables  # imports pydantic-settings, which takes 0.1 s

    return replace(read_variables(), asks_final=_asks_final.get())


@contextmanager
def asking_final(is_asked: bool) -> Iterator[None]:
    """Whether `judge_settings` asks again for verdicts that the judge is known not to give (`--ask-final`)."""
    token = _asks_final.set(is_asked)
    try:
        yield
    finally:
        _asks_final.reset(token)
