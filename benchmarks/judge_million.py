"""Completing a half judged run: `hueval score --only-missing` on synthetic samples of openhueval_husimpleqa.

Half of the rows have their verdict, the others get theirs from a mock judge without latency. Aim: bounded memory, that
is some numbers a row (about 70 bytes) and not the rows. `--rows 1000000` takes ten times as long as the default.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judge_clients import MODEL
from judge_mock import control, mock_judge
from made_runs import sample, write_rows
from measure import HUEVAL, QUICK, measure, options, report

TASK = "openhueval_husimpleqa"
GROWTH = 10  # the first run has so many times fewer rows
VERDICT = {"label": "CORRECT", "score": None, "raw": "CORRECT", "judge": MODEL, "rubric": "husimpleqa/1"}


def samples(rows: int) -> Iterator[dict[str, Any]]:
    """Rows as lm-eval logs them, the verdict of every other one missing."""
    for number in range(rows):
        doc = {"qid": f"q{number:07}", "question": f"Melyik évben volt a(z) {number}. eset?", "answer": str(number)}
        doc |= {"hu_specific_dim": "history", "task": "husimpleqa", "prompt_lang": "hu"}
        response = json.dumps({"answer": f"{number // 2}-ben", "confidence_score": number % 101})
        row = sample(doc, response, VERDICT if number % 2 else None)
        yield {"doc_id": number, "target": doc["answer"], **row}


def run(rows: int) -> dict[str, float]:
    """Wall time in seconds, peak memory in MiB, and the calls that were made."""
    with tempfile.TemporaryDirectory() as folder, mock_judge("--latency-ms", "0") as url:
        path = Path(folder) / f"samples_{TASK}_2026-01-01T00-00-00.000000.jsonl"
        write_rows(path, samples(rows))
        command = [HUEVAL, "score", str(path), "--only-missing", "--output", folder]
        settings = {"BASE_URL": url, "MODEL": MODEL, "CONCURRENCY": "64"}
        env = {f"HUEVAL_JUDGE_{name}": value for name, value in settings.items()}
        found = measure({"score": command}, 1, env | {"HUEVAL_CACHE_DIR": folder, "HUEVAL_QUIET": "1"})["score"]
        scores = json.loads((Path(folder) / "results.json").read_text(encoding="utf-8"))[TASK]
        if scores["judge_coverage"] != 100:
            raise SystemExit(f"judge_million: {scores['judge_coverage']} % of the verdicts are there")
        return found | {"calls": control(url, "/stats")["requests"]}


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--rows", type=int, default=2_000 if QUICK else 100_000)
    o = parser.parse_args()
    peaks = []
    for rows in (o.rows // GROWTH, o.rows):
        found = run(rows)
        also = f"{found['calls']:,} calls, {found['wall_s']:.1f} s, peak {found['peak_mib']:.0f} MiB"
        report(f"{rows:,} rows", rows / found["wall_s"], "rows/s", also=also)
        peaks.append(found["peak_mib"] * 2**20)
    report("memory, more a row", (peaks[1] - peaks[0]) / (o.rows - o.rows // GROWTH), "bytes", at_most=100)


if __name__ == "__main__":
    main()
