"""The clients of `site_load.py`, in a process of their own: readers in a closed loop, and submitters at a fixed rate.

Reads one JSON object from stdin and prints one: what came of it.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

import aiohttp
import numpy as np


async def read(url: str, n: int, seconds: float, pause_s: float = 0.0) -> dict[str, Any]:
    """N readers who each ask for a page again as soon as they have it."""
    times: list[float] = []
    errors: list[str] = []
    n_bytes = 0
    end = time.monotonic() + seconds

    async def reader(session: aiohttp.ClientSession) -> None:
        nonlocal n_bytes
        while time.monotonic() < end:
            start = time.monotonic()
            try:
                async with session.get(url) as page:
                    n_bytes = len(await page.read())
                    if page.status != 200:
                        errors.append(f"status {page.status}")
            except (aiohttp.ClientError, TimeoutError) as error:
                errors.append(type(error).__name__)
            times.append(time.monotonic() - start)
            if pause_s:
                await asyncio.sleep(pause_s)

    connector = aiohttp.TCPConnector(limit=n)
    headers = {"Accept-Encoding": "identity"}
    timeout = aiohttp.ClientTimeout(30)
    async with aiohttp.ClientSession(connector=connector, headers=headers, timeout=timeout) as session:
        await asyncio.gather(*(reader(session) for _ in range(n)))
    p50, p95 = np.quantile(times, [0.5, 0.95])
    return {
        "per_s": len(times) / seconds,
        "p50_s": float(p50),
        "p95_s": float(p95),
        "errors": len(errors),
        "kinds": sorted(set(errors)),
        "bytes": n_bytes,
    }


async def submit(url: str, files: list[dict[str, str]], tokens: list[str], per_minute: float) -> dict[str, Any]:
    """Submit files one after the other at a fixed rate, whether or not earlier ones are done."""
    sent: dict[str, float] = {}
    errors: list[str] = []

    async def one(session: aiohttp.ClientSession, number: int) -> None:
        await asyncio.sleep(60 / per_minute * number)
        file = files[number % len(files)]
        token = tokens[number // (2 * len(files))]  # a team may submit two a day for each task
        form = aiohttp.FormData()
        form.add_field("file", Path(file["path"]).read_bytes(), filename="predictions.json")
        form.add_field("task", file["task"])
        form.add_field("card", json.dumps({"model_name": f"model {number}", "contamination": "none known"}))
        start = time.time()
        try:
            async with session.post(url, data=form, headers={"Authorization": f"Bearer {token}"}) as answer:
                content = await answer.json()
                if answer.status == 201:
                    sent[content["submissions"][0]["id"]] = start
                else:
                    errors.append(f"{answer.status} {str(content)[:200]}")
        except (aiohttp.ClientError, TimeoutError, ValueError) as error:
            errors.append(type(error).__name__)

    connector = aiohttp.TCPConnector(force_close=True)  # each is another client
    async with aiohttp.ClientSession(connector=connector, timeout=aiohttp.ClientTimeout(60)) as session:
        await asyncio.gather(*(one(session, number) for number in range(len(tokens) * 2 * len(files))))
    return {"sent": sent, "errors": errors}


async def main() -> None:
    """Run what is asked for, all at the same time."""
    asked = json.load(sys.stdin)
    jobs = {"read": read, "submit": submit}
    found = await asyncio.gather(*(jobs[name](**arguments) for name, arguments in asked.items()))
    print(json.dumps(dict(zip(asked, found, strict=True))))


if __name__ == "__main__":
    asyncio.run(main())
