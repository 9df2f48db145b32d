"""Run web server and worker."""

from __future__ import annotations

import signal
import socket
from contextlib import suppress
from threading import Event
from typing import Any

from hueval_metrics.api.boards import DONE
from hueval_metrics.errors import InputError
from hueval_site.config import Config, config
from hueval_site.manage.children import supervise
from hueval_site.manage.django_setup import set_up
from hueval_site.manage.setup import init, setup_link
from hueval_site.submissions.alive import alive


def up() -> int:
    """Set up what is missing, run web server and worker, and start again whichever ends."""
    settings = config()
    _check_port(settings)
    init()
    from django.db import connections

    if link := setup_link():
        print(f"First administrator, valid once: {link}", flush=True)
    print(
        f"{settings.url} (web and worker run as one user: for trials and development, not for hidden labels)",
        flush=True,
    )
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    connections.close_all()  # a connection is not for two processes
    supervise({"serve": serve, "work": work}, stop)
    return DONE


def serve() -> int:
    """Run gunicorn in this process.

    Raises:
        InputError: the port is in use.
    """
    settings = config()
    set_up()
    _check_port(settings)
    from django.db import DatabaseError, connections

    from hueval_site.submissions.begun import store_dates

    with suppress(DatabaseError):  # the worker does it too
        store_dates()
    connections.close_all()  # none is for two processes
    from gunicorn.app.base import BaseApplication

    class Server(BaseApplication):
        def load_config(self) -> None:
            for name, value in _gunicorn(settings).items():
                self.cfg.set(name, value)

        def load(self) -> Any:
            from django.urls import get_resolver

            from hueval_site.wsgi import application

            get_resolver().url_patterns  # noqa: B018  loads the pages before the processes fork, which share them then
            return application

    Server(prog="hueval site serve").run()
    return DONE


def work() -> int:
    """Score what waits and send mail, until stopped; while the database is away, wait for it."""
    set_up()
    from django.db import OperationalError

    from hueval_site.scoring.loop import run
    from hueval_site.scoring.stop import STOP
    from hueval_site.submissions.seasons import renew_all

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, STOP.handle)
    with alive():
        with suppress(OperationalError):  # it is waited for
            renew_all()
        run(STOP)
    return DONE


def _gunicorn(settings: Config) -> dict[str, Any]:
    return {
        "bind": f"{settings.bind}:{settings.port}",
        "workers": settings.workers,
        "threads": settings.threads,
        "worker_class": "hueval_site.manage.slow_clients.Worker",
        "preload_app": True,
        "timeout": 60,
        "graceful_timeout": 20,
        "max_requests": 10_000,
        "max_requests_jitter": 1_000,
        "proc_name": "hueval-site",
        "loglevel": "warning",
        "control_socket_disable": True,
        # Only a proxy may say that the reader came by https.
        "forwarded_allow_ips": "*" if settings.trusted_proxy else "",
    }


def _check_port(settings: Config) -> None:
    """Raise InputError where nothing can listen on the port."""
    family = socket.AF_INET6 if ":" in settings.bind else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.bind, settings.port))
        except OSError as error:
            raise InputError(
                f"cannot listen on {settings.bind} port {settings.port} ({error.strerror}). Stop what is there, or "
                "name another port: --port"
            ) from None
