from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from hueval_metrics.registry import families
from tests.fakes.hub_server import WRITE, HubServer
from tests.helpers import shared
from tests.hf_datasets.published import BODY, NAME, refused_address


@pytest.fixture
def hub():
    with HubServer() as server:
        yield server
        assert server.leaks == []  # no token to the CDN


@pytest.fixture
def published(monkeypatch):
    """Let nothing on the internet be asked."""
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", refused_address())


@pytest.fixture
def install(monkeypatch, tmp_path):
    """A function that installs a distribution with a family, as pip would: its data are the `DatasetRepo` at a path."""
    site = tmp_path / "site-packages"

    def install(data: str = "tests.hf_datasets.toy.REPO", name: str = "toy") -> None:
        (site / f"{name}box-1.0.dist-info").mkdir(parents=True, exist_ok=True)
        (site / f"{name}box-1.0.dist-info" / "METADATA").write_text(f"Name: {name}box\nVersion: 1.0\n")
        points = f"[hueval.families]\n{name} = {name}box:FAMILY\n"
        (site / f"{name}box-1.0.dist-info" / "entry_points.txt").write_text(points)
        declaration = f"FAMILY = Family({name!r}, 'T', Path(), ('{name}_',), {{}}, 'x.docs', 'x.prompt', data={data!r})"
        imports = "from pathlib import Path\nfrom hueval_metrics.declare import Family\n"
        (site / f"{name}box.py").write_text(f"{imports}{declaration}\n")
        sys.modules.pop(f"{name}box", None)
        monkeypatch.syspath_prepend(site)
        families.cache_clear()

    yield install
    families.cache_clear()


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
def hub_repo(published, hub, monkeypatch):
    """A Hub that has the file."""
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    monkeypatch.setenv("HUEVAL_HUB_REPO", "hueval/openhueval@v1")
    hub.put_dataset("hueval/openhueval", "v1", {f"{NAME}.jsonl": BODY})
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
