"""How close the steps of `hueval traces` that ask a judge come to the judge engine, against the mock judge.

Aims: an efficiency of 0.9 of the engine's own, measured in the same run; two calls a trace and one a thought; the same
again asks nothing and takes 15 s at most. Efficiency is calls · latency / connections / wall. The time of the steps
has the reading of the run in it, once a step; that of the engine (`judge_clients.py`) is of ready requests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from judge_mock import control, finish, mock_judge, start
from measure import QUICK, options, report
from trace_runs import EXPRESSIONS, TRACES, write_run

CONNECTIONS = 64
LATENCY_S = 0.2
THOUGHTS = 5  # of each trace
# One reply that all three steps can read.
REPLY = {
    "language": "Hungarian",
    "shift_expression": EXPRESSIONS,
    "shift_word_ids": list(range(1, THOUGHTS)),
    "explanation": "A gondolat a helyes válaszhoz vezet.",
    "confident_score": "2",
}


def steps(url: str, run: Path) -> dict[str, Any]:
    """Split and score the thoughts of a run, in this process; what that took."""
    import hueval_metrics.judge.loop  # noqa: F401  # else imported at the first call
    from hueval_metrics.judge.settings import JudgeSettings
    from hueval_metrics.traces.inputs import TraceItems, find_runs
    from hueval_metrics.traces.judging import Asking
    from hueval_metrics.traces.settings import Settings
    from hueval_metrics.traces.steps import thoughts

    judge = JudgeSettings(
        model="mock:file", base_urls=(url,), concurrency=CONNECTIONS, is_concurrency_set=True, quiet=True
    )
    items = TraceItems(find_runs([run], None, {}))
    started, cpu = time.perf_counter(), time.process_time()
    found = thoughts.step(items, Asking(judge), Settings())
    used = {"wall_s": time.perf_counter() - started, "cpu_s": time.process_time() - cpu}
    thoughts = [value["scores"] for value in found.values() if "scores" in value]
    return used | {"scored": sum(score is not None for scores in thoughts for score in scores)}


def in_a_process(url: str, run: Path, cache: str) -> dict[str, Any]:
    """The same, in a process of its own with its cache in a folder; and the calls that the mock has counted."""
    control(url, "/reset", {})
    env = os.environ | {"HUEVAL_CACHE_DIR": cache, "HUEVAL_SAMPLE": "1"}
    command = [sys.executable, __file__, "--steps-of", str(run), "--url", url]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"the steps failed:\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {"calls": control(url, "/stats")["requests"]}


def main() -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--traces", type=int, default=20 if QUICK else TRACES)
    parser.add_argument("--steps-of", type=Path, help="of the script's own process")
    parser.add_argument("--url", help="of the script's own process")
    o = parser.parse_args()
    if o.steps_of:
        print(json.dumps(steps(o.url, o.steps_of)))
        return
    os.environ["HUEVAL_SAMPLE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        run, replies = write_run(Path(folder) / "run", o.traces), Path(folder) / "replies.json"
        replies.write_text(json.dumps([json.dumps(REPLY, ensure_ascii=False)]), encoding="utf-8")
        with mock_judge("--latency-ms", f"{1000 * LATENCY_S:g}", "--reply-file", str(replies)) as url:
            first = in_a_process(url, run, folder)
            again = in_a_process(url, run, folder)
            engine = finish(start("ours", url, first["calls"], CONNECTIONS, f"{folder}/engine"))
    ideal = first["calls"] * LATENCY_S / CONNECTIONS
    report("calls a trace", first["calls"] / o.traces, at_most=2 + THOUGHTS)
    report("thoughts scored a trace", first["scored"] / o.traces, at_least=THOUGHTS)
    also = f"{first['wall_s']:.1f} s, {first['cpu_s']:.1f} s CPU, efficiency {ideal / first['wall_s']:.2f}"
    report("speed to the engine alone", engine["wall_s"] / first["wall_s"], "x", at_least=0.9, also=also)
    report("the same again", again["wall_s"], "s", at_most=15)
    report("calls of it", again["calls"], at_most=0)


if __name__ == "__main__":
    main()
