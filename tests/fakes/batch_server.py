"""A server with a Batch API on the loopback, whose batches end as a test says, and whose answers a test may replace."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, RLock, Thread
from typing import Any

from tests.fakes.clock import wait
from tests.fakes.judge_server import Answer

Rows = list[dict[str, Any]]
Finish = Callable[[Rows], tuple[str, Rows, Rows]]


def answer_row(key: str, content: Any = "YES", status: int = 200, **more: Any) -> dict[str, Any]:
    """A line of an output or error file: the judge's words, or with another status the error in `more`."""
    choice = {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}
    body = {"choices": [choice | more], "usage": {"prompt_tokens": 10, "completion_tokens": 2}}
    body = body if status == 200 else {"error": more}
    return {"custom_id": key, "response": {"status_code": status, "body": body}, "error": None}


def unexecuted_row(key: str, code: str) -> dict[str, Any]:
    """A line for a request that was never executed."""
    return {"custom_id": key, "response": None, "error": {"code": code, "message": "not executed"}}


def completed(lines: Rows) -> tuple[str, Rows, Rows]:
    """A batch as it should be, its answers in an order of their own."""
    return "completed", [answer_row(line["custom_id"]) for line in reversed(lines)], []


class FakeBatches:
    """Answers while its `with` block lasts.

    Args:
        finish: called with the requests of a batch when it is first looked at; gives its status, output and errors.
        replace: called with "GET /batches" or the like and how often that was asked before; may give another answer:
            an error instead of what was asked, anything else after it.

    Attributes:
        uploads: the requests of each uploaded file.
        batches: the batches made, by id.
        calls: what was asked, with `ID` for ids, and how often.
        headers: those of the last request.
        url: the base address.
    """

    def __init__(
        self, finish: Finish = completed, replace: Callable[[str, int], Answer | None] = lambda call, number: None
    ) -> None:
        self.uploads: list[Rows] = []
        self.batches: dict[str, dict[str, Any]] = {}
        self.calls: Counter[str] = Counter()
        self.headers: Mapping[str, str] = {}
        self._files: dict[str, bytes] = {}
        self._finish, self._replace = finish, replace
        self._lock, self._over = RLock(), Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> FakeBatches:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def keys(self) -> list[list[str]]:
        """The keys of the requests in each batch made."""
        return [[line["custom_id"] for line in self._lines(batch)] for batch in self.batches.values()]

    def _lines(self, batch: Mapping[str, Any]) -> Rows:
        return self.uploads[int(batch["input_file_id"].removeprefix("file-"))]

    def _respond(self, method: str, path: str, kind: str, body: bytes) -> Answer:
        parts = path.partition("?")[0].removeprefix("/v1/").split("/")
        call = f"{method} /{'/'.join('ID' if '-' in part else part for part in parts)}"
        with self._lock:
            number = self.calls[call]
            self.calls[call] += 1
            other = self._replace(call, number)
            if other is not None and other.status >= 400:
                return other
            done = self._perform(call, parts, kind, body)
            return other or done

    def _perform(self, call: str, parts: list[str], kind: str, body: bytes) -> Answer:
        match call:
            case "POST /files":
                form = message_from_bytes(b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body)
                fields = {p.get_param("name", header="content-disposition"): p for p in form.get_payload()}
                assert fields["purpose"].get_payload() == "batch"
                content = fields["file"].get_payload(decode=True)
                self.uploads.append([json.loads(line) for line in content.splitlines()])
                return _json({"id": f"file-{len(self.uploads) - 1}"})
            case "POST /batches":
                batch = {"id": f"batch-{len(self.batches)}", "status": "in_progress", **json.loads(body)}
                self.batches[batch["id"]] = batch
                return _json(batch)
            case "GET /batches":
                return _json({"data": list(reversed(self.batches.values())), "has_more": False})
            case "GET /batches/ID" if parts[1] in self.batches:
                batch = self.batches[parts[1]]
                if batch["status"] == "in_progress":
                    self._end(batch)
                return _json(batch)
            case "GET /files/ID/content" if parts[1] in self._files:
                return Answer(body=self._files[parts[1]], kind="application/octet-stream")
        return Answer(status=404, body=b'{"error": {"message": "no such thing"}}')

    def _end(self, batch: dict[str, Any]) -> None:
        status, *files = self._finish(self._lines(batch))
        batch["status"] = status
        for name, rows in zip(("output", "error"), files, strict=True):
            if rows:
                batch[f"{name}_file_id"] = file = f"file-{name}-{batch['id']}"
                self._files[file] = b"".join(json.dumps(row).encode() + b"\n" for row in rows)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                server.headers = dict(self.headers)
                answer = server._respond(self.command, self.path, self.headers.get("Content-Type", ""), body)
                wait(server._over, answer.delay_s, self.client_address[1])
                if answer.fault:
                    self.close_connection = True
                if answer.fault == "drop":
                    return
                content = answer.body or b""
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content) + (100 if answer.fault == "cut" else 0)))
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET  # noqa: N815  http.server's name

            def log_message(self, *_: object) -> None:
                pass

        return Handler


def _json(data: Mapping[str, Any]) -> Answer:
    return Answer(body=json.dumps(data).encode())
