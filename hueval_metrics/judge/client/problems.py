"""What a response without a completion means: for one request, or for all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hueval_metrics.judge.client.chat_api import failure, no_completion, quoted, used_up
from hueval_metrics.judge.client.servers import Server
from hueval_metrics.judge.errors import JudgeError, JudgeUnusableError
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.one_line import one_line

_NO_KEY = "it wants a key and none was sent, as OPENAI_API_KEY goes to api.openai.com only"


def problem(
    server: Server,
    settings: JudgeSettings,
    status: int,
    headers: Mapping[str, str],
    text: str,
    sent: Mapping[str, Any],
) -> JudgeError:
    """The error for a response.

    Args:
        server: where it came from.
        settings: with the key and the model.
        status, headers, text: the response.
        sent: the parameters of the request.
    """
    said = quoted(status, text)
    if status == 200:
        return no_completion(text, headers.get("Content-Type", ""))
    if is_used_up := used_up(server.address, status, text):
        return is_used_up
    if status == 401 or (status == 403 and not server.answers):
        state = "the key is refused" if settings.secrets else _NO_KEY
        return JudgeUnusableError(f"{server.address}: {state} ({said}). Set HUEVAL_JUDGE_API_KEY")
    if status == 404:
        offers = f" It offers {one_line(', '.join(list(server.offers)[:5]), 300)}." if server.offers else ""
        return JudgeUnusableError(
            f"{server.address}: no such model or no such address ({said}).{offers} Check HUEVAL_JUDGE_MODEL, now "
            f"{one_line(settings.model, 60)}, and HUEVAL_JUDGE_BASE_URL, which mostly ends in /v1"
        )
    return failure(status, headers, text, sent, server.has_formatted)
