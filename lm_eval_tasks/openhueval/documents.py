"""From the rows of an OpenHuEval file to the documents of a task, each complete in itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from hueval_metrics.errors import DataError
from hueval_metrics.loader import prompt_id
from lm_eval_tasks.openhueval.templates import template
from lm_eval_tasks.openhueval.wild_bench import ANSWER_TRIGGER, GAP, SEPARATORS, repair, system_prompt

Row = Mapping[str, Any]
Variants = Mapping[str, str]  # prompt_lang, question_lang, oe_reference, wildbench_prompt: see family.py

# What else makes two runs of a task incomparable, and its default: another value is in the signature.
_VARIANTS = {"huproverbrea_oe": ("oe_reference", "option"), "huwildbench": ("wildbench_prompt", "racka")}


def documents(name: str, row: Row, variants: Variants) -> list[dict[str, Any]]:
    """The documents of one row: one, or the two presentations of a proverb.

    Args:
        name: task name without its family.
        row: the row as `hf_datasets.load` gives it.
        variants: `prompt_lang` and `question_lang`: the languages of the instruction and of questions, options and gold
            answers; `oe_reference`: what HuProverbRea-OE is judged against, the right `option` or the English
            `explanation`; `wildbench_prompt`: HuWildBench's user turn repaired and with a system prompt as `racka` has
            it, as in the `original`, or repaired and with an answer trigger for `base` models.

    Raises:
        DataError: the row lacks what a variant needs.
    """
    common = {field: row[field] for field in ("qid", "hu_specific_dim")}
    task = {"task": name} if name == "huwildbench" else {"task": name, "prompt_lang": variants["prompt_lang"]}
    return [{**common, **fields, **task} for fields in _FIELDS[name](row, variants)]


def prompt(name: str, variants: Variants) -> str:
    """The prompt in the signature: language and hash of the template.

    HuWildBench has no template; its hash is of all that we change in a turn.
    """
    if name == "huwildbench":
        found = prompt_id("turn", json.dumps([SEPARATORS, GAP, ANSWER_TRIGGER, system_prompt()]))
    else:
        found = prompt_id(variants["prompt_lang"], template(name, variants["prompt_lang"]))
    key, default = _VARIANTS.get(name, ("prompt_lang", variants["prompt_lang"]))
    return found if variants[key] == default else f"{found}+{variants[key]}"


def _humatchingfib(row: Row, variants: Variants) -> list[dict[str, Any]]:
    fields = {field: _twin(row, field, variants) for field in ("question", "options")}
    return [{**fields, "answer": row["answer"]}]  # letters are the same in every language


def _hustandardfib(row: Row, variants: Variants) -> list[dict[str, Any]]:
    return [{field: _twin(row, field, variants) for field in ("instruction", "questions", "answers")}]


def _huproverbrea_2cq(row: Row, variants: Variants) -> list[dict[str, Any]]:
    right, wrong = _readings(row, variants)
    return [
        {**_proverb(row, variants), "option1": right, "option2": wrong, "correct_option": 1},
        {**_proverb(row, variants), "option1": wrong, "option2": right, "correct_option": 2},
    ]


def _huproverbrea_oe(row: Row, variants: Variants) -> list[dict[str, Any]]:
    right, _ = _readings(row, variants)
    # The reference scorer gives its judge the right option; the paper's §2.4 speaks of the English explanation.
    reference = right if variants["oe_reference"] == "option" else row["source_info"]["en_expl"]
    return [{**_proverb(row, variants), "reference": reference}]


def _husimpleqa(row: Row, variants: Variants) -> list[dict[str, Any]]:
    return [{field: _twin(row, field, variants) for field in ("question", "answer")}]


def _huwildbench(row: Row, variants: Variants) -> list[dict[str, Any]]:
    turn = _twin(row, "turn", variants)[0]["content"]
    prompt = variants["wildbench_prompt"]
    return [
        {
            "secondary_tag": row["secondary_tag"] or [],
            "query": turn.strip() if prompt == "original" else repair(turn),
            "answer_trigger": ANSWER_TRIGGER if prompt == "base" else "",
            "system_prompt": system_prompt() if prompt == "racka" else "",
            "checklist": row["checklist"],
        }
    ]


_FIELDS: dict[str, Callable[[Row, Variants], list[dict[str, Any]]]] = {
    "humatchingfib": _humatchingfib,
    "hustandardfib": _hustandardfib,
    "huproverbrea_2cq": _huproverbrea_2cq,
    "huproverbrea_oe": _huproverbrea_oe,
    "husimpleqa": _husimpleqa,
    "huwildbench": _huwildbench,
}


def _proverb(row: Row, variants: Variants) -> dict[str, str]:
    return {
        "hu_text": row["source_info"]["proverb"],  # the phrase under test stays Hungarian in every language
        "context": "\n".join(line.strip() for line in _twin(row, "context", variants) if line.strip()),
    }


def _readings(row: Row, variants: Variants) -> tuple[str, str]:
    """The right reading of a proverb and the wrong one."""
    options = _twin(row, "options", variants)
    return options[row["answer"]], options[1 - row["answer"]]


def _twin(row: Row, field: str, variants: Variants) -> Any:
    lang = variants["question_lang"]
    key = field if lang == "hu" else f"{field}_{lang}"
    if row.get(key) is None:
        raise DataError(
            f'qid {row["qid"]}: no field "{key}", which question_lang={lang} needs. '
            "Leave question_lang at hu, or use a data file with the translations"
        )
    return row[key]
