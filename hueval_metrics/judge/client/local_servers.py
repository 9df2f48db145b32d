"""Servers of open models on this machine, at the ports that they listen on by default."""

from __future__ import annotations

from collections.abc import Iterable

from hueval_metrics.judge.client.servers import looked_up
from hueval_metrics.judge.settings import JudgeSettings

# vLLM and `transformers serve`, SGLang, Ollama, LM Studio: the defaults in their documentation, read on 2026-11-22.
LOCAL_PORTS = (8000, 30000, 11434, 1234)
LOCAL_S = 0.4  # a server on this machine answers in a few milliseconds


def local_servers(ports: Iterable[int]) -> dict[str, list[str]]:
    """The models that servers on this machine list (`/v1/models`), by base address.

    All ports are asked at the same time, on 127.0.0.1, without a key, through no proxy, for `LOCAL_S` at most. What
    does not answer with a list of models is left out. To be called outside any event loop.

    >>> local_servers([])
    {}
    """
    base_urls = tuple(f"http://127.0.0.1:{port}/v1" for port in ports)
    found = looked_up(JudgeSettings(base_urls=base_urls, timeout_s=LOCAL_S))
    return {base_url: list(offers) for base_url, offers in found.items() if offers and not isinstance(offers, str)}
