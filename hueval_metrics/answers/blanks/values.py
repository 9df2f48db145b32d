"""Find what fills one blank in the text beside its name: an option or words, without the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hueval_metrics.answers.blanks.blank import Asked, Range
from hueval_metrics.answers.blanks.words import takes_back
from hueval_metrics.answers.names import folded
from hueval_metrics.languages.load import pattern, remembered, source

_LONGEST = 120  # characters of one filled blank
_EMPHASIS = re.compile(r"(?:\*\*|__|[`„“\"»«])([^*_`„“”\"»«\n]{1,120})(?:\*\*|__|[`“”\"»«])")
_EXPLANATION = re.compile(r"\s[-–—]\s|\s?\(|;\s|\s\|\s|(?<=[^\W\d_A-Z]{2})\.\s+(?=[^\W\d_a-z])|\s//|\s#\s|\t|\s<-")
_EDGES = " \t\n,;|`\"'„”“«»*_$\\&"
_END = re.compile(r"(?:[^\w\s)\]}>\"'”»%?!…]|[-=]>|\s)+\Z")
_SIGN = re.compile(r"[^\w(\[{<„“\"«»'#.*_`\-]+|[.):\]=>_*`]+\s*|-+(?=[\s>])>?|[\"'„“«»(\[<{]+(?=\W)")


def fill(text: str, start: int, end: int, asked: Asked) -> Range | None:
    """The range of what fills a blank, in the text beside its name; None if nothing in it does."""
    content = text[start:end]
    for a, b in _candidates(content, asked) if len(content) <= 4 * _LONGEST else ():
        piece = content[a:b]
        a += len(piece) - len(piece.lstrip(_EDGES))
        piece = _END.sub("", piece.strip(_EDGES + "."))
        if 0 < len(piece) <= _LONGEST and re.search(r"\w", piece) and asked.reads(piece):
            return start + a, start + a + len(piece)
    return None


def is_bare(content: str, languages: tuple[str, ...]) -> bool:
    """Whether the text beside a name has nothing that may fill its blank: at most the words of the name itself.

    >>> is_bare(" helyre való.", ("hu",)), is_bare(": való", ("hu",)), is_bare(" helyre F", ("hu",))
    (True, False, False)
    """
    own = pattern("blank unfilled fills and", languages)
    return not re.search(r"[^\W_]", content if _is_joined(content) else own.sub("", folded(content)))


def _is_joined(content: str) -> bool:
    """Whether a sign is between a name and the text behind it."""
    sign = _SIGN.match(content)
    return bool(sign and re.search(r"[^\s*_\"'„(\[,]", sign[0]))


def _candidates(content: str, asked: Asked) -> Iterator[Range]:
    """The ranges that may fill a blank, the surest first."""
    at, end = _inner(content, asked)
    if asked.options:
        yield at, end
    emphasis = [match.span(1) for match in _EMPHASIS.finditer(content)]
    if len(emphasis) == 1 and not takes_back(content[emphasis[0][1] :].strip(' *_`"”“»«'), asked.languages):
        yield emphasis[0]
    cut = _EXPLANATION.search(content, at + 1, end)
    if not cut or not takes_back(content[cut.end() :], asked.languages):
        yield at, cut.start() if cut else end


def _inner(content: str, asked: Asked) -> Range:
    """The range without what joins a text to the name of its blank: signs, "helyre a", "a helyes válasz:", "kerül"."""
    low = folded(content)
    at = 0
    before, behind = _joining(asked.languages)
    is_joined = _is_joined(low)
    words = None if asked.options else before.match(low)  # beside words, a letter is found in any case
    if words and (not is_joined or words[0].rstrip(" *_")[-1:] == ":"):
        at = words.end()
    while (sign := _SIGN.match(low, at)) and re.search(r"\w", low[sign.end() :]):
        at = sign.end()
    suffix = None if is_joined else behind.search(low, at)
    return at, suffix.start() if suffix and suffix.start() > at else len(content)


@remembered
def _joining(languages: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Words before and behind what fills a blank."""
    keys = ("blank", "unfilled", "fills", "answer", "instead", "right", "is", "holder", "therefore", "choose")
    words = "|".join(source(key, languages) for key in keys)
    article = source("article", languages)
    after = "|".join(source(key, languages) for key in ("fills", "blank", "unfilled"))
    return (
        re.compile(rf"\W*(?:(?:{article}\s+)?(?:{words})[\s:,=\"'*_]+)+(?:{article}\s+(?=\W*\w))?(?=\W*\w)"),
        re.compile(rf"(?:\s+(?:{after}))+\W*\Z"),
    )
