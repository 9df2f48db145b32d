"""The labelled replies that readers are measured with: literal cases, the folders of `shared/parity`, real replies.

A case is a reply and what a careful person reads in it. `read` gives what we read in it, in the same form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from hueval_metrics.answers.confidence import stated_confidence
from hueval_metrics.answers.json_answer import answer_text
from hueval_metrics.answers.masked_name import read_masked_name
from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.answers.short import short_answer
from hueval_metrics.answers.translated import read_translation
from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.loader import documents
from hueval_metrics.text.endings import plain_name
from lm_eval_tasks.hkmmlu import hooks as hkmmlu
from lm_eval_tasks.hulu import hooks as hulu
from lm_eval_tasks.hulu import hurc
from lm_eval_tasks.hulu.corpora import CORPORA
from lm_eval_tasks.openhueval import hooks as openhueval
from lm_eval_tasks.openhueval.metrics.fib import matching_blanks, standard_blanks
from tests.answers import test_choice, test_label, test_letter_choice, test_run_on, test_translated
from tests.families.openhueval import test_fib, test_fib_sample
from tests.helpers import SHARED, json_lines, load_cases
from tests.judge import test_lexical_languages

Read = Callable[[], Any]
FIB = ("humatchingfib", "hustandardfib")
COUNTING = {"clear", "json", "nojson", "adversarial"}
PARITY = SHARED / "parity"


@dataclass(frozen=True)
class Case:
    """One labelled reply.

    Attributes:
        reader: what reads it.
        set: `literal`, `fresh`, `fresh3`, `real`.
        id: of the case in its set.
        reply: the text, in which words of a language are looked for.
        human: what a person reads; None for no answer.
        read: what we read.
    """

    reader: str
    set: str
    id: str
    reply: str
    human: Any
    read: Read

    def outcome(self, found: Any) -> str:
        """`right`; `false`: an answer where a person reads none; `misread`: another one; `unread`."""
        if found == self.human:
            return "right"
        if self.reader in FIB:  # which blanks are right
            credited = any(ours and not theirs for ours, theirs in zip(found, self.human, strict=True))
            return "false" if credited else "unread"
        if found is None or found == "":
            return "unread"
        return "false" if self.human is None else "misread"


def all_cases() -> list[Case]:
    """All cases that are here: those of `shared` only where that folder is."""
    found = [*literal_cases()]
    for folder in ("fresh", "fresh3"):
        if (PARITY / folder).is_dir():
            found += _parity(folder)
    return found


# ---- literal cases of tests/cases ----


def literal_cases() -> Iterator[Case]:
    """The cases of `tests/cases`, which need no other folder."""
    for case in load_cases("choices"):
        read = partial(test_choice.option, case["response"], case.get("options", test_choice.UNKNOWN))
        yield _case("2cq", case, case["answer"], read)
    for case in load_cases("letter_choice"):
        read = partial(test_letter_choice.read_letter, case["response"], case["options"])
        yield _case("hkmmlu", case, case["letter"], read)
    for case in load_cases("label_words"):
        read = partial(test_label.read, case["set"], case["response"], case.get("quoted", ()))
        yield _case("hulu", case, case["answer"], read)
    for case in load_cases("label_replies"):
        doc = {"task": case["corpus"], "prompt": 1, "label": None} | case["doc"]
        words = {word: label for label, word in CORPORA[case["corpus"]].words.items()}
        for reply in case["replies"]:
            yield _case("hulu", {**case, "response": reply}, words.get(case["answer"]), partial(_hulu, doc, reply))
    for case in load_cases("masked_names"):
        yield _case("hurc", case, case["name"], partial(_masked, case["response"], case["query"]))
    for case in load_cases("blanks"):
        if "qid" not in case or PARITY.is_dir():
            human = list(map(bool, case["right"] or [0, 0, 0]))
            yield _case("humatchingfib", case, human, partial(test_fib.score, case))
    for case in load_cases("fib"):
        yield _case("hustandardfib", case, list(map(bool, case["right"])), partial(test_fib.standard, case))
    for name, read_blanks in (("matching", test_fib_sample.letters), ("standard", test_fib_sample.words)):
        for case in load_cases(f"{name}_blanks"):
            human = test_fib_sample.said(case, read_blanks(case))
            yield _case(f"hu{name}fib", case, human, partial(read_blanks, case))
    for name, rubric in (
        ("labels", "husimpleqa"),
        ("labels_letters", "kolassimpleqa"),
        ("labels_yes_no", "huproverbrea_oe"),
    ):
        for case in load_cases(name):
            read = partial(_label, rubric, case["reply"])
            yield Case(f"judge_{rubric}", "literal", case["why"], case["reply"], case["label"], read)
    for case in load_cases("rubrics_scores"):
        read = partial(_label, "huwildbench", case["reply"])
        yield Case("judge_huwildbench", "literal", case["why"], case["reply"], case["score"], read)
    for case in load_cases("confidence"):
        yield _case("confidence", case, case["confidence"], partial(_confidence, case["response"], 1))
    for case in load_cases("short_answers"):
        human = (case["kind"], case["answer"], case["confidence"])
        yield _case("answer", case, human, partial(_short, case["response"]))
    for case in load_cases("run_on_families"):
        read = partial(test_run_on.read, case["task"], case["doc"], case["response"])
        yield _case("all tasks", case, case["answer"], read)
    for case in load_cases("lexical_languages"):
        read = partial(test_lexical_languages.label, case["language"], case["reference"], case["response"])
        yield _case("does not know", case, case["label"], read)
    for case in load_cases("reasoning"):
        human = (case["response"], case["truncated"])
        yield Case("traces", "literal", case["why"], case["text"], human, partial(_trace, case["text"]))
    for case in load_cases("translated"):
        lines = test_translated.LINES[case["language"]]
        read = partial(read_translation, case["reply"], case["source"], case["language"], lines)
        yield Case("translated", "literal", case["why"], case["reply"], case["said"], read)


def _case(reader: str, case: Mapping[str, Any], human: Any, read: Read) -> Case:
    return Case(reader, "literal", case["why"], case["response"], human, read)


# ---- the folders of shared/parity ----


def _parity(folder: str) -> Iterator[Case]:
    def rows(name: str) -> list[dict[str, Any]]:
        path = PARITY / folder / f"{name}.jsonl"
        found = json_lines(path) if path.is_file() else []
        return [row for row in found if row.get("clear", True) and row.get("kind", "clear") in COUNTING]

    for task in FIB:
        for row in rows(task):
            yield Case(task, folder, row["id"], row["input"], row["human_reading"], partial(_blanks, task, row))
    for row in rows("huproverbrea_2cq"):
        yield Case("2cq", folder, row["id"], row["input"], row["human_reading"], partial(_two_choice, row))
    for row in rows("hulu"):
        doc = {"task": row["corpus"], "prompt": 1, "lead": [], "passage": [], **row["doc"]}
        reader = "hurc" if row["corpus"] == "hurc" else "hulu"
        human = plain_name(row["sense"]) if reader == "hurc" and row["sense"] else row["sense"]
        yield Case(reader, folder, row["id"], row["reply"], human, partial(_hulu, doc, row["reply"]))
    for row in rows("hkmmlu"):
        read = partial(test_letter_choice.read_letter, row["reply"], row["choices"])
        yield Case("hkmmlu", folder, row["id"], row["reply"], row["sense"], read)
    for rubric in ("huproverbrea_oe", "husimpleqa", "kolassimpleqa", "huwildbench"):
        for row in rows(f"judge_{rubric}"):
            read = partial(_label, rubric, row["input"])
            yield Case(f"judge_{rubric}", folder, row["id"], row["input"], row["human_reading"], read)
    for row in rows("traces"):
        said = row["human_reading"]
        right = [(text, said["truncated"]) for text in (said["response"], *said.get("alternatives", ()))]
        found = _trace(row["input"])
        human = next((one for one in right if one == found), right[0])
        yield Case("traces", folder, row["id"], row["input"], human, partial(_trace, row["input"]))
    for row in rows("kolas_answers"):
        yield Case("answer", folder, row["id"], row["reply"], row["sense"], partial(answer_text, row["reply"]))
        read = partial(_confidence, row["reply"], 100)
        yield Case("confidence beside it", folder, row["id"], row["reply"], row["confidence"], read)
    for row in rows("confidence"):
        read = partial(_confidence, row["reply"], 100)
        yield Case("confidence", folder, row["id"], row["reply"], row["sense"], read)
    if (PARITY / folder / "real").is_dir():
        yield from _real(folder)


def _real(folder: str) -> Iterator[Case]:
    """Real replies of small models to tasks that are scored by rule; what judges score has no answer to find."""
    for path in sorted((PARITY / folder / "real").glob("*.jsonl")):
        for row in json_lines(path):
            if row.get("clear", True) and not row["task"].startswith(("kolas", "openhueval_husimple")):
                read = partial(_answer, row["task"], row["doc"], row["prediction"])
                yield Case(
                    "all tasks", "real", f"{path.stem} {row['qid']}", row["prediction"], row["human_reading"], read
                )


# ---- readers, in the form in which people labelled ----


@cache
def _docs(task: str) -> Mapping[tuple[Any, ...], dict[str, Any]]:
    rows, _ = documents(f"openhueval_{task}", data_dir=str(SHARED / "data"))
    return {(row["qid"], row.get("correct_option")): row for row in rows}


def _two_choice(row: Mapping[str, Any]) -> int | None:
    doc = _docs("huproverbrea_2cq")[row["qid"], row["correct_option"]]
    return openhueval.chosen_option(doc, strip_reasoning(row["input"]).response)


def _blanks(task: str, row: Mapping[str, Any]) -> list[bool]:
    doc, response = _docs(task)[row["qid"], None], strip_reasoning(row["input"]).response
    if task == "humatchingfib":
        return matching_blanks(
            openhueval.matching_answer(doc, response), doc["answer"], doc["options"], doc["question"]
        )
    return standard_blanks(openhueval.standard_answer(doc, response), doc["answers"], "\n".join(doc["questions"]))


def _masked(response: str, query: str) -> str | None:
    return read_masked_name(response, query).value


def _hulu(doc: Mapping[str, Any], reply: str) -> str | None:
    response = strip_reasoning(reply).response
    if doc["task"] != "hurc":
        return hulu.read_label(dict(doc), response)
    name = hurc.read_name(dict(doc), response)
    return None if name is None else plain_name(name)


def _label(rubric: str, reply: str) -> str | float | None:
    verdict = load_rubric(rubric).parse(reply)
    return verdict.score if verdict.label is None else verdict.label


def _short(reply: str) -> tuple[str, str, float | None]:
    return short_answer(reply).kind, answer_text(reply), _confidence(reply, 1)


def _confidence(reply: str, unit: int) -> float | None:
    stated = stated_confidence(strip_reasoning(reply).response)
    return None if stated is None else round(unit * stated[0], 6)


def _trace(text: str) -> tuple[str, bool]:
    filtered = strip_reasoning(text)
    return filtered.response, filtered.truncated


def _answer(task: str, doc: dict[str, Any], reply: str) -> Any:
    """What the task's own reader reads; None for no answer."""
    response = strip_reasoning(reply).response
    name = task.removeprefix("openhueval_").removeprefix("hulugen_")
    if task.startswith("hkmmlu"):
        return hkmmlu.read(doc, response)
    if name == "hurc":
        return hurc.read_name(doc, response)
    if task.startswith("hulugen"):
        return hulu.read_label(doc, response)
    if name == "huproverbrea_2cq":
        return openhueval.chosen_option(doc, response)
    return (openhueval.matching_answer if name == "humatchingfib" else openhueval.standard_answer)(doc, response)


def by_reader(cases: Sequence[Case]) -> dict[tuple[str, str], list[Case]]:
    """The cases of each reader and set."""
    found: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        found.setdefault((case.reader, case.set), []).append(case)
    return found
