"""A run of a reasoning model to measure the analysis of traces with: 1,343 traces of 8,000 tokens, made up."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import made_runs
from made_runs import sample

from hueval_metrics.loader import documents

TASK = "openhueval_husimpleqa"
TRACES = 1343  # as many as HuProverbRea and HuSimpleQA have together
TRACE_BYTES = 30_000  # about 8,000 tokens
EXPRESSIONS = ("De várjunk", "Alternatively", "Wait")  # open a thought, each a few times a trace
_SENTENCES = (
    "A kérdés szerint ez {} körül történt, tehát a tizenkilencedik század végén kell keresni.",
    "Let me recall what was said about {} in the question, because the date matters here.",
    "Ha jól emlékszem, a szerződést {} tanú előtt írták alá, de a helyszín nem biztos.",
    "So the answer could be {}, but I should verify it against the other sources I know.",
    "Úgy tudom, hogy a válasz {}; ezt még ellenőrzöm a forrás alapján.",
)


def trace(number: int) -> str:
    """A trace in two languages, with five thoughts; each number has its own."""
    draw, parts, size = Random(number), [], 0
    while size < TRACE_BYTES:
        part = draw.choice(_SENTENCES).format(f"{number}-{len(parts)}") + draw.choice((" ", " ", "\n\n"))
        parts.append(part)
        size += len(part.encode())
    for place in range(4):
        parts[(place + 1) * len(parts) // 5] = f"{EXPRESSIONS[place % len(EXPRESSIONS)]}, {number} … "
    return "".join(parts)


def write_run(folder: Path, count: int = TRACES) -> Path:
    """Write what lm-eval leaves of a run; returns the folder."""
    docs, provenance = documents(TASK)

    def rows() -> Iterator[dict[str, Any]]:
        for number in range(count):
            doc = docs[number % len(docs)]
            doc = doc | {"qid": f"q{number}", "question": f"{number}. {doc['question']}"}
            label = ("CORRECT", "INCORRECT", "NOT_ATTEMPTED")[number % 3]
            yield sample(doc, "Igen", {"label": label}, f"<think>\n{trace(number)}\n</think>\n\n")

    untruncated = {TASK: {"truncated_rate,response": 0.0}}
    return made_runs.write_run(folder, "made-up", [(TASK, rows(), {"provenance": provenance})], results=untruncated)
