"""How long a run takes to start: `hueval run --model dummy --limit 1` beside plain lm_eval with the same task.

Aim: at most 0.4 of plain lm_eval's time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from measure import HUEVAL, ROOT, measure, report, report_processes

ROUNDS = 5
ARGS = ["--model", "dummy", "--tasks", "openhueval_humatchingfib", "--limit", "1"]


def main() -> None:
    """Measure and print."""
    plain = str(Path(sys.executable).parent / "lm_eval")
    commands = {
        "hueval run": [HUEVAL, "run", *ARGS],
        "lm_eval": [plain, "run", *ARGS, "--include_path", str(ROOT / "lm_eval_tasks")],
    }
    # Offline, or plain lm_eval would also spend 46 s on asking the Hub for the tokenizer of its dummy model.
    found = measure(commands, ROUNDS, {"HUEVAL_SAMPLE": "1", "HF_HUB_OFFLINE": "1"})
    report_processes(found)
    report("to lm_eval", found["hueval run"]["wall_s"] / found["lm_eval"]["wall_s"], "x", at_most=0.4)


if __name__ == "__main__":
    main()
