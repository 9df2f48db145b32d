"""From the rows of Toybench to the documents of a task, each complete in itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.loader import prompt_id
from lm_eval_tasks.toybench.hooks import PROMPTS

_KEYS = {"reviews": "review", "riddles": "riddle", "letters": "letter"}


def documents(task: str, row: Mapping[str, Any], variants: Mapping[str, str]) -> list[dict[str, Any]]:
    """The one document of a row."""
    fields = {field: value for field, value in row.items() if field != "id"}
    return [{**fields, _KEYS[task]: row["id"], "task": task, "prompt_lang": variants["prompt_lang"]}]


def prompt(task: str, variants: Mapping[str, str]) -> str:
    """Language and hash of the template."""
    return prompt_id(variants["prompt_lang"], PROMPTS[task, variants["prompt_lang"]])
