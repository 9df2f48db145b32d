"""A look at a server before it is asked anything that costs money: can it be reached, and what does it offer?"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import date
from threading import Thread

import aiohttp

from hueval_metrics.judge.client.http import TooLargeError, open_session, read_text
from hueval_metrics.judge.client.replies import PassingError, transport_fault
from hueval_metrics.judge.retirement import end_in, note_listed
from hueval_metrics.judge.settings import JudgeSettings, at_path
from hueval_metrics.text.one_line import one_line

TIMEOUT_S = 10.0


Offers = Mapping[str, date | None]


async def list_models(session: aiohttp.ClientSession, base_url: str, settings: JudgeSettings) -> Offers:
    """The models that a server offers (`/models`), by id, and when each ends; empty when it does not say.

    Only a real request can tell whether the key is good and the model is there: restricted keys may not list models,
    and proxies offer more than they list.

    Raises:
        PassingError: it cannot be reached, or says nothing at all.
    """
    timeout = min(TIMEOUT_S, settings.timeout_s)
    try:
        async with session.get(
            at_path(base_url, "/models"), allow_redirects=False, timeout=aiohttp.ClientTimeout(total=timeout)
        ) as response:
            data = json.loads(await read_text(response, settings))
            return {one_line(model["id"], 60): end_in(model) for model in data["data"]}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, TooLargeError):
        return {}
    except (aiohttp.ClientError, OSError) as error:
        fault = transport_fault(error, timeout)
        if fault.is_setup or fault.is_slow:
            raise fault from None
        return {}


def unreachable(settings: JudgeSettings) -> dict[str, str]:
    """The servers that cannot be reached just now, by address, and why; for a check from outside any event loop.

    What the others list of the end of their models is known from then on (`retirement.end_of`).
    """
    found: dict[str, str] = {}

    async def look() -> None:
        for base_url in settings.base_urls:
            async with open_session(settings, base_url) as session:
                try:
                    note_listed(await list_models(session, base_url, settings))
                except PassingError as fault:
                    found[base_url] = str(fault)

    thread = Thread(target=lambda: asyncio.run(look()), name="hueval-preflight")  # a notebook has a loop running
    thread.start()
    thread.join()
    return found
