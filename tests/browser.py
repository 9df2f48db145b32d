"""A real browser for the tests of pages."""

from __future__ import annotations

import importlib
import os
import shutil
import time
from collections.abc import Iterator
from typing import Any, NoReturn

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
BROWSER_ARGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]


def needed(module: str) -> Any:
    """A module of the tests' extras; without it the test is skipped, but fails in CI."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        lacking(f"{module} ({error})")


def lacking(what: str) -> NoReturn:
    """Skip a test for want of something, with the reason; in CI it fails."""
    if os.environ.get("CI"):
        pytest.fail(f"CI is set; the test needs {what}")
    pytest.skip(f"needs {what}")


def wait_until(page: Any, script: str, arg: Any = None) -> None:
    """Wait until a script's value is true.

    Playwright's `wait_for_function` repeats a script by `eval`, which the policy of our pages forbids: it fails where a
    first value is not yet true.
    """
    end = time.monotonic() + 30
    while not page.evaluate(script, arg):
        assert time.monotonic() < end, f"not within 30 s: {script}"
        page.wait_for_timeout(20)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A headless browser; without one the tests are skipped with the reason, but fail in CI.

    Until it is stopped, Playwright's event loop runs in this thread, in which `asyncio.run` raises: one each module.
    """
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        lacking(f"a browser on PATH: one of {', '.join(BROWSERS)}")
    sync_api = needed("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGS)
        yield browser
        browser.close()
