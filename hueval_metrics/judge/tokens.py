"""Estimates of tokens from a text alone, for what no server has counted yet."""

from __future__ import annotations

# A token of gpt-4o has 4.38 characters of English or 2.66 of Hungarian (aihirfolyam.hu, May 2024, a million words of
# each). 9.5 % of the characters of Hungarian text are not ASCII and take two bytes, which makes the difference:
# 1 / 2.66 = 1 / 4.38 + 0.095 * 1.55, in bytes 1 / 4.38 for each and 1.33 for each second byte.
BYTES_PER_TOKEN_EN = 4.38
TOKENS_PER_SECOND_BYTE = 1.33
BYTES_PER_TOKEN_HU = 2.9  # where only a length is known
ACCURACY = 30  # plus or minus, in percent: other tokenizers, texts other than prose
TOO_LONG = "too long"  # begins the error of what no judge can read: to ask again is of no use


def tokens_in(text: bytes) -> float:
    """The estimated number of tokens of a UTF-8 text, English, Hungarian or mixed.

    >>> round(tokens_in(b"a" * 438))
    100
    """
    second_bytes = len(text) - len(text.decode("utf-8", "ignore"))
    return len(text) / BYTES_PER_TOKEN_EN + second_bytes * TOKENS_PER_SECOND_BYTE


def too_long(messages: bytes, reply_tokens: int, context: int | None) -> str | None:
    """Why a judge cannot read a request; None where it can.

    Args:
        messages: the request.
        reply_tokens: the most that the reply may have.
        context: the most tokens of both together; None where it is not known.

    >>> too_long(b"a" * 4380, 10, 1000), too_long(b"a" * 4380, 10, None)
    ('too long: about 1,010 tokens with the reply; the judge holds 1,000 (HUEVAL_JUDGE_CONTEXT)', None)
    """
    if context is None or (tokens := round(tokens_in(messages)) + reply_tokens) <= context:
        return None
    return f"{TOO_LONG}: about {tokens:,} tokens with the reply; the judge holds {context:,} (HUEVAL_JUDGE_CONTEXT)"
