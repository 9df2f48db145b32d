"""Escapes names from results files for each output format; a model name may contain any character."""

from __future__ import annotations

import re
from functools import lru_cache

from hueval_metrics.one_line import printable

_MARKDOWN = re.compile(r"([\\`*_\[\]|~$#!])")
# Sites turn addresses, @mentions and #references into links after Markdown is rendered: a backslash does not help.
_LIVE = re.compile(r"(?<=@)(?=[\w\\])|(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=#)(?=\d)|(?<=\bgh-)(?=\d)", re.IGNORECASE)
_WORD_JOINER = "&#8288;"  # invisible, and no part of an address, mention or reference
_LATEX = {
    **{char: "\\" + char for char in "&%_{}#$"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "--": "-{}-"},  # other glyphs in old encodings
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "…": r"\ldots{}",
    **{"¹": r"\textsuperscript{1}", "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}"},
}
_LATEX_CHARS = re.compile("|".join(re.escape(key) for key in sorted(_LATEX, key=len, reverse=True)))


@lru_cache(maxsize=4096)  # the same few names are in thousands of cells
def plain(text: str) -> str:
    r"""One line without terminal sequences, control, invisible, direction-changing and unpaired surrogate characters.

    >>> plain("\x1b[31mred\x1b[0m\nmodel\u202e")
    'red model'
    """
    return " ".join(printable(text).split()) or "(unnamed)"


def markdown(text: str) -> str:
    r"""Text that Markdown prints literally, in a table cell too; nothing in it becomes a link.

    >>> markdown("a|b_<i> @me")
    'a\\|b\\_&lt;i&gt; @&#8288;me'
    """
    entities = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _LIVE.sub(_WORD_JOINER, _MARKDOWN.sub(r"\\\1", entities))


def latex(text: str) -> str:
    r"""Text that LaTeX prints literally.

    >>> latex("50 % of a_b")
    '50 \\% of a\\_b'
    """
    return _LATEX_CHARS.sub(lambda match: _LATEX[match.group()], plain(text))
