"""Counting tokens of a trace, by the model's tokenizer where it can be had."""

from __future__ import annotations

from dataclasses import dataclass

from hueval_metrics.judge.progress import tokens_in


@dataclass(frozen=True)
class Counter:
    """Counts tokens.

    Attributes:
        name: of the tokenizer, or of what stands in for one; part of the signature.
    """

    name: str = "estimate"

    def count(self, text: str) -> int:
        """The number of tokens of a text, without special tokens."""
        return round(tokens_in(text.encode("utf-8", "replace")))

    def count_reply(self, reply: str) -> int:
        """The number of tokens of a whole reply with special tokens, as the public tool counts."""
        return self.count(reply)
