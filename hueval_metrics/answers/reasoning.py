r"""Reasoning filter: the answer without the trace that reasoning models write before it.

The markers are a table of their own (`trace.markers`). A trace that never ends leaves no answer and counts as
truncated. Where the chat template opens the trace, a reply shows its end at most (`trace.template`).
"""

from __future__ import annotations

import bisect
import logging
import os
from collections import Counter
from collections.abc import Iterable
from typing import Any

from lm_eval.api.filter import Filter

from hueval_metrics.answers.trace.final_answer import announced
from hueval_metrics.answers.trace.markers import FIRST_TOKENS, LAST_TOKENS, SENTENCES
from hueval_metrics.answers.trace.marks import Mark, code_spans, first_tag, marks
from hueval_metrics.answers.trace.template import known, opened_by_shares
from hueval_metrics.records import Filtered

VERSION = 2  # stands in every signature; rises when an answer is cut differently

_TEMPLATE = "opened by the chat template"  # the tag of a trace that the reply does not open

log = logging.getLogger(__name__)


def strip_reasoning(text: str, final_answer: bool = True, opened: bool = False) -> Filtered:
    r"""What stands outside the reasoning trace.

    Text before, between and after traces is kept as paragraphs. A closing tag that nothing opened means that the chat
    template did: all before it is trace. A trace that never ends takes the rest of the text; an answer that was given
    before it stands, but still counts as truncated. A tag that is quoted, or a word of a sentence of the answer, is
    text. The function is idempotent, but for `opened`.

    Args:
        text: one reply of a model, any length, may be empty.
        final_answer: whether "**Final Answer**" and \boxed{} are read as the answer, as QwQ-32B-Preview writes it; not
            for open questions, where a box is a part of the answer.
        opened: whether the prompt ended inside a trace, so that a reply without any tag never got to its answer.

    Returns:
        The answer, stripped of white space; `truncated` when generation ended inside a trace or nothing came at all.

    >>> strip_reasoning("<think>1 vagy 2?</think>\n\nA válasz: 2").response
    'A válasz: 2'
    >>> strip_reasoning("<think>1 vagy 2? Lássuk")
    Filtered(response='', truncated=True, verdict=None)
    """
    truncated = not _trim(text)
    # Until nothing changes, as one cut may uncover a marker. Each keeps what follows the last marker of its kind, so
    # that two or three rounds do, whatever the text.
    while True:
        response, unclosed = _outside_traces(text, opened)
        response, unfinished = _after_sentences(response)
        truncated |= unclosed or unfinished
        response = _trim(response)
        if final_answer:
            response = _trim(announced(response))
        if response == text:
            return Filtered(response, truncated)
        text, opened = response, False


def _outside_traces(text: str, opened: bool) -> tuple[str, bool]:
    """The text outside traces, and whether a trace is open at its end; one pass."""
    found = marks(text)
    code = code_spans(text) if found else []
    pieces: list[str] = []
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
        if kind == "open" and not open_tags and code:
            start, end = code[max(0, bisect.bisect(code, (mark.start,)) - 1)]
            if start < mark.start < end and (pieces or shown > seen or text[seen:start].strip()):
                shown = end  # the answer shows code with tags
                continue
        between = text[seen : mark.start].strip()
        seen = mark.end
        if between and not open_tags:
            pieces.append(between)
        if kind == "open":
            if open_tags == [_TEMPLATE]:
                open_tags.clear()  # the model opens it once more, and closes it once
            # "<think>\n<think>": the model repeats the tag that its template wrote, and closes it once.
            if between or not open_tags or open_tags[-1] != tag:
                open_tags.append(tag)
        elif kind == "close":
            if not open_tags:
                pieces.clear()
            # A tag opened inside is closed with the outer one ("<think>use <reasoning> tags</think>"); a closing tag
            # of another name ("<think>…</thinking>") ends the trace, or a slip would cost the whole answer.
            while open_tags and open_tags.pop() != tag:
                pass
        elif kind == "answer":
            pieces.clear()
            open_tags.clear()
    if not open_tags and (rest := text[seen:].strip()):
        pieces.append(rest)
    return "\n\n".join(pieces), bool(open_tags)


def _is_mention(mark: Mark, in_trace: bool) -> bool:
    """Whether a tag is a word of its sentence: it reads as one, and is not needed to end a trace, or to begin it.

    "<think>I must end with </think> when I am done.</think>2", but "<think>it must be 2 </think> so 2".
    """
    if not mark.is_word:
        return False
    if in_trace:
        return mark.kind == "open" or mark.closes_next
    return mark.kind == "close" or not mark.closes_next


def _after_sentences(text: str) -> tuple[str, bool]:
    """The text after a trace that sentences open and end, and whether one is open at its end."""
    start = 0
    while True:
        start = _first(text, start, len(text))
        form = next((form for form in SENTENCES if form.opening.match(text, start)), None)
        if form is None:
            return text[start:], False
        closing = form.closing.search(text, start)
        if closing is None:
            return "", True
        start = closing.end()


def _trim(text: str) -> str:
    """The text without white space, end-of-turn tokens and answer tags around it."""
    start, end = _first(text, 0, len(text)), len(text)  # by index: cutting token by token would be quadratic
    while start < end:
        if text[end - 1].isspace():
            end -= 1
        elif text.endswith(LAST_TOKENS, start, end):
            end -= next(len(t) for t in LAST_TOKENS if text.endswith(t, start, end))
        else:
            break
    return text[start:end]


def _first(text: str, start: int, end: int) -> int:
    """Where the text begins, after white space and tags that open an answer."""
    while start < end:
        if text[start].isspace():
            start += 1
        elif text.startswith(FIRST_TOKENS, start, end):
            start += next(len(t) for t in FIRST_TOKENS if text.startswith(t, start, end))
        else:
            break
    return start


class StripReasoning(Filter):
    """The lm-eval filter: after `take_first`, one `Filtered` as a JSON string a document.

    The raw reply stays in the logged samples (`resps`): lm-eval keeps it beside what the filters return.

    Args:
        final_answer: see `strip_reasoning`.
    """

    def __init__(self, final_answer: bool = True) -> None:
        self.final_answer = final_answer

    def apply(self, resps: Iterable[Any], docs: Iterable[Any]) -> list[str]:
        """Strip each reply. Never raises, as an exception in a filter loses the whole run.

        Where nobody says whether the chat template opens the trace (`template.knowing`), these replies tell.

        Args:
            resps: one reply a document. A back end may give None for an empty one: nothing came, so it is truncated.
            docs: the documents; not used.

        Returns:
            One JSON string a document, in order.
        """
        texts = [resp if isinstance(resp, str) else "" for resp in resps]
        opened = known()
        if opened is None:
            tags = Counter(map(first_tag, texts))
            opened = opened_by_shares(tags)
            if tags["close"] and tags[""]:
                _say_where_ranks_decide()
        return [self.strip(text, opened).to_json() for text in texts]

    def strip(self, text: str, opened: bool) -> Filtered:
        """Strip one reply; see `strip_reasoning`."""
        return strip_reasoning(text, self.final_answer, opened)


def _say_where_ranks_decide() -> None:
    """Say that each process of a run goes by its own replies; once, as the first of them."""
    if os.environ.get("WORLD_SIZE", "1") != "1" and os.environ.get("RANK", "0") == "0":
        log.warning(
            "whether the chat template opens the reasoning trace is not known here, and each of %s processes goes by "
            "its own replies: truncated_rate may differ from one process. `hueval score` goes by all replies.",
            os.environ["WORLD_SIZE"],
        )


def handling(final_answer: bool = True) -> str:
    """How traces are handled, as a part of a signature.

    >>> handling(), handling(final_answer=False)
    ('strip/2', 'strip/2,final_answer=False')
    """
    return f"strip/{VERSION}" + ("" if final_answer else ",final_answer=False")
