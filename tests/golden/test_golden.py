"""Numbers and keys as they were, exactly; printed text as it was, as a second set.

A difference that is meant: `python -m tests.golden.update`, then `git diff --word-diff tests/golden` shows it.
"""

from __future__ import annotations

import pytest

from tests.golden.produce import GOLDEN, PRINTED, STAGES
from tests.golden.reduce import differences
from tests.helpers import shared

SHOWN = 25
UPDATE = "If it is meant: python -m tests.golden.update{} {}, then git diff --word-diff tests/golden"


def stored(root: str) -> dict[str, str]:
    files = sorted(path for path in (GOLDEN / root).rglob("*") if path.is_file())
    return {str(path.relative_to(GOLDEN)): path.read_text(encoding="utf-8") for path in files}


@pytest.mark.no_cover
@pytest.mark.parametrize("stage", STAGES)
def test_golden(stage, tmp_path):
    if stage == "real":
        shared("parity"), shared("data")
    made = dict(STAGES[stage](tmp_path.resolve()))
    complaints = []
    for what, root in (("numbers or keys", f"{stage}/"), ("printed text", f"{PRINTED}{stage}/")):
        old, new = stored(root), {name: text for name, text in made.items() if name.startswith(root)}
        found = [f"{name}: is written no more" for name in old if name not in new]
        found += [f"{name}: is new" for name in new if name not in old]
        found += [line for name in new if name in old for line in differences(name, old[name], new[name])]
        if found:
            more = [f"… and {len(found) - SHOWN} more"] if len(found) > SHOWN else []
            update = UPDATE.format(" --printed" if root.startswith(PRINTED) else "", stage)
            complaints += [f"Changed {what}:", *found[:SHOWN], *more, update]
    assert not complaints, "\n".join(complaints)
