"""How many files a data row and a prediction pass: counts that may fall and not rise (docs/architecture.md)."""

from __future__ import annotations

import ast
import json

import pytest

import hf_datasets.load
from hueval_metrics.cli import main
from hueval_metrics.loader import documents
from hueval_metrics.registry import task_spec
from tests.ways import HOUSE, traced

TASK = "openhueval_hustandardfib"
REMARK = "Ennyit tudok."  # of the reply alone, and the same in every JSON
READERS = (  # what a benchmark needs to read its rows and replies
    "hueval_metrics/answers/",
    "hueval_metrics/metrics/",
    "hf_datasets/openhueval/",
    "lm_eval_tasks/",
)
BY_NAME = {"declared", "task_spec", "known_tasks"}  # of the registry


@pytest.fixture
def one(tmp_path, clean_environment, monkeypatch):
    """The first document, and the arguments by which a reply to it with one wrong blank is scored."""
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    doc = documents(TASK)[0][0]
    reply = f"<think>Lássuk.</think>\n{task_spec(TASK).target(doc).replace('1541', '1492')}\n{REMARK}"
    file = tmp_path / "replies.jsonl"
    file.write_text(json.dumps({"qid": doc["qid"], "prediction": reply}), encoding="utf-8")
    monkeypatch.setattr(hf_datasets.load, "_kept", {})  # so that the rows are read once more
    return doc, ["score", str(file), "--task", TASK, "--output", str(tmp_path / "out")]


def at_most(most: int, files, *rooms: str) -> None:
    """See that there are no more files than that, those of some rooms left out."""
    counted = sorted(file for file in files if not file.startswith(rooms))
    assert len(counted) <= most, "\n".join([f"{len(counted)} files, at most {most}:", *counted])


def test_a_row_up_to_its_items(one):
    doc, score = one
    with traced(doc["instruction"]) as way:
        assert main(score) == 0
    for file in ("hf_datasets/text_files.py", "hueval_metrics/scoring/write.py"):
        assert file in way.seen
    at_most(18, way.seen)
    at_most(9, way.hands, *READERS)


def test_a_prediction_up_to_the_table(one, tmp_path, capsys):
    with traced(REMARK, 100 * 5 / 6) as way:
        assert main(one[1]) == 0
        assert main(["table", str(tmp_path / "out")]) == 0
    assert "83.33" in capsys.readouterr().out
    for file in ("hueval_metrics/scoring/inputs.py", "hueval_metrics/reports/tables.py"):
        assert file in way.seen
    at_most(41, way.seen)
    at_most(17, way.hands, *READERS)


def test_a_task_is_handed_on_and_not_its_name():
    """Only the readers of what somebody else wrote ask the registry for the task of a name."""
    asking = set()
    for path in (HOUSE / "hueval_metrics" / "scoring").glob("*.py"):
        calls = [node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        if any(isinstance(name, ast.Name) and name.id in BY_NAME for name in calls):
            asking.add(path.stem)
    assert asking == {"inputs", "opencompass", "lm_eval_results", "earlier"}
