"""`hueval toybench …`."""

from __future__ import annotations

from collections.abc import Sequence

from lm_eval_tasks.toybench.family import FAMILY


def genres(arguments: Sequence[str]) -> int:
    """Print the genres, in a language that is named or in English."""
    strata = FAMILY.strata
    for titles in strata.titles.values() if strata else ():
        print(titles[arguments[0] if arguments else "en"])
    return 0
