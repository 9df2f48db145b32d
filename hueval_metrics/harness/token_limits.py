"""Tokens of a Hugging Face model that lm-eval says nothing of: which replies ended at the limit, how far a batch is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from hueval_metrics.harness.chat_traces import CountedReply
from hueval_metrics.harness.replaced import replaced
from hueval_metrics.progress import under_way
from hueval_metrics.scoring.values import AT_LIMIT


@contextlib.contextmanager
def limits_noted(model: Any) -> Iterator[None]:
    """While inside, a model's replies say whether they ended at the limit; of other back ends nothing is known.

    A reply did where all tokens were used, the last one ends or pads nothing, and lm-eval cut no stop sequence off.
    """
    from lm_eval.models import huggingface

    if not isinstance(model, huggingface.HFLM) or model.backend != "causal" or isinstance(model.think_end_token, int):
        yield
        return
    generate, decode, cleaned = model._model_generate, model.tok_decode, huggingface.postprocess_generated_text
    settings = getattr(model.model, "generation_config", None)
    own = getattr(settings, "eos_token_id", None)
    ends = {model.eot_token_id, model.tokenizer.pad_token_id, *(own if isinstance(own, list) else [own])}
    room, is_full = 0, False

    def generated(context: Any, max_length: int, **others: Any) -> Any:
        nonlocal room
        room = max_length - context.shape[1]
        counted = _counted(context.shape[0], context.shape[1], max_length)
        return generate(context=context, max_length=max_length, logits_processor=counted, **others)

    def decoded(tokens: Any, *args: Any, **others: Any) -> str:
        nonlocal is_full
        is_full = isinstance(tokens, list) and len(tokens) >= room > 0 and tokens[-1] not in ends
        return str(decode(tokens, *args, **others))

    def reply(generation: str, *args: Any, **others: Any) -> str:
        text = cleaned(generation, *args, **others)
        is_whole = generation.endswith(text) and bool(text or not generation)
        return CountedReply.of(text, {AT_LIMIT: is_full and is_whole})

    with (
        replaced(model, "_model_generate", generated),
        replaced(model, "tok_decode", decoded),
        replaced(huggingface, "postprocess_generated_text", reply),
    ):
        yield


def _counted(n_replies: int, n_read: int, max_length: int) -> Any:
    """A processor of logits that changes none, and shows which token of a batch is written."""
    from transformers import LogitsProcessor, LogitsProcessorList

    class Counted(LogitsProcessor):
        """Most replies end before the limit: what is done of the batch is at least what is counted here."""

        def __call__(self, input_ids: Any, scores: Any) -> Any:
            written, room = input_ids.shape[1] - n_read, max_length - n_read
            under_way(n_replies * written / room, f"token {written + 1:,} of at most {room:,} in this batch")
            return scores

    return LogitsProcessorList([Counted()])
