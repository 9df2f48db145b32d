"""A judge on the loopback that says what a test tells it to and remembers what it was asked, and a rubric for it."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from types import ModuleType
from typing import Any

from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Verdict

KEY = "sk-canary-5f0e2d7c9b1a"


@dataclass(frozen=True)
class Answer:
    """One HTTP answer.

    Attributes:
        content: the judge's words, wrapped into a completion.
        finish_reason: why it stopped.
        refusal: what stands beside the content when a model declines.
        body: the whole body instead of a completion.
        status, kind, headers: the rest of the answer.
        delay_s: how long it takes.
        fault: "drop" closes the connection without a word, "hang" never answers, "endless" never ends its body.
    """

    content: Any = None
    finish_reason: str = "stop"
    refusal: str | None = None
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
    """Make a rubric that reads `YES` and `NO`, and defaults to `NO` where the document says so; returns its name."""
    toy: Any = ModuleType("hueval_metrics.judge.rubrics.toy")
    toy.NAME, toy.VERSION, toy.FORM, toy.SCHEMA, toy.REPLY_TOKENS = "toy", 1, "Reply YES or NO.", None, 5

    def render(doc: Mapping[str, Any], response: str) -> list[dict[str, str]]:
        return [{"role": "user", "content": json.dumps({"question": doc["question"], "response": response})}]

    def parse(reply: str) -> Verdict:
        if reply in ("YES", "NO"):
            return Verdict(label=reply, raw=reply, rubric="toy/1")
        return Verdict(raw=reply, rubric="toy/1", error="unreadable: neither YES nor NO")

    def default(reply: str) -> Verdict | None:
        return Verdict(label="NO", raw=reply, rubric="toy/1", error="unreadable") if "default" in reply else None

    toy.render, toy.parse, toy.default = render, parse, default
    sys.modules[toy.__name__] = toy
    return "toy"


def settings_for(url: str, **changes: Any) -> JudgeSettings:
    """Settings that reach a judge at an address, and lose no time."""
    return JudgeSettings(**{"base_urls": (url,), "model": "toy-judge", "timeout_s": 5.0, "deadline_s": 30.0} | changes)


class FakeJudge:
    """Answers while its `with` block lasts.

    Args:
        answer: called with the request's body and the number of requests before it; gives an `Answer` or its content.

    Attributes:
        requests: the bodies received, in order.
        headers: the headers received, in the same order.
        url: the base address.
    """

    def __init__(self, answer: Callable[[dict[str, Any], int], Answer | str | None]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self._answer, self._lock, self._over = answer, Lock(), Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

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
                judge._over.wait(answer.delay_s)
                if answer.fault in ("drop", "hang"):
                    self.close_connection = True
                    if answer.fault == "hang":
                        judge._over.wait()
                    return
                message = {"role": "assistant", "content": answer.content, "refusal": answer.refusal}
                choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
                body = answer.body if answer.body is not None else json.dumps({"choices": [choice]}).encode()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.kind)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                endless = answer.fault == "endless"
                self.send_header("Content-Length", str(10**9 if endless else len(body)))
                self.end_headers()
                try:
                    self.wfile.write(body)
                    while endless and not judge._over.is_set():
                        self.wfile.write(b" ")
                        time.sleep(0.05)
                except OSError:  # the client has had enough
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
