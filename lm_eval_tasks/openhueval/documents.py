"""From the rows of an OpenHuEval file to the documents of a task, each complete in itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib.metadata import version as installed_version
from typing import Any

from hf_datasets.load import load
from hf_datasets.openhueval.convert import REPO
from hueval_metrics import __version__
from hueval_metrics.records import DataError, Signature
from lm_eval_tasks.openhueval.templates import template
from lm_eval_tasks.openhueval.wild_bench import ANSWER_TRIGGER, GAP, SEPARATORS, repair, system_prompt

Row = Mapping[str, Any]
Variants = Mapping[str, str]  # question_lang, oe_reference, wildbench_prompt

# What else makes two runs of a task incomparable, and its default: another value stands in the signature.
_VARIANTS = {"huproverbrea_oe": ("oe_reference", "option"), "huwildbench": ("wildbench_prompt", "racka")}
_LIBRARIES = ("lm_eval", "rapidfuzz", "json_repair")  # what decides a score besides our own code


def documents(
    *,
    task: str,
    version: str = "?",
    prompt_lang: str = "en",
    question_lang: str = "hu",
    oe_reference: str = "option",
    wildbench_prompt: str = "racka",
    data_dir: str | None = None,
    **_: Any,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The documents of a task, and where they come from.

    Args:
        task: the task's name.
        version: the task's version.
        prompt_lang: language of the instruction, `en` or `hu`.
        question_lang: language of questions, options and gold answers, `hu`, `en` or `zh`.
        oe_reference: what HuProverbRea-OE is judged against, the right `option` or the English `explanation`.
        wildbench_prompt: HuWildBench's user turn repaired and with a system prompt as `racka` has it, as in the
            `original`, or repaired and with an answer trigger for `base` models.
        data_dir: folder that holds `openhueval/<file>.jsonl`, or a converted copy; None for the usual order of sources.
        **_: further metadata, which lm-eval mixes with the model's arguments.

    Returns:
        The documents and the provenance: file, hashes, origin, repository, signature.

    Raises:
        DataError: the data cannot be found or do not hold what was asked for.
    """
    name = task.removeprefix("openhueval_")
    given = {"question_lang": question_lang, "oe_reference": oe_reference, "wildbench_prompt": wildbench_prompt}
    data = load(REPO, FILES[name], data_dir=data_dir)
    source = data.source
    prompt = _prompt_id(name, prompt_lang)
    if name in _VARIANTS and given[_VARIANTS[name][0]] != _VARIANTS[name][1]:
        prompt += f"+{given[_VARIANTS[name][0]]}"
    libraries = {"hueval": __version__} | {library: installed_version(library) for library in _LIBRARIES}
    signature = Signature.of_data(task, version, source.blob_id, question_lang, prompt, source.sample, libraries)
    provenance = {**data.provenance, "signature": str(signature)}
    common = {"task": name} if name == "huwildbench" else {"task": name, "prompt_lang": prompt_lang}
    return [{**doc, **common} for row in data.rows for doc in docs_of(name, row, given)], provenance


def docs_of(name: str, row: Row, variants: Variants) -> list[dict[str, Any]]:
    """The documents of one row: one, or the two presentations of a proverb.

    Args:
        name: task name without its family, a key of `FILES`.
        row: the row as `hf_datasets.load` gives it.
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


def _prompt_id(name: str, prompt_lang: str) -> str:
    """Language and hash of the template; for HuWildBench, which has none, a hash of all that we change in a turn."""
    if name == "huwildbench":
        return f"turn-{_digest(json.dumps([SEPARATORS, GAP, ANSWER_TRIGGER, system_prompt()]))}"
    return f"{prompt_lang}-{_digest(template(name, prompt_lang))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]
