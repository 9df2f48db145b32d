"""KoLasSimpleQA: is a short answer right, wrong or not attempted? (§3.2; the paper's prompt is not in its text)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.verdicts import attempts
from hueval_metrics.judge.lexical import answer_words, contains, is_no_answer, reference_words
from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict
from hueval_metrics.words.texts import each
from lm_eval_tasks.kolassimpleqa.documents import answer_to

NAME = "kolassimpleqa"
VERSION = 2
SAME_REQUESTS_SINCE = 1
LABELS = attempts.LABELS
LETTERS = attempts.LETTERS
PROMPT = {role: text_beside(__file__, f"{NAME}.{role}") for role in ("system", "user")}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA = None  # a letter: the public scorer, which the `_ref` metrics repeat, reads the first one of the reply
REPLY_TOKENS = 2
MAX_TOKENS = 128
DELIMITERS = (r"\\?[\"'](?:reference_answer|predicted_answer)\\?[\"']\s{0,9}:",)
NO_ANSWER = "NOT_ATTEMPTED"
WORDS = {
    "CORRECT": ("A", "right", "helyes"),
    "INCORRECT": ("B", "wrong", "helytelen", "hibás"),
    "NOT_ATTEMPTED": ("C", "nem válaszolt", "nincs válasz"),
}
RATER = each(lambda language: text_beside(__file__, f"{NAME}.rater.{language}"))


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's messages. All values are JSON strings, so that a quote or brace in a response stays inside it.

    Args:
        doc: with `question` and `answer`.
        response: the whole response, without its reasoning trace; the judge sees what answers the prompt.
    """
    values = {"question": doc["question"], "answer": doc["answer"], "pred_answer": answer_to(doc, response)}
    user = fill(PROMPT["user"], {name: json_string(value) for name, value in values.items()})
    return [{"role": "system", "content": PROMPT["system"]}, {"role": "user", "content": user}]


def parse(reply: str) -> Verdict:
    """The verdict in a judge's reply.

    >>> parse("A").label, parse("Not attempted").label
    ('CORRECT', 'NOT_ATTEMPTED')
    """
    label = attempts.read_attempt(reply, letters=True)
    error = None if label else "unreadable: no label" if reply.strip() else "unreadable: empty reply"
    return Verdict(label=label, raw=reply, rubric=f"{NAME}/{VERSION}", error=error)


def lexical(doc: Mapping[str, Any], response: str) -> str | None:
    """The label that a comparison of words gives; None without a reference.

    >>> lexical({"question": "Hol?", "answer": "Mohács", "question_lang": "hu"}, '{"answer": "Mohácsnál"}')
    'CORRECT'
    """
    language = doc.get("question_lang")
    answer, references = answer_words(answer_to(doc, response), language), reference_words(doc.get("answer"), language)
    if not references:
        return None
    if any(contains(answer, reference, language) for reference in references):
        return "CORRECT"
    return "NOT_ATTEMPTED" if is_no_answer(answer, language) else "INCORRECT"
