"""The templates of rubrics, and how values are inserted so that they cannot be read as anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

_SURROGATE = re.compile("[\ud800-\udfff]")
# Escaped besides what JSON escapes: line ends of some programs (U+0085, U+2028, U+2029), control characters, and
# invisible ones, which can make a text look like another. The joiners and marks of scripts and emoji stay.
_UNSAFE = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e0fff]")


def text_beside(module: str, name: str) -> str:
    """The text of `NAME.txt` beside a module, without the line break at its end.

    Args:
        module: the module's `__file__`.
        name: of the file.
    """
    return (Path(module).parent / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


def fill(text: str, values: Mapping[str, str]) -> str:
    """A template with its placeholders replaced in one pass: a placeholder in a value stays as it is.

    Args:
        text: the template; `{name}` is a placeholder where `name` is among the values, other braces are text.
        values: the value of each placeholder.

    >>> fill('{"a": {a}, "b": {b}}', {"a": "{b}", "b": "1"})
    '{"a": {b}, "b": 1}'
    """
    names = "|".join(map(re.escape, values))
    return re.sub(rf"\{{({names})\}}", lambda match: values[match[1]], text)


def json_string(value: object) -> str:
    r"""A value as a JSON string on one line, which no text can break out of; letters stay readable.

    Line breaks, control characters and lone surrogates, which no request can contain, are escaped and restored when
    the JSON is read.

    >>> json_string('a"}\nő')
    '"a\\"}\\nő"'
    """
    text = json.dumps(str(value), ensure_ascii=False)
    if text.isprintable() and len(text.encode("utf-16-le")) == 2 * len(text):  # the search takes three times as long
        return text
    return _UNSAFE.sub(lambda match: json.dumps(match[0])[1:-1], text)


def plain_text(value: object) -> str:
    r"""A value as text that a request can contain: a lone surrogate becomes U+FFFD.

    >>> plain_text("Szeged\ud800")
    'Szeged\ufffd'
    """
    return _SURROGATE.sub("\ufffd", str(value))
