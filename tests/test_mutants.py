"""The list of mutants fits the code: `python -m tests.mutants` can make each mistake and run its test."""

from __future__ import annotations

import re
from collections import Counter

from tests.each import each
from tests.mutants import ROOT, mutants

MUTANTS = mutants()
LEAST, LEAST_A_ROOM = 60, 6
ROOMS = {  # room → where its code is
    "readers": ("hueval_metrics/answers/",),
    "metrics": ("hueval_metrics/metrics/",),
    "statistics": ("hueval_metrics/stats/",),
    "judge": ("hueval_metrics/judge/",),
    "scoring": ("hueval_metrics/scoring/", "hueval_metrics/submission/"),
    "runs": ("hueval_metrics/runs/", "hueval_metrics/harness/"),
    "data": ("hf_datasets/",),
    "leaderboard": ("leaderboard/hueval_site/",),
    "families": ("lm_eval_tasks/",),
}


@each("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_made(mutant):
    text = (ROOT / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.old) == 1
    assert "\n" not in mutant.old and mutant.new != mutant.old
    assert mutant.file.startswith(ROOMS[mutant.room])


@each("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_its_test_is_there(mutant):
    file, *function = mutant.test.partition("[")[0].split("::")
    text = (ROOT / file).read_text(encoding="utf-8")
    assert all(re.search(rf"^def {name}\(", text, re.MULTILINE) for name in function)


def test_every_room_has_mutants_with_names_of_their_own():
    rooms = Counter(mutant.room for mutant in MUTANTS)
    assert len(MUTANTS) >= LEAST and len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert rooms.keys() == ROOMS.keys() and min(rooms.values()) >= LEAST_A_ROOM
