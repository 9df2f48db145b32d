"""Text from elsewhere, such as an exception, a file's name or a server's answer, fit for a terminal and for a message.

What a terminal acts on is taken out: escape sequences, control characters, and the marks that turn the direction of
writing, with which a name can erase a line, forge one, or read as another (Trojan Source, Boucher & Anderson 2021).
"""

from __future__ import annotations

import re

# Sequences go as a whole: without its first character the rest would print as garbage ("[31m").
_ANSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -~]?")


def printable(text: object) -> str:
    r"""The text without escape sequences and invisible characters, its line breaks and controls as blanks.

    Half a surrogate pair, which no file can hold, is spelled out.

    >>> printable("a\tb.json\x1b[2J\n\u202egnp.exe")
    'a b.json gnp.exe'
    """
    whole = _ANSI.sub("", str(text)).encode("utf-8", "backslashreplace").decode()
    return "".join(c if c.isprintable() else " " if c.isspace() or c < "\xa0" else "" for c in whole)


def one_line(text: object, limit: int = 160) -> str:
    """The printable text with single blanks, cut to a length that a message can carry.

    >>> one_line("timed out\\n(see the log)")
    'timed out (see the log)'
    """
    words = " ".join(printable(text).split())
    return words if len(words) <= limit else words[: limit - 1] + "…"
