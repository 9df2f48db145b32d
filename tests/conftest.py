"""What every test gets: no setting of the developer's machine, no network, no file outside its own folder."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
from functools import wraps
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import marked
from tests.browser import chromium  # noqa: F401  a fixture
from tests.fakes.clock import virtual_clock  # noqa: F401  a fixture
from tests.indexed import index_once

# A busy machine is no failure. The examples are always the same: a rare failure must not hit an unrelated change.
settings.register_profile(
    "timeless", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize="HUEVAL_FUZZ" not in os.environ
)
settings.load_profile("timeless")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in a shell's background; what tests start inherits it
    signal.signal(signal.SIGINT, signal.default_int_handler)

collect_ignore = ["toy_family"]  # a family as a stranger writes it: it runs where tests/families copies it to

COUNT = count()
# Others are asked for a fact by a library, in milliseconds.
PROGRAMS = ("python", "bash", "make", "chrom", "node", "postgres")
RUNNING: list[pytest.Item] = []
FOREIGN = ("HF_", "HUEVAL_", "XDG_", "TRANSFORMERS_", "LMEVAL_", "OPENAI_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


gc.disable()  # until all tests are known: millions of objects that stay, which each collection would look through


def pytest_collection_finish():
    """What is there now stays to the end."""
    gc.freeze()
    gc.enable()


def pytest_configure(config):
    """For all folders, also those without a conftest.py."""
    if not config.pluginmanager.is_registered(marked):
        config.pluginmanager.register(marked)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    RUNNING[:] = [item]
    index_once()
    return (yield)


def guarded(start):
    """`Popen.__init__` for marked tests only: what others start costs everybody's `make test` seconds."""

    @wraps(start)
    def init(self, args, *more, **options):
        words = str(args).split() if isinstance(args, str | Path) else [os.fsdecode(word) for word in args]
        if RUNNING and not any(map(RUNNING[0].get_closest_marker, marked.STARTING)):
            program = Path(words[0]).name
            if "-mpip" in words:  # lm-eval asks for all packages in every run: two seconds
                args = ["true"]
            elif program.startswith(PROGRAMS):
                pytest.fail(f"it starts {program}: mark it `process`, or call `cli.main` in this process")
        start(self, args, *more, **options)

    return init


subprocess.Popen.__init__ = guarded(subprocess.Popen.__init__)  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def clean_environment(request, monkeypatch, tmp_path_factory):
    """Foreign variables are gone, the cache is the test's own, and a judge is chosen: the default ends some day.

    A folder is made only for a test that asks for one: for all tests that would take longer than many of them.

    Nothing shows progress: whether a stage lasts long enough for a line depends on the machine.
    """
    found = {*os.environ}
    for variable in found:
        if variable.upper().startswith((*FOREIGN, "NO_PROXY")):
            monkeypatch.delenv(variable)
    is_asked = "tmp_path" in request.fixturenames
    own = request.getfixturevalue("tmp_path") if is_asked else tmp_path_factory.getbasetemp() / f"own-{next(COUNT)}"
    monkeypatch.setenv("HUEVAL_CACHE_DIR", str(own / "cache"))
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "gpt-4o-2024-11-20")
    monkeypatch.setenv("HUEVAL_QUIET", "1")
    yield
    for variable in {*os.environ} - found:  # what a test has set and left, the next module would find
        del os.environ[variable]
