"""What faults cost the judge engine: a limit to be found out, errors, drops, hangs, a kill, and a run once more.

Aims: every verdict, within 1.3 times what the limit allows and one time-out; after a kill at half no more calls paid
again than were under way; a re-run out of the cache within a second and without a call. AsyncOpenAI with its own two
retries stands beside it.
"""

from __future__ import annotations

import tempfile
import time

from judge_mock import control, finish, mock_judge, start

CALLS, CONNECTIONS, LIMIT, TIMEOUT_S = 1_000, 64, 150, 3
FAULTS = (
    *("--latency-ms", "200", "--rate-limit-rps", str(LIMIT), "--error-rate-500", "0.05"),
    *("--drop-rate", "0.01", "--hang-rate", "0.005", "--malformed-rate", "0.02"),
)
CACHED = 5_000


def faults() -> None:
    """Print what each client got and took, whatever the server says of its limit."""
    aim = 1.3 * CALLS / LIMIT + TIMEOUT_S
    print(f"judge, {CALLS:,} calls, limit {LIMIT}/s, faults (ours: all verdicts within {aim:.1f} s)")
    for told, client, more, options in (
        ("by Retry-After and x-ratelimit-*", "ours", (), ()),
        ("by Retry-After and x-ratelimit-*", "openai", ("--retries", "2"), ()),
        ("by x-ratelimit-* alone", "ours", (), ("--no-retry-after",)),
        ("by x-ratelimit-* alone", "openai", ("--retries", "2"), ("--no-retry-after",)),
        ("by nothing but refusals", "ours", ("--deaf",), ("--no-retry-after",)),
    ):
        with mock_judge(*FAULTS, *options) as url, tempfile.TemporaryDirectory() as folder:
            run = finish(start(client, url, CALLS, CONNECTIONS, folder, "--timeout-s", str(TIMEOUT_S), *more))
            refused = control(url, "/stats")["status"].get("429", 0)
        lost = CALLS - run["answered"]
        print(f"  {client:8} {run['wall_s']:6.2f} s   {lost:4} lost   {refused:5} refused by 429   told {told}")


def kill() -> None:
    """Print what is paid again after `kill -9` at half."""
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
    print("judge, kill -9 at half and a second run (aim: paid again ≤ under way at the kill)")
    print(f"  {run['answered']} of {CALLS} verdicts, {again} paid again, {stats['in_flight']} were under way")


def rerun() -> None:
    """Print how long a run takes whose replies are all in the cache."""
    with mock_judge("--latency-ms", "0") as url, tempfile.TemporaryDirectory() as folder:
        finish(start("ours", url, CACHED, CONNECTIONS, folder))
        control(url, "/reset", {})
        run = finish(start("ours", url, CACHED, CONNECTIONS, folder))
        calls = control(url, "/stats")["requests"]
    print("judge, a run once more (aim: no call, ≤ 1 s beyond start-up)")
    print(f"  {run['answered']:,} of {CACHED:,} verdicts, {calls} calls, {run['wall_s']:.2f} s beyond start-up")


def main() -> None:
    """Measure and print."""
    faults()
    kill()
    rerun()


if __name__ == "__main__":
    main()
