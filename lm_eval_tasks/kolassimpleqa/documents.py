"""From the rows of a KoLasSimpleQA file to documents, each complete in itself, and their prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from hf_datasets.kolassimpleqa.schema import REVERSE
from hueval_metrics.answers.reading import Span
from hueval_metrics.answers.run_on import cut
from hueval_metrics.loader import prompt_id
from hueval_metrics.text.write_json import json_text
from lm_eval_tasks.kolassimpleqa.languages import LANGUAGES, PIVOT

PROMPTS = Path(__file__).parent / "prompts"
_QUESTION = "{question}"
_DIRECTION = {"false": False, "0": False, "true": True, "1": True}
_KEPT = ("qid", "knowledge_track_id", "language", "domain", "is_reverse")


def documents(name: str, row: Mapping[str, Any], variants: Mapping[str, str]) -> list[dict[str, Any]]:
    """The document of one question; none where it lacks the English that was asked for.

    Args:
        name: language and domain, such as `hu_general`.
        row: the row as `hf_datasets.load` gives it.
        variants: `question_lang`: the language of the data (the paper's setting `direct`), or `en`, in which both
            question and reference are English then (`tran_en`, §4.2).
    """
    lang = variants["question_lang"]
    suffix = "" if lang == row["language"] else f"_{lang}"
    question, answer = row[f"question{suffix}"], row[f"answer{suffix}"]
    if question is None or answer is None:
        return []
    common = {field: row[field] for field in _KEPT}
    return [{**common, "question": question, "answer": answer, "question_lang": lang, "task": name}]


def opencompass_key(gold: Mapping[str, Any]) -> tuple[str]:
    """The key of the question that a row of the authors' prediction files is of: one qid has both directions there.

    Raises:
        ValueError: it does not say which. Its position does not either: which directions a file has is unknown.
    """
    qid, is_reverse = gold.get("qid"), _DIRECTION.get(str(gold.get("is_reverse")).casefold())
    if not isinstance(qid, str | int) or is_reverse is None:
        raise ValueError('"gold" must have "qid" and "is_reverse" (true or false): both directions share one qid')
    own = str(qid)
    return (own + REVERSE if is_reverse and not own.endswith(REVERSE) else own,)


def prompt(name: str, variants: Mapping[str, str]) -> str:
    """The prompt in the signature: `ours`, since the paper's Table 11 is not in its text; language and hash."""
    lang = variants["question_lang"]
    return prompt_id(f"ours-{lang}", template(lang))


@cache
def template(lang: str) -> str:
    """The text of the prompt in a language; its closing line break is not part of it.

    Raises:
        ValueError: there is none.
    """
    if lang not in (*LANGUAGES, PIVOT):  # a document out of a samples file may name anything
        raise ValueError(f"no prompt in the language {lang!r}")
    return (PROMPTS / f"{lang}.txt").read_text(encoding="utf-8").rstrip("\n")


def user_message(doc: Mapping[str, Any]) -> str:
    """The user message for a document."""
    return template(doc["question_lang"]).replace(_QUESTION, doc["question"])


def target(doc: Mapping[str, Any]) -> str:
    """The gold answer, in the form that the prompt asks for."""
    return json_text({"answer": doc["answer"], "confidence_score": 100})


def answer_to(doc: Mapping[str, Any], response: str) -> str:
    """The part of a response that answers the prompt of a document: what metrics and judge read.

    Args:
        doc: the document; its question distinguishes its prompt from an invented one.
        response: the response without its reasoning trace.
    """
    span = answer_range(doc, response)
    return response[span.start : span.end]


def answer_range(doc: Mapping[str, Any], response: str) -> Span:
    """Where `answer_to` is in the response, for readers, whose spans hold in the response."""
    return cut(response, _fixed_lines(doc["question_lang"]), _values(doc))


@cache
def _fixed_lines(lang: str) -> tuple[str, ...]:
    """The lines of the prompt in a language, by which a repeated prompt is recognised."""
    return tuple(line for line in template(lang).splitlines() if line.strip())


def _values(doc: Mapping[str, Any]) -> Iterator[str]:
    yield doc["question"]
    yield json_text(doc["question"])
