"""`hueval traces` without a judge: 1,343 traces of 8,000 tokens (40 MB) in two languages, and ten times as many.

Aim: at most 60 s on two cores and 300 MiB, of all its processes together; the memory for ten times as many is the same.
Then what a judge's reply costs beside the call: a trace of 1 MB is split into thoughts, and a copy of it in segments is
checked for coverage. Aim: at most 1 s each.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from measure import HUEVAL, QUICK, SHARED, report, shared, skip

from hueval_metrics.loader import documents
from hueval_metrics.registry import families, task_spec
from hueval_metrics.traces.segments.coverage import bounds_of
from hueval_metrics.traces.thoughts.splitting import occurrences, split, tagged

REPLIES, CHARACTERS = 1343, 29_800  # 8,000 tokens of gpt-4o
TIMES = 2 if QUICK else 10
EXPRESSIONS = ("Wait", "But", "But wait", "Let me", "Várjunk csak", "De", "Hmm", "Talán", "Alternatively", "So I think")
ENGLISH = (
    "Okay, let me think about this question step by step before I answer it.",
    "Wait, that might not be right, so I should check it once more.",
    "Translated into English, this would be the following sentence.",
    "The context suggests that the speaker wants to encourage the other person.",
    "But wait, the other option could fit better here, and I am not sure.",
    "Hmm, I recall that in Hungarian history this happened in the thirteenth century.",
)
HUNGARIAN = (
    "Nézzük meg, mit kér a feladat, és gondoljuk végig lépésről lépésre.",
    "Várjunk csak, ez így nem lehet jó, mert a toldalék nem illik ide.",
    "Talán inkább a másik szó illik ide, hiszen az alany többes számban van.",
    "A magyar történelemben ez a fogalom a tizenharmadik századból ismert.",
)


def trace(target: str, rng: random.Random, length: int = CHARACTERS) -> str:
    """A trace that states an answer now and then."""
    answers = (f"So I think the answer is {target}.", f"Tehát a válasz: {target}")
    sentences: list[str] = []
    while length > 0:
        sentence = rng.choice(rng.choice((ENGLISH, ENGLISH, HUNGARIAN, answers))) + rng.choice((" ", " ", "\n\n"))
        sentences.append(sentence)
        length -= len(sentence)
    return "".join(sentences).strip()


def replies() -> Iterator[tuple[str, Mapping[str, Any], str]]:
    """Task, key and right reply of as many documents as there are replies, of tasks whose answers are read by rule."""
    names = [name for family in families().values() for name, its in family.traces.items() if its.stated]
    found: list[tuple[str, Mapping[str, Any], str]] = []
    for name in names:
        spec = task_spec(name)
        if spec.rubric is None:
            with suppress(Exception):  # not beside this checkout
                for doc in documents(name, data_dir=str(SHARED / "data"))[0]:
                    found.append((name, {field: doc[field] for field in spec.declared.key}, str(spec.target(doc))))
    every = len(found) / REPLIES  # the same share of each task
    yield from (found[int(place * every)] for place in range(REPLIES if found else 0))


def write(folder: Path, times: int) -> list[str]:
    """A file of replies for each of so many models."""
    given = list(replies())
    if len(given) < REPLIES:
        skip("the benchmark's files are not complete")
    files = []
    for number in range(times):
        rng = random.Random(number)
        file = folder / f"model{number}.jsonl"
        with file.open("w", encoding="utf-8") as lines:
            for task, key, target in given:
                answer = target if rng.random() < 0.6 else "Nem tudom."
                row = {"task": task, **key, "trace": trace(target, rng), "answer": answer}
                lines.write(json.dumps(row, ensure_ascii=False) + "\n")
        files.append(str(file))
    return files


def measured(command: list[str]) -> tuple[float, float]:
    """Seconds, and the greatest memory of all processes together in MiB, shared pages counted once (PSS)."""
    start, most = time.perf_counter(), 0
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True)
        while process.poll() is None:
            most = max(most, sum(map(_pss, _group(process.pid))))
            time.sleep(0.25)
        seconds = time.perf_counter() - start
        if process.returncode:
            errors.seek(0)
            raise SystemExit(f"failed: {errors.read()[-2000:]}")
    return seconds, most / 1024


def _group(leader: int) -> Iterator[int]:
    for process in (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
        with suppress(OSError):
            if os.getpgid(process) == leader:
                yield process


def _pss(process: int) -> int:
    with suppress(OSError, StopIteration):
        lines = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii").splitlines()
        return int(next(line for line in lines if line.startswith("Pss:")).split()[1])
    return 0


def timed(name: str, call: Callable[[], object]) -> None:
    """Time a call, the shortest of three."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    report(name, min(seconds), "s", at_most=1)


def main() -> None:
    """Measure and print."""
    data = str(shared("data"))
    with tempfile.TemporaryDirectory() as folder:
        files = write(Path(folder), TIMES)
        peaks = []
        for given, aim in ((files[:1], 60), (files, None)):
            output = ["--data-dir", data, "--output", str(Path(folder) / "traces")]
            seconds, peak = measured([HUEVAL, "traces", *given, *output])
            size = sum(Path(file).stat().st_size for file in given) / 1e6
            report(f"{size:.0f} MB, free", seconds, "s", at_most=aim, also=f"{os.cpu_count()} cores")
            report("peak of all processes", peak, "MiB", at_most=300)
            peaks.append(peak)
    report(f"memory for {TIMES} times as much", peaks[1] / peaks[0], "x", at_most=1.1)
    text = trace("A", random.Random(0), 2**20)
    timed("1 MB into thoughts", lambda: [tagged(text, found := occurrences(text, EXPRESSIONS)), _parts(text, found)])
    pieces = text.split("\n\n")
    timed("1 MB of segments, coverage", lambda: bounds_of(text, pieces))


def _parts(text: str, found: Any) -> list[str]:
    return split(text, sorted({0, *(one.start for one in found)}))


if __name__ == "__main__":
    main()
