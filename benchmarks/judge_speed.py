"""How close the judge engine comes to the limit: ours, bare aiohttp and AsyncOpenAI in turns, against the mock judge.

Aims: 0.95 of bare aiohttp's speed and 0.5 ms of CPU a call; with 64 connections an efficiency of 0.94 and a peak of
120 MB; with 512 connections an efficiency of 0.85; memory that does not grow with the number of calls.
Efficiency is calls · latency / connections / wall: 1.00 is a client that takes no time. How time, CPU and memory are
taken, judge_clients.py says.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from statistics import median
from typing import Any

from judge_mock import control, finish, mock_judge, start
from measure import QUICK, options, report, skipped

LATENCY_S = 0.2
CALLS = 0.04 if QUICK else 1  # a share of them
GROWTH = (5_000, 25_000, 100_000)  # calls


def scenario(
    clients: Sequence[str], calls: int, connections: int, rounds: int, efficiency: float, mib: float | None = None
) -> None:
    """Run the clients in turns; report the median of each, and ours beside bare aiohttp."""
    runs: dict[str, list[dict[str, Any]]] = {client: [] for client in clients}
    with mock_judge("--latency-ms", f"{1000 * LATENCY_S:g}") as url:
        for _ in range(rounds):
            for client in clients:
                runs[client].append(once(client, url, calls, connections))
    ideal = calls * LATENCY_S / connections
    for client, some in runs.items():
        is_ours, name = client == "ours", f"{client}, {connections} connections"
        used = f"{median(run['cpu_ms'] for run in some):.2f} ms CPU a call, peak {some[-1]['peak_mib']:.0f} MiB"
        reached = ideal / median(run["wall_s"] for run in some)
        report(f"{name}, efficiency", reached, at_least=efficiency if is_ours else None, also=used)
    ours, bare = runs["ours"], runs["aiohttp"]
    # Of runs side by side, since the machine is not as fast in each round.
    speed = median(theirs["wall_s"] / own["wall_s"] for own, theirs in zip(ours, bare, strict=True))
    cpu = median(own["cpu_ms"] / theirs["cpu_ms"] for own, theirs in zip(ours, bare, strict=True))
    report(f"speed to aiohttp, {connections}", speed, "x", at_least=0.95)
    report(f"CPU to aiohttp, {connections}", cpu, "x")
    report(f"CPU a call, {connections}", median(run["cpu_ms"] for run in ours), "ms", at_most=0.5)
    report(f"peak, {connections}", max(run["peak_mib"] for run in ours), "MiB", at_most=mib)


def growth() -> None:
    """Report the peak of memory over the number of calls, without latency."""
    with mock_judge("--latency-ms", "0") as url:
        for calls in (round(CALLS * one) for one in GROWTH):
            run = once("ours", url, calls, 64)
            name = f"{calls:,} calls without latency, peak"
            report(name, run["peak_mib"], "MiB", also=f"{calls / run['wall_s']:.0f} calls a second")


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
    parser = options(__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="AsyncOpenAI with 512 connections too, for a minute more")
    o = parser.parse_args()
    fast = [name for name in ("uvloop", "orjson") if find_spec(name)]
    print(f"  all clients with {' and '.join(fast) or 'neither uvloop nor orjson'}")
    everyone = ["ours", "aiohttp", "openai"]
    if find_spec("openai") is None:
        skipped(everyone.pop(), "it is not installed")
    scenario(everyone, round(CALLS * 5_000), 64, o.rounds, 0.94, 114)
    scenario(everyone if o.all else everyone[:2], round(CALLS * 25_000), 512, o.rounds, 0.85)
    growth()


if __name__ == "__main__":
    main()
