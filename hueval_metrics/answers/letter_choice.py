"""Read which of up to four lettered options a reply chooses."""

from __future__ import annotations

import re
from collections.abc import Sequence

LETTERS = "ABCD"


def read_letter(response: str, options: Sequence[str]) -> str | None:
    """The letter that a reply chooses; None where it chooses none, or leaves several open.

    Args:
        response: the reply without its reasoning trace.
        options: the texts of the options A, B, …, two to four.
    """
    found = re.findall(r"(?<![A-Za-z])[A-D](?![A-Za-z])", response)
    letters = LETTERS[: len(options)]
    return found[-1] if found and found[-1] in letters else None


def first_letter(response: str, n_options: int) -> str | None:
    """The first letter of an option in a reply, wherever it stands; None without one."""
    return next((letter for letter in response if letter in LETTERS[:n_options]), None)
