"""The rubric by which a judge quotes the words of a reply that answer (`hueval score --extract`); it grades nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from unicodedata import normalize

from hueval_metrics.answers.verdicts.fields import read_field
from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict

NAME = "extract"
VERSION = 1
LABELS = ("QUOTED", "NONE")
PROMPT = {"user": text_beside(__file__, f"{NAME}.user")}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"words": {"type": ["string", "null"]}},
    "required": ["words"],
    "additionalProperties": False,
}
REPLY_TOKENS = 20
MAX_TOKENS = 512  # the words of a reply with many blanks


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's message. Question and reply are JSON strings: nothing in them can end its part.

    Args:
        doc: with `question`, the prompt that the model was given: the question and its options, no gold answer.
        response: the reply without its reasoning trace.
    """
    values = {"question": json_string(doc["question"]), "reply": json_string(response)}
    return [{"role": "user", "content": fill(PROMPT["user"], values)}]


def parse(reply: str) -> Verdict:
    """The words in a judge's reply as `data`, None for none.

    >>> parse('{"words": "Buda"}').data, parse('{"words": null}').label, parse("Buda").error
    ('Buda', 'NONE', 'unreadable: no words in a JSON object')
    """
    rubric = f"{NAME}/{VERSION}"
    found, problem = read_field(reply, ["words"])
    if problem is None and found is not None and not isinstance(found, str):
        problem = "the words are no text"
    if problem is not None:
        return Verdict(raw=reply, rubric=rubric, error=f"unreadable: {problem}")
    is_quoted = found is not None and bool(found.strip())
    return Verdict("QUOTED" if is_quoted else "NONE", raw=reply, rubric=rubric, data=found if is_quoted else None)


def quoted(words: object, response: str) -> str | None:
    """Words as they occur in a response; None where they do not, or only inside of other words or numbers.

    Line breaks and repeated spaces do not matter, nor does how accents are encoded.

    >>> quoted("a kutya ugat", "Szerintem a  kutya\\nugat."), quoted("1", "A 12. lehetőség."), quoted("igen", "Nem.")
    ('a  kutya\\nugat', None, None)
    """
    parts = [re.escape(part) for part in normalize("NFC", words if isinstance(words, str) else "").split()]
    whole = r"(?<!\w)" + r"\s+".join(parts) + r"(?!\w)"
    found = re.search(whole, normalize("NFC", response)) if parts else None
    return found and found[0]
