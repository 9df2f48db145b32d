"""Run web server and worker."""

from __future__ import annotations

import logging
import signal
import subprocess
import sys
import time
from threading import Event
from typing import Any

from hueval_metrics.exit_status import DONE
from hueval_site.config import config
from hueval_site.manage.django_setup import set_up
from hueval_site.manage.setup import init, setup_link

log = logging.getLogger(__name__)

POLL_S = 0.5


def up() -> int:
    """Set up what is missing, run web server and worker, and start again whichever ends."""
    init()
    settings = config()
    if link := setup_link():
        print(f"First administrator, valid once: {link}", flush=True)
    print(
        f"{settings.url} (web and worker run as one user: for trials and development, not for hidden labels)",
        flush=True,
    )
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    command = [sys.executable, "-m", "hueval_metrics", "site"]
    started: dict[str, subprocess.Popen[bytes]] = {}
    while not stop.is_set():
        for name in ("serve", "work"):
            if name not in started or started[name].poll() is not None:
                if name in started:
                    log.warning("%s ended with status %s; it is started again", name, started[name].returncode)
                started[name] = subprocess.Popen([*command, name], start_new_session=True)
        stop.wait(1)
    for process in started.values():
        process.terminate()
    for process in started.values():
        process.wait()
    return DONE


def serve() -> int:
    """Run gunicorn in this process."""
    set_up()
    from gunicorn.app.base import BaseApplication

    settings = config()

    class Server(BaseApplication):
        def load_config(self) -> None:
            given: dict[str, Any] = {
                "bind": f"127.0.0.1:{settings.port}",
                "workers": settings.workers,
                "threads": settings.threads,
                "worker_class": "gthread",
                "timeout": 60,
                "graceful_timeout": 20,
                "max_requests": 10_000,
                "max_requests_jitter": 1_000,
                "proc_name": "hueval-site",
            }
            for name, value in given.items():
                self.cfg.set(name, value)

        def load(self) -> Any:
            from hueval_site.wsgi import application

            return application

    Server(prog="hueval site serve").run()
    return DONE


def work() -> int:
    """Score what waits and send mail, until stopped."""
    set_up()
    from hueval_site.scoring.work import score_waiting
    from hueval_site.submissions.mails import send_mails

    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    while not stop.is_set():
        started = time.monotonic()
        score_waiting()
        send_mails()
        stop.wait(max(0.0, POLL_S - (time.monotonic() - started)))
    return DONE
