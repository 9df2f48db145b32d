from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.hub import FakeHub
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
def hub_repo(published, hub, monkeypatch):
    """A Hub that has the file, asked through the real client."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)  # read from the environment at import
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
