"""The clients that are measured, each in a process of its own: `python judge_clients.py CLIENT URL CALLS CONNECTIONS`.

- `ours`: `judge_stream` over a generator, with its cache where HUEVAL_CACHE_DIR says;
- `aiohttp`: the same bodies, no reply read, nothing tried again: as fast as this transport gets;
- `openai`: AsyncOpenAI with the same messages and its own retries.

It prints one line of JSON. Time and CPU are those from the first call to the last reply, without the imports; the peak
of memory is the whole process's.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

MODEL = "mock:husimpleqa"  # the mock's name for one that replies in this form
BODY_BYTES = 1500  # of a request
SENTENCE = "A válasz hosszú, mert a kérdés sem rövid: mikor, hol és ki írta alá a szerződést? "

Item = tuple[dict[str, Any], str]


def bench_rubric() -> Any:
    """HuSimpleQA's rubric with requests of BODY_BYTES; the engine finds it as the module `bench_rubric`."""
    from lm_eval_tasks.openhueval.rubrics import husimpleqa

    rubric: Any = ModuleType("bench_rubric")
    rubric.__dict__.update((name, value) for name, value in vars(husimpleqa).items() if not name.startswith("_"))
    rubric.NAME, filler = "bench", ""

    def render(doc: dict[str, Any], response: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": f"{doc['qid']} {response} {filler}"}]

    rubric.render = render
    sys.modules[rubric.__name__] = rubric
    room = BODY_BYTES - len(body(rubric, 0, parameters_of(rubric)))
    filler = (SENTENCE * room).encode()[:room].decode("utf-8", "ignore")
    return rubric


def item(number: int) -> Item:
    """A document and a response; each number has its own."""
    return {"qid": f"q{number:07}"}, f"r{number:07}"


def parameters_of(rubric: Any) -> dict[str, Any]:
    """The parameters that every client sends."""
    from hueval_metrics.judge.client.chat_api import parameters
    from hueval_metrics.judge.settings import JudgeSettings

    return parameters(JudgeSettings(model=MODEL), rubric)


def body(rubric: Any, number: int, params: dict[str, Any]) -> bytes:
    """The request about an item."""
    request = {"model": MODEL, "messages": rubric.render(*item(number)), **params}
    return json.dumps(request, ensure_ascii=False).encode()


def ours(o: argparse.Namespace) -> Callable[[], int]:
    """Our engine; counts the verdicts."""
    import hueval_metrics.judge.loop  # noqa: F401  # else imported at the first call
    from hueval_metrics.judge.client.rate_headers import ServerLimit
    from hueval_metrics.judge.engine import judge_stream
    from hueval_metrics.judge.settings import JudgeSettings

    if o.deaf:
        ServerLimit.learn = lambda *_, **__: None  # type: ignore[method-assign]
    bench_rubric()
    settings = JudgeSettings(
        model=MODEL,
        base_urls=(o.url,),
        concurrency=o.connections,
        is_concurrency_set=True,
        timeout_s=o.timeout_s,
        quiet=True,
    )
    items = map(item, range(o.calls))
    return lambda: sum(not verdict.is_missing for verdict in judge_stream(items, "bench_rubric", settings, o.calls))


def bare_aiohttp(o: argparse.Namespace) -> Callable[[], int]:
    """The transport alone; counts the answers with status 200."""
    import aiohttp

    rubric = bench_rubric()
    params = parameters_of(rubric)

    async def run() -> int:
        connector = aiohttp.TCPConnector(limit=o.connections)
        headers = {"Content-Type": "application/json"}
        async with aiohttp.ClientSession(connector=connector, headers=headers) as session:

            async def ask(number: int) -> bool:
                async with session.post(f"{o.url}/chat/completions", data=body(rubric, number, params)) as response:
                    await response.read()
                    return response.status == 200

            return await workers(o, ask)

    return lambda: run_in_loop(run())


def async_openai(o: argparse.Namespace) -> Callable[[], int]:
    """AsyncOpenAI; counts the replies in which the rubric finds a verdict."""
    from openai import AsyncOpenAI, OpenAIError

    rubric = bench_rubric()
    params = parameters_of(rubric)

    async def run() -> int:
        async with AsyncOpenAI(base_url=o.url, api_key="none", max_retries=o.retries, timeout=o.timeout_s) as client:

            async def ask(number: int) -> bool:
                messages: Any = rubric.render(*item(number))
                try:
                    reply = await client.chat.completions.create(model=MODEL, messages=messages, **params)
                except OpenAIError:
                    return False
                return not rubric.parse(reply.choices[0].message.content or "").is_missing

            return await workers(o, ask)

    return lambda: run_in_loop(run())


async def workers(o: argparse.Namespace, ask: Callable[[int], Awaitable[bool]]) -> int:
    """Ask about every item, so many at a time; how often that went well."""
    numbers = iter(range(o.calls))

    async def work(numbers: Iterator[int]) -> int:
        return sum([await ask(number) for number in numbers])

    return sum(await asyncio.gather(*(work(numbers) for _ in range(o.connections))))


def run_in_loop(coroutine: Any) -> Any:
    """Run it in the loop that our engine takes, too."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        from asyncio import new_event_loop
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(coroutine)


CLIENTS = {"ours": ours, "aiohttp": bare_aiohttp, "openai": async_openai}


def cpu_s() -> float:
    """Seconds of processor time that this process has taken."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def peak_mib() -> float:
    """The peak of this process's memory; not `ru_maxrss`, which begins at that of the parent."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def main() -> None:
    """Run one client and print what it took."""
    parser = argparse.ArgumentParser()
    parser.add_argument("client", choices=CLIENTS)
    parser.add_argument("url")
    parser.add_argument("calls", type=int)
    parser.add_argument("connections", type=int)
    parser.add_argument("--timeout-s", type=float, default=60.0)
    parser.add_argument("--retries", type=int, default=0, help="AsyncOpenAI's own")
    parser.add_argument("--deaf", action="store_true", help="ours: whatever the server's headers say of its limit")
    parser.add_argument("--plain", action="store_true", help="as if uvloop and orjson were not installed")
    o = parser.parse_args()
    if o.plain:
        sys.modules.update(dict.fromkeys(("uvloop", "orjson"), None))  # type: ignore[arg-type]  # blocks the import
    run = CLIENTS[o.client](o)
    cpu, start = cpu_s(), time.perf_counter()
    answered = run()
    wall = time.perf_counter() - start
    cpu_ms = 1000 * (cpu_s() - cpu) / o.calls
    print(json.dumps({"answered": answered, "wall_s": wall, "cpu_ms": cpu_ms, "peak_mib": peak_mib()}))


if __name__ == "__main__":
    main()
