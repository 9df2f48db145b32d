"""How long a run takes to start: `hueval run --model dummy --limit 1` beside plain lm_eval with the same task.

Aim: at most 0.4 of plain lm_eval's time.
"""

from __future__ import annotations

import sys
from pathlib import Path

from measure import measure

ROUNDS = 5
ARGS = ["--model", "dummy", "--tasks", "openhueval_humatchingfib", "--limit", "1"]


def main() -> None:
    """Measure and print."""
    bin_ = Path(sys.executable).parent
    tasks = Path(__file__).parents[1] / "lm_eval_tasks"
    commands = {
        "hueval run": [str(bin_ / "hueval"), "run", *ARGS],
        "lm_eval": [str(bin_ / "lm_eval"), "run", *ARGS, "--include_path", str(tasks)],
    }
    # Offline, or plain lm_eval would also spend 46 s on asking the Hub for the tokenizer of its dummy model.
    found = measure(commands, ROUNDS, {"HUEVAL_SAMPLE": "1", "HF_HUB_OFFLINE": "1"})
    print(f"start-up, one document, median of {ROUNDS} runs in turns")
    for name, numbers in found.items():
        print(f"  {name:11} {numbers['wall_s']:6.2f} s   peak {numbers['peak_mib']:5.0f} MiB")
    print(f"  ratio       {found['hueval run']['wall_s'] / found['lm_eval']['wall_s']:6.2f}     (aim: at most 0.40)")


if __name__ == "__main__":
    main()
