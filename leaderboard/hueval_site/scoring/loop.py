"""A worker: one thread scores; another sends mails, takes up what crashes have left, and is not held up by scoring."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from threading import Thread

from django.db import close_old_connections, connections

from hueval_metrics.errors import HuevalError
from hueval_site.boards import every_board
from hueval_site.outages import SELDOM_S
from hueval_site.scoring.judging import publish_readiness
from hueval_site.scoring.stop import Stop
from hueval_site.scoring.sweep import sweep
from hueval_site.scoring.tasks import prune_tasks, run_tasks
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.begun import store_dates
from hueval_site.submissions.mails import forget_mails, send_mails
from hueval_site.submissions.receive import remove_orphans
from hueval_site.submissions.seasons import renew, renew_all

POLL_S = 0.25  # for tasks, which wake
LOOK_S = 2.0  # for what waits without a task: one was lost, a lease has run out, a pause is over
SWEEP_S = 5.0
READY_S = 120.0  # for whether the judge can be asked
PRUNE_S = 3600.0
MOST_PAUSE_S = 10.0  # while the database is away

log = logging.getLogger(__name__)


def run(stop: Stop) -> None:
    """Score what waits and send mail; boards whose judge has changed begin a season first.

    Args:
        stop: ends it: at once, as a submission that is being scored goes back into the queue.
    """
    thread = Thread(target=_repeat, args=(stop, {send_mails: 1.0, sweep: SWEEP_S, _prepare: READY_S, _prune: PRUNE_S}))
    thread.start()
    _repeat(stop, {store_dates: math.inf, renew_all: math.inf, run_tasks: POLL_S, score_waiting: LOOK_S})
    thread.join()


def _repeat(stop: Stop, jobs: dict[Callable[[], object], float]) -> None:
    """Run each job whenever its seconds are over, and none before those that stand before it have once succeeded.

    While the database is away, all are run more and more seldom.
    """
    due = dict.fromkeys(jobs, 0.0)
    n_failed, said = 0, -SELDOM_S
    while not stop.is_set:
        close_old_connections()
        try:
            for job, seconds in jobs.items():
                if time.monotonic() >= due[job] and not stop.is_set:
                    job()
                    due[job] = time.monotonic() + seconds
        except Exception as error:  # its text may quote a row
            n_failed += 1
            pause = min(MOST_PAUSE_S, 0.5 * 2 ** min(n_failed, 10))
            if time.monotonic() - said >= SELDOM_S:
                log.error("%s failed (%s); next attempt in %g s", job.__name__.strip("_"), type(error).__name__, pause)
                said = time.monotonic()
            connections.close_all()
            stop.wait(pause)
        else:
            n_failed = 0
            stop.wait(max(0.0, min(due.values()) - time.monotonic()))
    connections.close_all()


def _prepare() -> None:
    """Open new seasons where what a board fixes has changed, and tell the web process which boards can be judged."""
    for board in every_board().values():
        try:
            renew(board)
        except HuevalError as error:
            log.error("%s: %s", board.task, error)
    publish_readiness()


def _prune() -> None:
    prune_tasks()
    forget_mails()
    remove_orphans()
