"""From a row of an OpenHuEval file to the documents of a task, each complete in itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hueval_metrics.records import DataError
from lm_eval_tasks.openhueval.wild_bench import ANSWER_TRIGGER, repair, system_prompt

Row = Mapping[str, Any]
Variants = Mapping[str, str]  # question_lang, oe_reference, wildbench_prompt


def docs_of(name: str, row: Row, variants: Variants) -> list[dict[str, Any]]:
    """The documents of one row: one, or the two presentations of a proverb.

    Args:
        name: task name without its family, a key of `FILES`.
        row: the row as `hf_datasets.openhueval.loader` gives it.
        variants: the values of `question_lang`, `oe_reference` and `wildbench_prompt`.

    Raises:
        DataError: the row lacks what a variant needs.
    """
    _, build = _TASKS[name]
    common = {field: row[field] for field in ("qid", "hu_specific_dim")}
    return [{**common, **fields} for fields in build(row, variants)]


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


_TASKS: dict[str, tuple[str, Callable[[Row, Variants], list[dict[str, Any]]]]] = {
    "humatchingfib": ("HuMatchingFIB", _humatchingfib),
    "hustandardfib": ("HuStandardFIB", _hustandardfib),
    "huproverbrea_2cq": ("HuProverbRea", _huproverbrea_2cq),
    "huproverbrea_oe": ("HuProverbRea", _huproverbrea_oe),
    "husimpleqa": ("HuSimpleQA", _husimpleqa),
    "huwildbench": ("HuWildBench", _huwildbench),
}
FILES = {name: file for name, (file, _) in _TASKS.items()}


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
