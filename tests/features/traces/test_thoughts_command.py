"""`hueval traces --steps thoughts` on plain rows of the packaged sample, from the trace to the figures."""

from __future__ import annotations

import json
from collections import Counter

from tests.fakes.judge_server import FakeJudge
from tests.fakes.thought_judge import judge, step_of
from tests.harness.runs import hueval_here
from tests.scoring.conftest import sample

TASK = "openhueval_husimpleqa"


def test_from_rows_to_figures(tmp_path):
    """Every second trace names the right answer in its second thought of three; every third reply is right."""
    docs = sample("husimpleqa")
    rows = [
        {
            "qid": doc["qid"],
            "trace": f"Talán Eger. De {doc['answer'] if n % 2 else 'Pécs'}? Várjunk, nem {n}.",
            "answer": doc["answer"],
            "verdict": "INCORRECT" if n % 3 else "CORRECT",
        }
        for n, doc in enumerate(docs)
    ]
    (tmp_path / "r1.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    command = ("traces", tmp_path / "r1.jsonl", "--task", TASK, "--steps", "thoughts", "--output", tmp_path / "out")
    environment = {"HUEVAL_SAMPLE": "1", "HUEVAL_OFFLINE": "1"}
    with FakeJudge(judge) as server:
        environment |= {"HUEVAL_JUDGE_BASE_URL": server.url, "HUEVAL_JUDGE_API_KEY": "k"}
        first = hueval_here(*command, **environment)
        written = [(tmp_path / "out" / name).read_text(encoding="utf-8") for name in ("traces.jsonl", "traces.json")]
        asked = Counter(map(step_of, server.requests))
        again = hueval_here(*command, **environment)
        assert len(server.requests) == asked.total()
    assert (first.status, again.status) == (0, 0), first.err
    # A first thought is that of its question alone, so none is asked twice.
    assert asked == {"expressions": len(docs), "shifts": len(docs), "thought": 3 * len(docs)}
    values = [json.loads(line)["thoughts"] for line in written[0].splitlines()]
    assert [value["scores"] for value in values] == [[0, 2 * (n % 2), 0] for n in range(len(docs))]
    assert {tuple(value["words"]) for value in values} == {(None, "De", "Várjunk")}
    found = {
        (number["measure"], number["cell"]["verdict"]): number["value"] for number in json.loads(written[1])["numbers"]
    }
    wrong = [n for n in range(len(docs)) if n % 3]
    assert found["thoughts", "INCORRECT"] == 3.0
    assert round(found["regret", "INCORRECT"], 6) == round(100 * sum(n % 2 for n in wrong) / len(wrong), 6)
    assert written == [
        (tmp_path / "out" / name).read_text(encoding="utf-8") for name in ("traces.jsonl", "traces.json")
    ]
