"""`evaluate` with folders of its own: it copies each module into one, and what it is given into another."""

from __future__ import annotations

import sys
from functools import cache

import pytest

from hueval_metrics.evaluate_modules import module_path


@pytest.fixture(scope="session")
def own_folders(tmp_path_factory):
    """One folder for all tests: a second one would not be seen, as the copies share the name of a package."""
    import evaluate

    folder = tmp_path_factory.mktemp("huggingface")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate.config, "HF_MODULES_CACHE", folder / "modules")  # read from HF_HOME as it is imported
        patch.setattr(evaluate.config, "HF_METRICS_CACHE", folder / "metrics")
        patch.setattr(sys, "path", list(sys.path))
        yield folder


@pytest.fixture(scope="session")
def module(own_folders):
    """A function that loads a module by name, once."""
    import evaluate

    return cache(lambda name: evaluate.load(module_path(name)))
