"""Text from elsewhere, such as an exception or a server's answer, fit for a message of one line."""

from __future__ import annotations


def one_line(text: object, limit: int = 160) -> str:
    """The text without line breaks and control characters, cut to a length that a message can carry.

    >>> one_line("timed out\\n(see the log)")
    'timed out (see the log)'
    """
    printable = "".join(c if c.isprintable() else " " for c in str(text))
    words = " ".join(printable.split())
    return words if len(words) <= limit else words[: limit - 1] + "…"
