"""What tests of batches share: requests, and one call of `ask_in_batches` with its outcome."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time

import openai  # noqa: F401  here, so that the seconds it takes do not count against a test's deadline

from hueval_metrics.judge.batch.ask import ask_in_batches
from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.ledger import Ledger
from tests.fakes.judge_server import settings_for

PRICED = "gpt-4o-2024-11-20"  # a model with a price
PARAMS = {"seed": 0, "max_tokens": 64}


def key(number):
    return hashlib.sha256(b"%d" % number).hexdigest()


def keys(*numbers):
    return {key(number) for number in numbers}


def requests(count, first=0):
    return {
        key(number): json.dumps([{"role": "user", "content": f"Helyes a(z) {number}. válasz?"}]).encode()
        for number in range(first, first + count)
    }


class Asked:
    """One call: the outcome, the replies kept, what the progress was told, and the ledger."""

    def __init__(self, url, asked, *, readable=lambda reply: True, seconds=120.0, **changes):
        self.kept, self.told = {}, []
        self.ledger = Ledger()

        def keep(key, reply, usage):
            self.kept[key] = reply
            return readable(reply)

        settings = settings_for(url, mode="batch", **changes)
        until = time.monotonic() + seconds
        with ReplyCache() as cache:
            self.outcome = asyncio.run(
                ask_in_batches(asked, PARAMS, "toy/1", settings, cache, keep, self.ledger, until, self.told.append)
            )
