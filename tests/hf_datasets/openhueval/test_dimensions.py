from __future__ import annotations

import pytest

from hf_datasets.openhueval.dimensions import DIMENSIONS, DIMENSIONS_HU, dimension_code
from tests.helpers import load_cases, why


@pytest.mark.parametrize("case", load_cases("dimensions"), ids=why)
def test_dimension_code(case):
    assert dimension_code(case["spelling"]) == case["code"]


def test_codes_and_full_names_name_themselves():
    assert list(DIMENSIONS) == ["l", "h", "lcc", "ep", "gp", "f", "ppl", "bf"] == list(DIMENSIONS_HU)
    assert all(dimension_code(code) == dimension_code(name) == code for code, name in DIMENSIONS.items())
