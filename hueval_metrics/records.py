"""The frozen records that stages hand to one another; they import next to nothing, so every stage may import them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from sys import float_info
from typing import Any

from hueval_metrics.text.foreign import parse_json

UNFILTERED = "not asked: the response did not come through StripReasoning"
UNREADABLE = "unreadable"  # begins the error of a verdict whose reply came and could not be read
CYCLIC = "/cyclic"  # ends the name of a panel of which one judge is asked about each item
UNKNOWN = "?"  # parts of a signature that only the finished run knows
_OF_THE_DATA = ("task", "v", "data", "q", "prompt", "sample", "split")
_OF_THE_RUN = ("shots", "gen", "chat", "reasoning", "limit")
_BESIDE = ("repeat", "ask", "extract")  # a draw of replies; what further columns rest on: a second turn, quotations
_OF_THE_JUDGE = ("schema", "judge", "rubric")


@dataclass(frozen=True, slots=True)
class Filtered:
    """What every task's filter pipeline ends in: one JSON string a document, logged by lm-eval.

    Attributes:
        response: the model's answer without its reasoning trace; empty when nothing but a trace came.
        truncated: whether generation ended inside the trace, or nothing was generated at all.
        verdict: a judge's verdict as a dict; None for tasks scored by rule.
        second: the reply to a second turn (`hueval run --ask-again`), without its trace; None where none was asked.
    """

    response: str
    truncated: bool = False
    verdict: Mapping[str, Any] | None = None
    second: str | None = None

    def to_json(self) -> str:
        """The JSON string; ASCII only, so that lone surrogates in a response survive any file encoding."""
        second = {} if self.second is None else {"second": self.second}
        return json.dumps({"response": self.response, "truncated": self.truncated, "verdict": self.verdict, **second})

    @classmethod
    def from_json(cls, text: str) -> Filtered:
        """Read `to_json` back.

        Raises:
            ValueError: the text is not the JSON of a Filtered.
        """
        data = parse_json(text)
        if not isinstance(data, dict) or not isinstance(data.get("response"), str):
            raise ValueError("not a filtered response: expected a JSON object with a 'response' string")
        verdict = data.get("verdict")  # of any other type it is none, and can be asked for again
        verdict, second = verdict if isinstance(verdict, dict) else None, data.get("second")
        second = second if isinstance(second, str) else None
        return cls(data["response"], bool(data.get("truncated", False)), verdict, second)


@dataclass(frozen=True, slots=True)
class Choices:
    """What a model thinks of the choices of a question, where a task compares log-likelihoods.

    Attributes:
        loglikelihoods: of each choice, in order.
        greedy: whether each is what the model would write.
    """

    loglikelihoods: tuple[float, ...]
    greedy: tuple[bool, ...]

    @property
    def pairs(self) -> list[tuple[float, bool]]:
        """As lm-eval hands them to `process_results`."""
        return list(zip(self.loglikelihoods, self.greedy, strict=True))

    @property
    def likeliest(self) -> int:
        """The index of the choice with the highest log-likelihood, the first of several."""
        return self.loglikelihoods.index(max(self.loglikelihoods))


@dataclass(frozen=True, slots=True)
class Usage:
    """What the calls to a judge took.

    Attributes:
        calls: how many replies were paid for.
        prompt_tokens: tokens sent, as the server counted them; our estimate where it did not.
        completion_tokens: tokens of the replies, likewise.
        usd: what they cost in dollars; None when no price of the judge is known.
        seconds: how long the calls took, each by itself.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    usd: float | None = 0.0
    seconds: float = 0.0

    @classmethod
    def from_json(cls, found: object) -> Usage | None:
        """Read what a log has noted, which anyone may have written; None where it has noted nothing."""
        if not isinstance(found, Mapping):
            return None
        calls, sent, received, seconds, usd = (
            number_of(found.get(key)) for key in ("calls", "prompt_tokens", "completion_tokens", "seconds", "usd")
        )
        whole = [int(max(0.0, number or 0.0)) for number in (calls, sent, received)]
        return cls(whole[0], whole[1], whole[2], None if usd is None else max(0.0, usd), max(0.0, seconds or 0.0))

    def to_dict(self) -> dict[str, Any]:
        """As it is in logs and in the cache; written out, since `asdict` takes ten times as long."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "usd": self.usd,
            "seconds": self.seconds,
        }

    def __add__(self, other: Usage) -> Usage:
        """The sum of two; dollars that are not known of one are not known of both."""
        if self is NO_USAGE:  # where most sums begin
            return other
        usd = None if self.usd is None or other.usd is None else self.usd + other.usd
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            usd,
            self.seconds + other.seconds,
        )


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge said of one response.

    Attributes:
        label: the rubric's label, such as `CORRECT`; None where the rubric gives a score, or without a verdict.
        score: the rubric's score; None where the rubric gives a label, or without a verdict.
        raw: the judge's reply, word for word; None when none came.
        judge: the judge's model id, or `lexical`; None when no judge was asked.
        rubric: name and version of the rubric, such as `toyqa/1`.
        cached: whether the reply came from the cache.
        error: why there is no verdict; None for a verdict as it should be. Logs of hueval 0.1 have it beside the label
            or score that stood for an unreadable reply, which is no verdict either (`is_unreadable`).
        suspicious: structural marks of an attempt on the judge, such as `forged_verdict`; empty without any.
        usage: what it took, also for a reply from the cache; None without a judge, or when another item has it.
        votes: the verdicts of the members of a panel; empty for a single judge.
        unsaved: whether the cache could not store the reply, so that this verdict alone holds what was paid for.
        data: what else the rubric has read, a JSON value, such as a list of segments; None for nothing.
        schema: False where the server does not take the schema that the rubric has.
        again: the label or score of the same judge asked a second time, which never counts; None without one.
    """

    label: str | None = None
    score: float | None = None
    raw: str | None = None
    judge: str | None = None
    rubric: str = ""
    cached: bool = False
    error: str | None = None
    suspicious: tuple[str, ...] = ()
    usage: Usage | None = None
    votes: tuple[Verdict, ...] = ()
    unsaved: bool = False
    data: Any = None
    schema: bool = True
    again: str | float | None = None

    @classmethod
    def from_json(cls, found: object) -> Verdict | None:
        """Read a verdict in a log that anyone may have written; what is of another type than it should be is not there.

        Returns:
            The verdict; None for what is no JSON object.
        """
        if not isinstance(found, Mapping):
            return None
        label, raw, judge, rubric = (
            value if isinstance(value := found.get(key), str) else None for key in ("label", "raw", "judge", "rubric")
        )
        error, marks, votes = found.get("error"), found.get("suspicious"), found.get("votes")
        return cls(
            label=label,
            score=number_of(found.get("score")),
            raw=raw,
            judge=judge,
            rubric=rubric or "",
            cached=found.get("cached") is True,
            error=None if error is None else str(error),
            suspicious=tuple(map(str, marks if isinstance(marks, (list, tuple)) else [marks])) if marks else (),
            usage=Usage.from_json(found.get("usage")),
            votes=tuple(filter(None, map(cls.from_json, votes if isinstance(votes, (list, tuple)) else ()))),
            unsaved=found.get("unsaved") is True,
            data=found.get("data"),
            schema=found.get("schema") is not False,
            again=again if isinstance(again := found.get("again"), str) else number_of(again),
        )

    def to_dict(self) -> dict[str, Any]:
        """As it is in logs and results: all fields, `data`, `schema` and `again` only where they say something."""
        found: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        found |= {"usage": self.usage and self.usage.to_dict(), "votes": [vote.to_dict() for vote in self.votes]}
        left_out = {"data": self.data is None, "schema": self.schema, "again": self.again is None}
        return {name: value for name, value in found.items() if not left_out.get(name)}

    def at_cost(
        self, usage: Usage | None, *, cached: bool = False, unsaved: bool = False, schema: bool = True
    ) -> Verdict:
        """The same verdict with what it cost; written out, since `replace` takes five times as long."""
        said = self.label, self.score, self.raw, self.judge, self.rubric
        return Verdict(*said, cached, self.error, self.suspicious, usage, self.votes, unsaved, self.data, schema)

    @property
    def is_missing(self) -> bool:
        """Whether there is neither label nor score: such a document is never scored, and lowers `judge_coverage`."""
        return self.label is None and self.score is None

    @property
    def is_given(self) -> bool:
        """Whether there is one that counts: no default of hueval 0.1 in place of an unreadable reply."""
        return self.error is None and not self.is_missing

    @property
    def rating(self) -> str | float | None:
        """The label or the score that counts; None without one."""
        return (self.score if self.label is None else self.label) if self.is_given else None

    @property
    def is_unreadable(self) -> bool:
        """Whether a reply came, and no verdict could be read from it."""
        is_said = self.error is not None and self.error.startswith(UNREADABLE) and self.raw != ""  # "" is no reply
        return is_said or (self.error is not None and not self.is_missing)


def number_of(value: object) -> float | None:
    """A number as read from a log that anyone may have written; None for anything else, NaN and infinity among it.

    >>> number_of(7), number_of(float("nan")), number_of(10**400), number_of(True), number_of("7")
    (7.0, None, None, None, None)
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) <= float_info.max else None  # type: ignore[arg-type]


def has_verdict(verdict: object) -> bool:
    """Whether the verdict of a `Filtered`, as read from a log that anyone may have written, has a label or a score.

    One with an error beside it is the default that hueval 0.1 put in place of an unreadable reply, and no verdict.

    >>> has_verdict({"label": "YES"}), has_verdict({"error": "no reply"}), has_verdict(None)
    (True, False, False)
    >>> has_verdict({"label": ["YES"]}), has_verdict({"label": "NO", "error": "counted wrong"})
    (False, False)
    """
    is_plain = isinstance(verdict, Mapping) and verdict.get("error") is None and isinstance(verdict.get("label"), str)
    return is_plain or ((read := Verdict.from_json(verdict)) is not None and read.is_given)


def is_unreadable(verdict: object) -> bool:
    """Whether a judge's reply came, and no verdict could be read from it; a reference scorer may count it all the same.

    >>> is_unreadable({"error": "unreadable: no label"}), is_unreadable({"label": "NO", "error": "counted wrong"})
    (True, True)
    >>> is_unreadable({"label": "NO"}), is_unreadable({"error": "no reply in 60 s"}), is_unreadable(None)
    (False, False, False)
    """
    has_error = isinstance(verdict, Mapping) and verdict.get("error") is not None
    return has_error and (read := Verdict.from_json(verdict)) is not None and read.is_unreadable


def may_be_judged(verdict: object) -> bool:
    """Whether a judge may see the response: not one that may hold its reasoning trace.

    >>> may_be_judged(None), may_be_judged({"error": UNFILTERED})
    (True, False)
    """
    return not (isinstance(verdict, Mapping) and verdict.get("error") == UNFILTERED)


def is_open(verdict: object) -> bool:
    """Whether a judge is to be asked.

    >>> is_open(None), is_open({"error": "no reply"}), is_open({"label": "YES"}), is_open({"error": UNFILTERED})
    (True, True, False, False)
    """
    return not has_verdict(verdict) and may_be_judged(verdict)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a score depends on, printed in one line with every result (after sacrebleu's signatures).

    Attributes:
        parts: name → value, in the order in which they are printed: `task`, `v` (the task's version), `data` (git blob
            id of its file), `q` (language of the questions), `prompt`, `sample`, `shots`, `gen`, `chat`, `reasoning`,
            `limit`, libraries and whatever else a run records; `judge` and `rubric` last. `?` where a part is unknown.

    >>> str(Signature.parse("task:t|gen:?").with_settings({"gen": "until=\\n|"}).with_judge("a,b", "r/1"))
    'task:t|gen:until=\\\\n/|judge:a,b|rubric:r/1'
    """

    parts: Mapping[str, str]

    @classmethod
    def of_data(
        cls,
        task: str,
        version: str,
        data: str,
        question_lang: str,
        prompt: str,
        sample: bool,
        libraries: Mapping[str, str],
    ) -> Signature:
        """What is known before a run.

        Args:
            task: the task's name.
            version: the task's version (`metadata.version` in its YAML).
            data: the git blob id of the data file, as `git hash-object` prints it.
            question_lang: language of the questions, `hu`, `en` or `zh`.
            prompt: language and hash of the prompt template, such as `en-1f0c9a2b`.
            sample: whether the packaged sample is scored instead of the benchmark.
            libraries: versions of the libraries that decide the score.
        """
        known = {"task": task, "v": version, "data": data[:12], "q": question_lang, "prompt": prompt}
        known |= {"sample": "yes" if sample else "no"} | dict.fromkeys(_OF_THE_RUN, UNKNOWN)
        return cls(known | dict(libraries))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """A printed signature; one without parts for what is none."""
        pairs = (part.partition(":") for part in text.split("|"))
        return cls({key: value for key, colon, value in pairs if colon})

    def __str__(self) -> str:
        """One line, `name:value` parts joined by `|`."""
        return "|".join(f"{key}:{value}" for key, value in self.parts.items())

    @property
    def short(self) -> str:
        """The line without what is unknown, and without versions of libraries.

        >>> Signature.parse("task:t|v:1.0|shots:0|gen:?|limit:no|hueval:1.0|judge:gpt-4o|rubric:r/1").short
        'task:t|v:1.0|shots:0|limit:no|judge:gpt-4o|rubric:r/1'
        """
        shown = (*_OF_THE_DATA, *_OF_THE_RUN, "system", "ece", *_BESIDE, *_OF_THE_JUDGE)
        return str(Signature({key: self.parts[key] for key in shown if self.parts.get(key, UNKNOWN) != UNKNOWN}))

    @property
    def is_sample(self) -> bool:
        """Whether the packaged sample was scored instead of the benchmark."""
        return self.parts.get("sample") == "yes"

    @property
    def judges(self) -> tuple[str, ...]:
        """Who judged; empty for tasks scored by rule."""
        return tuple(self.parts["judge"].split(",")) if "judge" in self.parts else ()

    @property
    def limit(self) -> float | None:
        """The `--limit` of the run: items, or below 1 a share of them; None without one, and where it is unknown."""
        try:
            return number_of(float(self.parts.get("limit", "no")))
        except ValueError:
            return None

    def with_settings(self, settings: Mapping[str, object]) -> Signature:
        """With what only the finished run knows: in the place of question marks, or else after the other parts.

        Args:
            settings: part → value, such as `gen` and `chat`. A part that is known already is left as it is.
        """
        judge = {key: self.parts[key] for key in _OF_THE_JUDGE if key in self.parts}  # stays last
        parts = {key: value for key, value in self.parts.items() if key not in judge}
        for key, value in settings.items():
            if parts.get(key, UNKNOWN) == UNKNOWN:
                parts[key] = _printable(str(value)).replace("|", "/")
        return Signature(parts | judge)

    def with_judge(self, judge: str, rubric: str, *, schema: bool = True) -> Signature:
        """With the judge and the rubric, in place of those it may have; without `schema`, it says `schema:0`."""
        unjudged = {key: value for key, value in self.parts.items() if key not in _OF_THE_JUDGE}
        unused = {} if schema else {"schema": "0"}
        return Signature({**unjudged, **unused, "judge": judge.replace("|", "/"), "rubric": rubric})


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
