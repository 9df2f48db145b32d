r"""The answer that QwQ-32B-Preview announces: a section "**Final Answer**", and a \boxed{} in it or at the end.

A section replaces the text before it only if it contains an answer. QwQ often writes the JSON that the prompt asks for,
and below it a section that repeats a letter or refers to "above"; then the JSON is the answer.
"""

from __future__ import annotations

import re

from hueval_metrics.languages.load import known, pattern, remembered, source

_BOX = re.compile(r"\\boxed\s*\{")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BOX_TAIL = re.compile(r"[\s\\\])}$.*]*")  # the end of the formula or sentence around a box
_OBJECT = re.compile(r"""\{\s*\\?["']""")
_ASKED_FOR = re.compile(r"""\{[^{}]{0,400}?["'](?:final_?)?answers?\\?["']\s*:""")  # JSON as a prompt asks for it
# LaTeX in a boxed answer, with the answer in group 1: \text{…}, and backslashes that LaTeX requires.
TEX_TEXT = re.compile(
    r"\\(?:text|textbf|mathrm|mathbf)(?:(?!\n\n)\s)*\{((?:\\.|[^{}\\]|\{(?:\\.|[^{}\\])*\})*)\}", re.DOTALL
)
TEX_ESCAPE = re.compile(r"(?<!\\)\\+([{}_#%&$])")
TEX_QUOTE = re.compile(r'(?<!\\)\\+(")')
BARE_QUOTE = re.compile(r'(?<!\\)"')  # if there is one, \" is an escape of JSON and not LaTeX


def announced(text: str) -> tuple[int, int, list[tuple[int, int]]]:
    r"""The range of the answer that the last "**Final Answer**" announces; without one, of the whole text or its box.

    Args:
        text: a reply without its trace, and without white space around it.

    Returns:
        Start and end of the answer; and the ranges of the opening and the closing of its box, if it is in one.

    >>> announced("Lássuk.\n\n**Final Answer**\n\n\\[ \\boxed{2} \\]")
    (37, 38, [(30, 37), (38, 42)])
    >>> announced('{"answer": ["#0#A"]}\n\n**Final Answer**\n\nThe answer is above.')
    (0, 20, [])
    """
    lined = "\n" + text  # `re` finds a literal line break much faster than ^
    asked_for = _ASKED_FOR.search(lined)
    end = len(lined)
    for heading in reversed(list(_heading().finditer(lined))):
        start, stop = stripped(lined, heading.end(), end)
        if start == stop and end == len(lined):
            break  # the reply ended after the heading
        after_json = asked_for is not None and asked_for.start() < heading.start()
        if _is_answer(lined[start:stop], after_json) or heading.start() == 0:
            return _unboxed(text, start - 1, stop - 1, under_heading=True)
        end = heading.start()
    return _unboxed(text, *stripped(text, 0, end - 1), under_heading=False)


def stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """The range of `text[start:end]` without white space around it."""
    section = text[start:end].lstrip()
    start = end - len(section)
    return start, start + len(section.rstrip())


@remembered
def _heading() -> re.Pattern[str]:
    """Bold or a markdown heading that starts a line."""
    return re.compile(
        rf"\n[ \t>]*(?:#{{1,6}}[ \t]+\**|\*{{2,3}})[ \t]*{source('final_answer', known())}[ \t\r]*"
        r"(?:[:：]\**|\*+[:：]?|(?=\n|\Z))",
        re.IGNORECASE,
    )


def _is_answer(section: str, after_json: bool) -> bool:
    """Whether a section is an answer: an object if JSON precedes it, else anything but a reference to an answer."""
    if _OBJECT.search(section):
        return True
    refers = pattern("refers", known()).fullmatch(section.casefold().strip(" \n.*"))
    return bool(section) and not after_json and not refers


def _unboxed(text: str, start: int, end: int, under_heading: bool) -> tuple[int, int, list[tuple[int, int]]]:
    r"""The content of the last \boxed{} in a section, if it is the answer: it ends the section or is under a heading.

    A box without a JSON object never replaces a text with one: then the object is the answer.
    """
    boxes = list(_BOX.finditer(text, start, end))
    close = _closing_brace(text, boxes[-1].end(), end) if boxes else None
    if close is None or not (under_heading or _BOX_TAIL.fullmatch(text, close + 1, end)):
        return start, end, []
    box = boxes[-1]
    content = text[box.end() : close]
    is_decoration = "{" not in content and _OBJECT.search(text[start : box.start()] + text[close + 1 : end])
    if is_decoration or not content.strip():
        return start, end, []
    return box.end(), close, [box.span(), (close, _BOX_TAIL.match(text, close, end).end())]  # type: ignore[union-attr]


def _closing_brace(text: str, start: int, end: int) -> int | None:
    """The index that closes the brace opened before `start`, ignoring escaped braces; None if the reply was cut."""
    depth = 1
    for match in _BRACE.finditer(text, start, end):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return None
