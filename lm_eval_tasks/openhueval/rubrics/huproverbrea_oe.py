"""HuProverbRea-OE: do the reference and the response give a proverb the same meaning? (OpenHuEval §2.4, Figure 25)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from hueval_metrics.answers.verdicts.claims import Labels
from hueval_metrics.answers.verdicts.labels import read_label
from hueval_metrics.judge.lexical import answer_words, likeness, reference_words
from hueval_metrics.judge.templates import fill, plain_text, text_beside
from hueval_metrics.records import Verdict
from hueval_metrics.text.normalize import visible
from hueval_metrics.words.texts import each
from lm_eval_tasks.openhueval.templates import answer_to

NAME = "huproverbrea_oe"
VERSION = 3
SAME_REQUESTS_SINCE = 2  # version 1 showed the judge what follows the answer, too
LABELS = ("YES", "NO")
PROMPT = {role: text_beside(__file__, f"{NAME}.{role}") for role in ("system", "user")}
FORM = text_beside(__file__, f"{NAME}.form")
# Figure 25 asks for a word; a server that holds its replies to a form gives this, and nothing else.
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"decision": {"type": "string", "enum": list(LABELS)}},
    "required": ["decision"],
    "additionalProperties": False,
}
REPLY_TOKENS = 8
MAX_TOKENS = 128
DELIMITERS = (
    r"[\[({<【⟦〔〖]\W{0,9}the\W{1,9}(?:start|end)\W{1,9}of\b[^\n]{0,60}\b(?:analysis|saying|context|response)",
    r"^Your decision:[ \t]{0,9}(?:yes|no)?[^\w\n]{0,9}$",
)
WORDS = {"YES": ("y", "igen"), "NO": ("n", "nem")}
RATER = each(lambda language: text_beside(__file__, f"{NAME}.rater.{language}"))
MEANING_LIKE = 60  # set by eye on paraphrases of proverbs; opposite readings often share as many words

_READ = Labels(
    "decision",
    LABELS,
    {"yes": "YES", "no": "NO"},
    likeness={"same": "YES", "different": "NO"},
    alone={"y": "YES", "true": "YES", "n": "NO", "false": "NO"},
    languages=("hu", "zh"),
    prompt=DELIMITERS[0],
)
# The prompt marks its parts by "[The start of …]" and "[The end of …]"; brackets of any kind may look like these.
_OPENING, _CLOSING = (
    "".join(char for code in range(0x20, 0x10000) if unicodedata.category(char := chr(code)) == kind)
    for kind in ("Ps", "Pe")
)
_BRACKET = re.compile(rf"[{re.escape(_OPENING)}<|](?=(?P<inside>.{{1,120}}))", re.DOTALL)
_CLOSED = re.compile(rf"[{re.escape(_CLOSING)}>|]")
_DELIMITER = re.compile(r"\W{0,9}the\W{0,9}(?:start|end)\W{0,9}of\b", re.IGNORECASE)


def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
    """The judge's messages. Inside a value the prompt's delimiters get round brackets, so that none ends its part.

    Args:
        doc: with `hu_text` (the proverb), `context` and `reference` (what the response is compared with).
        response: the whole response, without its reasoning trace; the judge sees what answers the prompt.
    """
    values = {
        "proverb": doc["hu_text"],
        "conversation": doc["context"],
        "answer": doc["reference"],
        "raw_pred": answer_to(NAME, doc, response),
    }
    user = fill(PROMPT["user"], {name: _harmless(value) for name, value in values.items()})
    return [{"role": "system", "content": PROMPT["system"]}, {"role": "user", "content": user}]


def parse(reply: str) -> Verdict:
    """The verdict in a judge's reply.

    >>> parse("YES - there is no difference.").label
    'YES'
    """
    label = read_label(reply, _READ).value
    error = None if label else "unreadable: no label" if reply.strip() else "unreadable: empty reply"
    return Verdict(label=label, raw=reply, rubric=f"{NAME}/{VERSION}", error=error)


def lexical(doc: Mapping[str, Any], response: str) -> str | None:
    """The label that a comparison of words gives; None without a reference."""
    answer, references = answer_words(answer_to(NAME, doc, response)), reference_words(doc.get("reference"))
    if not references:
        return None
    return "YES" if likeness(answer, references) >= MEANING_LIKE else "NO"


def reference_label(reply: str) -> str | None:
    """The reference scorer's reading: "yes" or "no" anywhere in the reply, even inside a word; None with both or none.

    >>> reference_label("Unknown"), reference_label("YES, now I am sure.")
    ('NO', None)
    """
    text = reply.lower()
    if ("yes" in text) == ("no" in text):
        return None
    return "YES" if "yes" in text else "NO"


def _harmless(value: object) -> str:
    """A value whose delimiters have round brackets, recognised as a reader sees them: of any width, invisible letters
    left out.
    """
    text = list(plain_text(value))
    for match in _BRACKET.finditer("".join(text)):
        if _DELIMITER.match(visible(match["inside"])):
            text[match.start()] = "("
            if closed := _CLOSED.search(match["inside"]):
                text[match.end() + closed.start()] = ")"
    return "".join(text)
