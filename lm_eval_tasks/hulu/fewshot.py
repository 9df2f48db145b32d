"""Few-shot examples of HuLU: from train, the same for an item in whichever order items come.

lm-eval's own sampler draws from one running stream, so that an item's examples change with its rank, `--limit` and
`--samples`, and its balanced sampler is not implemented. It hands the item over only where the examples' split is named
as the scored one: so the YAMLs name that, and the rows come from train all the same.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Self

from lm_eval.api.samplers import ContextSampler

from hueval_metrics.errors import InputError
from hueval_metrics.loader import examples
from lm_eval_tasks.hulu.corpora import CORPORA, TEXTS

Document = Mapping[str, Any]


def no_documents(split: object) -> list[Document]:
    """None: the sampler reads train itself, and only where examples are asked for."""
    return []


class _FromTrain(ContextSampler, ABC):
    """Draws examples from train by (seed, qid)."""

    def __init__(self, df: Sequence[Document] | None = None, *, rnd: int | None = None, **_: Any) -> None:
        super().__init__(df, rnd=rnd)
        self._seed = rnd

    def set_rnd(self, rnd: int | None) -> Self:
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
            InputError: train has too few rows.
        """
        if eval_doc is None:
            raise ValueError("fewshot_config.split must be the scored split, so that lm-eval names the item")
        return self._drawn(n, eval_doc, random.Random(f"{self._seed}\n{eval_doc['split']}\n{eval_doc['qid']}"))

    @abstractmethod
    def _drawn(self, n: int, doc: Document, draw: random.Random) -> list[Document]: ...


class Balanced(_FromTrain):
    """Draws each label as often as any other, give or take one, in random order."""

    _by_label: Mapping[str, Sequence[Document]] = {}

    def _drawn(self, n: int, doc: Document, draw: random.Random) -> list[Document]:
        self._by_label = self._by_label or _rows_by_label(doc["task"], doc["prompt"])
        labels = list(self._by_label)
        draw.shuffle(labels)  # so that no label always has the one more
        found: list[Document] = []
        for place, label in enumerate(labels):
            wanted = n // len(labels) + (place < n % len(labels))
            rows = [row for row in self._by_label[label] if not _same_text(row, doc)]
            if len(rows) < wanted:
                raise InputError(
                    f"--num_fewshot {n}: train of {CORPORA[doc['task']].title} has {len(rows)} rows labelled "
                    f'"{label}", and {wanted} are needed. Ask for fewer examples'
                )
            found += draw.sample(rows, wanted)
        draw.shuffle(found)
        return found


class OtherArticles(_FromTrain):
    """Draws rows of HuRC, none from the item's own article, where the masked name is written out."""

    _rows: Sequence[Document] = ()

    def _drawn(self, n: int, doc: Document, draw: random.Random) -> list[Document]:
        self._rows = self._rows or examples("hulu_hurc", "train", {"prompt": doc["prompt"]})
        rows = self._rows
        found: dict[int, Document] = {}
        passed_over: set[int] = set()
        while len(found) < n:  # train is too long to be gone through for each item
            if len(found) + len(passed_over) == len(rows):
                raise InputError(
                    f"--num_fewshot {n}: train of HuRC has {len(found)} rows of other articles. Ask for fewer examples"
                )
            place = draw.randrange(len(rows))
            if rows[place]["article_id"] == doc["article_id"]:
                passed_over.add(place)
            else:
                found.setdefault(place, rows[place])
        return list(found.values())


def _rows_by_label(corpus: str, prompt: int) -> dict[str, list[Document]]:
    """Label → the rows of train that have it."""
    found: dict[str, list[Document]] = {label: [] for label in CORPORA[corpus].labels}
    for row in examples(f"hulu_{corpus}", "train", {"prompt": prompt}):
        found[row["label"]].append(row)
    return found


def _same_text(row: Document, other: Document) -> bool:
    return all(row[field] == other[field] for field in TEXTS if field in row)
