"""What the tests of submissions share."""

from __future__ import annotations

import pytest

from tests.families.hulu.submissions import write_data


@pytest.fixture
def in_folder(clean_environment, monkeypatch, tmp_path):
    """An empty folder to work in, with the rows of `submissions` as the data."""
    monkeypatch.setenv("HUEVAL_DATA_DIR", str(write_data(tmp_path / "data")))
    monkeypatch.chdir(tmp_path)
