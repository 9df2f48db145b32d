"""Thoughts, step 1: the expressions of a trace that may open a new thought (arXiv:2503.21500, F.1, Figure 39)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.verdicts.fields import read_field
from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict

NAME = "thought_expressions"
VERSION = 2
LABELS = ("LISTED",)
PROMPT = {"user": text_beside(__file__, f"{NAME}.user")}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "language": {"type": "string"},
        "shift_expression": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["language", "shift_expression"],
    "additionalProperties": False,
}
REPLY_TOKENS = 60
MAX_TOKENS = 512

# ISO 639-1 → what judges call a language, in English, Hungarian and itself.
_LANGUAGES = {
    "en": "english angol",
    "hu": "hungarian magyar",
    "ar": "arabic arab العربية",
    "cs": "czech cseh čeština",
    "de": "german német deutsch",
    "es": "spanish spanyol español",
    "fr": "french francia français",
    "it": "italian olasz italiano",
    "ja": "japanese japán 日本語",
    "ko": "korean koreai 한국어",
    "pl": "polish lengyel polski",
    "ro": "romanian román română",
    "ru": "russian orosz русский",
    "sk": "slovak szlovák slovenčina",
    "sr": "serbian szerb српски srpski",
    "th": "thai ไทย ภาษาไทย",
    "uk": "ukrainian ukrán українська",
    "vi": "vietnamese vietnami việt",
    "zh": "chinese kínai 中文 汉语 mandarin",
}
_CODES = {name: code for code, names in _LANGUAGES.items() for name in names.split()}
_ISO = re.compile(r"\W*([a-z]{2})(?:[-_][a-z]{2,4})?\W*", re.IGNORECASE)


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's message. Question and trace are JSON strings: nothing in them can end its part.

    Args:
        doc: with `question`.
        response: the trace.
    """
    values = {"question": json_string(doc["question"]), "answer": json_string(response)}
    return [{"role": "user", "content": fill(PROMPT["user"], values)}]


def parse(reply: str) -> Verdict:
    """The language and the expressions in a reply, as `data`: `{"language": code or None, "expressions": [text, …]}`.

    No expressions are a valid reply; a list of anything but texts is unreadable.

    >>> parse('{"language": "Hungarian", "shift_expression": ["De", "Várjunk"]}').data
    {'language': 'hu', 'expressions': ['De', 'Várjunk']}
    """
    rubric = f"{NAME}/{VERSION}"
    found, problem = read_field(reply, ["shift_expression", "shift_expressions"])
    found = [found] if isinstance(found, str) else found
    if problem is None and not (isinstance(found, list) and all(isinstance(text, str) for text in found)):
        problem = "expressions that are no texts"
    if problem is not None:
        return Verdict(raw=reply, rubric=rubric, error=f"unreadable: {problem}")
    language, _ = read_field(reply, ["language"])
    return Verdict(
        label=LABELS[0], raw=reply, rubric=rubric, data={"language": language_code(language), "expressions": found}
    )


def language_code(said: object) -> str | None:
    """The ISO 639-1 code of a language that a judge names, in any spelling; None for several, and for an unknown one.

    >>> language_code("ENGLISH"), language_code("Magyar (Hungarian)"), language_code("en-US"), language_code("mixed")
    ('en', 'hu', 'en', None)
    """
    text = said.strip().casefold() if isinstance(said, str) else ""
    if (code := _ISO.fullmatch(text)) and code[1] in _LANGUAGES:
        return code[1]
    codes = {_CODES[word] for word in re.findall(r"[^\W\d_]+", text) if word in _CODES}
    return codes.pop() if len(codes) == 1 else None
