"""How many files a verdict passes from the judge's reply to its row: counts that may fall and not rise.

Seen by: the files of which a function is given the reply, alone or in a record, or returns it, in the engine's thread
and in the caller's. Handing it on: those of them that give it to another file than the one that they had it from.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from hueval_metrics.scoring.judged import JudgePlan
from tests.fakes.judge_server import FakeJudge
from tests.scoring.conftest import plain, write_lines
from tests.scoring.judged_runs import QA, TASK, score

HOUSE = f"{Path(__file__).parents[2]}/"
MARK = "egyedi-jel"  # of the judge's reply alone
REPLY = f'{{"evaluation": "Correct", "note": "{MARK}"}}'
READERS = (  # how a rubric reads a reply, and how a hook scores a label
    "hueval_metrics/answers/",
    "hueval_metrics/metrics/",
    "hueval_metrics/text/hanzi.py",
    "lm_eval_tasks/",
)


class Way:
    """The files that see the mark, in this thread and in all that are started while it is traced.

    Attributes:
        seen: file → its functions.
        hands: the files that hand the mark on.
    """

    def __init__(self) -> None:
        self.seen: dict[str, set[str]] = {}
        self.hands: set[str] = set()
        self._givers: dict[FrameType, set[str]] = {}  # call under way → the files that it has the mark from

    def __enter__(self) -> Way:
        sys.setprofile(self._note)
        threading.setprofile(self._note)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]

    def _note(self, frame: FrameType, event: str, value: Any) -> None:
        if event not in ("call", "return") or not (file := _file(frame)):
            return
        code, back = frame.f_code, frame.f_back
        names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        given = [frame.f_locals.get(name) for name in names if name != "self"]
        if any(has_mark(one) for one in (given if event == "call" else [value])):
            self.seen.setdefault(file, set()).add(code.co_qualname)
            if back is not None and _file(back):
                self._hand(*((back, frame) if event == "call" else (frame, back)))
        if event == "return":
            self._givers.pop(frame, None)

    def _hand(self, giver: FrameType, taker: FrameType) -> None:
        one, other = _file(giver), _file(taker)
        had_from = self._givers.setdefault(giver, set())
        self._givers.setdefault(taker, set()).update(had_from if one == other else {one})
        if one != other and (not had_from or had_from - {other}):
            self.hands.add(one)


def _file(frame: FrameType) -> str:
    """The file of a function, below the checkout; empty where it is not of the library."""
    file = frame.f_code.co_filename.removeprefix(HOUSE)
    return file if file.startswith(("hueval_metrics/", "lm_eval_tasks/")) else ""


def has_mark(value: Any, depth: int = 4) -> bool:
    """Whether a value is a text with the mark, or a record or collection that has one inside."""
    if isinstance(value, (str, bytes)):
        return MARK in (value.decode(errors="replace") if isinstance(value, bytes) else value)
    inside: Any = ()
    if isinstance(value, Mapping):
        inside = list(value.values())
    elif isinstance(value, (list, tuple)):
        inside = list(value)
    elif is_dataclass(value) and not isinstance(value, type):
        inside = [getattr(value, one.name, None) for one in fields(value)]
    return bool(depth) and any(has_mark(one, depth - 1) for one in inside)


@pytest.fixture(autouse=True)
def sample(clean_environment, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")


def test_a_verdict_up_to_its_row(tmp_path, monkeypatch):
    predictions = write_lines(tmp_path / "p.jsonl", plain(QA)[:1])
    with FakeJudge(lambda *_: REPLY) as judge:
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", judge.url)
        monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "second")
        monkeypatch.setenv("HUEVAL_QUIET", "1")
        with Way() as way:
            _, (row,) = score(predictions, tmp_path / "out", JudgePlan(), TASK)
    assert row["verdict"]["raw"] == REPLY
    seen, hands = (sorted(one for one in found if not one.startswith(READERS)) for found in (way.seen, way.hands))
    assert {"hueval_metrics/judge/client/servers.py", "hueval_metrics/scoring/write.py"} <= {*seen}
    assert len(seen) <= 18, f"{len(seen)} files see it:\n" + "\n".join(seen)
    assert len(hands) <= 10, f"{len(hands)} files hand it on:\n" + "\n".join(hands)
