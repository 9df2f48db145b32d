"""An OpenAI-compatible server on loopback that keeps the requests it gets, and refuses an empty list of stops."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

Reply = Callable[[dict[str, Any]], str | dict[str, Any] | None]


class ChatServer:
    """Serves `POST /v1/chat/completions` and `/v1/completions` as long as the `with` block lasts.

    Args:
        reply: from the body of a request to the text of the answer; None for an answer without content; a dict for
            the whole answer of a chat, but for the model. A ConnectionError that it raises closes the connection
            without an answer, a ValueError is answered with HTTP 400.
        refuses: a field of a request that it does not take: it answers with HTTP 400.

    Attributes:
        requests: the JSON bodies, in the order of arrival.
    """

    def __init__(self, reply: Reply, refuses: str | None = None) -> None:
        self.requests: list[dict[str, Any]] = []
        lock = threading.Lock()
        requests = self.requests

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    requests.append(body)
                try:
                    status, answer = self.answer(body)
                except ConnectionError:
                    self.close_connection = True
                    return
                except ValueError as error:
                    status, answer = 400, {"error": {"message": str(error)}}
                content = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def answer(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
                if body.get("stop") == []:  # as some servers do
                    return 400, {"error": {"message": "'stop' must hold at least one sequence"}}
                if refuses in body:
                    return 400, {"error": {"message": f"Unrecognized request argument supplied: {refuses}"}}
                if self.path == "/v1/chat/completions":
                    text = reply(body)
                    if isinstance(text, dict):
                        return 200, {"model": body["model"], **text}
                    choice = {"message": {"role": "assistant", "content": text}}
                elif self.path == "/v1/completions":
                    choice = {"text": reply(body)}
                else:
                    return 404, {"error": {"message": f"no such path: {self.path}"}}
                return 200, {"model": body["model"], "choices": [{"index": 0, "finish_reason": "stop", **choice}]}

            def log_message(self, *_: Any) -> None:
                """Nothing on stderr."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.handle_error = lambda *_: None  # a client that gives up closes connections under way
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def url(self) -> str:
        """The address to give as lm-eval's `base_url`."""
        return f"http://127.0.0.1:{self._server.server_port}/v1/chat/completions"

    def __enter__(self) -> ChatServer:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
