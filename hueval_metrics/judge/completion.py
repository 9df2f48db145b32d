"""The completion in a chat API's response: its text, its tokens, and why there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hueval_metrics.one_line import one_line
from hueval_metrics.records import NO_USAGE, Usage
from hueval_metrics.text.quick_json import from_json

FILTERED = "content_filter"


@dataclass(slots=True)
class Completion:
    """The completion in a response, and what it took; not frozen, as one is made for every call.

    Attributes:
        content: the text; empty when there is none.
        reason: the finish reason, or why there is no text.
        prompt_tokens, completion_tokens: as counted by the server; None where it did not count.
        cached_tokens: prompt tokens that came from the provider's cache, which cost less.
        written_tokens: prompt tokens that were written into that cache, which may cost more.
        is_cut: whether the reply was cut off at `max_tokens`.
        is_blank: whether it was cut off after mostly white space, a fault of some models under a schema.
        is_declined: whether there is no text, and most likely none the next time: `reason` says why.
        sent: the parameters of the request, once the client has it.
        usage: what it cost, with the failed attempts before it; likewise.
    """

    content: str
    reason: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cached_tokens: int = 0
    written_tokens: int = 0
    is_cut: bool = False
    is_blank: bool = False
    is_declined: bool = False
    sent: Mapping[str, Any] = field(default_factory=dict)
    usage: Usage = NO_USAGE


def completion(text: str) -> Completion | None:
    """The completion in the body of a response with status 200; None when there is none."""
    try:
        data = from_json(text)
        choice = data["choices"][0]
        message = choice["message"]
        content = message.get("content")
        reason = choice.get("finish_reason")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        return None
    if isinstance(content, list):  # content in parts, as the API allows
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    content = content if isinstance(content, str) else ""
    words = content.strip()
    is_cut = reason == "length"
    is_blank = is_cut and len(words) < len(content) / 2
    declined = None
    if not words:
        declined = _declined(message, reason)
        content, reason = "", declined or one_line(f"finish_reason {reason}", 100)
    return Completion(content, str(reason), *_counts(data.get("usage")), is_cut, is_blank, declined is not None)


def _declined(message: Mapping[str, Any], reason: object) -> str | None:
    """Why a message without text will most likely have none the next time either; None where it may."""
    if refusal := message.get("refusal"):
        return one_line(refusal, 100)
    if message.get("tool_calls") or message.get("function_call"):
        return "it calls a tool instead"
    if reason == FILTERED:
        return f"finish_reason {FILTERED}"
    # vLLM has renamed the field to `reasoning`.
    field = next((name for name in ("reasoning_content", "reasoning") if str(message.get(name) or "").strip()), None)
    if field is None:
        return None
    return (
        f"its text is in {field} alone: start the server without its reasoning parser (vLLM, SGLang: "
        "--reasoning-parser; llama.cpp: --reasoning-format none)"
    )


def _counts(usage: Any) -> tuple[int | None, int | None, int, int]:
    """The tokens of the prompt and of the completion; the prompt tokens read from and written into a cache."""
    if not isinstance(usage, dict):
        return None, None, 0, 0
    prompt, received, total = map(_count, map(usage.get, ("prompt_tokens", "completion_tokens", "total_tokens")))
    if prompt is not None and received is not None and total is not None:
        received = max(received, total - prompt)  # some servers count hidden reasoning in the total alone
    if not isinstance(details := usage.get("prompt_tokens_details"), dict):
        return prompt, received, 0, 0
    return prompt, received, _count(details.get("cached_tokens")) or 0, _count(details.get("cache_write_tokens")) or 0


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value < 10**9 else None
