"""What every test gets: no setting of the developer's machine, no network, no file outside its own folder."""

from __future__ import annotations

import os

import pytest

FOREIGN = ("HF_", "HUEVAL_", "XDG_", "TRANSFORMERS_", "LMEVAL_", "OPENAI_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch, tmp_path):
    """Foreign variables are gone, and the cache is the test's own."""
    for variable in list(os.environ):
        if variable.upper().startswith((*FOREIGN, "NO_PROXY")):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(tmp_path / "cache"))
