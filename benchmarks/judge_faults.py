"""What faults cost the judge engine: a limit to be found out, errors, drops, hangs, a kill, and a run once more.

Aims: every verdict, within 1.3 times what the limit allows and one time-out; after a kill at half no more calls paid
again than were under way; a re-run out of the cache within a second and without a call. AsyncOpenAI with its own two
retries stands beside it.
"""

from __future__ import annotations

import tempfile
import time

from judge_mock import control, finish, mock_judge, start
from measure import QUICK, report

CALLS, CONNECTIONS, LIMIT, TIMEOUT_S = 200 if QUICK else 1_000, 64, 150, 3
FAULTS = (
    *("--latency-ms", "200", "--rate-limit-rps", str(LIMIT), "--error-rate-500", "0.05"),
    *("--drop-rate", "0.01", "--hang-rate", "0.005", "--malformed-rate", "0.02"),
)
CACHED = 500 if QUICK else 5_000


def faults() -> None:
    """Report what each client got and took, whatever the server says of its limit."""
    aim = 1.3 * CALLS / LIMIT + TIMEOUT_S
    for told, client, more, options in (
        ("Retry-After, x-ratelimit-*", "ours", (), ()),
        ("Retry-After, x-ratelimit-*", "openai", ("--retries", "2"), ()),
        ("x-ratelimit-* alone", "ours", (), ("--no-retry-after",)),
        ("x-ratelimit-* alone", "openai", ("--retries", "2"), ("--no-retry-after",)),
        ("nothing but refusals", "ours", ("--deaf",), ("--no-retry-after",)),
    ):
        with mock_judge(*FAULTS, *options) as url, tempfile.TemporaryDirectory() as folder:
            run = finish(start(client, url, CALLS, CONNECTIONS, folder, "--timeout-s", str(TIMEOUT_S), *more))
            refused = control(url, "/stats")["status"].get("429", 0)
        is_ours, name = client == "ours", f"{client}, {told}"
        report(name, run["wall_s"], "s", at_most=aim if is_ours else None, also=f"{refused} refused by 429")
        report(f"{name}, lost", CALLS - run["answered"], at_most=0 if is_ours else None)


def kill() -> None:
    """Report what is paid again after `kill -9` at half."""
    with mock_judge("--latency-ms", "200") as url, tempfile.TemporaryDirectory() as folder:
        first = start("ours", url, CALLS, CONNECTIONS, folder)
        while (stats := control(url, "/stats"))["answered_distinct"] < CALLS // 2:
            if first.poll() is not None:
                raise SystemExit("the run ended before it could be killed")
            time.sleep(0.01)
        first.kill()
        first.communicate()
        run = finish(start("ours", url, CALLS, CONNECTIONS, folder))
        again = control(url, "/stats")["answered_again"]
    report("kill -9 at half: paid again", again, at_most=stats["in_flight"], also=f"{run['answered']} verdicts")


def rerun() -> None:
    """Report how long a run takes whose replies are all in the cache."""
    with mock_judge("--latency-ms", "0") as url, tempfile.TemporaryDirectory() as folder:
        finish(start("ours", url, CACHED, CONNECTIONS, folder))
        control(url, "/reset", {})
        run = finish(start("ours", url, CACHED, CONNECTIONS, folder))
        calls = control(url, "/stats")["requests"]
    report("a run once more, beyond start-up", run["wall_s"], "s", at_most=1, also=f"{run['answered']:,} verdicts")
    report("calls of it", calls, at_most=0)


def main() -> None:
    """Measure and print."""
    faults()
    kill()
    rerun()


if __name__ == "__main__":
    main()
