"""No pattern in the readers that no reply needs."""

from __future__ import annotations

import pytest

from tests.helpers import shared
from tests.readers.needless import KEPT
from tests.readers.patterns import literal_tests, needless_patterns
from tests.readers.sets import all_cases, literal_cases


@pytest.mark.nightly
def test_a_reply_needs_each_pattern():
    """Or it goes, with the code that it serves; `KEPT` has those that stay, with the reason."""
    shared("parity", "fresh3")
    assert {*needless_patterns([*all_cases(), *literal_tests()])} == {*KEPT}


def test_what_the_cases_at_hand_need_is_not_listed():
    choices = [case for case in literal_cases() if case.reader == "2cq"]
    found = {*needless_patterns(choices)}
    assert "choice._UNCHECKED" not in found
    assert {"confidence._ALONE", "trace.markers.SENTENCES.0.opening"} <= found
