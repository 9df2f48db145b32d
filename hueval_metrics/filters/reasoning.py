r"""Reasoning filter: the answer without the trace that reasoning models write before it.

The markers are those that models are trained to emit (chat templates and the reasoning parsers of vLLM, SGLang and
llama.cpp): tags in four kinds of brackets, the channels of gpt-oss, and the heading and box of QwQ-32B-Preview.
A trace that never ends leaves no answer and counts as truncated. Not seen here, because the text does not show it:
traces whose special tokens were dropped when decoding (Magistral, Gemma 4, Cohere, Apertus need
`skip_special_tokens=False`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from lm_eval.api.filter import Filter

from hueval_metrics.records import Filtered

# Every marker has 7 characters or more and no line break: a paragraph break put in its place makes the text shorter,
# and what stood around it cannot run together into a new marker ("<th<think>x</think>ink>").
MARKER = re.compile(
    r"""
      <(?:\|start\|>assistant[^<\n]*<)?                                   # harmony's head of a message, and Gemma 4
       \|channel\|?>[ \t]*(?P<channel>analysis|commentary|final|thought)?
       (?:[^<\n]*<\|constrain\|>)?(?:[^<\n]*<\|message\|>)?
    | <(?P<slash>[ \t]{0,2}/)?[ \t]{0,2}(?P<name>[\w:|]+)(?:[ \t][^<>\n]*)?(?<!/)>     # bounded spaces: linear time
    | \[(?P<square>/?think)\]                                             # Magistral
    | ◁(?P<triangle>/?think)▷                                             # Kimi-VL
    """,
    re.IGNORECASE | re.VERBOSE,
)
TAGS = {"think", "thinking", "thought", "thoughts", "reasoning", "reflection", "seed:think"}  # </…> closes them
PAIRS = {  # special tokens: opening → closing
    "|begin_of_thought|": "|end_of_thought|",  # Sky-T1, OpenThinker
    "|start_thinking|": "|end_thinking|",  # Cohere Command A
    "|inner_prefix|": "|inner_suffix|",  # Apertus
    "|channel|": "channel|",  # Gemma 4; gpt-oss has no token of its own that closes a channel
}
ANSWER_STARTS = {"|begin_of_solution|", "|start_response|"}
ANSWER_ENDS = {"|end_of_solution|", "|end_response|"}
CLOSES = {closing: opening for opening, closing in PAIRS.items()}

# Replies that close a trace they did not open, in a run where none opens one: from this share on the template opened
# it, and a reply without tags was cut. A stray tag of a model that does not reason stays far below.
TEMPLATE_OPENS_SHARE = 0.2

QUOTES = "\"'`„“”‚‘’«»"
QUOTE_BEFORE = re.compile(rf"(?:\A|[^\w\\{QUOTES}])\\?[{QUOTES}]\Z")
QUOTE_AFTER = re.compile(rf"\\?[{QUOTES}](?:\Z|[^\w{QUOTES}])")

# gpt-oss without its special tokens, as hf and vLLM decode it. Both words are needed: a text may begin with "analysis".
BARE_HARMONY = re.compile(r"(?:analysis|commentary).*assistantfinal", re.DOTALL)
FINAL_HEADING = re.compile(  # bold or a markdown heading that starts a line
    r"\n[ \t>]*(?:\#{1,6}[ \t]+\**|\*{2,3})[ \t]*(?:final\ answer|végső\ válasz|végleges\ válasz|最终答案)[ \t\r]*"
    r"(?:[:：]\**|\*+[:：]?|(?=\n|\Z))",
    re.IGNORECASE,
)
BOX = re.compile(r"\\boxed\s*\{")
BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
BOX_TAIL = re.compile(r"[\s\\\])}$.*]*")  # what closes the formula or the sentence around a box
OBJECT = re.compile(r"""\{\s*["']""")
TEX_TEXT = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\s*\{((?:\\.|[^{}\\]|\{(?:\\.|[^{}\\])*\})*)\}", re.DOTALL)

VERSION = 1  # stands in every signature; rises when an answer is cut differently

FIRST_TOKENS = ("<answer>",)  # R1-Zero's recipe and Hunyuan wrap the answer
LAST_TOKENS = (
    *("</answer>", "</s>", "<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eot|>", "<|end|>"),
    *("<|return|>", "<end_of_turn>", "<turn|>", "<eos>", "<seed:eos>", "<｜end▁of▁sentence｜>", "[|endofturn|]"),
    *("<|END_OF_TURN_TOKEN|>", "<|assistant_end|>"),
)


def strip_reasoning(text: str, final_answer: bool = True) -> Filtered:
    r"""What stands outside the reasoning trace.

    Text before, between and after traces is kept as paragraphs. A closing tag that nothing opened means that the chat
    template did: all before it is trace. A trace that never ends takes the rest of the text; an answer that was given
    before it stands, but still counts as truncated. The function is idempotent.

    Args:
        text: one reply of a model, any length, may be empty.
        final_answer: whether "**Final Answer**" and \boxed{} are read as the answer, as QwQ-32B-Preview writes it; not
            for open questions, where a box is a part of the answer.

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
        response, unclosed = _outside_traces(text)
        truncated |= unclosed
        if bare := BARE_HARMONY.match(response):
            response = response[bare.end() :]
        response = _trim(response)
        if final_answer:
            response = _trim(_final_answer(response))
        if response == text:
            return Filtered(response, truncated)
        text = response


def _outside_traces(text: str) -> tuple[str, bool]:
    """The text outside traces, and whether a trace is open at its end; one pass."""
    pieces: list[str] = []
    open_tags: list[str] = []
    seen = 0
    for match in MARKER.finditer(text):
        kind, tag = _kind(match)
        if not kind or _is_mention(text, match):
            continue
        between = text[seen : match.start()].strip()
        seen = match.end()
        if not open_tags:
            pieces.append(between)
        if kind == "open":
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
    if not open_tags:
        pieces.append(text[seen:].strip())
    return "\n\n".join(filter(None, pieces)), bool(open_tags)


def _kind(match: re.Match[str]) -> tuple[str, str]:
    """What a marker does ("open", "close", "answer", "drop"; "" for other people's tags) and the tag that it is of."""
    if bare := match["square"] or match["triangle"]:
        return ("close" if bare[0] == "/" else "open"), "think"
    name = (match["name"] or "").lower()
    if not name:  # Commentary holds tool calls and plans, never the answer. A final channel may stay unclosed.
        return ("answer", "") if (match["channel"] or "").lower() == "final" else ("open", "|channel|")
    if name in TAGS:
        return ("close" if match["slash"] else "open"), name
    if name in PAIRS:
        return "open", name
    if name in CLOSES:
        return "close", CLOSES[name]
    return ("answer" if name in ANSWER_STARTS else "drop" if name in ANSWER_ENDS else ""), ""


def _is_mention(text: str, match: re.Match[str]) -> bool:
    r"""Whether a marker stands alone in quotes: `a "<think>" címke`, also `\"<think>\"` inside JSON.

    The quotes must open before and close after it: in `"Szeged"</think>"Szeged"` they do not.
    """
    before, after = text[max(0, match.start() - 3) : match.start()], text[match.end() : match.end() + 3]
    return bool(QUOTE_BEFORE.search(before) and QUOTE_AFTER.match(after))


def _trim(text: str) -> str:
    """The text without white space, end-of-turn tokens and answer tags around it."""
    start, end = 0, len(text)  # by index: cutting token by token would be quadratic
    while start < end:
        if text[start].isspace():
            start += 1
        elif text[end - 1].isspace():
            end -= 1
        elif text.startswith(FIRST_TOKENS, start, end):
            start += next(len(t) for t in FIRST_TOKENS if text.startswith(t, start, end))
        elif text.endswith(LAST_TOKENS, start, end):
            end -= next(len(t) for t in LAST_TOKENS if text.endswith(t, start, end))
        else:
            break
    return text[start:end]


def _final_answer(text: str) -> str:
    r"""What follows the last "**Final Answer**", if anything does, and of it the \boxed{}: QwQ-32B-Preview's way."""
    headings = list(FINAL_HEADING.finditer("\n" + text))  # a literal break is found much faster than ^
    section = text[headings[-1].end() - 1 :].strip() if headings else ""
    return _unboxed(section or text, under_heading=bool(section))


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

        Where the chat template opens the trace, a reply that was cut inside it shows no tag at all; only the other
        replies of the run tell that it is one.

        Args:
            resps: one reply a document. A back end may give None for an empty one: nothing came, so it is truncated.
            docs: the documents; not used.

        Returns:
            One JSON string a document, in order.
        """
        texts = [resp if isinstance(resp, str) else "" for resp in resps]
        first = [first_tag(text) for text in texts]
        template_opens = "open" not in first and first.count("close") >= TEMPLATE_OPENS_SHARE * len(texts) > 0
        cut = Filtered("", truncated=True)
        return [
            (cut if template_opens and tag == "" else strip_reasoning(text, self.final_answer)).to_json()
            for text, tag in zip(texts, first, strict=True)
        ]


def handling(final_answer: bool = True) -> str:
    """How traces are handled, as a part of a signature.

    >>> handling(), handling(final_answer=False)
    ('strip/1', 'strip/1,final_answer=False')
    """
    return f"strip/{VERSION}" + ("" if final_answer else ",final_answer=False")


def first_tag(text: str) -> str:
    """What the first tag of a trace in a text does, "open" or "close"; "" without any."""
    kinds = (_kind(match)[0] for match in MARKER.finditer(text) if not _is_mention(text, match))
    return next((kind for kind in kinds if kind in ("open", "close")), "")
