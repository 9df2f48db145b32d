"""The suite itself: no test of it depends on how fast the machine is."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import HealthCheck, settings

TESTS = Path(__file__).parent


def test_property_tests_have_no_deadline():
    assert settings().deadline is None
    assert HealthCheck.too_slow in settings().suppress_health_check
    own = [path for path in TESTS.rglob("*.py") if re.search(r"@settings\([^)]*\bdeadline=", path.read_text())]
    assert own == []
