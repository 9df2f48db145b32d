"""The suite itself: no test of it depends on how fast the machine is."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import marked

ROOT = Path(__file__).parents[1]
TESTS = [path for folder in ("tests", "leaderboard/tests") for path in (ROOT / folder).rglob("*.py")]


def test_property_tests_have_no_deadline():
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
    own = [path for path in TESTS if re.search(r"@settings\([^)]*\bdeadline=", path.read_text())]
    assert own == []


def test_property_tests_draw_the_same_examples_unless_asked_for_new_ones():
    assert settings().derandomize == ("HUEVAL_FUZZ" not in os.environ)


def test_a_limit_of_seconds_is_one_of_cpu_time_or_long_enough_for_a_busy_machine():
    short = re.compile(r"(?:monotonic|perf_counter|time\.time)\(\) - \w+ <=? ?[\d.]+")
    found = [(path.name, limit) for path in TESTS for limit in short.findall(path.read_text())]
    assert [one for one in found if float(one[1].rpartition("<")[2].lstrip("= ")) < 30] == []


def test_no_marked_test_is_left_out_by_the_text_of_its_file():
    assert marked.LOST == [], "`make rest` would not collect them: name the mark in their file or conftest.py"


@pytest.mark.parametrize(
    ("file", "is_kept"),
    [
        ("test_packaging.py", True),
        ("reports/page/test_item_view.py", True),  # its fixture `visit`, in conftest.py, asks for a browser
        ("answers/test_choice.py", False),
    ],
)
def test_a_file_that_marks_no_test_is_left_out(file, is_kept):
    assert marked.may_mark(Path(__file__).parent / file) == is_kept
