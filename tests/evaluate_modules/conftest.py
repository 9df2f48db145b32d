"""`evaluate` with temporary folders: it copies each module into one, and the added values into another."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from hueval_metrics.evaluate_modules import module_path


@pytest.fixture(scope="session")
def own_folders(tmp_path_factory):
    """One folder for all tests: Python would not find a second one, as the copies share a package name."""
    import evaluate

    folder = tmp_path_factory.mktemp("huggingface")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate.config, "HF_MODULES_CACHE", folder / "modules")  # read from HF_HOME as it is imported
        patch.setattr(evaluate.config, "HF_METRICS_CACHE", folder / "metrics")
        patch.setattr(sys, "path", list(sys.path))
        yield folder


@pytest.fixture(scope="session")
def module(own_folders):
    """A cached function that loads a module by name."""
    import evaluate

    return cache(lambda name: evaluate.load(module_path(name)))
