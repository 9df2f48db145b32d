"""What a fine-tuned classifier reads of a HuLU document, as tokens, and which rows of train choose the best epoch."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hueval_metrics.errors import InputError
from lm_eval_tasks.hulu.corpora import TEXTS
from lm_eval_tasks.hulu.hooks import choices, context

Document = Mapping[str, Any]
Tokens = dict[str, list[list[int]]]  # as the tokenizer names them → of each text that is classified


def texts_of(doc: Document, *, templated: bool) -> list[tuple[str, ...]]:
    """The texts that are classified: one of a document with fixed labels, one a choice of HuCoPA.

    Args:
        doc: a document of `documents.documents`; its `prompt` is the template.
        templated: whether all its texts are in the template. In HuCoPA a choice always goes on where the premise
            with its connective ends.

    Returns:
        Each one sentence, or the two of a pair.
    """
    if doc["task"] == "hucopa":
        return [(context(doc), choice) for choice in choices(doc)]
    return [(context(doc),)] if templated else [tuple(doc[field] for field in TEXTS if field in doc)]


def encoded(
    tokenizer: Any, docs: Sequence[Document], *, templated: bool, max_length: int | None, positions: int | None
) -> list[Tokens]:
    """The tokens of documents of one corpus.

    A tokenizer that separates the two texts of a pair gets both. One that does not, as of most causal models, would
    glue them together: there, and in a template, a line break separates them, in HuCoPA a space.

    Args:
        tokenizer: of transformers.
        docs: at least one.
        templated: see `texts_of`.
        max_length: the most tokens of a text; the longest text of a longer document is cut, never the template around
            it. None to refuse such documents.
        positions: the most tokens that the model can take; None where there is no limit.

    Raises:
        InputError: a text has more tokens than the model has positions, or nothing of it is left.
    """
    is_joined = templated or not _separates(tokenizer)

    def tokens(some: Sequence[Document]) -> Any:
        texts = [text for doc in some for text in texts_of(doc, templated=templated)]
        if is_joined:
            between = " " if some[0]["task"] == "hucopa" else "\n"
            texts = [(between.join(text),) for text in texts]
        return tokenizer(*map(list, zip(*texts, strict=True)))

    found = tokens(docs)
    if max_length is not None and max(map(len, found["input_ids"])) > max_length:
        docs = [_cut(doc, lambda one: max(map(len, tokens([one])["input_ids"])), max_length) for doc in docs]
        found = tokens(docs)
    lengths = list(map(len, found["input_ids"]))
    each = len(lengths) // len(docs)
    if positions is not None and max(lengths) > positions:
        doc = docs[lengths.index(max(lengths)) // each]
        raise InputError(
            f"{doc['task']} {doc['split']} (qid {doc['qid']}): {max(lengths)} tokens, and the model has {positions} "
            f"positions. Cut long texts with --max-length {positions}"
        )
    return [
        {name: values[start : start + each] for name, values in found.items()} for start in range(0, len(lengths), each)
    ]


def _separates(tokenizer: Any) -> bool:
    """Whether a tokenizer puts a token of its own between the two texts of a pair."""
    special = tokenizer("a", "b", return_special_tokens_mask=True)["special_tokens_mask"]
    return 1 in special[special.index(0) : len(special) - special[::-1].index(0)]


def _cut(doc: Document, length_of: Callable[[Document], int], max_length: int) -> Document:
    """A document whose longest text is shortened from its end, again and again, until all fits."""
    fields = [field for field in TEXTS if field in doc]
    while (length := length_of(doc)) > max_length:
        longest = max(fields, key=lambda field: len(doc[field]))
        text = doc[longest]
        if not text:
            raise InputError(f"--max-length {max_length}: no text of {doc['task']} is left. Give more")
        doc = {**doc, longest: text[: min(len(text) - 1, len(text) * max_length // length)]}
    return doc


def held_out(labels: Sequence[int], seed: int) -> list[int]:
    """The rows of train that choose the best epoch: a tenth of each label, drawn by the seed.

    Args:
        labels: of all rows of train.
        seed: of the fine-tuning.

    Returns:
        Their places, rising. At least one of each label that has two rows.

    >>> held_out([0] * 20 + [1] * 10 + [2], seed=1)
    [4, 18, 21]
    """
    rng, found = random.Random(seed), []
    for label in sorted(set(labels)):
        places = [place for place, known in enumerate(labels) if known == label]
        found += rng.sample(places, max(round(len(places) / 10), min(1, len(places) - 1)))
    return sorted(found)
