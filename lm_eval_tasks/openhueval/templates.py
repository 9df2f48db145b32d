"""The prompts of OpenHuEval: one template a task and prompt language, filled in, and what of it never changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hf_datasets.openhueval.dimensions import DIMENSIONS_HU, dimension_code
from hueval_metrics.answers.reading import Span
from hueval_metrics.answers.run_on import cut
from hueval_metrics.text.write_json import json_text

PROMPTS = Path(__file__).parent / "prompts"
PROMPT_LANGS = ("en", "hu")
# What a prompt takes out of a document; gold answers are never in a prompt.
PROMPT_FIELDS = ("question", "options", "instruction", "questions", "hu_text", "context", "option1", "option2", "query")
_PLACEHOLDER = re.compile(r"\{(hu_specific_dim|question|options|instruction|questions|hu_text|context|option[12])\}")
_JSON_FIELDS = {"humatchingfib": {"question", "options"}, "hustandardfib": {"instruction", "questions"}}
_EXAMPLE = re.compile(r'"answers?": \[(.*)\]')
_QUOTED = re.compile(r'"([^"]*)"')


@cache
def template(name: str, prompt_lang: str) -> str:
    """The text of a template; its closing line break is not part of it.

    Args:
        name: task name without its family.
        prompt_lang: language of the instruction, `en` or `hu`.

    Raises:
        ValueError: there is no such template.
    """
    file = PROMPTS / f"{name}.{prompt_lang}.txt"
    if file.parent != PROMPTS or not file.is_file():  # a document out of a samples file may name any file
        raise ValueError(f"no prompt template {file.name}")
    return file.read_text(encoding="utf-8").rstrip("\n")


@cache
def fixed_lines(name: str) -> tuple[str, ...]:
    """The lines of a task's templates in every prompt language, by which a repeated prompt is recognised.

    Placeholders are in braces. HuWildBench has no template, and so no lines.

    >>> fixed_lines("husimpleqa")[0]
    'Question: {question}'
    """
    if name == "huwildbench":
        return ()
    texts = (template(name, lang).splitlines() for lang in PROMPT_LANGS)
    return tuple(line for text in texts for line in (*filter(str.strip, text), ""))


def prompt_values(doc: Mapping[str, Any]) -> Iterator[str]:
    """The texts that a document's prompt has in the place of its template's placeholders, as text and as JSON."""
    for value in (doc[field] for field in PROMPT_FIELDS if doc.get(field)):
        yield json_text(value)
        yield from (value,) if isinstance(value, str) else value


def candidates(doc: Mapping[str, Any]) -> list[str]:
    """The texts of a prompt by which a reply may answer."""
    return [doc[field] for field in ("option1", "option2") if doc.get(field)]


def answer_to(task: str, doc: Mapping[str, Any], response: str) -> str:
    """The part of a response that answers the prompt of a document: what headline metrics and judges read.

    Args:
        task: the task's name without its family.
        doc: the document; its values distinguish its prompt from an invented one.
        response: the response without its reasoning trace.

    Raises:
        ValueError: there is no such task.
    """
    span = answer_range(task, doc, response)
    return response[span.start : span.end]


def answer_range(task: str, doc: Mapping[str, Any], response: str) -> Span:
    """Where `answer_to` is in the response, for readers, whose spans hold in the response."""
    if task == "huwildbench":  # an open answer may quote what it was asked about: only the whole query is an echo
        return cut(response, fixed_lines(task), prompt=str(doc.get("query") or ""))
    return cut(response, fixed_lines(task), prompt_values(doc), candidates(doc))


@cache
def example_answer(name: str) -> tuple[str, ...]:
    """The answer of the example in a fill-in task's templates, the same in every prompt language.

    >>> example_answer("hustandardfib")[:2]
    ('#0#regula', '#1#ferencesrend')
    """
    found = _EXAMPLE.search(template(name, PROMPT_LANGS[0]))
    return tuple(_QUOTED.findall(found[1])) if found else ()


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
        return json_text(doc[field]) if as_json else str(doc[field])

    return _PLACEHOLDER.sub(value, template(doc["task"], doc["prompt_lang"]))


def target(doc: Mapping[str, Any]) -> str:
    """The gold answer, in the form that the prompt asks for.

    HuWildBench has none: its checklist stands for what a good one has, or the query where that is empty, since
    lm-eval wants a text.
    """
    if doc["task"] == "humatchingfib":
        return json_text({"answer": list(doc["answer"])})
    if doc["task"] == "hustandardfib":
        return json_text({"answers": [answer.split(";")[0] for answer in doc["answers"]]})
    if doc["task"] == "husimpleqa":
        return json_text({"answer": doc["answer"], "confidence_score": 100})
    if doc["task"] == "huproverbrea_oe":
        return str(doc["reference"])
    if doc["task"] == "huwildbench":
        return "\n".join(doc["checklist"]).strip() or str(doc["query"])
    return str(doc["correct_option"])
