"""From the rows of HuLU to the documents of a task, each complete in itself."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from hueval_metrics.loader import prompt_id
from lm_eval_tasks.hulu.hooks import template


def documents(corpus: str, row: Mapping[str, Any], variants: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The document of a row.

    Args:
        corpus: the task's name without its prefix.
        row: the row as `hf_datasets.load` gives it; its `id`, unique within a split, becomes the `qid`.
        variants: `split` and `prompt` (1 to 3).
    """
    fields = {field: value for field, value in row.items() if field != "id"}
    if corpus == "hurc":  # an article has a row for each of its names: they are not independent
        text = "\n".join((*row["lead"], *row["passage"]))
        fields["article_id"] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return [{"qid": row["id"], "task": corpus, **variants, **fields}]


def prompt(corpus: str, variants: Mapping[str, Any]) -> str:
    """The prompt in the signature: its number, and a hash of the text in both forms."""
    texts = [template(form, corpus, variants["prompt"]) for form in ("hulu", "hulugen")]
    return prompt_id(f"hu{variants['prompt']}", "\n".join(texts))
