"""A judge on the loopback interface that answers as a test says and records its requests, and a rubric for it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ssl import SSLContext
from threading import Event, Lock, Thread
from typing import Any

from hueval_metrics.judge.engine import verdicts
from hueval_metrics.judge.errors import RetryPolicy
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Verdict
from hueval_metrics.registry import rubrics
from tests.fakes.clock import wait

KEY = "sk-canary-5f0e2d7c9b1a"
QUICK = RetryPolicy(backoff_s=0.01)


@dataclass(frozen=True)
class Answer:
    """One HTTP answer.

    Attributes:
        content: the judge's words, wrapped into a completion.
        finish_reason: why it stopped.
        refusal: what stands beside the content when a model declines.
        usage: the tokens that the bill counts.
        body: the whole body instead of a completion.
        status, kind, headers: the rest of the answer.
        delay_s: how long it takes.
        fault: "drop" closes the connection without a word, "hang" never answers, "endless" never ends its body,
            "flood" sends a gigabyte as fast as it is taken.
    """

    content: Any = None
    finish_reason: str = "stop"
    refusal: str | None = None
    usage: Mapping[str, int] | None = None
    body: bytes | None = None
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    fault: str = ""


def refuse(status: int, message: str, **more: Any) -> Answer:
    """An error as OpenAI words it."""
    headers = more.pop("headers", {})
    return Answer(status=status, body=json.dumps({"error": {"message": message, **more}}).encode(), headers=headers)


def install_toy_rubric() -> str:
    """Have the engine find `toy_rubric`, beside this module; returns its name."""
    known: Any = rubrics()
    known["toy"] = "tests.fakes.toy_rubric"
    return "toy"


def toy_items(count: int) -> list[tuple[dict[str, str], str]]:
    """Documents and responses for the toy rubric."""
    return [({"question": f"q{number}"}, f"r{number}") for number in range(count)]


def even(request: Mapping[str, Any], _: int = 0) -> str:
    """The replies of a good judge: YES to the first of `toy_items` and every second one after it, NO to the others."""
    question = json.loads(request["messages"][0]["content"])["question"]
    return "NO" if int(question[1:]) % 2 else "YES"


def settings_for(url: str, **changes: Any) -> JudgeSettings:
    """Settings for a judge at an address, with short pauses, and time limits that a busy machine does not reach."""
    return JudgeSettings(
        **{"base_urls": (url,), "model": "toy-judge", "timeout_s": 30.0, "deadline_s": 300.0, "retry": QUICK} | changes
    )


def judge_all(items: Sequence[tuple[Mapping[str, Any], str]], rubric: str, settings: JudgeSettings) -> list[Verdict]:
    """All verdicts at once."""
    return list(verdicts(items, rubric, settings, len(items)))


class FakeJudge:
    """Answers while its `with` block lasts.

    Args:
        answer: called with the request's body and the number of requests before it; gives an `Answer` or its content.
        models: what `/models` lists, as ids or as entries; it is not there when empty.
        tls: speak TLS, with the certificate in this context.

    Attributes:
        requests: the bodies received, in order.
        headers: the headers received, in the same order.
        paths: the paths asked for, likewise.
        looks: the headers received with requests for the models.
        flooded: the bytes of floods that were taken from it.
        url: the base address.
    """

    def __init__(
        self,
        answer: Callable[[dict[str, Any], int], Answer | str | None],
        models: Sequence[str | Mapping[str, Any]] = (),
        tls: SSLContext | None = None,
    ) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.looks: list[dict[str, str]] = []
        self.flooded = 0
        self._answer, self._models, self._lock, self._over = answer, models, Lock(), Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> FakeJudge:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        judge = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                judge.looks.append(dict(self.headers))
                listed = judge._models if self.path.partition("?")[0].endswith("/models") else ()
                entries = [entry if isinstance(entry, Mapping) else {"id": entry} for entry in listed]
                body = json.dumps({"object": "list", "data": entries}).encode()
                self._send(Answer(body=body) if listed else Answer(status=404, body=b"{}"))

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with judge._lock:
                    number = len(judge.requests)
                    judge.requests.append(request)
                    judge.headers.append(dict(self.headers))
                    judge.paths.append(self.path)
                answer = judge._answer(request, number)
                self._send(answer if isinstance(answer, Answer) else Answer(answer))

            def _send(self, answer: Answer) -> None:
                self._wait(answer.delay_s)
                if answer.fault in ("drop", "hang"):
                    self.close_connection = True
                    if answer.fault == "hang":
                        self._wait(math.inf)
                    return
                message = {"role": "assistant", "content": answer.content, "refusal": answer.refusal}
                choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
                completion = {"choices": [choice]} | ({"usage": answer.usage} if answer.usage else {})
                body = answer.body if answer.body is not None else json.dumps(completion).encode()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.kind)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                endless, flood = answer.fault == "endless", answer.fault == "flood"
                self.send_header("Content-Length", str(10**9 if endless or flood else len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                    while endless and not judge._over.is_set():
                        self.wfile.write(b" ")
                        self._wait(0.05)
                    while flood and not judge._over.is_set():
                        judge.flooded += self.wfile.write(b" " * 2**16)
                except OSError:  # the client has had enough
                    self.close_connection = True

            def _wait(self, seconds: float) -> None:
                wait(judge._over, seconds, self.client_address[1])

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
