"""Prompts, choices and scores of HuLU: what its YAMLs name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from math import exp
from pathlib import Path
from typing import Any

from hueval_metrics.answers import label as words
from hueval_metrics.answers.choice import is_echo, read_choice
from hueval_metrics.answers.read_once import read_once
from hueval_metrics.answers.reading import NOTHING, Reading
from hueval_metrics.answers.run_on import cut
from hueval_metrics.languages import load as language_files
from hueval_metrics.records import Filtered
from lm_eval_tasks.hulu.corpora import CORPORA, TEXTS
from lm_eval_tasks.hulu.label_words import WORDS

_PROMPTS = Path(__file__).parent / "prompts"
_CONNECTIVES = {"cause": "mert", "effect": "ezért"}
_QUESTIONS = {"cause": "Mi a valószínűbb oka?", "effect": "Mi a valószínűbb következménye?"}
LABELS_ALONE = "labels_alone"  # field of a document whose labels were predicted by themselves, without texts of choices
# What replies of HuCoPA call its options; in other tasks "the second sentence" is none.
_OPTION = (
    *("ok", "oka", "okot", "oknak", "okként", "következmény*", "mondat*", "eset*", "magyarázat*", "esemény*"),
    *("folytatás*", "cause", "effect", "reason", "consequence", "outcome", "sentence", "event", "explanation"),
    *("scenario", "story"),
)


@cache
def template(form: str, corpus: str, prompt: int) -> str:
    """One of the prompts, with the fields of a document in braces.

    Args:
        form: `hulu`, which the choices follow directly, or `hulugen`, which says what to write.
        corpus: the task's name without its prefix.
        prompt: 1, 2 or 3.
    """
    return (_PROMPTS / f"{form}_{corpus}.{prompt}.txt").read_text(encoding="utf-8").removesuffix("\n")


@cache
def fixed_lines(corpus: str) -> tuple[str, ...]:
    """The lines of a corpus's prompts in both forms, by which a repeated prompt is recognised."""
    texts = [template(form, corpus, prompt) for form in ("hulugen", "hulu") for prompt in (1, 2, 3)]
    lines = [line for text in texts for line in ("", *filter(str.strip, text.splitlines()))]
    # A line that begins with a value is not recognised, and these have one of two; in small letters, not as sentences.
    asked = (line for line in lines if line.startswith("{asked} "))
    filled = (line.format(asked=question).casefold() for line in asked for question in _QUESTIONS.values())
    return (*lines, *filled)


def values(doc: Mapping[str, Any]) -> list[str]:
    """The texts of a document that its prompt has in the place of placeholders."""
    return [*(doc[field] for field in TEXTS if field in doc), *_asked(doc).values()]


def context(doc: Mapping[str, Any]) -> str:
    """The text that a choice follows."""
    return template("hulu", doc["task"], doc["prompt"]).format_map(_fields(doc))


def instruction(doc: Mapping[str, Any]) -> str:
    """The user message."""
    return template("hulugen", doc["task"], doc["prompt"]).format_map({**doc, **_asked(doc)})


def choices(doc: Mapping[str, Any]) -> list[str]:
    """What may follow the context, a choice a label."""
    if doc["task"] == "hucopa":
        return [_continuation(doc["choice1"]), _continuation(doc["choice2"])]
    return list(CORPORA[doc["task"]].words.values())


def answer(doc: Mapping[str, Any]) -> int:
    """The index of the right choice; 0 where the label is hidden, where lm-eval wants one and nothing is scored."""
    return gold(doc) or 0


def target(doc: Mapping[str, Any]) -> str:
    """The gold answer; empty where the label is hidden."""
    return CORPORA[doc["task"]].words.get(doc["label"], "")


def gold(doc: Mapping[str, Any]) -> int | None:
    """The index of the label; None where it is hidden."""
    return None if doc["label"] is None else CORPORA[doc["task"]].labels.index(doc["label"])


def by_likelihood(doc: Mapping[str, Any], results: Sequence[tuple[float, bool]]) -> dict[str, Any]:
    """The choice with the highest log-likelihood, as (gold, guess), None where the label is hidden; and label bias.

    Args:
        doc: the document.
        results: (log-likelihood, greedy) of each choice; of the first item then those after a constant text.
    """
    likelihoods = [likelihood for likelihood, _ in results]
    labels = CORPORA[doc["task"]].labels
    likelihoods, constant = likelihoods[: len(labels)], likelihoods[len(labels) :]
    found = _scored(doc, _likeliest(likelihoods))
    if doc["task"] != "hucopa":
        shares = _softmax(constant) if constant else [None] * len(labels)
        found |= {f"label_bias_{label}": share for label, share in zip(labels, shares, strict=True)}
    else:
        by_byte = [each / len(text.encode()) for each, text in zip(likelihoods, choices(doc), strict=True)]
        found["mcc_norm"] = None if doc.get(LABELS_ALONE) else _pair(doc, _likeliest(by_byte))
    return found


def generated(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
    """The label that a reply names, as (gold, guess); a guess of None could not be read."""
    filtered = Filtered.from_json(results[0])
    reading = label_reading(doc, filtered.response)
    guess = None if reading.value is None else CORPORA[doc["task"]].labels.index(reading.value)
    rates = {"parse_rate": float(reading.is_answered), "truncated_rate": float(filtered.truncated)}
    return _scored(doc, guess) | rates


def read_label(doc: Mapping[str, Any], response: str) -> str | None:
    """The label that a reply names; None where it names none, or several without a decision."""
    return label_reading(doc, response).value


@read_once
def label_reading(doc: Mapping[str, Any], response: str) -> Reading[str]:
    """The label that a reply names, and where (`declare.Task.reading`)."""
    corpus, task = CORPORA[doc["task"]], doc["task"]
    if task == "hucopa":
        return _option_reading(doc, response)
    texts = [doc[field] for field in TEXTS if field in doc]
    part = cut(response, fixed_lines(task), values(doc))
    said = words.read_label(response[part.start : part.end], WORDS[task], quoted=texts, asked=_questions(task))
    label_of = {word: label for label, word in corpus.words.items()}
    return said.of(label_of.get(said.value or "", "")).moved(part.start)


@cache
def _questions(corpus: str) -> tuple[str, ...]:
    """The questions of a corpus's prompts, before the first value."""
    lines = (line.partition("{")[0].strip() for line in fixed_lines(corpus))
    return tuple(line for line in lines if line.endswith("?"))


def _option_reading(doc: Mapping[str, Any], response: str) -> Reading[str]:
    """The option of HuCoPA that a reply chooses, before or else behind a repetition of the whole prompt."""
    prompt, texts = instruction(doc), (doc["choice1"], doc["choice2"])
    before, repeated, after = response.partition(prompt)
    found: Reading[int] = NOTHING
    for part, at in ((before, 0), (after, len(before) + len(repeated))):
        start, end = cut(part, fixed_lines("hucopa"), values(doc), texts)
        said = _without_article(part[start:end])
        if said.strip() and not found.is_answered and not (is_echo(said, prompt) or is_echo(part, prompt)):
            found = read_choice(said, texts, ("hu",), nouns=_OPTION, by_exclusion=True).moved(at + start)
    return found.of(str(1 + (found.value or 0)))


def _without_article(text: str) -> str:
    """A reply without an article in its last line, behind which it was cut off: it names no option A."""
    said, _, last = text.rstrip().rpartition("\n")
    return said if said.strip() and last.strip().casefold() in language_files.words("article", ("hu",)) else text


def likeliest_label(doc: Mapping[str, Any], pairs: Sequence[tuple[float, bool]]) -> str:
    """The label of the likeliest choice."""
    labels = CORPORA[doc["task"]].labels
    return labels[_likeliest([likelihood for likelihood, _ in pairs[: len(labels)]])]


def _likeliest(likelihoods: Sequence[float]) -> int:
    return likelihoods.index(max(likelihoods))


def _softmax(likelihoods: Sequence[float]) -> list[float]:
    """The shares of choices: from log-likelihoods to probabilities that sum to 1."""
    highest = max(likelihoods)
    weights = [exp(each - highest) for each in likelihoods]
    return [weight / sum(weights) for weight in weights]


def _scored(doc: Mapping[str, Any], guess: int | None) -> dict[str, Any]:
    pair = _pair(doc, guess)
    found: dict[str, Any] = dict.fromkeys(("mcc", "acc", "balanced_acc", "f1_macro", "f1_weighted"), pair)
    if doc["task"] == "hucopa":
        found |= {f"mcc_{question}": pair if doc["question"] == question else None for question in _CONNECTIVES}
    return found


def _pair(doc: Mapping[str, Any], guess: int | None) -> tuple[int, int | None] | None:
    right = gold(doc)
    return None if right is None else (right, guess)


def _fields(doc: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields that a context is made of; a premise of HuCoPA goes on with its cause or effect."""
    if doc["task"] != "hucopa":
        return doc
    return {**doc, "premise": doc["premise"].rstrip().removesuffix("."), "connective": _CONNECTIVES[doc["question"]]}


def _asked(doc: Mapping[str, Any]) -> dict[str, str]:
    return {"asked": _QUESTIONS[doc["question"]]} if doc["task"] == "hucopa" else {}


def _continuation(choice: str) -> str:
    """A choice as it goes on after the connective: a small first letter, unless it begins with an abbreviation."""
    return choice if choice[1:2].isupper() else choice[:1].lower() + choice[1:]
