"""The reasoning trace of a reply that a chat server sends in a field of its own, put back before the answer.

vLLM, SGLang and others move the trace to `reasoning_content` (or `reasoning`) of the message, and lm-eval reads
`content` alone. The samples have it in `<think>` before the content, as other back ends log it, and the filters cut
it off again: the response, and with it every score, is that of the content alone. What else the server says of a reply,
how many tokens its trace has and whether it ended at the token limit, goes with it into the samples.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.answers.trace.markers import MARKER, kind_of
from hueval_metrics.answers.trace.split import split_reasoning
from hueval_metrics.scoring.values import AT_LIMIT

REASONING_TOKENS = "reasoning_tokens"  # in a sample: what the server counted
FACTS = (REASONING_TOKENS, AT_LIMIT)
_FIELDS = ("reasoning_content", "reasoning")  # DeepSeek's name, which most servers took over; that of newer vLLM

log = logging.getLogger(__name__)


class CountedReply(str):
    """A reply with what its server or model said of it; lm-eval hands it through to the samples as it is.

    Attributes:
        facts: those of `FACTS` that are known.
    """

    facts: Mapping[str, Any]

    @classmethod
    def of(cls, text: str, facts: Mapping[str, Any]) -> CountedReply:
        """A reply with facts."""
        reply = cls(text)
        reply.facts = facts
        return reply


def keep_traces(model: Any) -> None:
    """Have a model behind an API answer with the facts that its server reports, and of a chat with the traces.

    With `think_end_token` lm-eval itself cuts traces off, and none is put back.

    Args:
        model: any of lm-eval's models; one of another back end stays as it is.
    """
    from lm_eval.models.openai_completions import LocalChatCompletion

    if not hasattr(model, "parse_generations"):
        return
    parse, is_chat = model.parse_generations, isinstance(model, LocalChatCompletion)

    def replies(outputs: Any, **settings: Any) -> list[str | None]:
        found: list[str | None] = []
        for output in outputs if isinstance(outputs, list) else [outputs]:
            is_whole = is_chat and not model.think_end_token
            texts: list[str | None] = parse(_with_traces(output) if is_whole else output, **settings)
            for place, text in enumerate(texts):
                facts = _facts(output, place, len(texts))
                found.append(CountedReply.of(text, facts) if facts and isinstance(text, str) else text)
        return found

    model.parse_generations = replies


def note_facts(samples: Mapping[str, Sequence[dict[str, Any]]]) -> None:
    """Add what is known of the replies to their samples (`FACTS`)."""
    for rows in samples.values():
        for row in rows:
            first = row["resps"][0][0] if row["resps"] and row["resps"][0] else None
            if isinstance(first, CountedReply):
                row |= first.facts


def put_back(trace: str, content: str) -> str:
    r"""A reply of a trace and a content, of which the filters leave the content.

    Without a content the trace was cut, so it stays open. Tags in the trace that would end or prolong it lose their
    bracket (`‹think>`).

    >>> put_back("1 vagy 2?", "2"), put_back("1 vagy", "")
    ('<think>\n1 vagy 2?\n</think>\n\n2', '<think>\n1 vagy')
    """
    trace = trace.strip("\n")
    for text in (trace, _without_tags(trace)):
        reply = f"<think>\n{text}\n</think>\n\n{content}" if content.strip() else f"<think>\n{text}"
        if all(_is_same(reply, content, final_answer) for final_answer in (False, True)):
            return reply
    log.warning("a reply holds tags that would swallow its answer, so its reasoning_content is not put back.")
    return content


def _with_traces(output: Any) -> Any:
    """A server's answer with the trace of each choice in its content; what is no such answer is lm-eval's business."""
    try:
        choices = [choice | {"message": _whole(choice["message"])} for choice in output["choices"]]
    except (AttributeError, KeyError, TypeError):
        return output
    return output | {"choices": choices}


def _whole(message: dict[str, Any]) -> dict[str, Any]:
    content = message.get("content")
    traces = (message.get(field) for field in _FIELDS)
    trace = next((text for text in traces if isinstance(text, str) and text.strip()), None)
    if trace is None or not isinstance(content, str | None):
        return message
    return message | {"content": put_back(trace, content or "")}


def _facts(output: Any, place: int, n: int) -> dict[str, Any]:
    """What a server's answer says of one of its n choices."""
    found: dict[str, Any] = {}
    if n == 1 and (count := _reasoning_tokens(output)) is not None:  # of several choices it counts the sum
        found[REASONING_TOKENS] = count
    try:
        reasons = {choice["index"]: choice.get("finish_reason") for choice in output["choices"]}
    except (AttributeError, KeyError, TypeError):
        return found
    return found | ({AT_LIMIT: reasons[place] == "length"} if isinstance(reasons.get(place), str) else {})


def _reasoning_tokens(output: Any) -> int | None:
    try:
        count = output["usage"]["completion_tokens_details"]["reasoning_tokens"]
    except (KeyError, TypeError):
        return None
    return count if type(count) is int and count >= 0 else None


def _is_same(reply: str, content: str, final_answer: bool) -> bool:
    whole, alone = split_reasoning(reply, final_answer), split_reasoning(content, final_answer)
    return (whole.response, whole.truncated) == (alone.response, alone.truncated)


def _without_tags(trace: str) -> str:
    return MARKER.sub(lambda tag: f"‹{tag[0][1:]}" if kind_of(tag)[0] else tag[0], trace)
