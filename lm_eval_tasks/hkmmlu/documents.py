"""From the rows of HKMMLU to documents, each complete in itself, and their prompts (prompts/README.md)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hf_datasets.hkmmlu.schema import LETTERS
from hueval_metrics.errors import InputError
from hueval_metrics.loader import prompt_id
from lm_eval_tasks.hkmmlu.examples import Row, Shared
from lm_eval_tasks.hkmmlu.family import DIRECTIONS

PROMPTS = Path(__file__).parent / "prompts"
_QUESTION = {"tc": "問題", "sc": "问题"}  # the other words of examples are written alike in both scripts


def documents(name: str, row: Row, variants: Mapping[str, Any], shared: Shared) -> list[dict[str, Any]]:
    """The document of a row.

    Args:
        name: a subject, or a direction of translation.
        row: the row as `hf_datasets.load` gives it; its `id` becomes the `qid`.
        variants: see `family.VARIANTS`.
        shared: what the questions of the subject have in common.

    Raises:
        InputError: without the question itself there are not as many examples as asked for.
    """
    if name in DIRECTIONS:
        fields = {field: value for field, value in row.items() if field != "id"}
        return [{"qid": row["id"], "task": name, "units": variants["units"], **fields}]
    fields = dict(shared.questions.get(row["id"], row))
    del fields["id"], fields["reasoning"]
    asked = {key: variants[key] for key in ("script", "method", "shots", "cot_layout")}
    return [{"qid": row["id"], "task": name, **asked, **fields, "examples": _examples(row, variants, shared)}]


def _examples(row: Row, variants: Mapping[str, Any], shared: Shared) -> list[dict[str, Any]]:
    """The first examples that are not the question itself."""
    if not shared.examples:
        return []
    texts = row["question"], row["choices"]
    others = [shown for one, shown in shared.examples if (one["question"], one["choices"]) != texts]
    if len(others) < variants["shots"]:
        raise InputError(
            f"--metadata shots: {variants['shots']}, and one of the {len(shared.examples)} examples of "
            f"{row['subject']} is {row['id']} itself, which leaves {len(others)}. Add another example, or ask for fewer"
        )
    fields = ("question", "choices", "answer", *(("reasoning",) if variants["method"] == "cot" else ()))
    return [{field: one[field] for field in fields} for one in others[: variants["shots"]]]


def prompt(name: str, variants: Mapping[str, Any], shared: Shared) -> str:
    """The prompt in the signature: how the texts came into their script, and a hash of prompt and examples."""
    if name in DIRECTIONS:
        return prompt_id(name, template(f"fig12_{name}"))
    return prompt_id(shared.script, template(_template_of(variants)) + shared.content)


def _template_of(asked: Mapping[str, Any]) -> str:
    figure = "fig10"
    if asked["method"] == "cot":
        figure = "fig11" if asked["cot_layout"] == "fig11" else "fig22" if asked["shots"] else "fig21"
    return figure if asked["script"] == "tc" else f"{figure}_sc"


@cache
def template(name: str) -> str:
    """The text of a prompt, with its fields in braces."""
    return (PROMPTS / f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


def user_message(doc: Mapping[str, Any]) -> str:
    """The user message for a document."""
    if doc["task"] in DIRECTIONS:
        return template(f"fig12_{doc['task']}").format(input=doc["input"])
    examples = "".join(f"{_example(one, doc)}\n\n" for one in doc["examples"])
    asked = question(doc)
    if doc["method"] == "da":
        asked += "\n答案:"
    return template(_template_of(doc)).format(subject=doc["subject_zh"], examples=examples, question=asked)


def question(doc: Mapping[str, Any]) -> str:
    """A question with its options, as examples and questions are written in a prompt."""
    return _with_options(doc, doc["script"])


def _with_options(one: Mapping[str, Any], script: str) -> str:
    options = (f"\n{letter}. {text}" for letter, text in zip(LETTERS, one["choices"], strict=False))
    return f"{_QUESTION[script]}: {one['question']}{''.join(options)}"


def question_lines() -> tuple[str, ...]:
    """The lines of a question with its options, in both scripts, with placeholders in braces."""
    options = (f"{letter}. {{choice{place}}}" for place, letter in enumerate(LETTERS, 1))
    return (*(f"{word}: {{question}}" for word in _QUESTION.values()), *options)


def _example(one: Mapping[str, Any], doc: Mapping[str, Any]) -> str:
    """An example with its answer, behind its reasoning where it has any."""
    shown = _with_options(one, doc["script"])
    if doc["method"] == "cot":
        shown = f"示例\n{shown}\n推理:\n{one['reasoning']}"
    return f"{shown}\n答案: {one['answer']}"


def target(doc: Mapping[str, Any]) -> str:
    """The gold answer."""
    return doc["output"] if doc["task"] in DIRECTIONS else doc["answer"]


def letters(doc: Mapping[str, Any]) -> list[str]:
    """The letters of a question's options."""
    return list(LETTERS[: len(doc["choices"])])


def right(doc: Mapping[str, Any]) -> int:
    """The index of the right option."""
    return LETTERS.index(doc["answer"])
