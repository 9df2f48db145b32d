"""What needs no judge of each reply, as rows of traces.jsonl: in several processes where there is much to do."""

from __future__ import annotations

import gc
import os
import signal
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any

from hueval_metrics.errors import InputError
from hueval_metrics.tokens import Counter, Tokens
from hueval_metrics.traces.free import life, text
from hueval_metrics.traces.inputs import TraceItems
from hueval_metrics.traces.item import Row, TraceItem
from hueval_metrics.traces.measures import Measure
from hueval_metrics.traces.settings import FREE


def _tokens(row: Row) -> tuple[float, float] | None:
    return (row["tokens"], 1) if row["blocks"] else None


def _looping(row: Row) -> tuple[float, float] | None:
    return (row["free"]["looping"], 1) if row["blocks"] else None


MEASURES: tuple[Measure, ...] = (
    Measure("tokens", FREE, "tokens", _tokens, tested=True, source="arXiv:2503.21500, Figure 4"),
    Measure("tokens_median", FREE, "tokens", _tokens, is_median=True),
    Measure("tokens_ref", FREE, "tokens", lambda row: (row["tokens_ref"], 1)),
    Measure("truncated_rate", FREE, "%", lambda row: (row["truncated"], 1)),
    Measure("no_trace_rate", FREE, "%", lambda row: (not row["blocks"], 1)),
    Measure("looping_rate", FREE, "%", _looping),
)
MUCH = 2**22  # bytes of input from which processes pay: starting them takes a tenth of a second
_MOST = 8  # processes; the one that reads the files feeds no more
_CHUNK = 8  # replies that are sent to a process at a time

_counters: Mapping[str, Counter] = {}  # of the process: label of a run → what counts its tokens


def rows(items: TraceItems, counters: Mapping[str, Counter]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Index and row of each reply, in order; few are held at a time.

    Args:
        items: the replies.
        counters: label of a run → what counts its tokens.

    Raises:
        InputError: a row is not usable, or a process was ended from outside.
    """
    workers = min(_MOST, len(os.sched_getaffinity(0))) if sys.platform == "linux" else 1
    given = iter(items)
    _start(counters)
    if workers < 2 or items.n_bytes < MUCH:
        yield from map(_row, given)
        return
    yield from _rows(list(islice(given, _CHUNK)))  # what they load, the processes share
    gc.freeze()
    # Forked, so that a script without `if __name__ == "__main__"` is not run again in each process.
    pool = ProcessPoolExecutor(workers, get_context("fork"), initializer=_start_process, initargs=(counters,))
    waiting: deque[Future[list[tuple[int, dict[str, Any]]]]] = deque()
    try:
        while chunk := list(islice(given, _CHUNK)):
            waiting.append(pool.submit(_rows, chunk))
            if len(waiting) > 4 * workers:
                yield from waiting.popleft().result()
        while waiting:
            yield from waiting.popleft().result()
    except BrokenProcessPool:
        raise InputError(
            "a process of the analysis was ended from outside, as the system does where memory runs out. Analyse "
            "fewer runs at a time"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)
        gc.unfreeze()


def _start(counters: Mapping[str, Counter]) -> None:
    global _counters
    _counters = counters


def _start_process(counters: Mapping[str, Counter]) -> None:
    _start(counters)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all: the first process ends the others
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """One that was killed closes no queue, on which this process would wait for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _rows(chunk: list[TraceItem]) -> list[tuple[int, dict[str, Any]]]:
    return [_row(item) for item in chunk]


def _row(item: TraceItem) -> tuple[int, dict[str, Any]]:
    return item.index, row_of(item, _counters[item.run].of(item.reply, item.blocks))


def row_of(item: TraceItem, tokens: Tokens) -> dict[str, Any]:
    """What the row of a reply has before any step of a judge: no text of the reply, offsets are of its trace."""
    return {
        "run": item.run,
        "task": item.task,
        "key": list(item.key),
        "cluster": item.cluster,
        "verdict": item.verdict,
        "share": item.share,
        "weight": item.weight,
        "truncated": item.truncated,
        "blocks": [list(block) for block in item.blocks],
        "tokens": tokens.trace,
        "tokens_ref": tokens.reply,
        "reasoning_tokens": item.reasoning_tokens,
        "free": text.features(item),
        "life": life.life(item, tokens),
    }
