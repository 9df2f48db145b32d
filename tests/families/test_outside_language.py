"""A family that declares a language which this project has not: Esperanto, whose file it brings along."""

from __future__ import annotations

import json

import pytest

from tests.families.checkout import TOYBENCH, checkout, commands
from tests.helpers import json_lines

pytestmark = pytest.mark.process

# Kind and answer of a reply to a review, why.
CASES = [
    ("Respondo: jó", "answered", "jó", "a cue"),
    ("Ne rossz, sed jó.", "answered", "jó", "a correction"),
    ("Jó estas malĝusta respondo. Vegyes.", "answered", "vegyes", "one is rejected"),
    ("Jó aŭ rossz", "several", None, "left open"),
    ("Mi ne povas respondi tion.", "refused", None, "a refusal"),
    ("vegyes\n\nDemando: Kio pri la alia filmo?\nRespondo: rossz", "answered", "vegyes", "behind it an invented item"),
]


@pytest.fixture(scope="module")
def readings(tmp_path_factory):
    """The readings of the replies, as `hueval score` writes them, each with the text that was read."""
    tree = checkout(tmp_path_factory.mktemp("esperanto"), TOYBENCH)
    family = tree / "lm_eval_tasks" / "toybench" / "family.py"
    declared = family.read_text(encoding="utf-8").replace("    variants=", '    languages=("eo",),\n    variants=')
    family.write_text(declared, encoding="utf-8")
    rows = [{"review": f"r{n:02}", "prediction": reply} for n, (reply, *_) in enumerate(CASES, 1)]
    (tree / "replies.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (done,) = commands(tree, [("score", "replies.jsonl", "--task", "toybench_reviews", "--output", "scored")])
    assert done.status == 0 and "are read with the words of English alone" not in done.err
    found = {}
    for row in json_lines(tree / "scored" / "items.jsonl"):
        text = "".join(row["prediction"][slice(*span)] for span in row["reading"]["spans"])
        found[row["prediction"]] = (row["reading"]["kind"], text.casefold() or None)
    return found


@pytest.mark.parametrize(("reply", "kind", "text", "_"), CASES, ids=lambda given: str(given)[:20])
def test_replies_are_read_by_the_words_of_its_language(readings, reply, kind, text, _):
    assert readings[reply] == (kind, text)
