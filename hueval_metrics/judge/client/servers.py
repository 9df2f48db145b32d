"""The servers of one judging: how each is asked, what it does not take, and whether it is up."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from time import monotonic
from typing import TYPE_CHECKING, Any

from hueval_metrics.judge.client.http import Offers, open_session
from hueval_metrics.judge.client.pacing import Pacer, RateCaps
from hueval_metrics.judge.client.requests import FORMAT
from hueval_metrics.judge.settings import JudgeSettings, at_path, shown
from hueval_metrics.text.one_line import one_line

if TYPE_CHECKING:
    from hueval_metrics.judge.cache.replies import ReplyCache

START = 8  # requests at a time, until the server has shown what it takes
PROBE_S = 10.0  # how long others wait for the request that tries whether it is up again
FAULTS = 10  # in a row, of any kind, after which a server counts as down while others are up
REMEMBERED = timedelta(days=7)  # servers learn, too
_LENGTHS = ("max_tokens", "max_completion_tokens")  # the same limit; newer models know the second name alone

log = logging.getLogger(__name__)


class Server:
    """One server, within one event loop.

    Args:
        base_url: where its API begins.
        settings: the judging's settings.
        caps: the hard limits, shared by all servers.

    Attributes:
        refused: parameters that it does not take.
        answers: how many completions it has given.
        faults: how many tries failed since.
        down_until: until when it is left out, by the monotonic clock.
        offers: the models that it lists, and when each ends; empty when it does not say.
        is_silent: whether it takes connections and has not said a word.
        has_formatted: whether it has answered a request for structured output.
    """

    def __init__(self, base_url: str, settings: JudgeSettings, caps: RateCaps) -> None:
        self.base_url, self.address = base_url, shown(base_url)
        self.endpoint = at_path(base_url, "/chat/completions")
        start = settings.concurrency if settings.is_concurrency_set else min(START, settings.concurrency)
        self.pacer = Pacer(settings.concurrency, start, caps, settings.retry)
        self.session = open_session(settings, base_url)
        self.refused: frozenset[str] = frozenset()
        self.answers = self.faults = 0
        self.down_until = 0.0
        self.offers: Offers = {}
        self.is_silent = self.has_formatted = self._is_probed = False
        self._downs = 0  # in a row
        self._model, self._retry = settings.model, settings.retry

    def sent(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that this server takes."""
        sent = {name: value for name, value in params.items() if name not in self.refused}
        old, new = _LENGTHS
        if old in params and old not in sent and new not in self.refused:
            sent[new] = params[old]
        return sent

    def leave_out(self, name: str) -> None:
        """Ask without a parameter from now on."""
        if name not in self.refused:  # else another request has found it out meanwhile
            self.refused |= {name}
            log.info("The judge %s does not take %s; it is asked without.", one_line(self._model, 60), name)

    def answered(self, sent: Mapping[str, Any]) -> None:
        """It has given a completion to a request with these parameters."""
        self.answers += 1
        self.has_formatted |= FORMAT in sent
        self.is_up()

    def is_up(self) -> None:
        """It can be reached."""
        self.faults = self._downs = 0
        self.down_until, self._is_probed = 0.0, False

    def probe(self) -> None:
        """One request tries whether it is up again; until that is over the others go elsewhere."""
        self.down_until, self._is_probed = monotonic() + PROBE_S, True

    def failed(self, *, is_unreachable: bool) -> None:
        """An attempt failed."""
        self.faults += 1
        now = monotonic()
        # What was under way when it went down is no further news.
        is_news = self._is_probed or now >= self.down_until
        if is_news and (is_unreachable or self.faults >= FAULTS):
            # Left out for twice as long as one request waits before its next try.
            down_s = min(self._retry.max_wait_s, 2 * self._retry.backoff_s * 2**self._downs)
            self.down_until, self._is_probed = now + down_s, False
            self._downs = min(self._downs + 1, 16)


class Servers:
    """All servers of one judging; they share the load. Closed by its `async with` block.

    Args:
        settings: the judging's settings.
        cache: where it is kept what a server does not take; None for nowhere.
    """

    def __init__(self, settings: JudgeSettings, cache: ReplyCache | None = None) -> None:
        self._settings, self._cache = settings, cache
        self.all: Sequence[Server] = ()  # those that may be asked
        self._opened: Sequence[Server] = ()

    async def __aenter__(self) -> Servers:
        caps = RateCaps(self._settings.rpm, self._settings.tpm)
        self._opened = [Server(base_url, self._settings, caps) for base_url in self._settings.base_urls]
        self.all = self._opened
        for server in self.all:
            server.refused = self._recall(server)
        return self

    async def __aexit__(self, *_: object) -> None:
        for server in self._opened:
            if server.answers:  # one that never answered has shown nothing
                self._remember(server)
            await server.session.close()

    @property
    def have_answered(self) -> bool:
        """Whether any has given a completion."""
        return any(server.answers for server in self.all)

    @property
    def are_down(self) -> bool:
        """Whether none is up."""
        now = monotonic()
        return all(server.down_until > now for server in self.all)

    def choose(self) -> Server:
        """The server to ask next: of those that are up the one with most room, else the one to be up soonest."""
        if len(self.all) == 1:
            return self.all[0]
        now = monotonic()
        up = [server for server in self.all if server.down_until <= now]
        if not up:
            return min(self.all, key=lambda server: server.down_until)
        chosen = max(up, key=lambda server: server.pacer.free)
        if chosen.down_until:
            chosen.probe()
        return chosen

    def give_up(self, server: Server, why: str) -> bool:
        """Ask a server no more that refuses the key or the model; False when there is no other."""
        others = [other for other in self.all if other is not server]
        if not others:
            return False
        if len(others) < len(self.all):  # else another request has found it out meanwhile
            self.all = others
            log.warning("%s. Judging continues without it.", why)
        return True

    def _name(self, server: Server) -> str:
        return f"refused {server.address} {self._settings.model}"

    def _recall(self, server: Server) -> frozenset[str]:
        known: Any = self._cache.recall(self._name(server)) if self._cache else None
        try:
            is_fresh = datetime.now(UTC) - datetime.fromisoformat(known["at"]) < REMEMBERED
            return frozenset(map(str, known["parameters"])) if is_fresh else frozenset()
        except (TypeError, KeyError, ValueError):
            return frozenset()

    def _remember(self, server: Server) -> None:
        if self._cache and server.refused != self._recall(server):
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self._cache.remember(self._name(server), {"parameters": sorted(server.refused), "at": now})
