from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.fakes.hub import FakeHub
from tests.fakes.hub_server import WRITE, HubServer
from tests.helpers import shared
from tests.hf_datasets.published import BODY, NAME, refused_address


@pytest.fixture
def hub():
    with FakeHub() as server:
        yield server


@pytest.fixture
def published(monkeypatch):
    """Let nothing on the internet be asked."""
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", refused_address())


@pytest.fixture
def online(monkeypatch):
    """Let the Hub's real client ask."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)  # read from the environment at import


@pytest.fixture
def writable_hub(online, monkeypatch, tmp_path):
    """A Hub, a token that may write, and a client that does without xet and loses no time over a failure."""
    import huggingface_hub.constants as constants
    import huggingface_hub.utils._http as client

    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.setattr(client, "time", SimpleNamespace(sleep=lambda seconds: None))
    monkeypatch.setenv("HF_TOKEN", WRITE)
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server
        assert server.leaks == []  # no token to the CDN


@pytest.fixture
def hub_repo(published, hub, online, monkeypatch):
    """A Hub that has the file, asked through the real client."""
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setenv("HUEVAL_HUB_REPO", "hueval/openhueval@v1")
    hub.put_dataset("hueval/openhueval", "v1", f"{NAME}.jsonl", BODY)
    return hub


@pytest.fixture
def real_data():
    """The folder with the published files; not part of the project."""
    return shared("data", "openhueval")


@pytest.fixture
def folder_with(tmp_path):
    """A function that writes rows (or bytes) as the file of a family folder and returns the folder."""

    def write(name: str, content: bytes | list[dict]) -> Path:
        folder = tmp_path / "data"
        (folder / "openhueval").mkdir(parents=True, exist_ok=True)
        if not isinstance(content, bytes):
            content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content).encode()
        (folder / "openhueval" / f"{name}.jsonl").write_bytes(content)
        return folder

    return write
