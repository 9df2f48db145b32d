"""`hueval traces --steps segments` on plain rows of the packaged sample, from the trace to Table 9."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.fakes.judge_server import FakeJudge
from tests.fakes.segment_judge import judge, step_of, trace_in
from tests.harness.runs import hueval_here
from tests.scoring.conftest import sample

TASK = "openhueval_humatchingfib"
STUBBORN = 3  # the judge shortens this reply's trace each time


def trace_of(number: int, doc: dict) -> str:
    """A sentence for each blank: the first is thought about and left open, those after it are asserted."""
    lines = [f"So {answer} it is, {number}." for answer in doc["answer"][1:]]
    first = f"Wait, what is {doc['answer'][0][:3]}? It translates to “{number}”."
    return "\n\n".join(["Okay.", first, *lines, "Check: fits.", "Final: done."])


@pytest.fixture
def rows(tmp_path):
    docs = sample("humatchingfib")
    rows = [
        {"qid": doc["qid"], "trace": trace_of(n, doc), "answer": json.dumps({"answer": doc["answer"]})}
        for n, doc in enumerate(docs)
    ]
    (tmp_path / "r1.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return docs


def answer(request, _):
    if step_of(request) == "segments_r1" and f"“{STUBBORN}”" in trace_in(request):
        return judge(request).replace("It translates", "It …")
    return judge(request)


def test_from_rows_to_table_9(tmp_path, rows):
    command = ("traces", tmp_path / "r1.jsonl", "--task", TASK, "--steps", "segments", "--output", tmp_path / "out")
    environment = {"HUEVAL_SAMPLE": "1", "HUEVAL_OFFLINE": "1", "HUEVAL_JUDGE_API_KEY": "k"}
    with FakeJudge(answer) as server:
        environment |= {"HUEVAL_JUDGE_BASE_URL": server.url}
        done = hueval_here(*command, **environment)
        asked = Counter(map(step_of, server.requests))
        again = hueval_here(*command, **environment)
        assert len(server.requests) == asked.total()
        hueval_here(*command, "--ask-final", **environment)
        assert len(server.requests) == asked.total() + 3  # the stubborn one is asked for again
        numbered = hueval_here(*command, "--segmenter", "numbered", **environment)
    assert "1 of 14 answers are missing: unreadable: lost text: segment 2 has" in done.err
    assert asked == {"segments_r1": 14 + 2, "segment_dimensions": 13}
    assert (done.status, again.status, numbered.status) == (3, 3, 0), numbered.err
    results = json.loads((tmp_path / "out" / "traces.json").read_text(encoding="utf-8"))
    assert results["runs"][0]["left_out"] == {}  # no judge can rewrite a range
    assert "segments_numbered/1,segment_dimensions/1" in results["signature"]
    cell = {"run": "r1", "group": TASK, "part": "", "verdict": ""}
    found = {one["measure"]: one for one in results["numbers"] if one["cell"] == cell}
    blanks = sum(len(doc["answer"]) for doc in rows)
    assert found["blanks"]["value"] == found["reasoning_segments"]["value"] == pytest.approx(blanks / 14)
    assert found["simple_assertion"]["value"] == pytest.approx(100 * (blanks - 14) / blanks)
    assert found["correct_simple_assertion"]["value"] == 100
    assert found["non_conclusion_complex_thought"]["value"] == 100
    assert found["eti"]["value"] == pytest.approx(100 * 14 / blanks)
    assert found["eti"]["n_clusters"] == 14 and found["eti"]["ci95"][0] < found["eti"]["value"]
    lines = (tmp_path / "out" / "traces.jsonl").read_text(encoding="utf-8").splitlines()
    values = [json.loads(line)["segments"] for line in lines]
    assert {value["segmenter"] for value in values} == {"numbered"}
    assert not any("translates" in line for line in lines)
    table = hueval_here("table", tmp_path / "out")
    assert table.status == 0 and "Deepseek-R1‡" in table.out and "93.4" in table.out  # published, beside ours
    contrast = "correct simple assertion higher than correct complex thought, by 100.0"
    assert contrast in " ".join(table.out.split())
