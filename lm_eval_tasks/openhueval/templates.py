"""The prompt templates of OpenHuEval: one file a task and prompt language, and what of them never changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

PROMPTS = Path(__file__).parent / "prompts"
PROMPT_LANGS = ("en", "hu")
# What a prompt takes out of a document; gold answers never stand in a prompt.
PROMPT_FIELDS = ("question", "options", "instruction", "questions", "hu_text", "context", "option1", "option2", "query")
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

    Placeholders stand in braces. HuWildBench has no template, and so no lines.

    >>> fixed_lines("husimpleqa")[0]
    'Question: {question}'
    """
    if name == "huwildbench":
        return ()
    return tuple(line for lang in PROMPT_LANGS for line in template(name, lang).splitlines() if line.strip())


def prompt_values(doc: Mapping[str, Any]) -> Iterator[str]:
    """The texts that a document's prompt has in the place of its template's placeholders, as text and as JSON."""
    for value in (doc[field] for field in PROMPT_FIELDS if doc.get(field)):
        yield json.dumps(value, ensure_ascii=False)
        yield from (value,) if isinstance(value, str) else value


@cache
def example_answer(name: str) -> tuple[str, ...]:
    """The answer of the example in a fill-in task's templates, the same in every prompt language.

    >>> example_answer("hustandardfib")[:2]
    ('#0#regula', '#1#ferencesrend')
    """
    found = _EXAMPLE.search(template(name, PROMPT_LANGS[0]))
    return tuple(_QUOTED.findall(found[1])) if found else ()
