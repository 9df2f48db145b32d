"""The eight Hungarian-specific dimensions (OpenHuEval §2.1, Table 2) and the spellings that the data uses."""

from __future__ import annotations

import re

DIMENSIONS = {
    "l": "Language",
    "h": "History",
    "lcc": "Life, Culture, and Customs",
    "ep": "Education and Profession",
    "gp": "Geography and Place",
    "f": "Figure",
    "ppl": "Politics, Policy, and Law",
    "bf": "Business and Finance",
}
# The words that a Hungarian prompt names a dimension by.
DIMENSIONS_HU = {
    "l": "magyar nyelv",
    "h": "történelem",
    "lcc": "mindennapi élet, kultúra és szokások",
    "ep": "oktatás és szakmák",
    "gp": "földrajz és helyek",
    "f": "híres személyek",
    "ppl": "politika, közpolitika és jog",
    "bf": "gazdaság és pénzügyek",
}
# Commas, "and", plural endings and the bracketed code vary between files and tables; the first word never does.
_BY_FIRST_WORD = {re.split(r"\W", name)[0].casefold(): code for code, name in DIMENSIONS.items()} | {
    code: code for code in DIMENSIONS
}
_BY_FIRST_WORD |= {"figures": "f", "b": "bf"}  # Table 3 prints "B" for BF
# Tags of HuWildBench before the eight dimensions were settled; the public scorer's configuration still maps them.
_EARLIER_LCC = "childbearing culture food health holidays home person transport science travel"
_BY_FIRST_WORD |= dict.fromkeys(_EARLIER_LCC.split(), "lcc") | {"public": "ep"}
_WORD = re.compile(r"[^\W\d_]+")


def dimension_code(spelling: str) -> str | None:
    """The code of a dimension, one of `DIMENSIONS`; None for a spelling that names none.

    >>> dimension_code("Politics, Policy and Law (PPL)")
    'ppl'
    """
    first = _WORD.search(spelling)
    return _BY_FIRST_WORD.get(first.group().casefold()) if first else None
