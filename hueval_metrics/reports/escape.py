"""Names from results files, made harmless for each place that prints them; a model name may hold anything."""

from __future__ import annotations

import re
import unicodedata

# Terminal escape sequences go as a whole: without its first character the rest would print as litter ("[31m").
_ANSI = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -~]?")
_SPACE = re.compile(r"\s+")
_MARKDOWN = re.compile(r"([\\`*_\[\]|~$#!])")
_LATEX = {
    **{char: "\\" + char for char in "&%_{}#$"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "--": "-{}-"},  # other glyphs in old encodings
    **{"¹": r"\textsuperscript{1}", "²": r"\textsuperscript{2}", "³": r"\textsuperscript{3}"},
}
_LATEX_CHARS = re.compile("|".join(re.escape(key) for key in sorted(_LATEX, key=len, reverse=True)))


def plain(text: str) -> str:
    r"""One line without terminal sequences, control, invisible, direction-changing and unpaired characters.

    >>> plain("\x1b[31mred\x1b[0m\nmodel\u202e")
    'red model'
    """
    spaced = _SPACE.sub(" ", _ANSI.sub("", text))
    # Cc control, Cf invisible and direction marks, Cs lone surrogates (no file can hold them).
    visible = "".join(c for c in spaced if unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    return _SPACE.sub(" ", visible).strip() or "(unnamed)"


def markdown(text: str) -> str:
    r"""Text that Markdown prints letter by letter, in a table cell too.

    >>> markdown("a|b_<i>")
    'a\\|b\\_&lt;i&gt;'
    """
    entities = plain(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", entities)


def latex(text: str) -> str:
    r"""Text that LaTeX prints letter by letter.

    >>> latex("50 % of a_b")
    '50 \\% of a\\_b'
    """
    return _LATEX_CHARS.sub(lambda match: _LATEX[match.group()], plain(text))


def spreadsheet(text: str) -> str:
    """Text that a spreadsheet does not take for a formula: a leading =, +, - or @ gets an apostrophe before it.

    >>> spreadsheet("=HYPERLINK(1)")
    "'=HYPERLINK(1)"
    """
    clean = plain(text)
    return "'" + clean if clean.startswith(("=", "+", "-", "@")) else clean
