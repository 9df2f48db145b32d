"""What a fine-tuned classifier reads of a HuLU document, as tokens, and which rows of train choose the best epoch."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from hueval_metrics.records import InputError
from lm_eval_tasks.hulu.corpora import TEXTS
from lm_eval_tasks.hulu.hooks import choices, context

Document = Mapping[str, Any]
Tokens = dict[str, list[list[int]]]  # as the tokenizer names them → of each text that is classified


def texts_of(doc: Document, *, templated: bool) -> list[tuple[str, ...]]:
    """The texts that are classified: one of a document with fixed labels, one a choice of HuCoPA.

    Args:
        doc: a document of `documents.documents`; its `prompt` is the template.
        templated: whether all its texts stand in the template. In HuCoPA a choice always goes on where the premise
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

    A tokenizer with a separator puts it between the two texts of a pair. One without, as of most causal models, would
    glue them together: there, and in a template, a line break stands between them, in HuCoPA a space.

    Args:
        tokenizer: of transformers.
        docs: at least one.
        templated: see `texts_of`.
        max_length: where longer texts are cut, the longer of a pair first; None to refuse them.
        positions: the most tokens that the model can take; None where there is no limit.

    Raises:
        InputError: a text has more tokens than the model has positions.
    """
    texts = [text for doc in docs for text in texts_of(doc, templated=templated)]
    if templated or tokenizer.sep_token is None:
        between = " " if docs[0]["task"] == "hucopa" else "\n"
        texts = [(between.join(text),) for text in texts]
    found = tokenizer(*map(list, zip(*texts, strict=True)), truncation=max_length is not None, max_length=max_length)
    lengths, each = list(map(len, found["input_ids"])), len(texts) // len(docs)
    if positions is not None and max(lengths) > positions:
        doc = docs[lengths.index(max(lengths)) // each]
        raise InputError(
            f"{doc['task']} {doc['split']} (qid {doc['qid']}): {max(lengths)} tokens, and the model has {positions} "
            f"positions. Cut long texts with --max-length {positions}"
        )
    return [
        {name: values[start : start + each] for name, values in found.items()} for start in range(0, len(texts), each)
    ]


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
