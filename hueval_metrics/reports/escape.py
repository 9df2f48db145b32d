"""Names from results files, made harmless for each place that prints them; a model name may hold anything."""

from __future__ import annotations

import re

from hueval_metrics.text.one_line import printable

_MARKDOWN = re.compile(r"([\\`*_\[\]|~$#!])")
# Sites make links of addresses, @mentions and #references in the finished page, where a backslash is gone already.
_LIVE = re.compile(r"(?<=@)(?=[\w\\])|(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=#)(?=\d)|(?<=\bgh-)(?=\d)", re.IGNORECASE)
_WORD_JOINER = "&#8288;"  # is not seen and belongs to none of them
_LATEX = {
    **{char: "\\" + char for char in "&%_{}#$"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "--": "-{}-"},  # other glyphs in old encodings
    "†": r"\textdagger{}",
    **{"¹": r"\textsuperscript{1}", "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}"},
}
_LATEX_CHARS = re.compile("|".join(re.escape(key) for key in sorted(_LATEX, key=len, reverse=True)))


def plain(text: str) -> str:
    r"""One line without terminal sequences, control, invisible, direction-changing and unpaired characters.

    >>> plain("\x1b[31mred\x1b[0m\nmodel\u202e")
    'red model'
    """
    return " ".join(printable(text).split()) or "(unnamed)"


def markdown(text: str) -> str:
    r"""Text that Markdown prints letter by letter, in a table cell too; nothing in it becomes a link.

    >>> markdown("a|b_<i> @me")
    'a\\|b\\_&lt;i&gt; @&#8288;me'
    """
    entities = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _LIVE.sub(_WORD_JOINER, _MARKDOWN.sub(r"\\\1", entities))


def latex(text: str) -> str:
    r"""Text that LaTeX prints letter by letter.

    >>> latex("50 % of a_b")
    '50 \\% of a\\_b'
    """
    return _LATEX_CHARS.sub(lambda match: _LATEX[match.group()], plain(text))
