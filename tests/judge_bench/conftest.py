"""Scored runs of three models on the packaged sample, a frozen set of their answers, and mock judges of known bias."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hueval_metrics.cli import main
from hueval_metrics.judge.ledger import ledger
from hueval_metrics.loader import documents
from tests.fakes.judge_server import FakeJudge

QA = "openhueval_husimpleqa"
PADDING = " Ezt bővebben is kifejtem, hogy a válasz hosszú legyen." * 4
RIGHT = {"toy-7b": 3, "other-9b": 2, "third": 4}  # every so-manyth answer is right
LICENCES = [f"--licence={model}=Apache-2.0" for model in RIGHT]


def bench(*arguments: object) -> int:
    """`hueval judge-bench …`."""
    return main(["judge-bench", *map(str, arguments)])


def is_right(request: dict[str, Any]) -> bool:
    """Whether the answer in a request has the gold answer in it; what is appended to it does not matter."""
    given = json.loads(request["messages"][1]["content"].partition("Input:\n")[2].partition("\nPlease respond")[0])
    return str(given["gold_target"]) in str(given["predicted_answer"])


def says(label: str) -> str:
    """A reply under the rubric."""
    return json.dumps({"evaluation": label})


def honest(request: dict[str, Any], _: int = 0) -> str:
    """A judge that is always right."""
    return says("CORRECT" if is_right(request) else "INCORRECT")


def lenient(request: dict[str, Any], _: int = 0) -> str:
    """A judge that also takes every long answer, and is honest otherwise."""
    is_long = PADDING.strip() in request["messages"][1]["content"]
    return says("CORRECT" if is_long or is_right(request) else "INCORRECT")


@pytest.fixture(autouse=True)
def own_ledger():
    """A budget of this test's own."""
    ledger.cache_clear()


@pytest.fixture
def runs(tmp_path, monkeypatch, capsys) -> list[Path]:
    """What `hueval score` writes of three models, judged by comparing words."""
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    docs, _ = documents(QA)
    folders = []
    with monkeypatch.context() as patch:
        patch.setenv("HUEVAL_JUDGE", "lexical")
        for model, every in RIGHT.items():
            rows = []
            for place, doc in enumerate(docs):
                answer = (doc["answer"] if place % every == 0 else "Semmi") + f" {model}." + PADDING * (place % 2)
                rows.append(
                    {
                        "qid": doc["qid"],
                        "prediction": json.dumps({"answer": answer, "confidence_score": 80}, ensure_ascii=False),
                    }
                )
            file = tmp_path / "predictions" / f"{model}.jsonl"
            file.parent.mkdir(exist_ok=True)
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
            folders.append(tmp_path / "scored" / model)
            assert main(["score", str(file), "--task", QA, "--output", str(folders[-1])]) == 0
    capsys.readouterr()
    return folders


@pytest.fixture
def frozen(runs, tmp_path, capsys) -> Path:
    """A frozen set of all their answers."""
    assert bench("make", *runs, "--output", tmp_path / "set", "--n", 54, *LICENCES) == 0
    capsys.readouterr()
    return tmp_path / "set"


@pytest.fixture
def judge(monkeypatch) -> Callable[[Any], FakeJudge]:
    """Starts a judge that the environment names."""

    def start(answer: Any) -> FakeJudge:
        server = FakeJudge(answer)
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", server.url)
        return server

    return start
