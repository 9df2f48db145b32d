r"""Read the verdict label in a judge's reply.

Judges are asked for a JSON object or a single word, and write fences, single quotes, lists, prose and reasoning around
it. Labels in the reasoning trace or in quotations are ignored. If a reply gives two labels without a decision between
them, it has no label, and the judge can be asked again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from hueval_metrics.answers.json_objects import JsonObject, key_name, under_key
from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.answers.verdicts.quotations import is_quoted, plain_letters, readings, without_quotations

# Other names for the key of a verdict; not names of the judged text, since judges echo their input.
VERDICT_KEYS = frozenset(
    {
        *("evaluation", "decision", "verdict", "label", "result", "grade", "judgment", "judgement", "assessment"),
        *("classification", "rating", "conclusion", "output", "outcome", "értékelés", "ertekeles", "döntés"),
        *("dontes", "ítélet", "itelet", "eredmény", "minősítés", "címke"),
    }
)
_DECISIVE = ("final_", "my_", "your_", "overall_", "végső_", "végleges_")  # before such a key
# Keys of the judged text, if an object repeats it; their values are not the judge's.
RESPONSE_KEYS = frozenset(
    {
        *("predicted_answer", "pred_answer", "gold_target", "question", "input", "response", "model_response"),
        *("model_answer", "user_answer", "student_answer", "quote", "quoted", "quotation", "first_analysis"),
        *("second_analysis", "context", "proverb", "query", "checklist"),
    }
)
ANSWER_FORM = {"answer", "confidence_score"}  # keys that a prompt asks of the judged model: an object of its response
_WORD_LIMIT = 200  # characters of a reply of one word, with quotes, emphasis and fences around it
_FENCE = re.compile(r"```\w*")
_STRESS = re.compile(r"\*+|(?<!\w)_+|_+(?!\w)")
_BETWEEN = re.compile(r"[\W_]+")
_YES, _NO = {"true", "yes", "igen"}, {"false", "no", "nem"}
_DOTLESS = str.maketrans("ıİ", "iI")  # `re` matches them as i, but `casefold` does not map them to i

# Words before a final decision, which overrides earlier labels.
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
# A negated or partial verdict: "not CORRECT", "partially CORRECT".
_NEGATION = (
    r"(?:(?:not|never|nem|cannot be|\w{2,6}n['’]t|partial(?:ly)?|partly|mostly|almost|nearly|half|hardly|far from"
    r"|anything but|részben|részlegesen|majdnem|félig|nagyrészt)"
    r"(?:\s+(?:an?|the|be|fully|entirely|quite|really|az?|teljesen|egészen)\b)?[\s\-]+)"
)
_STRONG_BEFORE = re.compile(rf"\b{STRONG}\b[^{{}}]{{0,200}}\Z", re.IGNORECASE)


def without_trace(reply: str) -> str:
    """A judge's reply without its reasoning trace.

    A reply that is one JSON object has no trace: tags inside its strings are quoted from the judged text.

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
        labels: the labels, upper case with underscores; in replies case, spaces and hyphens are ignored.
        alone: other words for labels, upper case, accepted as the whole value or the whole reply only.
        also: keys that name a verdict under this rubric only.
        synonyms: other words for labels, upper case, accepted wherever a label is.
        flags: key of a yes-or-no value → the labels for yes and for no.

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
        # "The answer is no different": a lower-case label before another word is a part of the sentence.
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
        self._capitals = re.compile(rf"(?<![\"'“„‘`«]){capital}")  # in quotation marks it is only mentioned
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
        # A line with a name for a verdict, or with a flag; and labels as values of any key.
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

        Sources in order of precedence: JSON values of the key, or of another name for a verdict; the reply as a whole;
        a label announced as final; other labels in the position of a verdict (behind such a name even in malformed
        JSON, on a line or in a sentence of their own, at the beginning); the only label in capitals. A source decides
        only if it gives one label, and if no other label is in the position of a verdict elsewhere.

        Args:
            reply: any text.

        Returns:
            One of the labels; None if there is none, or several without a decision.
        """
        for form, objects, text in readings(without_trace(reply)):
            label, opposed = self._of_text(text)
            if claims := self._claims(form, objects):
                label, is_final = _decided(claims), claims[-1][1]
                return label if is_final or opposed <= {label} else None
        return label

    def _claims(self, text: str, objects: Sequence[JsonObject]) -> list[tuple[str | None, bool]]:
        """The labels that objects in a text give, each with whether the words before it announce a final decision.

        Quoted objects count only behind the last one of the judge's own, and only if there is such an object.
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
        """The label that a text gives, and all labels that are in the position of a verdict in it."""
        text = _FENCE.sub(" ", plain_letters(text)).strip()
        if "?" not in text and (label := self._names.get(_squashed(text))):
            return label, {label}
        text = self._alternatives.sub(" ", self._keyed.sub(self._of_verdict, _STRESS.sub("", text).translate(_DOTLESS)))
        text = without_quotations(text, self._plain).replace("`", "")
        for aside in self._asides:
            text = aside.sub(" ", text)

        announced = list(self._announced.finditer(text))
        final = [match for match in announced if match["strong"]] + list(self._concluded.finditer(text))
        placed = [match for match in announced if match["label"].isupper()]
        placed += [*self._alone.finditer(text), *self._after_colon.finditer(text)]
        claimed = {match.start("label"): self._label(match) for match in (*placed, *final)}
        claimed |= {
            match.start("value"): label
            for match in self._line.finditer(text)
            if (label := self._names.get(_squashed(match["value"])))
        }
        claimed |= {
            match.start("value"): self._flagged(match["flag"], match["value"]) for match in self._flag.finditer(text)
        }
        first = self._first.match(text)
        if first and re.search(r"\w", self._word.sub("", text[first.end() :])):
            claimed[first.start("label")] = self._label(first)
        found = set(claimed.values())
        if final:
            last = max(match.start("label") for match in final)
            return _only({label for place, label in claimed.items() if place >= last}), found
        if placed or (claimed and not first):
            return _only(found), found
        is_shouted = text.isupper() and re.search(r"\w", self._word.sub("", text))  # then capitals mean nothing
        capitals = () if is_shouted else self._capitals.finditer(text)
        return _only({*found, *map(self._label, (*announced, *capitals))}), found

    def _label(self, match: re.Match[str]) -> str:
        return self._names[_squashed(match["label"])]

    def _of_verdict(self, match: re.Match[str]) -> str:
        """The match unchanged if its key names a verdict, else a blank, as in "reason": "CORRECT …"."""
        return match[0] if key_name(match["key"]) in self._keys else " "

    def _flagged(self, key: str, value: object) -> str:
        return self._flags[key_name(key)][str(value).casefold() not in _YES]

    def _in_object(self, data: dict[str, Any], keys: frozenset[str]) -> tuple[str | None, bool]:
        """The label in an object, and whether the object has one of the keys."""
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
        """The labels in a JSON value: a word, a list of words, or an object that contains words."""
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
    """The label if all claims agree; else the label of the last claim that is announced as final."""
    if len({label for label, _ in claims}) == 1:
        return claims[0][0]
    return next((label for label, is_final in reversed(claims) if is_final), None)


def _any_of(words: Iterable[str]) -> str:
    """A pattern of some words, the longest first, with spaces, hyphens, underscores or nothing between their parts."""
    longest_first = sorted(words, key=len, reverse=True)
    return "|".join(re.escape(word).replace("_", r"[\s_\-]{0,2}") for word in longest_first) or r"(?!)"


def _squashed(text: str) -> str:
    return _BETWEEN.sub("", text).casefold() if len(text) <= _WORD_LIMIT else ""


def _only(found: Collection[str | None]) -> str | None:
    return next(iter(found)) if len(found) == 1 else None
