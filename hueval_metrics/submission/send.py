"""Send files to a leaderboard, and print what it says of each."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hueval_metrics.errors import HuevalError, InputError
from hueval_metrics.exit_status import DONE, USER_ERROR
from hueval_metrics.one_line import one_line
from hueval_metrics.submission.client import Allowance, SiteClient, Submission
from hueval_metrics.text.files import read_text
from hueval_metrics.text.foreign import parse_yaml

SHOWN_FAULTS = 20
NEEDED = ("model_name", "contamination")
NOT_SCORED = frozenset({"faulty", "failed", "refused"})  # there is no result to come


def read_card(path: Path | None, given: Mapping[str, Any]) -> dict[str, Any]:
    """A model card: the fields of a YAML file, and those given as options, which come first.

    Raises:
        InputError: the file cannot be read or has no fields, or one that every card needs is missing.
    """
    found: object = {}
    if path is not None:
        try:
            found = parse_yaml(read_text(path))
        except OSError as error:
            raise InputError(f"{one_line(path)}: {error.strerror}. Name the file of the model card") from None
        except ValueError as error:
            raise InputError(f"{one_line(path)}: no YAML ({one_line(error, 80)}). Write lines FIELD: VALUE") from None
        if not isinstance(found, dict):
            raise InputError(f"{one_line(path)}: expected lines FIELD: VALUE, such as model_name: …")
    card = {str(name): value for name, value in dict(found).items()}  # type: ignore[call-overload]
    card |= {name: value for name, value in given.items() if value is not None}
    if missing := [name for name in NEEDED if card.get(name) in (None, "")]:
        options = " and ".join(f"--{name.replace('_', '-')}" for name in missing)
        raise InputError(f"the model card lacks {' and '.join(missing)}. Name {options}, or write the card: --card")
    return card


async def send(
    files: Sequence[Path], address: str, token: str, task: str, card: Mapping[str, Any], *, waits: bool
) -> int:
    """Send files, one after another, and print what becomes of each.

    Args:
        files: to send.
        address: see `client.site_address`.
        token: see `client.token_of_environment`.
        task: of all files; empty for what their names or members say.
        card: the model card, the same for all.
        waits: whether to wait for results.

    Returns:
        The exit status.

    Raises:
        SiteError: before the first upload: the token or the task is not accepted, or the site does not answer.
        InputError: a file is not there.
    """
    for path in files:
        if not path.is_file():
            raise InputError(f"{one_line(path)}: no such file. Name the file with the predictions")
    status = DONE
    async with SiteClient(address, token) as site:
        if task:
            _print_allowance(await site.allowance(task))
        else:
            await site.check_token()
        for path in files:
            try:
                sent = await site.submit(path, task, card)
                if not task:
                    for name in dict.fromkeys(one.task for one in sent):
                        _print_allowance(await site.allowance(name))
                for submission in sent:
                    _print(path, submission)
                    if waits and not submission.is_final:
                        submission = await site.finished(submission)
                        _print(path, submission)
                    if submission.is_final and submission.state in NOT_SCORED:
                        status = USER_ERROR
            except HuevalError as error:
                print(f"hueval: {one_line(path)}: {error}", file=sys.stderr)
                status = USER_ERROR
    return status


def _print_allowance(found: Allowance) -> None:
    """Print what is left of the limits."""
    spans = {"day": "today", "month": "in 30 days", "year": "in 365 days"}
    parts = [
        f"{max(0, limit.most - limit.used)} of {limit.most} left {spans.get(name, one_line(name, 20))}"
        for name, limit in found.used.items()
    ]
    left = f"{', '.join(parts)}; {found.uploads_left} uploads left today"
    print(f"{one_line(found.task, 80)}: {one_line(found.closed, 300) or left}", flush=True)


def _print(path: Path, found: Submission) -> None:
    said = ". ".join(part.rstrip(".") for part in (found.state_text, found.reason, found.told_text) if part)
    print(
        f"{one_line(path)} → {one_line(found.task, 80)}: {one_line(said, 600)}. {one_line(found.url, 300)}", flush=True
    )
    for fault in found.faults[:SHOWN_FAULTS]:
        print(f"  {one_line(fault.text, 500)}")
    if found.n_faults > SHOWN_FAULTS:
        print(f"  {found.n_faults - SHOWN_FAULTS} more: see the page above")
