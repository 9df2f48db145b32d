"""What flags cost: their share of scoring ten models in HuLU's six generated tasks, and of the table of all of them.

A third of the replies have a reasoning trace, which was asked to be off, so that every reply is looked at for one. Aim:
at most 5 % of scoring, and of the table at most 5 %. Scoring is measured once with what flags count, and the counting
again over the same items by itself.
"""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from made_runs import sample, write_run
from measure import QUICK, SHARED, report, shared

from hueval_metrics.comparison.flags import flags_shown
from hueval_metrics.loader import documents
from hueval_metrics.registry import declared, families, task_spec
from hueval_metrics.reports.flags import flag_notes
from hueval_metrics.reports.tables import render
from hueval_metrics.runs.load import load_runs
from hueval_metrics.scoring.flags import Facts, Replies, flags_of
from hueval_metrics.scoring.score import reply_in, score_paths
from hueval_metrics.scoring.thinking import thinking_asked
from hueval_metrics.scoring.write import write_scores

MODELS = 1 if QUICK else 10
OFF = {"enable_thinking": False}
TRACE = "<think>\nHa az első igaz, a második hamis. Nézzük újra.\n</think>\n\n"
AT_MOST = 5  # percent


def main() -> None:
    """Score, count again, and print the table."""
    shared("data")
    os.environ["HUEVAL_DATA_DIR"] = str(SHARED / "data")
    tasks = [task for task in families()["hulu"].tasks if task.startswith("hulugen_") and task != "hulugen_hurc"]
    docs = {task: documents(task)[0] for task in tasks}
    scoring = counting = 0.0
    with tempfile.TemporaryDirectory() as name:
        for model in range(MODELS):
            rows = [(task, [_row(task, doc, at + model) for at, doc in enumerate(docs[task])], {}) for task in docs]
            config = {"model": "hf", "model_args": {"pretrained": f"m{model}", **OFF}}
            folder = write_run(Path(name) / f"m{model}", f"m{model}", rows, config=config)
            start = time.process_time()
            scores = score_paths([folder], None, {})
            scoring += time.process_time() - start
            start = time.process_time()
            for score in scores:
                replies = Replies(declared(score.task), thinking_asked("hf", OFF, {}))
                for item in score.items:
                    replies.add(reply_in(item, *replies.wanted))
                flags_of(replies, Facts(len(score.items), len(score.items)))
            counting += time.process_time() - start
            (output := Path(name) / "scored" / f"m{model}").mkdir(parents=True)
            write_scores(scores, output)
        start = time.process_time()
        runs = load_runs([Path(name) / "scored"])
        render(runs, "terminal")
        table = time.process_time() - start
        start = time.process_time()
        flag_notes(flags_shown(runs))
        flags_shown(runs)
        flags = time.process_time() - start
    n = sum(map(len, docs.values())) * MODELS
    report(f"score {n} replies", scoring, "s CPU")
    report("of it, flags", 100 * counting / scoring, "%", at_most=AT_MOST)
    report("table", table, "s CPU")
    report("of it, flags", 100 * flags / table, "%", at_most=AT_MOST)


def _row(task: str, doc: dict, at: int) -> dict:
    right = task_spec(task).target(doc) or "igen"
    return sample(doc, right if at % 4 else "nem", None, TRACE * (at % 3 == 0))


if __name__ == "__main__":
    main()
