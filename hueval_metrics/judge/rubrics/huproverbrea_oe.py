"""HuProverbRea-OE: do the reference and the response give a proverb the same meaning? (OpenHuEval §2.4, Figure 25)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from hueval_metrics.judge.rubrics.templates import fill, plain_text, template
from hueval_metrics.parsers.labels import read_label, without_trace
from hueval_metrics.parsers.run_on import answer_to
from hueval_metrics.records import Verdict

NAME = "huproverbrea_oe"
VERSION = 1
LABELS = ("YES", "NO")
FORM = template("huproverbrea_oe.form")
SCHEMA = None  # Figure 25 asks for a word
REPLY_TOKENS = 5
MAX_TOKENS = 128

# Words that stand for a label when they are the whole reply.
_ALONE = {"Y": "YES", "N": "NO", "TRUE": "YES", "FALSE": "NO", "IGEN": "YES", "NEM": "NO"}
# The prompt's own words for the two labels, when they are the whole reply.
_IN_WORDS = re.compile(
    r"(?:they|both|(?:both |the )?(?:two )?analyses)(?P<not> do not| don['’]t)? (?:express|reflect|convey|share|have)"
    r" (?:the )?(?P<how>same|different) (?:meaning|understanding|interpretation)s?(?: of the (?:saying|proverb))?\W*",
    re.IGNORECASE,
)
# The prompt marks its parts by "[The start of …]" and "[The end of …]".
_BRACKETED = re.compile(r"[\[［]([^\[\]［］]{0,200})[\]］]")
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
    user = fill(template("huproverbrea_oe.user"), {name: _harmless(value) for name, value in values.items()})
    return [{"role": "system", "content": template("huproverbrea_oe.system")}, {"role": "user", "content": user}]


def parse(reply: str) -> Verdict:
    """The verdict in a judge's reply.

    >>> parse("YES - there is no difference.").label
    'YES'
    """
    label = read_label(reply, "decision", LABELS, _ALONE) or _in_words(without_trace(reply))
    error = None if label else "unreadable: no label" if reply.strip() else "unreadable: empty reply"
    return Verdict(label=label, raw=reply, rubric=f"{NAME}/{VERSION}", error=error)


def default(reply: str) -> Verdict | None:
    """NO: the reference scorer leaves an unreadable verdict in the denominator, so that it counts as wrong."""
    return Verdict(label="NO", raw=reply, rubric=f"{NAME}/{VERSION}", error="unreadable, counted wrong")


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
    return _BRACKETED.sub(_rounded, plain_text(value))


def _rounded(match: re.Match[str]) -> str:
    """A delimiter in round brackets, recognised as a reader sees it: of any width, invisible letters left out."""
    letters = unicodedata.normalize("NFKC", match[1])
    visible = "".join(letter for letter in letters if unicodedata.category(letter) != "Cf")
    return f"({match[1]})" if _DELIMITER.match(visible) else match[0]


def _in_words(text: str) -> str | None:
    match = _IN_WORDS.fullmatch(text.strip())
    if match is None:
        return None
    return "YES" if (match["how"].lower() == "same") != bool(match["not"]) else "NO"
