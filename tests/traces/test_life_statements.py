"""What a trace states, in literal cases: which option or words for which blank."""

from __future__ import annotations

import pytest

from hueval_metrics.answers.statements.read import of_options
from tests.helpers import load_cases, why

QUESTION = "A nyelv legkisebb önálló jelentéssel bíró része: #0#. Ennek saját #1# van. Lehet #2# vagy tő, #3# vagy #4#."
OPTIONS = {
    **{"A": "toldalék", "B": "jelentése", "C": "egyszerű", "D": "összetett"},
    **{"E": "rag", "F": "képző", "G": "jel", "H": "egység"},
}
EXAMPLE = ("#0#C", "#1#I", "#2#D", "#3#H", "#4#B", "#5#N", "#6#L")
BLANKS = {n: f"#{n}#" for n in range(8)}


@pytest.mark.parametrize("case", load_cases("traces/stated_options"), ids=why)
def test_options(case):
    found = of_options(case["trace"], BLANKS, OPTIONS, [QUESTION], EXAMPLE)
    assert [f"{one.part}{one.value}" for one in found] == case["stated"]
