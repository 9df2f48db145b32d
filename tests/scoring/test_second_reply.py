"""Second replies in samples that anyone may have written: they count only where one answer is read from them."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into
from tests.helpers import json_lines
from tests.scoring.conftest import DATE, samples, write_lines

TASK = "openhueval_huproverbrea_2cq"
UNREAD = "Szép közmondás, sokan ismerik."


def score(folder, rows):
    path = write_lines(folder / f"samples_{TASK}_{DATE}.jsonl", rows)
    (scored,) = score_into(folder / "out", [path], None, {}, JudgePlan())
    return scored.summary, json_lines(folder / "out" / "items.jsonl")


@pytest.mark.parametrize(
    ("why", "turn", "second", "filled"),
    [
        ("an answer", {"prompt": "?", "reply": "2"}, "2", 1.0),
        ("without its trace", {"prompt": "?", "reply": "<think>1?</think>\n2"}, "2", 1.0),
        ("cut inside its trace", {"prompt": "?", "reply": "<think>1 vagy 2"}, "", 0.0),
        ("empty", {"prompt": "?", "reply": ""}, "", 0.0),
        ("refuses", {"prompt": "?", "reply": "Erre nem válaszolok."}, "Erre nem válaszolok.", 0.0),
        ("two options", {"prompt": "?", "reply": "1 | 2"}, "1 | 2", 0.0),
        ("the request again", {"reply": "one of these: 1 | 2\n2"}, "one of these: 1 | 2\n2", 1.0),
        ("only the request", {"reply": "2, one of these: 1 | 2"}, "2, one of these: 1 | 2", 0.0),
        ("no text of Unicode", {"prompt": "?", "reply": "\ud800\x00"}, "\ud800\x00", 0.0),
        ("a number", {"reply": 2}, None, None),
        ("no reply", {"prompt": "?"}, None, None),
        ("no object", "2", None, None),
        ("nothing", None, None, None),
    ],
)
def test_what_a_sample_says_of_a_second_turn(tmp_path, why, turn, second, filled):
    rows = samples("huproverbrea_2cq", [UNREAD] * 28)
    summary, items = score(tmp_path, [{**rows[1], "second_turn": turn}, rows[0]])
    assert items[0].get("second") == second, why
    assert items[0]["values"].get("asked_rate") == filled, why
    assert items[0]["answer"] is None
    assert summary.get("asked_rate") == (None if filled is None else 50 * filled)


def test_a_reply_that_is_read_keeps_its_answer(tmp_path):
    """As where a reader has learned since to read it."""
    (first, *_) = samples("huproverbrea_2cq", ["1"] * 28)
    summary, items = score(tmp_path, [{**first, "second_turn": {"prompt": "?", "reply": "2"}}])
    assert (items[0]["values"]["asked_rate"], summary["parse_rate_asked"]) == (0, 100)
    assert items[0]["values"]["acc_asked"] == items[0]["values"]["acc"]


def test_words_of_the_request_are_no_answer(tmp_path):
    """SmolLM2-135M on HuWNLI: the request, begun with a word of the question that names a label."""
    reply = "Írázsárma,\n\nKövetkezik a választ add meg, magyarázat nélkül, ezek egyikét: igen | nem.\n\nÍrázsárma"
    doc = documents("hulugen_huwnli")[0][0]
    row = {"doc": doc, "resps": [["Írázsárma"]], "second_turn": {"reply": reply}}
    path = write_lines(tmp_path / f"samples_hulugen_huwnli_{DATE}.jsonl", [row])
    (scored,) = score_into(tmp_path / "out", [path], None, {}, JudgePlan())
    assert scored.summary["asked_rate"] == 0


@pytest.mark.parametrize("second", [3, ["2"], {"text": "2"}, None])
def test_a_second_of_another_type_is_none(tmp_path, second):
    (first, *_) = samples("huproverbrea_2cq", [UNREAD] * 28)
    first["filtered_resps"] = [json.dumps({"response": UNREAD, "truncated": False, "verdict": None, "second": second})]
    summary, items = score(tmp_path, [first])
    assert "second" not in items[0]
    assert summary["parse_rate"] == 0
