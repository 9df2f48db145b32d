"""Collects less where `-m` asks only for marked tests, as `make rest` does: files that mark no test are not imported.

A file is left out by its text. Where all files are collected, as by `make test`, test_suite.py checks that each marked
test is in a file that would not be left out.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

STARTING = ("process", "slow", "nightly", "real")  # marks of tests that may start programs
GIVEN = re.compile(rf"mark\.({'|'.join(STARTING)})\b|\bchromium\b")  # the fixture makes its tests `process`
LOST: list[str] = []  # tests that `make rest` would not find, of all that were collected
OUTERMOST = {Path(__file__).parent, Path(__file__).parents[1] / "leaderboard" / "tests"}


def asks_only_for_marked(expression: str) -> bool:
    """Whether `-m` names these marks alone, and a test without any of them is not asked for.

    >>> asks_only_for_marked("(process or slow) and not nightly"), asks_only_for_marked("not nightly")
    (True, False)
    >>> asks_only_for_marked("process or django_db"), asks_only_for_marked("")
    (False, False)
    """
    names = set(re.findall(r"\w+", expression)) - {"and", "or", "not"}
    is_plain = bool(names) and names <= set(STARTING) and not re.search(r"[^\w\s()]", expression)
    return is_plain and not eval(expression, {"__builtins__": {}}, dict.fromkeys(names, False))


def may_mark(file: Path) -> bool:
    """Whether a file, or a conftest.py beside or above it, names such a mark or the fixture that gives one."""
    folders = [one for one in file.parents if OUTERMOST & set(one.parents)]
    return bool(_names_a_mark(file)) or any(_names_a_mark(folder / "conftest.py") for folder in folders)


@cache
def _names_a_mark(file: Path) -> bool:
    return file.is_file() and bool(GIVEN.search(file.read_text(encoding="utf-8")))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the Python files that mark no test."""
    is_file = collection_path.suffix == ".py" and collection_path.is_file()
    return True if is_file and _is_marked_only(config.option.markexpr) and not may_mark(collection_path) else None


_is_marked_only = cache(asks_only_for_marked)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what has a page in a browser, which is another process; note the marked tests that would be lost."""
    for item in items:
        if "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker("process")
    LOST[:] = [one.nodeid for one in items if any(map(one.get_closest_marker, STARTING)) and not may_mark(one.path)]
