"""HuSimpleQA: is a short answer right, wrong or not attempted? (OpenHuEval §2.3, Figure 22)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.verdicts.attempts import read_attempt
from hueval_metrics.judge.lexical import answer_words, contains, is_no_answer, reference_words
from hueval_metrics.judge.templates import fill, json_string, text_beside
from hueval_metrics.records import Verdict
from hueval_metrics.words.texts import each
from lm_eval_tasks.openhueval.templates import answer_to

NAME = "husimpleqa"
VERSION = 3
SAME_REQUESTS_SINCE = 2  # version 1 showed the judge what follows the answer, too
LABELS = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")
PROMPT = {role: text_beside(__file__, f"{NAME}.{role}") for role in ("system", "user")}
FORM = text_beside(__file__, f"{NAME}.form")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"evaluation": {"type": "string", "enum": ["Correct", "Incorrect", "NOT_ATTEMPTED"]}},
    "required": ["evaluation"],
    "additionalProperties": False,
}
REPLY_TOKENS = 15
MAX_TOKENS = 128
DELIMITERS = (r"\\?[\"'](?:gold_target|predicted_answer)\\?[\"']\s{0,9}:",)
NO_ANSWER = "NOT_ATTEMPTED"
WORDS = {
    "CORRECT": ("right", "helyes"),
    "INCORRECT": ("wrong", "helytelen", "hibás"),
    "NOT_ATTEMPTED": ("nem válaszolt", "nincs válasz"),
}
RATER = each(lambda language: text_beside(__file__, f"{NAME}.rater.{language}"))


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's messages. All values are JSON strings, so that a quote or brace in a response stays inside it.

    Args:
        doc: with `question` and `answer`.
        response: the whole response, without its reasoning trace; the judge sees what answers the prompt.
    """
    values = {"question": doc["question"], "answer": doc["answer"], "pred_answer": answer_to(NAME, doc, response)}
    user = fill(PROMPT["user"], {name: json_string(value) for name, value in values.items()})
    return [{"role": "system", "content": PROMPT["system"]}, {"role": "user", "content": user}]


def parse(reply: str) -> Verdict:
    """The verdict in a judge's reply.

    >>> parse('{"evaluation": "Correct"}').label
    'CORRECT'
    """
    label = read_attempt(reply)
    error = None if label else "unreadable: no label" if reply.strip() else "unreadable: empty reply"
    return Verdict(label=label, raw=reply, rubric=f"{NAME}/{VERSION}", error=error)


def lexical(doc: Mapping[str, Any], response: str) -> str | None:
    """The label that a comparison of words gives; None without a reference.

    >>> lexical({"answer": "Mohács"}, '{"answer": "Mohácsnál, 1526-ban"}')
    'CORRECT'
    """
    answer, references = answer_words(answer_to(NAME, doc, response)), reference_words(doc.get("answer"))
    if not references:
        return None
    if any(contains(answer, reference) for reference in references):
        return "CORRECT"
    return "NOT_ATTEMPTED" if is_no_answer(answer) else "INCORRECT"
