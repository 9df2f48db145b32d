"""The files of a finished batch: one answer a line, in an order of the server's own, and what each means."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import IO

from hueval_metrics.judge.batch.spool import Spool
from hueval_metrics.judge.client.exceptions import RateLimitError, TransientError, UnsupportedParameterError
from hueval_metrics.judge.client.http import SIZE_CAP, redact
from hueval_metrics.judge.client.replies import completion, error_of, failure
from hueval_metrics.judge.ledger import Ledger, Reservation
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage

BREATH = 500  # lines, after which other tasks of the event loop have their turn
_CANCELLED = "batch_cancelled"

Keep = Callable[[str, str, Usage], object]


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


@dataclass(frozen=True)
class Answers:
    """What the files of a batch held.

    Attributes:
        leave: keys that are done with: answered, or nothing that another batch could answer.
        retry: keys that failed or expired, and may be answered in another batch.
        refused: parameters that the judge does not take.
        unreadable, unknown: how many lines could not be read, and how many are of requests that were not open.
    """

    leave: list[str] = field(default_factory=list)
    retry: list[str] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    unreadable: int = 0
    unknown: int = 0


class AnswerReader:
    """Reads the answers of batches: enters them in the ledger, and has the replies kept.

    Args:
        settings: whose secrets must not get into a reply.
        ledger: where the requests are reserved.
        spool: the requests.
        keep: see `batches.ask_in_batches`.

    Attributes:
        usage: by key, what the replies took.
    """

    def __init__(self, settings: JudgeSettings, ledger: Ledger, spool: Spool, keep: Keep) -> None:
        self._settings, self._ledger, self._spool, self._keep = settings, ledger, spool, keep
        self.usage: dict[str, Usage] = {}

    async def read(self, files: Iterable[IO[bytes]], unanswered: dict[str, Reservation]) -> Answers:
        """Read all answers.

        Args:
            files: the batch's files.
            unanswered: its requests, and what is put aside for each; those without an answer are left in it.
        """
        found, unreadable, unknown = Answers(), 0, 0
        for file in files:
            for number, line in enumerate(lines_of(file), 1):
                if number % BREATH == 0:
                    await asyncio.sleep(0)
                answer = answer_of(redact(line, self._settings)) if line else None
                if answer is None:
                    unreadable += 1
                elif reservation := unanswered.pop(answer.key, None):
                    self._sort(answer, reservation, found)
                else:
                    unknown += 1
        return replace(found, unreadable=unreadable, unknown=unknown)

    def _sort(self, answer: BatchAnswer, reservation: Reservation, found: Answers) -> None:
        """What one answer means for its request."""
        said = completion(answer.body) if answer.status == 200 else None
        if said is not None:
            self.usage[answer.key] = usage = self._ledger.settle(
                reservation,
                said.prompt_tokens,
                said.completion_tokens,
                written_tokens=said.written_tokens,
                reply_bytes=len(said.content.encode()),
            )
            if said.content and not said.is_cut:  # after half a reply, the live calls ask for a longer one
                self._keep(answer.key, said.content, usage)
            found.leave.append(answer.key)
        elif answer.status == 200:
            self._ledger.forfeit(reservation)
            found.retry.append(answer.key)
        else:
            self._ledger.release(reservation)
            (found.retry if self._may_pass(answer, found) else found.leave).append(answer.key)

    def _may_pass(self, answer: BatchAnswer, found: Answers) -> bool:
        if answer.status is None:
            return error_of(answer.body).get("code") != _CANCELLED
        sent = json.loads(self._spool.body(answer.key) or b"{}")
        problem = failure(answer.status, {}, answer.body, sent)
        if isinstance(problem, UnsupportedParameterError):
            found.refused.add(str(problem))
        return isinstance(problem, (TransientError, RateLimitError))
