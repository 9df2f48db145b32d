"""From the rows of HKMMLU to documents, each complete in itself, and their prompts (Figures 10 to 12, 22)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hf_datasets.hkmmlu.schema import LETTERS
from hueval_metrics.loader import prompt_id
from lm_eval_tasks.hkmmlu.family import DIRECTIONS

PROMPTS = Path(__file__).parent / "prompts"
Rows = Callable[[str], Sequence[Mapping[str, Any]] | None]


def shared(name: str, variants: Mapping[str, Any], rows: Rows) -> Sequence[Mapping[str, Any]]:
    """The worked examples that the questions of a subject are asked with: the first rows of `validation`."""
    if name in DIRECTIONS or not variants["shots"]:
        return ()
    return list(rows("validation") or ())


def documents(
    name: str, row: Mapping[str, Any], variants: Mapping[str, Any], examples: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """The document of a row.

    Args:
        name: a subject, or a direction of translation.
        row: the row as `hf_datasets.load` gives it; its `id` becomes the `qid`.
        variants: see `family.VARIANTS`.
        examples: see `shared`.
    """
    fields = {field: value for field, value in row.items() if field != "id"}
    if name in DIRECTIONS:
        return [{"qid": row["id"], "task": name, "units": variants["units"], **fields}]
    shown = [{key: one[key] for key in ("question", "choices", "answer")} for one in examples]
    asked = {key: variants[key] for key in ("script", "method", "shots", "cot_layout")}
    return [{"qid": row["id"], "task": name, **asked, **fields, "examples": shown[: variants["shots"]]}]


def prompt(name: str, variants: Mapping[str, Any]) -> str:
    """The prompt in the signature."""
    if name in DIRECTIONS:
        return prompt_id(f"{name}-{variants['units']}", template(f"fig12_{name}"))
    return prompt_id(f"{variants['script']}-{variants['method']}{variants['shots']}", template("fig10"))


@cache
def template(name: str) -> str:
    """The text of a prompt, with its fields in braces."""
    return (PROMPTS / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


def user_message(doc: Mapping[str, Any]) -> str:
    """The user message for a document."""
    if doc["task"] in DIRECTIONS:
        return template(f"fig12_{doc['task']}").replace("{input}", doc["input"])
    examples = "".join(f"{question(one)}{one['answer']}\n\n" for one in doc["examples"])
    return (
        template("fig10")
        .replace("{subject}", doc["subject_zh"])
        .replace("{examples}\n", examples)
        .replace("{question}", question(doc))
    )


def question(doc: Mapping[str, Any]) -> str:
    """A question with its options, as examples and questions stand in a prompt."""
    options = "\n".join(f"{letter}. {text}" for letter, text in zip(LETTERS, doc["choices"], strict=False))
    return f"問題: {doc['question']}\n{options}\n答案:"


def target(doc: Mapping[str, Any]) -> str:
    """The reply that is wholly right."""
    return doc["output"] if doc["task"] in DIRECTIONS else doc["answer"]


def letters(doc: Mapping[str, Any]) -> list[str]:
    """The letters of a question's options."""
    return list(LETTERS[: len(doc["choices"])])


def right(doc: Mapping[str, Any]) -> int:
    """The index of the right option."""
    return LETTERS.index(doc["answer"])
