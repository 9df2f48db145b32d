"""Sanitise untrusted text (exceptions, file names, servers' answers) for a terminal and for messages.

Removes escape sequences, control characters and bidirectional marks, which could erase or forge a line, or make a name
look like another one (Trojan Source, Boucher & Anderson 2021).
"""

from __future__ import annotations

import re

# Whole sequences are removed: without its first character the rest would print as garbage ("[31m").
_ANSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -~]?")


def printable(text: object) -> str:
    r"""The text without escape sequences and invisible characters; line breaks and control characters become blanks.

    A lone surrogate, which UTF-8 cannot encode, is written as its escape sequence.

    >>> printable("a\tb.json\x1b[2J\n\u202egnp.exe")
    'a b.json gnp.exe'
    """
    whole = _ANSI.sub("", str(text)).encode("utf-8", "backslashreplace").decode()
    if whole.isprintable():
        return whole
    return "".join(c if c.isprintable() else " " if c.isspace() or c < "\xa0" else "" for c in whole)


def one_line(text: object, limit: int = 160) -> str:
    """The printable text with single blanks, truncated to `limit` characters.

    >>> one_line("timed out\\n(see the log)")
    'timed out (see the log)'
    """
    words = " ".join(printable(text).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"
