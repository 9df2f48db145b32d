r"""The markers of reasoning traces, model by model.

The table follows the reasoning parsers of vLLM (`vllm/reasoning`, `vllm/parser`) and SGLang
(`srt/parser/reasoning_parser.py`), as of 2026, and of llama.cpp (`common/chat*.cpp`); each line names its source.
Tokens that a tokenizer drops in decoding cannot be found: Magistral, Gemma 4, Cohere, Apertus and Inkling need
`skip_special_tokens=False`.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

# <name>…</name>, lower case; also matched with spaces, attributes, full-width brackets or HTML entities.
TAGS = {
    "think": "vLLM, SGLang: DeepSeek, Qwen3, GLM, ERNIE 4.5, MiniMax M2, Step 3, Nemotron 3, Olmo 3, Kimi K2",
    "thinking": "Reflection 70B; prompts that ask for it",
    "thought": "EXAONE Deep, Marco-o1",
    "thoughts": "prompts that ask for it",
    "reasoning": "Reka Flash 3; GRPO recipes",
    "reason": "seen in replies; of no model card",
    "analysis": "prompts that ask for it",
    "rationale": "prompts that ask for it",
    "gondolat": "prompts in Hungarian that ask for it",
    "gondolatmenet": "prompts in Hungarian that ask for it",
    "gondolkodás": "prompts in Hungarian that ask for it",
    "reflection": "Reflection 70B, inside <thinking>",
    "scratchpad": "prompts that ask for it",
    "antthinking": "Claude with artifacts; public clients strip it",
    "seed:think": "vLLM seed_oss",
    "mm:think": "vLLM and SGLang minimax_m3",
    "longcat_think": "vLLM longcat",
    "ifm|think": "vLLM k2_horizon, high effort",
    "ifm|think_fast": "vLLM k2_horizon, medium effort",
    "ifm|think_faster": "vLLM k2_horizon, low effort",
}
SUFFIXED_TAG = "think:"  # Hunyuan 3 and 4 add a name to the tag, such as <think:opensource>; vLLM hy_v3, hy_v4


class Pair(NamedTuple):
    """Two markers of different names that open and close a trace, lower case."""

    opening: str
    closing: str
    source: str


PAIRS = (
    Pair("<|begin_of_thought|>", "<|end_of_thought|>", "OpenThinker, Sky-T1: their system prompt"),
    Pair("<|start_thinking|>", "<|end_thinking|>", "vLLM cohere_command3; SGLang cohere_command4"),
    Pair("<|inner_prefix|>", "<|inner_suffix|>", "vLLM apertus; SGLang apertus2509"),
    Pair("<|think:start|>", "<|think:end|>", "vLLM solar_open2"),
    Pair("<|think:begin|>", "<|think:end|>", "Solar in another spelling; of no parser"),
    Pair("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>", "vLLM plamo3"),
    Pair("<|think|>", "<|end|>", "vLLM solar_open"),
    Pair("<unused94>", "<unused95>", "MedGemma: its model card"),
    Pair("<|content_thinking|>", "<|end_message|>", "vLLM and SGLang inkling"),
    Pair("<|channel|>", "<channel|>", "vLLM and SGLang gemma4; gpt-oss has no token that closes a channel"),
    Pair("<|open|>think<|sep|>", "<|close|>think<|sep|>", "Kimi K3"),
    Pair("[think]", "[/think]", "vLLM and SGLang mistral (Magistral)"),
    Pair("[thinking]", "[/thinking]", "seen in replies; of no model card"),
    Pair("[unused16]", "[unused17]", "vLLM pangu, where the tokenizer has no <think>"),
    Pair("◁think▷", "◁/think▷", "SGLang kimi (Kimi-VL)"),
)
SHARED_ENDS = {"<|end|>", "<|end_message|>"}  # they end any message; they end a trace only if its own tag is open

ANSWER_STARTS = {
    "<|begin_of_solution|>": "OpenThinker, Sky-T1",
    "<|start_response|>": "vLLM cohere_command3",
    "<|start_text|>": "SGLang cohere_command4",
    "<|content|>": "vLLM solar_open",
    "<|content_text|>": "vLLM and SGLang inkling",
    "<|open|>response<|sep|>": "Kimi K3",
    "[begin final response]": "llama.cpp: Apriel",
}
DROPPED = (
    *("<|end_of_solution|>", "<|end_response|>", "<|end_text|>"),
    *("<|close|>response<|sep|>", "<|open|>message<|sep|>", "<|close|>message<|sep|>"),  # Kimi K3
    *("<|message_model|>", "<|content_model_end_sampling|>"),  # Inkling
)

_TO, _JSON = r"[ ]?to=[\w.\-]{1,64}", r"(?:[ ]?json(?=\s*[{\[]))?"  # of a harmony message: to a tool; constrained

_BY_MARKER = "(?!)"  # a marker or token of another table ends the trace


class Sentences(NamedTuple):
    """Patterns of the text, mostly words, that opens a trace at the start of a reply, and of the text that ends it.

    The group of a closing is the marker, where the pattern spans more; `inside` are markers within the trace.
    """

    opening: re.Pattern[str]
    closing: re.Pattern[str]
    inside: re.Pattern[str]


SENTENCES = tuple(
    Sentences(*(re.compile(pattern, re.DOTALL) for pattern in (opening, closing, *(inside or ["(?!)"]))))
    for opening, closing, *inside in (
        # vLLM granite (3.2)
        (r"Here(?:['’]s| is) my thought process:", r"Here(?:['’]s| is) my response:"),
        (r"Here are my reasoning steps:", _BY_MARKER),  # llama.cpp: Apriel
        (r"(?:<\|im_start\|>)?think\n", r"(?:<\|im_start\|>|\n)answer\n"),  # s1: its chat format
        # Ollama's command line
        (r"Thinking(?:\.{3}|…)(?=[ \t]*\n|.*(?:\.{3}|…)done thinking\.)", r"(?:\.{3}|…)[ ]?done thinking\."),
        (r"to=self<\|message\|>", _BY_MARKER),  # vLLM muse_glimmer, its head in the prompt
        # gpt-oss without its special tokens, as hf and vLLM decode it. Directly before a capital or a digit, as no word
        # continues like that; "analysis: …" begins an answer.
        (
            rf"(?:assistant)?(?:analysis|commentary)(?:{_TO}{_JSON}|(?=[A-ZÀ-ÖØ-ÞŐŰ0-9\"„“«]|.*assistantfinal))"
            r"|(?=assistantfinal)",
            rf".*(assistantfinal{_JSON})",
            rf"assistant(?:{_TO})?(?:analysis|commentary)(?:{_TO})?{_JSON}|(?<!\s)assistant\Z",
        ),
    )
)

# Every marker has 5 characters or more and no line break: replacing it by a paragraph break makes the text shorter, and
# the text around it cannot join into a new marker ("<th<think>x</think>ink>"). The character set at the start lets `re`
# skip other characters ten times as fast as alternatives would.
MARKER = re.compile(
    r"""
    [<＜&\[◁](?:
      (?<=<)(?:\|start\|>assistant[^<\n]*<)?                              # message header of harmony, and Gemma 4
       \|channel\|?>[ \t]*(?P<channel>analysis|commentary|final|thought)?
       (?:[^<\n]*<\|constrain\|>)?(?:[^<\n]*<\|message\|>)?
    | (?<=<)\|start\|>[ \t]{0,2}assistant(?:[ \t]{0,2}to=(?P<to>[\w.\-]{1,64}))?[ \t]{0,2}<\|message\|>   # and Muse
    | (?P<whole>(?<=<)\|(?:open|close)\|>[ \t]{0,2}(?:think|response|message)[ \t]{0,2}<\|sep\|>         # Kimi K3
       | (?<=\[)/?[\w\ ]{5,24}\] | (?<=◁)/?think▷)
    | (?:(?<=[<＜])|(?<=&)lt;)(?P<slash>[ \t]{0,2}[/／])?[ \t]{0,2}(?P<name>[\w:|]+)(?:[ \t][^<>＜＞&\n]*)?(?<!/)
       (?:>|＞|&gt;)
    )""",
    re.IGNORECASE | re.VERBOSE,
)

Kind = Literal["open", "close", "end", "answer", "drop", ""]

_KINDS: dict[str, tuple[Kind, str]] = {
    **{f"<{name}>": ("open", name) for name in TAGS},
    **{f"</{name}>": ("close", name) for name in TAGS},
    **{pair.opening: ("open", pair.opening) for pair in PAIRS},
    **{pair.closing: ("end" if pair.closing in SHARED_ENDS else "close", pair.opening) for pair in reversed(PAIRS)},
    **dict.fromkeys(ANSWER_STARTS, ("answer", "")),
    **dict.fromkeys(DROPPED, ("drop", "")),
}


def kind_of(match: re.Match[str]) -> tuple[Kind, str]:
    """The effect of a match of `MARKER`, and the name of its tag; "" for a tag that is not a marker.

    "end" closes a trace of its own tag only, "answer" means that the text before it is not the answer, and "drop" only
    removes the marker itself.
    """
    if match["whole"]:
        text = match[0].lower()
        return _KINDS.get(text if text[0] == "[" else text.replace(" ", "").replace("\t", ""), ("", ""))
    if name := (match["name"] or "").lower():
        if name.startswith(SUFFIXED_TAG):
            return ("close" if match["slash"] else "open"), name
        return _KINDS.get(f"</{name}>" if match["slash"] else f"<{name}>", ("", ""))
    # A message to anyone but the user is a trace or a tool call. A final channel may have no end.
    channel = (match["channel"] or "").lower()
    is_answer = channel == "final" or ("channel" not in match[0].lower() and match["to"] in (None, "user"))
    return ("answer", "") if is_answer else ("open", "<|channel|>")


FIRST_TOKENS = (  # longer ones first
    "<answer>",  # R1-Zero's recipe and Hunyuan
    "<response>",  # ERNIE 4.5, Granite 3.3
    "<|begin_of_box|>",  # GLM 4.1V
    *("<s>", "<bos>", "<|begin_of_text|>", "\ufeff", "\u200b", "to=user<|message|>"),
    *("<|im_start|>assistant<|im_sep|>", "<|im_start|>assistant", "<|start|>assistant", "<|begin|>assistant"),
    *("<|assistant|>", "<｜Assistant｜>", "[|assistant|]", "]~b]ai", "<role>ASSISTANT</role>"),  # MiniMax M2; Ling
    *("<|start_header_id|>assistant<|end_header_id|>", "<start_of_turn>model", "<|turn>model"),  # Llama 3; Gemma
    "<|start_of_role|>assistant<|end_of_role|>",  # Granite
    "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",  # Command
    *("final<|message|>", "<|constrain|>json<|message|>", "<|message|>"),  # harmony, its head in the prompt
)
END_TOKENS = (  # of a turn or message: they end a trace as well, and are no part of it
    *("<|im_end|>", "<|endoftext|>", "<|end_of_text|>", "<|eot_id|>", "<|eot|>", "<end_of_turn>", "<turn|>", "<eos>"),
    *("<seed:eos>", "<|END_OF_TURN_TOKEN|>", "<|assistant_end|>", "<|role_end|>", "<|return|>"),
    *("</s>", "<|eom|>", "<|end|>", "<|call|>", "<|flush|>", "<|plamo:tag|>", "[end of text]", "<SPECIAL_12>"),
    *("<｜end▁of▁sentence｜>", "[|endofturn|]", "[e~["),  # DeepSeek; EXAONE; MiniMax
    *("<|user|>", "<|observation|>"),  # GLM
    *("<|end_message|>", "<|begin|>assistant", "<|start|>assistant", "<|open|>", "<|close|>"),
    *("<|open|>think", "<|close|>think", "<|open|>response", "<|close|>response", "<|close|>message"),  # Kimi K3, cut
)
LAST_TOKENS = (*END_TOKENS, "</answer>", "</response>", "<|end_of_box|>", "[END FINAL RESPONSE]")
