"""The result files of a finished batch: one answer a line, in any order."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any

from hueval_metrics.judge.client.chat_api import error_of, failure
from hueval_metrics.judge.client.servers import SIZE_CAP, redact
from hueval_metrics.judge.completion import completion
from hueval_metrics.judge.errors import JudgeError, RateLimitError, TransientError, UnsupportedParameterError
from hueval_metrics.judge.ledger import Ledger, Reservation
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage

_CANCELLED = "batch_cancelled"

Keep = Callable[[str, str, Usage], object]


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """The answer to one request.

    Attributes:
        key: the request's key, which it had as its `custom_id`.
        status: the HTTP status that a live call would have had; None where the request was never executed.
        body: the body of that answer as JSON, or the error for which the request was not executed.
    """

    key: str
    status: int | None
    body: str


def answer_of(line: str) -> BatchAnswer | None:
    """Parse a line; None when it is no answer.

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
    """The lines of a file from its start, without blank ones; None for a line that is longer than `cap` bytes."""
    file.seek(0)
    while line := file.readline(cap + 1):
        if len(line) > cap:
            while line and not line.endswith(b"\n"):
                line = file.readline(cap)
            yield None
        elif text := line.decode("utf-8", "replace").strip():
            yield text


def is_cut(file: IO[bytes]) -> bool:
    """Whether a file ends in the middle of a line: not every server sends the length of a file."""
    end = file.seek(0, 2)
    file.seek(max(0, end - SIZE_CAP))
    last = file.read().rpartition(b"\n")[2]
    return bool(last.strip()) and answer_of(last.decode("utf-8", "replace")) is None


@dataclass
class Answers:
    """The content of a batch's files.

    Attributes:
        usage: the tokens of each reply, by key.
        retry: keys that failed or expired, and may be answered in another batch.
        refused: parameters that the judge does not accept.
        unreadable, unknown: how many lines could not be parsed, and how many belong to no open request.
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
    """Read all answers of a batch, settle them in the ledger, and store the replies.

    Args:
        files: the batch's files.
        unanswered: its requests, and what is reserved for each; answered ones are removed.
        sent: the parameters of the requests.
        keep: see `ask.ask_in_batches`.
        ledger: where the requests are reserved.
        settings: with the secrets that must not get into a reply.
    """
    found = Answers()
    failed: dict[str, tuple[bool, JudgeError]] = {}  # settled at the end: a reply may follow, even in the other file
    for file in files:
        for line in lines_of(file):
            await asyncio.sleep(0)  # a cancellation must not wait for the last line
            answer = answer_of(redact(line, settings)) if line else None
            said = completion(answer.body) if answer and answer.status == 200 else None
            if answer is None:
                found.unreadable += 1
            elif answer.key not in unanswered:
                found.unknown += 1
            elif said is None:
                failed[answer.key] = answer.status == 200, _fault(answer, sent)
            else:
                found.usage[answer.key] = usage = ledger.settle(unanswered.pop(answer.key), said)
                if said.content and not said.is_cut:  # after half a reply, the live calls ask for a longer one
                    keep(answer.key, said.content, usage)
    for key, (is_billed, fault) in failed.items():
        if reservation := unanswered.pop(key, None):
            (ledger.forfeit if is_billed else ledger.release)(reservation)
            found.retry += [key] * isinstance(fault, (TransientError, RateLimitError))
            found.refused |= {str(fault)} if isinstance(fault, UnsupportedParameterError) else set()
    return found


def _fault(answer: BatchAnswer, sent: Mapping[str, Any]) -> JudgeError:
    """Why an answer holds no reply; a `TransientError` or `RateLimitError` where another batch may bring one."""
    if answer.status is None:
        is_final = error_of(answer.body).get("code") == _CANCELLED
        return JudgeError("cancelled") if is_final else TransientError("not executed")
    return TransientError("no completion") if answer.status == 200 else failure(answer.status, {}, answer.body, sent)
