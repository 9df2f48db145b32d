"""The text of a reply as a reader sees it: without HTML, LaTeX commands, Markdown escapes and full-width forms."""

from __future__ import annotations

import html
import re

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: " ", 0x3010: "[", 0x3011: "]"}
_SPACES = {0xA0: " ", 0x2007: " ", 0x202F: " ", 0x2009: " "}
_PLAIN = _FULL_WIDTH | _SPACES
_ESCAPED_MARK = re.compile(r"\\{1,4}#")
_ENTITY = re.compile(r"&(?:#\d{1,6}|#x[0-9a-f]{1,5}|[a-z]{2,8}\d?);", re.IGNORECASE)
_LINE_TAG = re.compile(r"</?(?:tr|li|p|div|br|ul|ol|pre)\b[^<>]{0,100}>", re.IGNORECASE)
_CELL_TAG = re.compile(r"</t[dh]>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:[A-Za-z][A-Za-z0-9]{1,15}|[abipsu])(?:\s[^<>]{0,200})?/?>")  # "<F>" is an option
_STRUCK = re.compile(r"~~[^~\n]{1,200}~~|<(s|del|strike)>[^<>\n]{0,200}</\1>", re.IGNORECASE)
_TEX = re.compile(r"\\(?:boxed|text|textbf|mathrm|mathbf|textit)\s?\{([^{}]{0,2000})\}")


def readable(text: str) -> str:
    r"""The text with ASCII for full-width forms, no invisible characters, and unescaped marks and HTML entities.

    HTML entities inside JSON strings are kept, since an unescaped quote would end the string.

    >>> readable("｛&quot;answer&quot;：[&quot;\\#0\\#Ａ&quot;]｝")
    '{"answer":["#0#A"]}'
    """
    text = _INVISIBLE.sub("", text).translate(_PLAIN)
    if '"' not in text and _ENTITY.search(text):
        text = html.unescape(text)
    return _ESCAPED_MARK.sub("#", text)


def without_markup(text: str) -> str:
    r"""The text without HTML, LaTeX commands and struck-through text; table rows and cells remain separated.

    >>> without_markup("~~A~~ <b>F</b> &amp; $\\text{G}$")
    ' F & $G$'
    """
    text = _STRUCK.sub("", text)
    if "<" in text:
        text = _TAG.sub("", _CELL_TAG.sub(" | ", _LINE_TAG.sub("\n", text)))
    if "&" in text:
        text = html.unescape(text)
    for _ in range(2 if "\\" in text else 0):  # \boxed{\text{F}}
        text = _TEX.sub(r"\1", text)
    return text
