"""`hueval view`: the page of a folder of runs, live."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hueval_metrics.words.texts import ENGLISH, LANGUAGES

_PORT = 7654


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 6) or int(text) > 65_535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port. A number from 0 to 65535")
    return int(text)


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    view = commands.add_parser(
        "view",
        help="the page of a folder of runs in a browser, live while they go on",
        description="Serves the page on this machine alone, at an address that cannot be guessed. Ctrl-C ends it.",
    )
    view.add_argument("path", type=Path, metavar="DIR", help="the --output_path of the runs; it may not exist yet")
    view.add_argument("--port", type=_port, default=_PORT, help=f"0 for any that is free (default: {_PORT})")
    view.add_argument("--lang", choices=LANGUAGES, default=ENGLISH, help="in which the page opens (default: en)")
    view.set_defaults(call=_view)


def _view(args: argparse.Namespace) -> int:
    import asyncio
    import logging

    from hueval_metrics.exit_status import DONE
    from hueval_metrics.view.server import serve

    logging.getLogger("hueval_metrics").setLevel(logging.ERROR)  # the page has the warnings, and is made many times
    if not args.path.exists():
        print(f"{args.path}: nothing there yet; the page waits for a run.")
    asyncio.run(serve(args.path, args.port, args.lang, lambda address: print(address, flush=True)))
    return DONE
