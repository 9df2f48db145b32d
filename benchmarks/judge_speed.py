"""How close the judge engine comes to the limit: ours, bare aiohttp and AsyncOpenAI in turns, against the mock judge.

Aims: with 64 connections an efficiency of 0.94 and 0.97 of bare aiohttp's speed, 0.5 ms of CPU a call, a peak of
120 MB; with 512 connections an efficiency of 0.85 and 0.4 ms; memory that does not grow with the number of calls.
Efficiency is calls · latency / connections / wall: 1.00 is a client that takes no time. How time, CPU and memory are
taken, judge_clients.py says.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from statistics import median
from typing import Any

from judge_mock import control, finish, mock_judge, start

LATENCY_S = 0.2
GROWTH = (5_000, 25_000, 100_000)  # calls


def scenario(clients: Sequence[str], calls: int, connections: int, rounds: int, aims: str) -> None:
    """Run the clients in turns; print the median of each."""
    runs: dict[str, list[dict[str, Any]]] = {client: [] for client in clients}
    with mock_judge("--latency-ms", f"{1000 * LATENCY_S:g}") as url:
        for _ in range(rounds):
            for client in clients:
                runs[client].append(once(client, url, calls, connections))
    ideal = calls * LATENCY_S / connections
    times = {client: median(run["wall_s"] for run in some) for client, some in runs.items()}
    print(f"judge, {calls:,} calls of 1.5 kB, 200 ms, {connections} connections, ideal {ideal:.1f} s (ours: {aims})")
    for client, some in runs.items():
        print(
            f"  {client:8} {times[client]:6.2f} s   efficiency {ideal / times[client]:.2f}"
            f"   {times['aiohttp'] / times[client]:.2f} of aiohttp"
            f"   {median(run['cpu_ms'] for run in some):.2f} ms CPU a call"
            f"   peak {max(run['peak_mib'] for run in some):4.0f} MiB"
        )


def growth() -> None:
    """Print the peak of memory over the number of calls, without latency."""
    print("judge, ours without latency, 64 connections (aim: a peak that does not grow)")
    with mock_judge("--latency-ms", "0") as url:
        for calls in GROWTH:
            run = once("ours", url, calls, 64)
            print(f"  {calls:7,} calls  {calls / run['wall_s']:6.0f} a second   peak {run['peak_mib']:4.0f} MiB")


def once(client: str, url: str, calls: int, connections: int) -> dict[str, Any]:
    """What one run took; ends this process when a reply is missing, for then the numbers mean nothing."""
    control(url, "/reset", {})
    with tempfile.TemporaryDirectory() as folder:
        run = finish(start(client, url, calls, connections, folder))
    if run["answered"] != calls:
        raise SystemExit(f"{client}: {run['answered']} of {calls} calls were answered")
    return run


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="AsyncOpenAI with 512 connections too, for a minute more")
    o = parser.parse_args()
    fast = [name for name in ("uvloop", "orjson") if find_spec(name)]
    print(f"judge, all clients with {' and '.join(fast) or 'neither uvloop nor orjson'}")
    everyone = ["ours", "aiohttp", "openai"]
    scenario(everyone, 5_000, 64, o.rounds, "≥ 0.94, ≥ 0.97 of aiohttp, ≤ 0.5 ms, ≤ 114 MiB")
    scenario(everyone if o.all else everyone[:2], 25_000, 512, o.rounds, "≥ 0.85, ≤ 0.4 ms")
    growth()


if __name__ == "__main__":
    main()
