"""Analyses of traces as `hueval traces` writes them, for the tests of the page: rows by rule, numbers made up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hueval_metrics.metrics.simple_qa import CORRECT, INCORRECT, NOT_ATTEMPTED
from hueval_metrics.traces.item import VERDICTS
from hueval_metrics.traces.measures import Cell, Number, Test
from hueval_metrics.traces.results import AnalysedRun, TraceResults
from hueval_metrics.traces.segments.classes import CATEGORIES, DIMENSIONS

OPEN, CLOSE = "<think>\n", "\n</think>\n\n"
# Thoughts begin at "Várjunk", "Wait" and "Esetleg"; with an emoji of two UTF-16 units before them.
TRACE = (
    "Előbb felidézem, amit a kérdésről tudok 🤔. Az első ötletem Mátyás.\n\n"
    "Várjunk csak, ez nem illik ide: az évszám korábbi, tehát más lesz a jó válasz.\n\n"
    "Wait, the question says 'first', so it must be an earlier one <b>not</b> Mátyás.\n\n"
    "Esetleg mégis jó volt az első? Nem, maradok a másodiknál.\n\nEzzel kész a válasz."
)
SHIFTS = ("Várjunk", "Wait", "Esetleg")


def row_of(item: Mapping[str, Any], run: str, number: int, **steps: Any) -> dict[str, Any]:
    """A row of traces.jsonl of a row of items.jsonl."""
    reply = item["prediction"]
    start = reply.find(OPEN) + len(OPEN)
    end = reply.find(CLOSE)
    has_trace = end > 0
    key = [item["qid"], *([item["correct_option"]] if "correct_option" in item else [])]
    label = (item.get("verdict") or {}).get("label")
    return {
        **{"run": run, "task": item["task"], "key": key, "cluster": item["qid"]},
        **{
            "verdict": label if label in VERDICTS else INCORRECT if number % 2 else CORRECT,
            "share": 0.5,
            "weight": 1.0,
        },
        **{"truncated": not has_trace, "blocks": [[start, end]] if has_trace else [], "tokens": 120, "tokens_ref": 140},
        "free": {"language": "hu", "switches": number % 3, "translations": 0, "looping": number % 7 == 3},
        "life": None,
        **(steps if has_trace else {}),
    }


def thoughts_of(trace: str, scores: Sequence[int | None]) -> dict[str, Any]:
    """The value of the step of thoughts: a thought begins at each of `SHIFTS`."""
    starts = [0, *(trace.index(word) for word in SHIFTS)]
    return {"language": "hu", "starts": starts, "scores": list(scores), "n_expressions": 3, "n_unknown_ids": 0}


def segments_of(trace: str) -> dict[str, Any]:
    """The value of the step of segments: a segment for each paragraph."""
    ends = [at + 2 for at in range(len(trace)) if trace.startswith("\n\n", at)]
    found = []
    for place, (start, end) in enumerate(zip([0, *ends], [*ends, len(trace)], strict=True)):
        category = "Introduction" if place == 0 else "Conclusion" if place == len(ends) else "Reasoning"
        classes = [known[place % len(known)] for known in DIMENSIONS] if category == CATEGORIES[1] else None
        found.append({"start": start, "end": end, "category": category, "dimensions": classes})
    return {"segmenter": "r1", "segments": found, "dimensions_left_out": None}


def life_of(trace: str, parts: Sequence[str] = ("#0#",)) -> dict[str, Any]:
    """The answer's life: it first stands at "Mátyás" and is settled at "Esetleg"."""
    part = {"first": trace.index("Mátyás"), "changes": 2, "settled": trace.index("Esetleg"), "tokens_after": 30}
    part |= {"right_stood": trace.index("earlier"), "right": False}
    return {"approximate": False, "parts": [{"part": name, **part} for name in parts], "regret": True}


def write_analysis(folder: Path, runs: Mapping[str, Path], qa: str, fib: str) -> Path:
    """An analysis of scored runs: label → folder; `qa` has thoughts, `fib` segments and the answer's life."""
    folder.mkdir(parents=True)
    rows = []
    for label, path in runs.items():
        for number, line in enumerate((path / "items.jsonl").read_text(encoding="utf-8").splitlines()):
            item, steps = json.loads(line), {}
            if item["task"] == qa:
                steps = {"thoughts": thoughts_of(TRACE, [0, 1, 2 if number % 2 else 0, None])}
            elif item["task"] == fib:
                steps = {"segments": segments_of(TRACE), "life": life_of(TRACE, ("#0#", "#1#"))}
            rows.append(row_of(item, label, number, **steps))
    (folder / "traces.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    results_of(list(runs), qa, fib).write(folder)
    return folder


def results_of(labels: Sequence[str], qa: str, fib: str, parts: Sequence[str] = ("",)) -> TraceResults:
    """What traces.json holds, with numbers that differ from run to run and verdict to verdict."""
    numbers = []
    verdicts = ("", CORRECT, INCORRECT, NOT_ATTEMPTED)
    for at, label in enumerate(labels):
        for part in parts:
            for place, verdict in enumerate(verdicts):
                cell = Cell(label, qa, part, verdict)
                mean = 800.0 + 300 * place + 500 * at
                numbers.append(Number(cell, "tokens", mean, (mean - 90, mean + 110), 30, 30, 30))
                numbers.append(Number(cell, "tokens_median", mean - 40, None, 30, 30, 30))
                thoughts = 4.2 + place + at
                numbers.append(Number(cell, "thoughts", thoughts, (thoughts - 0.5, thoughts + 0.5), 30, 30, 30))
                numbers.append(Number(cell, "correct_thoughts", 50 - 9 * place, (30 - 9 * place, 60.0), 30, 30, 120))
                numbers.append(Number(cell, "regret", 22.5 + place, (10.0, 40.0), 30, 30, 30))
                for step, name in enumerate(["gt_0", *(f"ge_{share}" for share in range(10, 100, 10))]):
                    share = max(0.0, 95.0 - 10 * step - 12 * place)
                    numbers.append(
                        Number(cell, f"correct_ratio_{name}", share, (share * 0.9, share * 1.02), 30, 30, 30)
                    )
        cell = Cell(label, fib)
        for name, value in {"simple_assertion": 55.49, "eti": 5.49, "correct_simple_assertion": 80.1}.items():
            numbers.append(Number(cell, name, value - at, (value - 4, value + 4), 40, 40, 700))
        for name in ("introduction", "reasoning", "review", "conclusion"):
            numbers.append(Number(cell, f"{name}_segments", 1.5, (1.2, 1.8), 40, 40, 40))
        pair = "dimension2_simple_assertion_x_dimension1_completely_correct"
        numbers.append(Number(cell, pair, 33.0, (30.0, 36.0), 40, 40, 700))
        for group in (qa, fib):
            free = {"hungarian_sentences": 61.5, "switches": 3.25, "length_correctness": -0.31, "answer_first": 40.2}
            numbers += [
                Number(Cell(label, group), name, value, (value - 1, value + 1), 40) for name, value in free.items()
            ]
    first, other = Cell(labels[0], qa, "", CORRECT), Cell(labels[0], qa, "", NOT_ATTEMPTED)
    tests = [
        Test("tokens", "verdicts", first, other, -600.0, (-810.0, -400.0), 0.0001, 0.0003, 60),
        Test("thoughts", "verdicts", first, other, 0.2, (-0.4, 0.9), 0.5, 0.7, 60),
        Test("tokens", "models", Cell(labels[0], qa), Cell(labels[-1], qa), 500.0, (300.0, 700.0), 0.004, 0.012, 60),
        Test(
            *("correct_simple_assertion", "measures", Cell(labels[0], fib), Cell(labels[0], fib), 40.8, (31.2, 50.0)),
            *(0.0001, 0.0001, 40, "correct_complex_thought"),
        ),
    ]
    runs = [
        AnalysedRun(
            label,
            label,
            counts={qa: {"replies": 40, "no_trace": 1, "cut": 2, "looping": 3, "several_blocks": 0}},
            left_out={"thoughts": {"unreadable": 2, "too long": 1}},
        )
        for label in labels
    ]
    signature = "judge:judge-1|rubrics:thought_score/1|tokenizer:estimate-gpt-4o"
    return TraceResults("1.0", ("free", "thoughts", "segments"), "estimate-gpt-4o", signature, runs, numbers, tests)
