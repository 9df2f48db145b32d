r"""Read the verdict label in a judge's reply, as a careful person would.

Judges are asked for a JSON object or a bare word, and write fences, single quotes, lists, prose and reasoning around
it. What stands in the reply decides, never what stands in its reasoning trace or what it quotes; where two labels are
claimed and nothing says which of them is meant, there is no label, and the judge can be asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hueval_metrics.answers.json_objects import READ_LIMIT, json_objects, key_name, outside, under_key
from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.answers.verdicts.quotations import is_quoted, readable, unwrapped, without_quotations

# Other names for the key of a verdict. Those of what was judged stay out: judges echo their input.
VERDICT_KEYS = frozenset(
    {
        *("evaluation", "decision", "verdict", "label", "result", "grade", "judgment", "judgement", "assessment"),
        *("classification", "rating", "conclusion", "output", "outcome", "értékelés", "ertekeles", "döntés"),
        *("dontes", "ítélet", "itelet", "eredmény", "minősítés", "címke"),
    }
)
_DECISIVE = ("final_", "my_", "your_", "overall_", "végső_", "végleges_")  # before such a key
# What was judged, where it comes back in an object; what stands under these keys is not the judge's.
RESPONSE_KEYS = frozenset(
    {
        *("predicted_answer", "pred_answer", "gold_target", "question", "input", "response", "model_response"),
        *("model_answer", "user_answer", "student_answer", "quote", "quoted", "quotation", "first_analysis"),
        *("second_analysis", "context", "proverb", "query", "checklist"),
    }
)
ANSWER_FORM = {"answer", "confidence_score"}  # what a prompt asks of the judged model, which its response may show
_WORD_LIMIT = 200  # characters of a reply that is one word, with quotes, emphasis and fences around it
_FENCE = re.compile(r"```\w*")
_STRESS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)")
_BETWEEN = re.compile(r"[\W_]+")
_YES, _NO = {"true", "yes", "igen"}, {"false", "no", "nem"}
_DOTLESS = str.maketrans("ıİ", "iI")  # `re` takes them for i, `casefold` does not

# Words that say that what follows is meant, whatever was weighed before.
STRONG = (
    r"(?:final(?:ly)?|actually|therefore|in conclusion|on (?:reflection|second thought)|correct(?:ion|ed|ing)"
    r"|revis\w{1,4}|wait|chang(?:e|ed|ing) my (?:mind|verdict)|looking again|reconsider\w{0,3}|i was wrong|my mistake"
    r"|scratch that|tévedtem|helyesen|végső|végleges|végül|tehát|mégis|mégse\w?|várj\w{0,4}|helyesbít\w{0,4}"
    r"|javít\w{0,4}|módosít\w{0,4}|meggondol\w{0,4})"
)
_WEAK = (
    r"(?:answer|decision|verdict|evaluation|judge?ment|assessment|conclusion|output|result|grade|label|rating|response"
    r"|classification|boxed(?:\W{1,3}text)?|döntés\w{0,4}|ítélet\w{0,4}|értékelés\w{0,4}|válasz\w{0,4}|eredmény\w{0,4}"
    r"|minősítés\w{0,4})"
)
_HEDGE = (
    r"(?:(?:perhaps|maybe|possibly|whether|unless|if|although|though|while|whereas|talán|esetleg|bár|noha|habár"
    r"|may|might|could|(?:reader|someone|one|some|others|critic|people)s? would)\b[^.!?;:\n]{0,60})"
)
# A verdict that is taken back or halved: "not CORRECT", "partially CORRECT".
_NEGATION = (
    r"(?:(?:not|never|nem|cannot be|\w{2,6}n['’]t|partial(?:ly)?|partly|mostly|almost|nearly|half|hardly|far from"
    r"|anything but|részben|részlegesen|majdnem|félig|nagyrészt)"
    r"(?:\s+(?:an?|the|be|fully|entirely|quite|really|az?|teljesen|egészen)\b)?[\s\-]+)"
)
_STRONG_BEFORE = re.compile(rf"\b{STRONG}\b[^{{}}]{{0,200}}\Z", re.IGNORECASE)


def without_trace(reply: str) -> str:
    """A judge's reply without its reasoning trace.

    A reply that is one JSON object as it stands has no trace: tags inside its strings are quoted from what was judged.

    >>> without_trace("<think>INCORRECT? No.</think>CORRECT")
    'CORRECT'
    """
    whole = _FENCE.sub("", reply).strip()
    if whole.startswith("{") and whole.endswith("}"):
        try:
            json.loads(whole, strict=False)
            return whole
        except (ValueError, RecursionError):
            pass
    return strip_reasoning(reply, final_answer=False).response


class LabelReader:
    r"""Reads the labels of one rubric in judges' replies.

    Args:
        key: the JSON key that the judge was asked to use, lower case.
        labels: the labels, upper case with underscores; letter case, spaces and hyphens do not matter in the reply.
        alone: other words for labels, upper case, read where they are the whole value or the whole reply.
        also: keys that name a verdict under this rubric only.
        synonyms: other words for labels, upper case, read wherever a label stands as a verdict.
        flags: keys of yes or no → the labels that stand for yes and for no.

    >>> grade = LabelReader("evaluation", ["CORRECT", "INCORRECT", "NOT_ATTEMPTED"])
    >>> grade.read('{"evaluation": "Not attempted"}'), grade.read("CORRECT or INCORRECT")
    ('NOT_ATTEMPTED', None)
    """

    def __init__(
        self,
        key: str,
        labels: Sequence[str],
        alone: Mapping[str, str] = MappingProxyType({}),
        *,
        also: Collection[str] = (),
        synonyms: Mapping[str, str] = MappingProxyType({}),
        flags: Mapping[str, tuple[str, str]] = MappingProxyType({}),
    ) -> None:
        self._key, self._flags = key, flags
        self._keys = frozenset(start + name for start in ("", *_DECISIVE) for name in {*VERDICT_KEYS, *also, key})
        said = {label: label for label in labels} | dict(synonyms)
        self._names = {_squashed(word): to for word, to in (*said.items(), *alone.items())}
        self._plain = _any_of(said)
        word = rf"(?<![\w\-])(?P<label>{self._plain})(?![\w\-]|\s?\?)"
        capital = rf"(?<![\w\-])(?P<label>{_any_of(labels)})(?![\w\-]|\s?\?)"
        plain = rf"(?<![\w\-])(?:{self._plain})(?![\w\-])"
        filler = r"(?:\s+(?:is|was|are|az?|the|it|as|should|would|be|considered|overall|my)\b)"
        # "The answer is no different": a small label before another word is a part of the sentence.
        complete = r"(?=\s*(?:[^\w\s]|\Z)|\s*\n|\s+(?:because|since|as|and|but|mert|mivel)\b)"
        self._asides = tuple(
            re.compile(pattern, re.IGNORECASE)
            for pattern in (
                rf"\b{_NEGATION}{plain}",
                rf"{plain}\s{{0,3}}\(?(?:in part|partially|partly|részben)\b",
                rf"\b{_HEDGE}{plain}",
            )
        )
        self._alternatives = re.compile(
            rf"""{plain}(?:["'\s\]\[]{{0,4}}(?:/|\||\b(?:or|vagy|and|és|nor)\b)["'\s\]\[]{{0,4}}{plain})+""",
            re.IGNORECASE,
        )
        self._word = re.compile(plain, re.IGNORECASE)
        self._capitals = re.compile(rf"(?<![\"'“„‘`«]){capital}")  # in quotation marks it is mentioned
        self._announced = re.compile(
            rf"\b(?:(?P<strong>{STRONG}){filler}{{0,3}}(?:\s+{_WEAK})?|{_WEAK}){filler}{{0,4}}[\W_]{{0,12}}"
            rf"{word}(?:(?-i:(?<=[A-Z]))|{complete})",
            re.IGNORECASE,
        )
        self._concluded = re.compile(rf"\b(?i:{STRONG})\b[^.!?]{{0,60}}?{capital}")
        self._alone = re.compile(  # on a line, or in a sentence at the end of one
            rf"(?:^|(?<=[.!?…])\s)[^\w\n]{{0,9}}(?:(?:so|thus|hence|however|but|overall|de|így|ezért|vagyis)\b,?\s)?"
            rf"{word}[^\w\n?]{{0,9}}$",
            re.IGNORECASE | re.MULTILINE,
        )
        self._after_colon = re.compile(rf":[\s*]{{1,9}}{word}[^\w\n?]{{0,9}}$", re.MULTILINE)
        self._first = re.compile(
            rf"[\W_]{{0,99}}{word}[\"']?(?=\s*(?:[.,;:!–—\-(]|\Z)|\s*\n|\s+(?:because|mert|mivel)\b)", re.IGNORECASE
        )
        # What a line gives under a name for a verdict, or a flag; and what keys of other things hold.
        self._line = re.compile(
            rf"^\W{{0,9}}(?:(?:{STRONG}|my|your|the|az?)\s+){{0,2}}{_WEAK}\W{{0,3}}[:=|]\W{{0,9}}(?P<value>\w[^\n]{{0,40}})$",
            re.IGNORECASE | re.MULTILINE,
        )
        self._flag = re.compile(
            rf"(?<!\w)(?P<flag>{_any_of(self._flags)})[\"']?\s{{0,3}}[:=]\W{{0,4}}(?P<value>true|false|yes|no|igen|nem)\b",
            re.IGNORECASE,
        )
        self._keyed = re.compile(rf"""["'](?P<key>\w{{1,40}})["']\s{{0,3}}[:=]\s{{0,3}}["']?{plain}""", re.IGNORECASE)

    def read(self, reply: str) -> str | None:
        """The label that a judge's reply gives.

        In this order: what JSON objects hold under the key, or else under another name for a verdict; the reply as a
        whole; the label that a word announces as final; all other labels that stand as a verdict: after such a name,
        however broken the JSON, on a line or in a sentence of their own, at the beginning; the only label in capitals.
        Each decides only if it names one label, and if nothing that stands as a verdict elsewhere says otherwise.

        Args:
            reply: any text.

        Returns:
            One of the labels; None when there is none, or two of them and no decision.
        """
        text = unwrapped(without_trace(reply)[-READ_LIMIT:])
        for form in dict.fromkeys((text, readable(text))):  # a full-width quote inside a JSON string ends nothing
            objects = list(json_objects(form))
            claims = self._claims(form, objects)
            label, opposed = self._of_text(outside(form, objects))
            if claims:
                label, is_final = _decided(claims), claims[-1][1]
                return label if is_final or opposed <= {label} else None
        return label

    def _claims(self, text: str, objects: Sequence[tuple[int, int, dict[str, Any]]]) -> list[tuple[str | None, bool]]:
        """The labels that objects in a text give, each with whether words before it say that it is meant.

        A quoted object counts only after the last of the judge's own, which it may contradict, and never alone.
        """
        for keys, is_asked in ((frozenset({self._key}), True), (self._keys, False)):
            found: list[tuple[str | None, bool]] = []
            quoted: list[tuple[str | None, bool]] = []
            seen = 0
            for start, end, data in objects:
                label, is_given = self._in_object(data, keys)
                if label or (is_given and is_asked):
                    if is_quoted(text, start, end, seen):
                        quoted.append((label, False))
                    else:
                        is_final = bool(_STRONG_BEFORE.search(text, max(seen, start - 300), start))
                        found.append((label, is_final))
                        quoted.clear()
                seen = end
            if found:
                return found + quoted
        return []

    def _of_text(self, text: str) -> tuple[str | None, set[str]]:
        """The label that a text gives, and all that stand as a verdict in it, beyond doubt about the words."""
        text = _FENCE.sub(" ", readable(text)).strip()
        if "?" not in text and (label := self._names.get(_squashed(text))):
            return label, {label}
        text = self._alternatives.sub(" ", self._keyed.sub(self._of_verdict, _STRESS.sub("", text).translate(_DOTLESS)))
        text = without_quotations(text, self._plain).replace("`", "")
        for aside in self._asides:
            text = aside.sub(" ", text)

        announced = list(self._announced.finditer(text))
        final = [match for match in announced if match["strong"]] + list(self._concluded.finditer(text))
        stands = [match for match in announced if match["label"].isupper()]
        stands += [*self._alone.finditer(text), *self._after_colon.finditer(text)]
        claimed = {match.start("label"): self._label(match) for match in (*stands, *final)}
        claimed |= {
            match.start("value"): label for match in self._line.finditer(text) if (label := self._in_line(match))
        }
        claimed |= {
            match.start("value"): self._flagged(match["flag"], match["value"]) for match in self._flag.finditer(text)
        }
        first = self._first.match(text)
        if first and re.search(r"\w", self._word.sub("", text[first.end() :])):
            claimed[first.start("label")] = self._label(first)
        if final:
            last = max(match.start("label") for match in final)
            return _only({label for place, label in claimed.items() if place >= last}), set(claimed.values())
        is_shouted = text.isupper() and re.search(r"\w", self._word.sub("", text))  # where capitals say nothing
        capitals = set() if is_shouted else {self._label(match) for match in self._capitals.finditer(text)}
        if stands or (claimed and not first):
            return _only(set(claimed.values())), set(claimed.values())
        return _only({*claimed.values(), *map(self._label, announced), *capitals}), set(claimed.values())

    def _label(self, match: re.Match[str]) -> str:
        return self._names[_squashed(match["label"])]

    def _in_line(self, match: re.Match[str]) -> str | None:
        return self._names.get(_squashed(match["value"]))

    def _of_verdict(self, match: re.Match[str]) -> str:
        """A key with a label as it is, if the key is that of a verdict; "reason": "CORRECT …" is about something."""
        return match[0] if key_name(match["key"]) in self._keys else " "

    def _flagged(self, key: str, value: object) -> str:
        return self._flags[key_name(key)][str(value).casefold() not in _YES]

    def _in_object(self, data: dict[str, Any], keys: frozenset[str]) -> tuple[str | None, bool]:
        """The label in an object, and whether it has one of the keys at all."""
        if set(map(key_name, data)) >= ANSWER_FORM:
            return None, False
        values = under_key(data, keys, skip=RESPONSE_KEYS)
        flags = [
            self._flagged(key, value)
            for key in self._flags
            for value in under_key(data, [key], skip=RESPONSE_KEYS)
            if str(value).casefold() in _YES | _NO
        ]
        found = {*flags, *(label for value in values for label in self._in_value(value))}
        return _only(found), bool(values or flags)

    def _in_value(self, value: Any) -> Iterator[str]:
        """The labels of a JSON value: of a word, of a list of words, or of an object with them."""
        level = [value]
        while level:
            value = level.pop()
            if isinstance(value, (str, bool)):
                if label := self._of_text(str(value))[0]:
                    yield label
            elif isinstance(value, dict):
                level += under_key(value, self._keys | {"value"}, skip=RESPONSE_KEYS) or value.values()
            elif isinstance(value, list):
                level += value


def _decided(claims: Sequence[tuple[str | None, bool]]) -> str | None:
    """The label on which all claims agree; else that of the last that is said to be final."""
    if len({label for label, _ in claims}) == 1:
        return claims[0][0]
    return next((label for label, is_final in reversed(claims) if is_final), None)


def _any_of(words: Iterable[str]) -> str:
    """A pattern of some words, the longest first; spaces and hyphens stand for underscores, or nothing does."""
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace("_", r"[\s_\-]{0,2}") for word in longest_first) or r"(?!)"


def _squashed(text: str) -> str:
    return _BETWEEN.sub("", text).casefold() if len(text) <= _WORD_LIMIT else ""


def _only(found: Collection[str | None]) -> str | None:
    return next(iter(found)) if len(found) == 1 else None
