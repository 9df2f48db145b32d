r"""The answer that QwQ-32B-Preview announces: a section "**Final Answer**", and a \boxed{} in it or at the end.

A section takes the place of what stands before it only where an answer can be read from it. QwQ often writes the JSON
that it was asked for, and below it a section that repeats a letter or says "see above": then the JSON is the answer.
"""

from __future__ import annotations

import re

HEADING = re.compile(  # bold or a markdown heading that starts a line
    r"\n[ \t>]*(?:\#{1,6}[ \t]+\**|\*{2,3})[ \t]*(?:final\ answer|végső\ válasz|végleges\ válasz|最终答案)[ \t\r]*"
    r"(?:[:：]\**|\*+[:：]?|(?=\n|\Z))",
    re.IGNORECASE,
)
BOX = re.compile(r"\\boxed\s*\{")
BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
BOX_TAIL = re.compile(r"[\s\\\])}$.*]*")  # what closes the formula or the sentence around a box
OBJECT = re.compile(r"""\{\s*\\?["']""")
ASKED_FOR = re.compile(r"""\{[^{}]{0,400}?["'](?:final_?)?answers?\\?["']\s*:""")  # JSON as a prompt asks for it
TEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{((?:\\.|[^{}\\]|\{(?:\\.|[^{}\\])*\})*)\}", re.DOTALL)

# A section of these words alone points to an answer and holds none: "The answer is above.", "Lásd fent."
WORD = re.compile(r"\w+")
ARTICLE = re.compile(r"\A\W*A(?= \w\w)")
POINTERS = frozenset({"above", "fent", "fenti", "fentebb", "feljebb", "előbb", "see", "lásd", "ld"})
POINTING = (
    "the a an my is are was has been as in at of to for and please refer given provided shown stated listed written "
    "already final answer answers response solution json object list output contains I it this that "
    "az ez azt és már itt ott van volt látható olvasható található tartalmazza szerepel szereplő megadott megadva "
    "megadtam adott leírt leírtam írtam végső végleges válasz válasza válaszom választ megoldás megoldást "
    "objektum lista ban ben"
)
POINTING_WORDS = POINTERS | frozenset(POINTING.split())
POINTING_LIMIT = 200  # characters


def announced(text: str) -> str:
    r"""What the last "**Final Answer**" announces, if it is an answer, and of it the \boxed{}.

    Args:
        text: a reply without its trace.

    >>> announced("Lássuk.\n\n**Final Answer**\n\n\\[ \\boxed{2} \\]")
    '2'
    >>> announced('{"answer": ["#0#A"]}\n\n**Final Answer**\n\nThe answer is above.')
    '{"answer": ["#0#A"]}'
    """
    lined = "\n" + text  # a literal break is found much faster than ^
    headings = list(HEADING.finditer(lined))
    asked_for = ASKED_FOR.search(lined)
    first = len(lined) - len(lined.lstrip())
    end = len(lined)
    for heading in reversed(headings):
        section = lined[heading.end() : end].strip()
        if not section and end == len(lined):
            break  # nothing was announced yet when the reply ended
        after_json = asked_for is not None and asked_for.start() < heading.start()
        if _is_answer(section, after_json) or heading.start() <= first:
            return _unboxed(section, under_heading=True)
        end = heading.start()
    return _unboxed(lined[1:end].strip() if end < len(lined) else text, under_heading=False)


def _is_answer(section: str, after_json: bool) -> bool:
    """Whether a section answers: with JSON, where JSON stands before it, and else not by a pointer to what does."""
    if OBJECT.search(section):
        return True
    if after_json or not section:
        return False
    if len(section) > POINTING_LIMIT:
        return True
    # A capital A is an option, but where it opens a Hungarian sentence.
    words = {word if len(word) == 1 else word.casefold() for word in WORD.findall(ARTICLE.sub("a", section))}
    return not words & POINTERS or not words <= POINTING_WORDS


def _unboxed(text: str, under_heading: bool) -> str:
    r"""The content of the last \boxed{} where that is the answer: the text ends in it, or a heading announced it.

    A box without a JSON object never replaces a text with one: then the object is the answer, the box decoration.
    """
    boxes = list(BOX.finditer(text)) if "\\boxed" in text else []
    end = _closing_brace(text, boxes[-1].end()) if boxes else None
    if end is None or not (under_heading or BOX_TAIL.fullmatch(text, end + 1)):
        return text
    box = boxes[-1]
    content = text[box.end() : end]
    outside = text[: box.start()] + text[end + 1 :]
    if OBJECT.search(outside) and "{" not in content:
        return text
    return _without_tex(content) if content.strip() else text


def _closing_brace(text: str, start: int) -> int | None:
    """Where the brace opened before `start` closes, escaped braces apart; None when the reply was cut inside."""
    depth = 1
    for match in BRACE.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return None


def _without_tex(content: str) -> str:
    r"""The content of a box without \text{} and without the backslashes that LaTeX wants before { } _ # % & $ and "."""
    content = re.sub(r"(?<!\\)\\+([{}_#%&$])", r"\1", TEX_TEXT.sub(r"\1", content))
    # Inside a JSON string \" is JSON's own escape; it is LaTeX's where no quote stands without a backslash.
    return content if re.search(r'(?<!\\)"', content) else re.sub(r'(?<!\\)\\+"', '"', content)
