"""One request and its verdict: out of the cache, or asked for until the reply can be read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from hueval_metrics.judge.cache.replies import ReplyCache
from hueval_metrics.judge.client.exceptions import NoReplyError
from hueval_metrics.judge.client.replies import Reply, is_whole
from hueval_metrics.judge.client.requests import FORMAT, parameters
from hueval_metrics.judge.rubric import Rubric, long_reply, reads_document, rubric_id
from hueval_metrics.judge.settings import JudgeSettings
from hueval_metrics.records import Usage, Verdict
from hueval_metrics.text.one_line import one_line
from hueval_metrics.text.quick_json import to_json

if TYPE_CHECKING:
    from hueval_metrics.judge.client.client import JudgeClient

READ_TRIES = 3  # how often a reply that cannot be read is asked for, the first time included
_QUOTED = 2000  # characters of an unreadable reply that are shown to the judge again
_ERROR_LENGTH = 300
_SHORT, _REMEMBERED = 200, 1024  # characters of a reply whose verdict is remembered, and how many of these


Doc = Mapping[str, Any]


class Asker:
    """Asks one judge under one rubric.

    Args:
        rubric: what is asked, and how a reply is read.
        settings: the judge's model and sampling.
        client: asks the judge.
        cache: holds the replies that could be read.
    """

    def __init__(self, rubric: Rubric, settings: JudgeSettings, client: JudgeClient, cache: ReplyCache) -> None:
        self._rubric, self._settings, self._client, self._cache = rubric, settings, client, cache
        self._id = rubric_id(rubric)
        self._params = parameters(settings, rubric)
        self._long_reply, self._reads_document = long_reply(rubric), reads_document(rubric)
        # Labels come in a few words: the same reply a thousand times, and reading is pure.
        self._read_short = lru_cache(_REMEMBERED)(self._read_anew)

    def known(self, key: str, doc: Doc) -> Verdict | None:
        """The verdict in the reply that the cache holds; None when there is none."""
        reply = self._cache.get(key)
        if reply is None:
            return None
        verdict = self._read(reply, doc)
        return None if verdict.is_missing else replace(verdict, cached=True, unsaved=not self._cache.is_saved(key))

    async def ask(self, key: str, messages: bytes, doc: Doc, paid: Usage) -> Verdict:
        """The verdict on one request; a readable reply is on disk when this returns.

        Args:
            key: the request's name in the cache.
            messages: as JSON.
            doc: the document that the request is about.
            paid: what the request has taken before, for an unreadable reply in a batch.

        Raises:
            NoReplyError, JudgeUnusableError: see `JudgeClient.ask`.
        """
        asked, params, usage = messages, self._params, paid
        verdict, reply = Verdict(), None
        for _ in range(READ_TRIES):
            try:
                reply = await self._client.ask(asked, params)
            except NoReplyError as error:
                usage += error.usage
                if reply is not None and reply.is_cut:
                    break  # the server takes no longer reply
                raise NoReplyError(str(error), usage) from None
            usage += reply.usage
            verdict = self._verdict(reply, doc)
            if not verdict.is_missing:
                # Under the first request, whichever brought it: a later run begins with that.
                self._cache.put(key, reply.content, self._settings.model, self._id, usage)
                return replace(verdict, usage=usage, unsaved=not self._cache.is_saved(key))
            if reply.is_cut:
                asked, params = messages, params | {"max_tokens": max(2 * params["max_tokens"], self._long_reply)}
                if self._params["max_tokens"] < self._long_reply:  # it reasons first: so will the next reply
                    self._params = self._params | {"max_tokens": self._long_reply}
            else:
                asked, params = self._once_more(messages, reply.content), _without_format(params)
        return replace(verdict, usage=usage)

    def failure(self, text: str, usage: Usage | None = None) -> Verdict:
        """A missing verdict."""
        error = one_line(text, _ERROR_LENGTH)
        return Verdict(judge=self._settings.model, rubric=self._id, error=error, usage=usage)

    def is_readable(self, reply: str, doc: Doc | None) -> bool:
        """Whether there is a verdict in a reply; taken for granted where the document is not at hand."""
        return (doc is None and self._reads_document) or not self._read(reply, doc or {}).is_missing

    def _verdict(self, reply: Reply, doc: Doc) -> Verdict:
        if reply.is_cut and not is_whole(reply.content):
            # A label in half a reply may be one that the judge went on to dismiss.
            return self._signed(Verdict(error="unreadable: the reply is cut off"), reply.content)
        return self._read(reply.content, doc)

    def _read(self, reply: str, doc: Doc) -> Verdict:
        if self._reads_document:
            return self._signed(self._rubric.parse(reply, doc), reply)
        return self._read_short(reply) if len(reply) <= _SHORT else self._read_anew(reply)

    def _read_anew(self, reply: str) -> Verdict:
        return self._signed(self._rubric.parse(reply), reply)

    def _signed(self, verdict: Verdict, reply: str) -> Verdict:
        return replace(verdict, raw=reply, judge=self._settings.model, rubric=self._id)

    def _once_more(self, messages: bytes, reply: str) -> bytes:
        """The messages with the unreadable reply, and a request for a readable one."""
        again = f"Your last reply could not be read. {self._rubric.FORM}"
        # With its own reply in between: many chat templates refuse two user messages in a row.
        more = [{"role": "assistant", "content": reply[:_QUOTED]}, {"role": "user", "content": again}]
        return messages[:-1] + b"," + to_json(more)[1:]


def _without_format(params: Mapping[str, Any]) -> dict[str, Any]:
    """Some servers answer a request for structured output with endless blanks; the next try goes without it."""
    return {name: value for name, value in params.items() if name != FORMAT}
