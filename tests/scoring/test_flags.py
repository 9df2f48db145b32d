"""Twelve accidents of evaluations, each rebuilt on a task of ours and flagged, and seven clean runs without a flag."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import cycle, islice

from hueval_metrics.answers.reasoning import strip_reasoning
from hueval_metrics.comparison.flags import flags_shown
from hueval_metrics.loader import documents
from hueval_metrics.records import Filtered, Verdict
from hueval_metrics.reports.tables import render
from hueval_metrics.runs.items import items_of
from hueval_metrics.runs.load import load_runs
from hueval_metrics.runs.recount import Recount
from hueval_metrics.scoring.flags import Flag
from hueval_metrics.scoring.judge_tally import JudgeTally
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from tests.each import each
from tests.helpers import changed, run_of
from tests.scoring.conftest import DATE, write_lines

WNLI, CB, TWO, QA, FIB = (
    *("hulugen_huwnli", "hulugen_hucb", "openhueval_huproverbrea_2cq", "openhueval_husimpleqa"),
    "openhueval_hustandardfib",
)
WORDS = {"0": "nem", "1": "igen", "entailment": "igen", "contradiction": "nem", "neutral": "talán"}
TRACE = "<think>\nHa A kisebb, akkor B a nagyobb.\n</think>\n\n"
NO_TRACE = "<think>\n\n</think>\n\n"  # what templates write where thinking is off
OFF, ON = {"enable_thinking": False}, {"enable_thinking": True}


def right(doc) -> str:
    return WORDS[doc["label"]] if "label" in doc else str(doc["correct_option"])


def wrong(doc) -> str:
    return str(3 - doc["correct_option"]) if "correct_option" in doc else WORDS[str(1 - int(doc["label"]))]


def mostly(doc, n: int) -> str:
    """A model that is right in two of three."""
    return right(doc) if n % 3 else "nem" if "label" in doc else "1"


def verdict(judge: str, label: str | None = "CORRECT") -> dict:
    return {"label": label, "score": None, "raw": label, "judge": judge, "rubric": "husimpleqa/1"}


@dataclass(frozen=True)
class Accident:
    """A run of `n` items, all that there are unless `total` says more: its replies, its settings, its verdicts."""

    task: str
    reply: object = lambda doc, n: mostly(doc, n)
    n: int = 60
    total: int = 0
    args: dict = field(default_factory=dict)
    model: str = "hf"
    verdicts: tuple = ()
    at_limit: object = lambda n: None
    config: dict = field(default_factory=dict)


def run(folder, case: Accident):
    """The run of an accident, scored from samples as lm-eval logs them; its items are those of the sample, repeated."""
    docs, _ = documents(case.task)
    rows = []
    for n, doc in enumerate(islice(cycle(docs), case.n)):
        doc = {**doc, "qid": f"{doc['qid']}-{n // len(docs)}"}
        text = case.reply(doc, n)
        own = case.verdicts[n * len(case.verdicts) // case.n] if case.verdicts else None
        filtered = Filtered(**{**vars_of(strip_reasoning(text)), "verdict": own})
        row = {"doc_id": n, "doc": doc, "resps": [[text]], "filtered_resps": [filtered.to_json()]}
        rows.append(row | {"at_limit": case.at_limit(n)})
    write_lines(folder / f"samples_{case.task}_{DATE}.jsonl", rows)
    counts = {"original": case.total or case.n, "effective": case.n}
    settings = {"model": case.model, "model_args": {"pretrained": "org/Toy-7B", **case.args}, **case.config}
    results = {"results": {}, "config": settings, "n-samples": {case.task: counts}}
    (folder / f"results_{DATE}.json").write_text(json.dumps(results), encoding="utf-8")
    score_into(folder / "out", [folder / f"samples_{case.task}_{DATE}.jsonl"], None, {}, JudgePlan(asks=False))
    (found,) = load_runs([folder / "out"])
    return found


def vars_of(filtered: Filtered) -> dict:
    return {name: getattr(filtered, name) for name in ("response", "truncated")}


def shown(*runs) -> list[tuple]:
    """(kind, n, of, why) of the flags in a table of these runs."""
    found = flags_shown(runs).values()
    return [(one.kind, one.n, one.of, one.detail.get("why")) for flags in found for one in flags]


ACCIDENTS = {
    "HuWNLI with inverted labels": (Accident(WNLI, lambda doc, n: wrong(doc)), ("inverted", 0, 60, None)),
    "HuWNLI learned from a train split that contradicts it: 6 of 60": (
        Accident(WNLI, lambda doc, n: right(doc) if n % 10 == 0 else wrong(doc)),
        ("inverted", 6, 60, None),
    ),
    "2CQ with 90 % of the options inverted, whose acc is 0 for other reasons too": (
        Accident(TWO, lambda doc, n: right(doc) if n % 10 == 0 else wrong(doc), n=56),
        ("inverted", 6, 56, None),
    ),
    "always option 1": (Accident(TWO, lambda doc, n: "1", n=56), ("one_answer", 56, 56, None)),
    "a cell of 0.0 %: the parser": (Accident(WNLI, lambda doc, n: "Lásd 4.2."), ("unreadable", 60, 60, None)),
    "refusals": (
        Accident(WNLI, lambda doc, n: mostly(doc, n) if n % 10 else "Sajnálom, ebben nem segíthetek."),
        ("refused", 6, 60, None),
    ),
    "empty replies": (Accident(CB, lambda doc, n: right(doc) if n % 10 else ""), ("empty", 6, 60, None)),
    "cut at the token limit": (
        Accident(WNLI, lambda doc, n: mostly(doc, n) if n % 4 else "Vegyük", at_limit=lambda n: n % 4 == 0),
        ("cut", 15, 60, None),
    ),
    "a “nothink” run with traces": (
        Accident(WNLI, lambda doc, n: TRACE * (n < 3) + mostly(doc, n), args=OFF),
        ("thinking", 3, 60, None),
    ),
    "thinking was asked of a model that has none": (Accident(WNLI, args=ON), ("thinking", 0, 60, None)),
    "104 of 300 answers judged": (
        Accident(QA, lambda doc, n: "Szeged", n=300, verdicts=(verdict("j"),) * 52 + (verdict("j", None),) * 98),
        ("judge", 104, 300, "unjudged"),
    ),
    "two judges in one task": (
        Accident(QA, lambda doc, n: "Szeged", n=36, verdicts=(verdict("a"), verdict("b"))),
        ("judge", 36, 36, "several"),
    ),
    "judged by its own series": (
        Accident(QA, lambda doc, n: "Szeged", n=36, verdicts=(verdict("toy-70b"),)),
        ("judge", 36, 36, "series"),
    ),
    "the first 60 of 151 items": (Accident(WNLI, total=151, config={"limit": 60}), ("part", 60, 151, None)),
}
CLEAN = {
    "two of three right": Accident(WNLI),
    "three labels": Accident(CB, lambda doc, n: right(doc) if n % 2 else "talán"),
    "2CQ": Accident(TWO, n=56),
    "all right": Accident(WNLI, lambda doc, n: right(doc)),
    "a base model that runs to the limit by nature": Accident(WNLI, at_limit=lambda n: True),
    "thinking off, with the empty trace of its template": Accident(
        WNLI, lambda doc, n: NO_TRACE + mostly(doc, n), args=OFF
    ),
    "thinking on, by a server that keeps the traces": Accident(
        WNLI, model="local-chat-completions", config={"gen_kwargs": {"reasoning_effort": "high"}}
    ),
    "judged by a panel": Accident(QA, lambda doc, n: "Szeged", n=36, verdicts=(verdict("a+b"),)),
}


@each("why", list(ACCIDENTS))
def test_an_accident_is_flagged(why, tmp_path):
    case, flag = ACCIDENTS[why]
    assert flag in shown(run(tmp_path, case))


@each("why", list(CLEAN))
def test_a_clean_run_has_no_flag(why, tmp_path):
    assert shown(run(tmp_path, CLEAN[why])) == []


def test_an_older_file_gets_the_same_flags_when_its_items_are_read(tmp_path):
    case, _ = ACCIDENTS["HuWNLI with inverted labels"]
    scored = run(tmp_path, case)
    file = tmp_path / "out" / "results.json"
    rows = json.loads(file.read_text(encoding="utf-8"))
    del rows[WNLI]["flags"]
    file.write_text(json.dumps(rows), encoding="utf-8")
    (older,) = load_runs([tmp_path / "out"])
    counted = Recount(older)
    for item in items_of(older):
        counted.add(item)
    assert (shown(older), shown(counted.run)) == ([], shown(scored))


@each(
    ("of_others", "n_shown"),
    [(0, 1), (90, 1), (99, 0)],  # 0.0000099 · 91 < 0.001 ≤ 0.0000101 · 100 (Holm)
)
def test_inverted_is_corrected_over_all_tests_of_the_table(of_others, n_shown):
    tested = run_of("a", scores={WNLI: {"acc": 30.0}}, flags={WNLI: (Flag("inverted", 4, 60, {"p": 1.01e-5}),)})
    others = [run_of(f"m{n}", scores={WNLI: {"acc": 30.0 + n % 50}}) for n in range(of_others)]
    assert len(shown(tested, *others)) == n_shown


def test_a_judge_is_retired_where_it_was_asked_after_its_end():
    tally = JudgeTally()
    for judge, is_asked, cached in [
        ("gpt-4-0314", True, False),  # ended on 26 March 2026
        ("gpt-4-0314", True, True),  # from the cache, and thus from before
        ("gpt-4-0314", False, False),  # in the file already, of which no date is known
        ("toy", True, False),
    ]:
        tally.add(Verdict("CORRECT", judge=judge, rubric="r/1", cached=cached), is_asked=is_asked)
    assert tally.retired == {"gpt-4-0314": 1}


def test_who_takes_a_place():
    """Not a score over other items, nor one of few verdicts or several judges; any other flag is a mark."""
    part, all_ = Flag("part", 6, 12, {"first": True}), ()
    unjudged = Flag("judge", 6, 12, {"why": "unjudged"})
    for flags, places in [
        ((all_, all_, all_), "¹²³"),
        (((part,), all_, all_), " ¹²"),
        (((part,), (part,), (part,)), "¹²³"),
        (((unjudged,), (unjudged,), all_), "   "),
        (((Flag("cut", 6, 12),), all_, all_), "¹²³"),
    ]:
        runs = [
            run_of(name, scores={FIB: {"blank_acc": 50.0 - n}}, flags={FIB: flags[n]}) for n, name in enumerate("abc")
        ]
        lines = [line for line in render(runs, "terminal", width=100).splitlines() if line[:2] in ("a ", "b ", "c ")]
        found = "".join(next((mark for mark in "¹²³" if mark in line), " ") for line in lines)
        assert found == places, flags


@each(
    ("scores", "kind"),
    [((98.0, 99.5), "ceiling"), ((97.9, 99.5), None), ((0.0, 2.0), "floor"), ((0.0, 2.1), None), ((99.0,), None)],
)
def test_models_that_are_all_at_one_end(scores, kind):
    runs = [run_of(f"m{n}", scores={WNLI: {"acc": score}}, n={WNLI: 20}) for n, score in enumerate(scores)]
    assert {one for one, *_ in shown(*runs)} == ({kind} if kind else set())
    assert shown(*(changed(run, n=19) for run in runs)) == []  # too few items to say so
