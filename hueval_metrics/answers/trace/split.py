"""Split a reply into reasoning trace and answer, as offsets into the reply."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Literal, NamedTuple

from hueval_metrics.answers.trace.final_answer import BARE_QUOTE, TEX_ESCAPE, TEX_QUOTE, TEX_TEXT, announced, stripped
from hueval_metrics.answers.trace.markers import END_TOKENS, FIRST_TOKENS, LAST_TOKENS, SENTENCES
from hueval_metrics.answers.trace.marks import Mark, code_spans, marks

Range = tuple[int, int]

_LEADING = re.compile(rf"(?:\s+|{'|'.join(map(re.escape, FIRST_TOKENS))})*+")
_NAMED = re.compile(r"[ \t]*[`~]{3,}\w")  # code that begins with its language, unlike a fence around a whole reply
_TEMPLATE = "opened by the chat template"  # in place of the tag of a trace that the reply does not open
_RUN = re.compile(b"t+|a+")  # in the roles of the characters of a reply: t of a trace, a of an answer, m of markup


class Span(NamedTuple):
    """A part of a reply, `reply[start:end]`; never empty, and without white space around it."""

    kind: Literal["trace", "answer"]
    start: int
    end: int


def split_reasoning(reply: str, final_answer: bool = True, opened: bool = False) -> Split:
    r"""Split a reply into the reasoning trace and the answer.

    Text before, between and after traces is answer. A closing tag without an opening tag means that the chat template
    opened the trace: all text before it is trace. A trace that never ends extends to the end of the reply; text before
    it is answer, but the reply counts as truncated. A tag in quotes, or as a word of a sentence of the answer, is text.
    Except with `opened`, splitting a response again changes nothing.

    Args:
        reply: one reply of a model, any length, may be empty.
        final_answer: whether "**Final Answer**" and \boxed{} are read as the answer, as QwQ-32B-Preview writes it, and
            the text around them as trace; not for open questions, where a box is a part of the answer.
        opened: whether the prompt ended inside a trace, so that a reply without any tag has no answer.

    >>> split_reasoning("<think>1 vagy 2?</think>A válasz: 2").spans
    (Span(kind='trace', start=7, end=16), Span(kind='answer', start=24, end=35))
    """
    split = Split(reply)
    start, end = _trimmed(reply)
    split.truncated = start == end
    # Repeat until only white space changes, as a cut may uncover another marker. Each step keeps the text behind the
    # last marker of its kind, so two or three rounds are enough for any text.
    while True:
        before = split.response
        pieces, markers, is_open = _outside_traces(before, opened)
        split.keep(pieces, markers)
        start, is_unfinished, markers = _after_sentences(split.response)
        split.keep([(start, len(split.response))], markers)
        split.trim()
        if final_answer:
            start, end, box = announced(split.response)
            split.keep([(start, end)], box)
            if box:
                split.drop_tex()
            split.trim()
        split.truncated |= is_open or is_unfinished
        opened = False
        if split.response == before.strip():
            return split


class Split:
    """The answer of a reply while parts are cut from it; it keeps the offsets in the reply.

    Attributes:
        response: the answer spans with a blank line between them, without the LaTeX markup of a boxed answer.
        truncated: whether generation ended inside a trace, or the reply is empty.
    """

    def __init__(self, reply: str) -> None:
        self.response = self._reply = reply
        self.truncated = False
        self._places: Sequence[int] = range(len(reply))  # in the reply, of each character; -1 in a blank line between
        self._roles = bytearray(b"t") * len(reply)

    def keep(self, ranges: Sequence[Range], markup: Iterable[Range] = (), between: str = "\n\n") -> None:
        """Cut the response to some of its ranges, in order; of the rest, the ranges `markup` are not trace."""
        for start, end in markup:
            for place in self._places[start:end]:
                if place >= 0:
                    self._roles[place] = ord("m")
        if [*ranges] == [(0, len(self.response))]:
            return
        kept = [self._places[start:end] for start, end in ranges]
        gap = [-1] * len(between)
        self._places = kept[0] if len(kept) == 1 else [at for part in kept for at in (*gap, *part)][len(gap) :]
        self.response = between.join(self.response[start:end] for start, end in ranges)

    def trim(self) -> None:
        """Cut white space, end-of-turn tokens and answer tags around the response."""
        start, end = _trimmed(self.response)
        self.keep([(start, end)], [(0, start), (end, len(self.response))])

    def drop_tex(self) -> None:
        """Cut the LaTeX markup of a boxed answer."""
        for pattern in (TEX_TEXT, TEX_ESCAPE, TEX_QUOTE):
            if pattern is TEX_QUOTE and BARE_QUOTE.search(self.response):
                return
            edges = [0]
            for match in pattern.finditer(self.response):
                edges += [match.start(), match.start(1), match.end(1), match.end()]
            edges.append(len(self.response))
            kept, cut = (zip(edges[at::2], edges[at + 1 :: 2], strict=False) for at in (0, 1))
            self.keep([*kept], cut, between="")

    @property
    def spans(self) -> tuple[Span, ...]:
        """Trace and answer in the order of the reply, without overlaps.

        The text outside of them is markers, tokens of chat templates, the closing of a box, and white space.
        """
        roles = self._roles[:]
        for is_text, run in groupby(self._places, (0).__le__):
            if is_text:
                first, *rest = run
                last = rest[-1] if rest else first
                roles[first : last + 1] = b"a" * (last + 1 - first)
        found = []
        for match in _RUN.finditer(roles):
            start, end = stripped(self._reply, *match.span())
            if match[0].startswith(b"a"):
                found.append(Span("answer", start, end))
            else:
                found.append(Span("trace", *_without_last(self._reply, start, end, END_TOKENS)))
        return tuple(span for span in found if span.start < span.end)


def _outside_traces(text: str, opened: bool) -> tuple[list[Range], list[Range], bool]:
    """The pieces of a text outside traces, the markers of the traces, and whether one is open at the end."""
    found = marks(text)
    code = code_spans(text) if found else []
    pieces: list[Range] = []
    markers: list[Range] = []
    open_tags = [_TEMPLATE] if opened else []
    seen = shown = 0
    for mark in found:
        if mark.start < shown or _is_mention(mark, bool(open_tags)):
            continue
        kind, tag = mark.kind, mark.tag
        if kind == "end":
            if open_tags[-1:] != [tag]:
                continue
            kind = "close"
        if kind in ("open", "close") and not open_tags and code:
            start, end = code[max(0, bisect.bisect(code, (mark.start,)) - 1)]
            is_answer = pieces or shown > seen or text[seen:start].strip() or _NAMED.match(text, start)
            if start < mark.start < end and is_answer:
                shown = end  # the answer contains code with tags
                continue
        start, end = stripped(text, seen, mark.start)
        seen = mark.end
        markers.append((mark.start, mark.end))
        if start < end and not open_tags:
            pieces.append((start, end))
        if kind == "open":
            if open_tags == [_TEMPLATE]:
                open_tags.clear()  # the model repeats the template's tag, and closes it once
            # "<think>\n<think>": the model repeats the tag, and closes it once.
            if start < end or not open_tags or open_tags[-1] != tag:
                open_tags.append(tag)
        elif kind == "close":
            if not open_tags:
                pieces.clear()
            # Closing the outer tag closes those inside ("<think>use <reasoning> tags</think>"). A closing tag of
            # another name ("<think>…</thinking>") ends the trace too, else a typo would cost the whole answer.
            while open_tags and open_tags.pop() != tag:
                pass
        elif kind == "answer":
            pieces.clear()
            open_tags.clear()
    start, end = stripped(text, seen, len(text))
    if start < end and not open_tags:
        pieces.append((start, end))
    return pieces, markers, bool(open_tags)


def _is_mention(mark: Mark, in_trace: bool) -> bool:
    """Whether a tag is a word of its sentence: it reads as one, and is not needed to open or close a trace.

    "<think>I must end with </think> when I am done.</think>2", but "<think>it must be 2 </think> so 2".
    """
    if not mark.is_word:
        return False
    if in_trace:
        return mark.kind == "open" or mark.closes_next
    return mark.kind == "close" or not mark.closes_next


def _after_sentences(text: str) -> tuple[int, bool, list[Range]]:
    """The start of the text behind traces that sentences open and close, whether one stays open, and the markers."""
    start = 0
    markers: list[Range] = []
    while True:
        start = _first(text, start)
        form = next((form for form in SENTENCES if form.opening.match(text, start)), None)
        if form is None:
            return start, False, markers
        closing = form.closing.search(text, start)
        mark = closing.span(closing.lastindex or 0) if closing else (len(text),) * 2
        opened = form.opening.match(text, start).end()  # type: ignore[union-attr]
        markers += [(start, opened), *(found.span() for found in form.inside.finditer(text, opened, mark[0])), mark]
        start = mark[1]
        if closing is None:
            return start, True, markers


def _trimmed(text: str) -> Range:
    """The range of the text without white space, end-of-turn tokens and answer tags around it."""
    return _without_last(text, _first(text, 0), len(text), LAST_TOKENS)


def _without_last(text: str, start: int, end: int, tokens: tuple[str, ...]) -> Range:
    """The range without white space and some tokens at its end; cutting the text itself takes quadratic time."""
    while start < end:
        if text[end - 1].isspace():
            end -= 1
        elif text.endswith(tokens, start, end):
            end -= next(len(t) for t in tokens if text.endswith(t, start, end))
        else:
            break
    return start, end


def _first(text: str, start: int) -> int:
    """The start of the text behind white space and tags that open an answer."""
    return _LEADING.match(text, start).end()  # type: ignore[union-attr]  # it matches the empty text
