"""Few-shot examples of HuLU: from train, balanced over labels, the same for an item in whichever order items come.

lm-eval's own sampler draws from one running stream, so that an item's examples change with its rank, `--limit` and
`--samples`, and its balanced sampler is not implemented. It hands the item over only where the examples' split is named
as the scored one: so the YAMLs name that, and the rows come from train all the same.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from lm_eval.api.samplers import ContextSampler

from hueval_metrics.loader import examples
from hueval_metrics.records import InputError
from lm_eval_tasks.hulu.corpora import CORPORA, TEXTS

Document = Mapping[str, Any]


def no_documents(split: object) -> list[Document]:
    """None: the sampler reads train itself, and only where examples are asked for."""
    return []


class Balanced(ContextSampler):
    """Draws examples by (seed, qid): each label as often as any other, give or take one, in random order."""

    def __init__(self, df: Sequence[Document] | None = None, *, rnd: int | None = None, **_: Any) -> None:
        super().__init__(df, rnd=rnd)
        self._seed = rnd
        self._by_label: dict[str, list[Document]] = {}

    def set_rnd(self, rnd: int | None) -> Balanced:
        """Take the seed of `--seed`, as lm-eval hands it over."""
        self._seed = rnd
        return self

    def sample(
        self, n: int, eval_doc: Document | None = None, df: Sequence[Document] | None = None, **_: Any
    ) -> list[Document]:
        """The examples for an item.

        Args:
            n: how many.
            eval_doc: the item. No row with its text is among the examples.
            df: not used, as rows come from train.

        Raises:
            InputError: train has too few rows of a label.
        """
        if eval_doc is None:
            raise ValueError("fewshot_config.split must be the scored split, so that lm-eval names the item")
        draw = random.Random(f"{self._seed}\n{eval_doc['split']}\n{eval_doc['qid']}")
        self._by_label = self._by_label or _train(eval_doc["task"], eval_doc["prompt"])
        labels = list(self._by_label)
        draw.shuffle(labels)  # so that no label always has the one more
        found: list[Document] = []
        for place, label in enumerate(labels):
            wanted = n // len(labels) + (place < n % len(labels))
            rows = [row for row in self._by_label[label] if not _same_text(row, eval_doc)]
            if len(rows) < wanted:
                raise InputError(
                    f"--num_fewshot {n}: train of {CORPORA[eval_doc['task']].title} has {len(rows)} rows labelled "
                    f'"{label}", and {wanted} are needed. Ask for fewer examples'
                )
            found += draw.sample(rows, wanted)
        draw.shuffle(found)
        return found


def _train(corpus: str, prompt: int) -> dict[str, list[Document]]:
    """Label → the rows of train that have it."""
    found: dict[str, list[Document]] = {label: [] for label in CORPORA[corpus].labels}
    for row in examples(f"hulu_{corpus}", "train", {"prompt": prompt}):
        found[row["label"]].append(row)
    return found


def _same_text(row: Document, other: Document) -> bool:
    return all(row[field] == other[field] for field in TEXTS if field in row)
