"""The request for a question in English, and the parser of the reply, as the judge's engine takes them (§4.2).

A rubric in form, so that translations have the engine's cache, budget and resume; nothing is judged. The wording is
ours: the paper's Table 8 is not in its text. The translator sees the question alone, not what the answer is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.objects import objects, under_key
from hueval_metrics.answers.verdicts.own_words import read_text
from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict
from lm_eval_tasks.kolassimpleqa.languages import LANGUAGES

NAME = "kolassimpleqa_translation"
VERSION = 2
LABELS = ("TRANSLATED",)
PROMPT = {"user": text_beside(__file__, "translator.user")}
FORM = text_beside(__file__, "translator.form")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"question": {"type": "string"}},
    "required": ["question"],
    "additionalProperties": False,
}
REPLY_TOKENS = 32
MAX_TOKENS = 512


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The translator's message.

    Args:
        doc: a row of the data, with `language` and `question`.
        response: not looked at; there is none.
    """
    values = {"language": LANGUAGES[doc["language"]], "question": json_string(doc["question"])}
    return [{"role": "user", "content": fill(PROMPT["user"], values)}]


def parse(reply: str) -> Verdict:
    """The translation in a reply, as `data`.

    >>> parse('{"question": "Where was it signed?"}').data, parse("Here you are!").error
    ('Where was it signed?', 'unreadable: no question in a JSON object')
    """
    rubric = f"{NAME}/{VERSION}"
    for found in objects(read_text(reply)):
        for value in under_key(found, ["question"]):
            if isinstance(value.value, str) and (text := " ".join(value.value.split())):
                return Verdict(label=LABELS[0], raw=reply, rubric=rubric, data=text)
    return Verdict(raw=reply, rubric=rubric, error="unreadable: no question in a JSON object")
