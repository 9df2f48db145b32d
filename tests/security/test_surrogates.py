"""Half a surrogate pair, as a broken tokenizer writes it, in what was paid for: no traceback, and it is read back."""

from __future__ import annotations

import json

from hueval_metrics.cli import main
from hueval_metrics.judges.bench.bench import Bench, BenchAnswer, BenchInfo, read_bench, write_bench
from hueval_metrics.loader import documents
from tests.families.kolassimpleqa.conftest import data_of, official  # noqa: F401  a fixture
from tests.families.kolassimpleqa.test_translate import FakeJudge, question_in, reach, rows_of, translate  # noqa: F401
from tests.harness.runs import hueval_here
from tests.helpers import json_lines

QA = "openhueval_husimpleqa"
HALF = "b\ud800"
OFFLINE = {"HUEVAL_OFFLINE": "1", "HUEVAL_SAMPLE": "1", "HUEVAL_JUDGE": "lexical"}


def test_in_a_translation(reach, data_of, tmp_path):  # noqa: F811
    """It is in the cache from then on: the same command would have failed for ever."""
    folder = data_of([official("a")])
    with FakeJudge(
        lambda request, _: json.dumps({"question": question_in(request) + HALF}), models=["gpt-4o"]
    ) as judge:
        reach(judge)
        assert translate(folder, tmp_path / "out") == 0
    assert [row["question_en"] for row in rows_of(tmp_path / "out")] == [f"a?{HALF}", f"a_reverse?{HALF}"]


def test_in_the_name_of_a_judge(tmp_path, monkeypatch):
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    verdict = {"label": "CORRECT", "judge": HALF, "rubric": "husimpleqa/1"}
    filtered = json.dumps({"response": "x", "truncated": False, "verdict": verdict})
    rows = [{"doc": doc, "resps": [["x"]], "filtered_resps": [filtered]} for doc in documents(QA)[0]]
    file = tmp_path / f"samples_{QA}_2026-01-01T00-00-00.0.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    outcome = hueval_here("score", file, "--output", "out", cwd=tmp_path, **OFFLINE)
    assert (outcome.status, "Traceback" in outcome.err) == (0, False)
    results = (tmp_path / "out" / "results.json").read_text(encoding="utf-8")
    assert HALF in json.dumps(json.loads(results), ensure_ascii=False)
    assert json_lines(tmp_path / "out" / "items.jsonl")[0]["verdict"]["judge"] == HALF


def test_in_the_name_of_a_model_of_a_bench(tmp_path):
    answer = BenchAnswer(id="1", text="t", task=QA, model=HALF, qid="q", cluster="q", dimension="l", weight=1, length=0)
    info = BenchInfo(format="hueval-judge-bench/1", set="s", models={HALF: "m"}, answers=[answer])
    write_bench(Bench(tmp_path, info, []))
    assert read_bench(tmp_path).info == info


def test_in_a_model_s_label(tmp_path, capsys):
    (tmp_path / "results.json").write_text(
        json.dumps({"results": {QA: {"correct": 1.0}}, "model_name": HALF}), encoding="utf-8"
    )
    assert main(["table", str(tmp_path / "results.json")]) in (0, 1)
    capsys.readouterr().out.encode()
