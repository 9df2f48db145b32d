"""The files of a finished batch: one answer a line, in an order of the server's own, and what each means."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from hueval_metrics.judge.client.exceptions import RateLimitError, TransientError, UnsupportedParameterError
from hueval_metrics.judge.client.http import SIZE_CAP, redact
from hueval_metrics.judge.client.replies import completion, error_of, failure
from hueval_metrics.judge.ledger import Ledger, Reservation
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage

BREATH = 500  # lines, after which other tasks of the event loop have their turn
_CANCELLED = "batch_cancelled"

Keep = Callable[[str, str, Usage], object]


@dataclass(frozen=True)
class BatchOutcome:
    """What came of the requests. Those that none of the four names are to be asked live.

    Attributes:
        usage: by key, what the replies took that came now, those that cannot be read among them.
        pending: the ids of batches that were not ready.
        pending_keys: the requests in them; they are paid for, and not to be asked live now.
        unaffordable_keys: requests that could exceed the budget.
        problem: why requests are left to be asked live, in one line that stands in the log already; None without one.
    """

    usage: Mapping[str, Usage]
    pending: tuple[str, ...] = ()
    pending_keys: frozenset[str] = frozenset()
    unaffordable_keys: frozenset[str] = frozenset()
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """What came of one request.

    Attributes:
        key: the request's key, which it had as its `custom_id`.
        status: the HTTP status that a live call would have had; None where the request was never executed.
        body: the body of that answer as JSON, or the error that kept the request from being executed.
    """

    key: str
    status: int | None
    body: str


def answer_of(line: str) -> BatchAnswer | None:
    """The answer in a line; None when there is none to be read.

    >>> answer_of('{"custom_id": "k", "response": null, "error": {"code": "batch_expired"}}')
    BatchAnswer(key='k', status=None, body='{"error": {"code": "batch_expired"}}')
    """
    try:
        data = json.loads(line, strict=False)
        key, response = data["custom_id"], data.get("response")
        if not isinstance(key, str):
            return None
        if not response:
            return BatchAnswer(key, None, json.dumps({"error": data.get("error")}))
        status, body = response["status_code"], response["body"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return BatchAnswer(key, status, json.dumps(body)) if type(status) is int else None


def lines_of(file: IO[bytes], cap: int = SIZE_CAP) -> Iterator[str | None]:
    """The lines of a file that have anything in them, from the start; None for one that is longer than `cap` bytes."""
    file.seek(0)
    while line := file.readline(cap + 1):
        if len(line) > cap:
            while line and not line.endswith(b"\n"):
                line = file.readline(cap)
            yield None
        elif text := line.decode("utf-8", "replace").strip():
            yield text


def is_cut(file: IO[bytes]) -> bool:
    """Whether a file ends in the middle of a line; not every server tells how long a file is."""
    end = file.seek(0, 2)
    file.seek(max(0, end - SIZE_CAP))
    last = file.read().rpartition(b"\n")[2]
    return bool(last.strip()) and answer_of(last.decode("utf-8", "replace")) is None


@dataclass
class Answers:
    """What the files of a batch held.

    Attributes:
        usage: by key, what the replies took.
        retry: keys that failed or expired, and may be answered in another batch.
        refused: parameters that the judge does not take.
        unreadable, unknown: how many lines could not be read, and how many are of requests that were not open.
    """

    usage: dict[str, Usage] = field(default_factory=dict)
    retry: list[str] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    unreadable: int = 0
    unknown: int = 0


async def read_answers(
    files: Iterable[IO[bytes]],
    unanswered: dict[str, Reservation],
    sent: Mapping[str, Any],
    keep: Keep,
    ledger: Ledger,
    settings: JudgeSettings,
) -> Answers:
    """Read all answers of a batch, enter them in the ledger, and have the replies kept.

    Args:
        files: the batch's files.
        unanswered: its requests, and what is reserved for each; those without an answer are left in it.
        sent: the parameters of the requests.
        keep: see `batches.ask_in_batches`.
        ledger: where the requests are reserved.
        settings: whose secrets must not get into a reply.
    """
    found = Answers()
    for file in files:
        for number, line in enumerate(lines_of(file), 1):
            if number % BREATH == 0:
                await asyncio.sleep(0)
            answer = answer_of(redact(line, settings)) if line else None
            if answer is None:
                found.unreadable += 1
            elif reservation := unanswered.pop(answer.key, None):
                if _settle(answer, reservation, found, sent, keep, ledger):
                    found.retry.append(answer.key)
            else:
                found.unknown += 1
    return found


def _settle(
    answer: BatchAnswer, reservation: Reservation, found: Answers, sent: Mapping[str, Any], keep: Keep, ledger: Ledger
) -> bool:
    """Close the request of one answer; returns whether another batch may answer it."""
    said = completion(answer.body) if answer.status == 200 else None
    if said is not None:
        found.usage[answer.key] = usage = ledger.settle(
            reservation,
            said.prompt_tokens,
            said.completion_tokens,
            written_tokens=said.written_tokens,
            reply_bytes=len(said.content.encode()),
        )
        if said.content and not said.is_cut:  # after half a reply, the live calls ask for a longer one
            keep(answer.key, said.content, usage)
        return False
    if answer.status == 200:
        ledger.forfeit(reservation)
        return True
    ledger.release(reservation)
    if answer.status is None:
        return error_of(answer.body).get("code") != _CANCELLED
    problem = failure(answer.status, {}, answer.body, sent)
    if isinstance(problem, UnsupportedParameterError):
        found.refused.add(str(problem))
    return isinstance(problem, (TransientError, RateLimitError))
