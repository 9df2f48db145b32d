"""What was asked of a model's thinking: one record of a run, which the flag `thinking` reads (`scoring.flags`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

THINKING = "thinking"  # of results: what was asked, by task
_SWITCHES = ("enable_thinking", "thinking")  # of chat templates
_OFF = ("false", "0", "none", "disabled", "off")
_UNCLEAR = ("minimal", "auto", "null", "")  # an effort at which a model may think or not
_LOCAL = ("hf", "vllm")  # lm-eval's models that apply the chat template and return the whole text


def thinking_asked(model: str, args: Mapping[str, Any], generation: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a run asked of the model's thinking; None where it asked nothing.

    Args:
        model: lm-eval's name of the kind of model, such as `hf`.
        args: the model's arguments.
        generation: the settings of generation, with those of the command line.

    Returns:
        `asked` (`on` or `off`), `sent` (whether the setting reaches the model; None when unknown), `as` (the setting as
        it was given), `traces` (whether traces stay in the replies: `left`, `dropped`; None when unknown, as of a
        server that may keep them).

    >>> thinking_asked("hf", {"enable_thinking": "False"}, {})
    {'asked': 'off', 'sent': True, 'as': 'enable_thinking=False', 'traces': 'left'}
    >>> thinking_asked("local-chat-completions", {"enable_thinking": True}, {})["sent"]
    False
    """
    is_local = model.startswith(_LOCAL)
    for settings, is_sent in ((generation, not is_local), (args, is_local)):
        for name, value in _settings(settings):
            text = str(value).casefold()
            if text not in _UNCLEAR:
                traces = "dropped" if args.get("think_end_token") else "left" if is_local else None
                asked = "off" if text in _OFF else "on"
                return {"asked": asked, "sent": is_sent, "as": f"{name}={value}", "traces": traces}
    return None


def _settings(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The settings that turn thinking on or off, with their names."""
    for group in ("chat_template_kwargs", "chat_template_args"):
        inner = given.get(group)
        if isinstance(inner, Mapping):
            yield from ((f"{group}.{name}", inner[name]) for name in _SWITCHES if name in inner)
    yield from ((name, given[name]) for name in ("enable_thinking", "reasoning_effort") if name in given)
    reasoning = given.get("reasoning")
    if isinstance(reasoning, Mapping):
        yield from ((f"reasoning.{name}", reasoning[name]) for name in ("enabled", "effort") if name in reasoning)
    elif reasoning is not None:
        yield "reasoning", reasoning
