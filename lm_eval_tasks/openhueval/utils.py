"""OpenHuEval for lm-eval: upstream rows → documents, document → prompt, document → gold answer."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Mapping
from difflib import get_close_matches
from importlib.metadata import version as installed_version
from typing import TYPE_CHECKING, Any

from hf_datasets.openhueval.loader import rows
from hf_datasets.repo import content_hash
from hueval_metrics import __version__
from hueval_metrics.records import HuevalError, InputError, Signature
from hueval_metrics.text.dimensions import DIMENSIONS_HU, dimension_code
from lm_eval_tasks.openhueval.documents import FILES, docs_of
from lm_eval_tasks.openhueval.templates import template
from lm_eval_tasks.openhueval.wild_bench import ANSWER_TRIGGER, GAP, SEPARATORS, system_prompt

if TYPE_CHECKING:
    from datasets import DatasetDict

# Values of `--metadata` that the tasks understand; data_dir is free text.
CHOICES = {
    "prompt_lang": ("en", "hu"),
    "question_lang": ("hu", "en", "zh"),
    "oe_reference": ("option", "explanation"),
    "wildbench_prompt": ("racka", "original", "base"),
}
# What else makes two runs of a task incomparable, and its default: another value stands in the signature.
_VARIANTS = {"huproverbrea_oe": ("oe_reference", "option"), "huwildbench": ("wildbench_prompt", "racka")}
_KNOWN = frozenset({"name", "version", "data_dir", "provenance", "config_source"})
_PLACEHOLDER = re.compile(r"\{(hu_specific_dim|question|options|instruction|questions|hu_text|context|option[12])\}")
_JSON_FIELDS = {"humatchingfib": {"question", "options"}, "hustandardfib": {"instruction", "questions"}}
_LIBRARIES = ("lm_eval", "rapidfuzz", "json_repair")  # what decides a score besides our own code

log = logging.getLogger(__name__)


def load(**settings: Any) -> DatasetDict:
    """lm-eval's `custom_dataset`: the documents of a task as one `test` split.

    Args:
        **settings: the task's `metadata` (with `--metadata` and, by lm-eval's doing, the model's arguments merged in)
            and `dataset_kwargs`. `provenance`, an empty dict in the YAML, is filled in here, and so stands in the
            results that lm-eval writes.

    Raises:
        SystemExit: with one line, when a value is out of range or the data cannot be had; lm-eval has no softer way
            to stop before the model is asked.
    """
    from datasets import Dataset, DatasetDict

    _warn_of_near_misses(settings)  # first: data that cannot be found may come of a misspelt data_dir
    try:
        docs, provenance = documents(**settings)
    except HuevalError as error:
        raise SystemExit(f"hueval: {error}") from None
    settings.get("provenance", {}).update(provenance)
    if provenance["sample"]:
        log.warning("HUEVAL_SAMPLE=1: %s runs on the packaged sample, not on the benchmark.", settings["name"])
    return DatasetDict({"test": Dataset.from_list(docs)})


def documents(
    *,
    name: str,
    version: float | str = "?",
    prompt_lang: str = "en",
    question_lang: str = "hu",
    oe_reference: str = "option",
    wildbench_prompt: str = "racka",
    data_dir: str | None = None,
    **_: Any,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The documents of a task, and where they come from.

    Args:
        name: task name without its family, a key of `FILES`.
        version: the task's version.
        prompt_lang: language of the instruction, `en` or `hu`.
        question_lang: language of questions, options and gold answers, `hu`, `en` or `zh`.
        oe_reference: what HuProverbRea-OE is judged against, the right `option` or the English `explanation`.
        wildbench_prompt: HuWildBench's user turn repaired and with a system prompt as `racka` has it, as in the
            `original`, or repaired and with an answer trigger for `base` models.
        data_dir: folder that holds `openhueval/<file>.jsonl`, or a converted copy; None for the usual order of sources.
        **_: further metadata, which lm-eval mixes with the model's arguments.

    Returns:
        The documents, each complete in itself, and the provenance: file, hashes, origin, repository, signature.

    Raises:
        InputError: a value is not on offer.
        DataError: the data cannot be found or do not hold what was asked for.
    """
    given = {
        "prompt_lang": prompt_lang,
        "question_lang": question_lang,
        "oe_reference": oe_reference,
        "wildbench_prompt": wildbench_prompt,
    }
    for key, value in given.items():
        if value not in CHOICES[key]:
            raise InputError(f'--metadata {key}: "{value}" is not on offer. One of: {", ".join(CHOICES[key])}')
    upstream, source = rows(FILES[name], data_dir=data_dir)
    prompt = _prompt_id(name, prompt_lang)
    if name in _VARIANTS and given[_VARIANTS[name][0]] != _VARIANTS[name][1]:
        prompt += f"+{given[_VARIANTS[name][0]]}"
    libraries = {"hueval": __version__} | {library: installed_version(library) for library in _LIBRARIES}
    signature = Signature(
        f"openhueval_{name}", str(version), source.blob_id, question_lang, prompt, source.sample, libraries
    )
    provenance = {
        "file": f"{FILES[name]}.jsonl",
        "git_blob_id": source.blob_id,
        "content": content_hash(upstream),
        "repo": source.repo,
        "revision": source.revision,
        "origin": source.origin,
        "sample": source.sample,
        "signature": str(signature),
    }
    common = {"task": name} if name == "huwildbench" else {"task": name, "prompt_lang": prompt_lang}
    docs = [{**doc, **common} for row in upstream for doc in docs_of(name, row, given)]
    return docs, provenance


def prompt(doc: Mapping[str, Any]) -> str:
    """The user message for a document: its task's template in the prompt language, filled in one pass.

    HuWildBench has no template: its prompt is the user's own turn.
    """
    if doc["task"] == "huwildbench":
        return str(doc["query"] + doc["answer_trigger"])

    def value(match: re.Match[str]) -> str:
        field = match.group(1)
        if field == "hu_specific_dim" and doc["prompt_lang"] == "hu":
            return DIMENSIONS_HU[dimension_code(doc[field]) or "l"]
        as_json = field in _JSON_FIELDS.get(doc["task"], ())
        return json.dumps(doc[field], ensure_ascii=False) if as_json else str(doc[field])

    return _PLACEHOLDER.sub(value, template(doc["task"], doc["prompt_lang"]))


def target(doc: Mapping[str, Any]) -> str:
    """The reply that is wholly right, in the form that the prompt asks for.

    No reply to HuWildBench is: its checklist stands for what a good one has, or the query where that is empty, since
    lm-eval wants a text.
    """
    if doc["task"] == "humatchingfib":
        return json.dumps({"answer": list(doc["answer"])}, ensure_ascii=False)
    if doc["task"] == "hustandardfib":
        return json.dumps({"answers": [answer.split(";")[0] for answer in doc["answers"]]}, ensure_ascii=False)
    if doc["task"] == "husimpleqa":
        return json.dumps({"answer": doc["answer"], "confidence_score": 100}, ensure_ascii=False)
    if doc["task"] == "huproverbrea_oe":
        return str(doc["reference"])
    if doc["task"] == "huwildbench":
        return "\n".join(doc["checklist"]).strip() or str(doc["query"])
    return str(doc["correct_option"])


def _prompt_id(name: str, prompt_lang: str) -> str:
    """Language and hash of the template; for HuWildBench, which has none, a hash of all that we change in a turn."""
    if name == "huwildbench":
        return f"turn-{_digest(json.dumps([SEPARATORS, GAP, ANSWER_TRIGGER, system_prompt()]))}"
    return f"{prompt_lang}-{_digest(template(name, prompt_lang))}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _warn_of_near_misses(settings: Mapping[str, Any]) -> None:
    for key in sorted(settings.keys() - CHOICES.keys() - _KNOWN):
        if near := get_close_matches(key, [*CHOICES, "data_dir"], n=1, cutoff=0.8):
            log.warning('--metadata: unknown key "%s" is ignored. Did you mean "%s"?', key, near[0])
