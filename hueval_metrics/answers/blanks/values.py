"""Find what fills one blank in the text beside its name: an option or words, without the words around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hueval_metrics.answers.blanks.blank import Asked, Range
from hueval_metrics.answers.blanks.words import takes_back
from hueval_metrics.answers.decide import settled
from hueval_metrics.answers.names import folded
from hueval_metrics.languages.load import pattern, remembered, source

_LONGEST = 120  # characters of one filled blank
_BOLD = re.compile(r"\*\*([^*\n]{1,120})\*\*|__([^_\n]{1,120})__|`([^`\n]{1,120})`")
_QUOTED = re.compile(r"„([^„”“\"\n]{1,120})[”“\"]|[“\"]([^”“\"\n]{1,120})[”\"]|[»«]([^»«\n]{1,120})[»«]")
_EXPLANATION = re.compile(r"\s[-–—]\s|\s?\(|;\s|\s\|\s|(?<=[^\W\d_A-Z]{2})\.\s+(?=[^\W\d_a-z])|\s//|\s#\s|\t|\s<-")
_EDGES = " \t\n,;|`\"'„”“«»*_$\\.&"
_END = re.compile(r"(?:[^\w\s)\]}>\"'”»%?!…]|[-=]>|\s)+\Z")
_SIGN = re.compile(r"[^\w(\[{<„“\"«»'#.*_`\-]+|[.):\]=>_*`]+\s*|-+(?=[\s>])>?|[\"'„“«»(\[<{]+(?=\W)")


def fill(text: str, start: int, end: int, asked: Asked) -> Range | None:
    """The range of what fills a blank, in the text beside its name; None if nothing in it does."""
    content = text[start:end]
    if not re.search(r"[^\W_]", content) or len(content) > 4 * _LONGEST:
        return None
    for a, b in _candidates(content, asked):
        piece = content[a:b]
        a += len(piece) - len(piece.lstrip(_EDGES.replace(".", "")))
        piece = _END.sub("", piece.strip(_EDGES))
        if piece[:1] in ("[", "(") and piece.endswith(("]", ")")) and asked.reads(piece[1:-1]):
            a, piece = a + 1, piece[1:-1]
        piece = piece if "(" in piece or "[" in piece else piece.rstrip(")]" + _EDGES)
        if 0 < len(piece) <= _LONGEST and asked.reads(piece):
            return start + a, start + a + len(piece)
    return None


def is_bare(content: str, languages: tuple[str, ...]) -> bool:
    """Whether the text beside a name has nothing that may fill its blank: at most the words of the name itself.

    >>> is_bare(" helyre való.", ("hu",)), is_bare(": való", ("hu",)), is_bare(" helyre F", ("hu",))
    (True, False, False)
    """
    if not re.search(r"[^\W_]", content) or _is_joined(content):
        return not re.search(r"[^\W_]", content)
    return not re.search(r"[^\W_]", pattern("blank unfilled fills and", languages).sub("", folded(content)))


def _is_joined(content: str) -> bool:
    """Whether a sign stands between a name and the text behind it."""
    sign = _SIGN.match(content)
    return bool(sign and re.search(r"[^\s*_\"'„(\[]", sign[0]))


def _candidates(content: str, asked: Asked) -> Iterator[Range]:
    """The ranges that may fill a blank, the surest first."""
    bold = [*_BOLD.finditer(content)]
    quoted = [*_QUOTED.finditer(content)]
    at, end = _inner(content, asked)
    if asked.options:
        yield at, end
    for match in (*bold[-1:], *(quoted if len(quoted) == 1 else ())):
        is_refused = settled(content[at : match.end()], asked.languages) is None
        if not is_refused and not takes_back(content[match.end() :], asked.languages):
            yield match.span(match.lastindex or 0)
    cut = _EXPLANATION.search(content, at + 1, end)
    if cut and takes_back(content[cut.end() :], asked.languages):
        return
    yield at, cut.start() if cut else end
    colon = content.rfind(":", at, end) + 1
    if colon and settled(content[at : colon - 1] or "x", asked.languages) is not None:
        yield colon, end


def _inner(content: str, asked: Asked) -> Range:
    """The range without what joins a text to the name of its blank: signs, "helyre", "kerül"."""
    low = folded(content)
    at = 0
    is_joined_by_sign = _is_joined(low)
    if not is_joined_by_sign and (prefix := _prefix(asked.languages).match(low)):
        at = prefix.end()
    while (sign := _SIGN.match(low, at)) and re.search(r"\w", low[sign.end() :]):
        at = sign.end()
    if cue := _cue(asked.languages).match(low, at):
        at = cue.end()
    suffix = None if is_joined_by_sign else _suffix(asked.languages).search(low, at)
    end = suffix.start() if suffix and re.search(r"\w", low[at : suffix.start()]) else len(content)
    return at, end


@remembered
def _prefix(languages: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(source(key, languages) for key in ("blank", "unfilled", "fills", "answer", "instead"))
    article = source("article", languages)
    return re.compile(rf"\W*(?:(?:{article}\s+)?(?:{words})[\s:,=\"']+)+(?:{article}\s+(?=\W*\w))?(?=\W*\w)")


@remembered
def _cue(languages: tuple[str, ...]) -> re.Pattern[str]:
    """Words for an answer, with a colon."""
    words = "|".join(source(key, languages) for key in ("answer", "holder", "right", "therefore", "article", "choose"))
    return re.compile(rf"\W*(?:(?:{words})[\s*_]+)*(?:{words})[\s*_]*[:：]\W*(?=\w|[(\[-])")


@remembered
def _suffix(languages: tuple[str, ...]) -> re.Pattern[str]:
    words = "|".join(source(key, languages) for key in ("fills", "blank", "unfilled"))
    return re.compile(rf"(?:\s+(?:{words}))+\W*\Z")
