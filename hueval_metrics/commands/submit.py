"""`hueval submit`: send predictions to a leaderboard."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

_CARD = {
    "model_name": ("NAME", "name of the model"),
    "contamination": ("TEXT", "whether the test data can have been in the training data"),
    "size": ("BILLIONS", "parameters, in billions"),
    "openness": ("WORD", "open or closed"),
    "licence": ("NAME", "of the model, such as Apache-2.0"),
    "setting": ("WORD", "zero-shot, few-shot or fine-tuned"),
    "base": ("NAME", "base model"),
    "training_data": ("TEXT", "what it was trained on"),
    "link": ("URL", "a page about the model"),
}


def add(commands: Any) -> None:
    """Add the command to those of `hueval`."""
    submit = commands.add_parser(
        "submit",
        help="send predictions to a leaderboard",
        description="Sends files to a leaderboard, which checks and scores them. The token of your account page there "
        "is read from HUEVAL_SITE_TOKEN. A file is submitted once, even if the connection breaks.",
    )
    submit.add_argument(
        "files", type=Path, nargs="+", metavar="FILE", help="predictions in a format of the task, or a zip"
    )
    submit.add_argument(
        "--site", required=True, metavar="URL", help="the leaderboard, such as https://board.example.org"
    )
    submit.add_argument("--task", default="", help="of all files (default: as their names say)")
    submit.add_argument(
        "--card", type=Path, metavar="YAML", help="the model card: lines of the fields below, FIELD: VALUE"
    )
    submit.add_argument("--wait", action="store_true", help="wait for the results, and print them")
    card = submit.add_argument_group("the model card", "model_name and contamination are needed")
    for name, (metavar, text) in _CARD.items():
        card.add_argument(f"--{name.replace('_', '-')}", dest=f"card_{name}", metavar=metavar, help=text)
    submit.set_defaults(call=_submit)


def _submit(args: argparse.Namespace) -> int:
    import asyncio

    from hueval_metrics.submission.client import site_address, token_of_environment
    from hueval_metrics.submission.send import read_card, send

    address, token = site_address(args.site), token_of_environment()
    card = read_card(args.card, {name: getattr(args, f"card_{name}") for name in _CARD})
    return asyncio.run(send(args.files, address, token, args.task, card, waits=args.wait))
