"""Scored runs of three models on the packaged sample, a frozen set of their answers, and mock judges of known bias."""

from __future__ import annotations

import json
import shutil
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
RIGHT = {"toy-7b": 3, "other-9b": 2, "third": 4}  # one answer in N is right
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


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> Path:
    """A folder with `scored` (what `hueval score` writes of three models, judged by comparing words) and `set`."""
    folder = tmp_path_factory.mktemp("judge_bench")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        patch.setenv("HUEVAL_JUDGE", "lexical")
        docs, _ = documents(QA)
        for model in RIGHT:
            file = folder / "predictions" / f"{model}.jsonl"
            file.parent.mkdir(exist_ok=True)
            rows = [{"qid": doc["qid"], "prediction": reply(doc, place, model)} for place, doc in enumerate(docs)]
            file.write_text("".join(json.dumps(row) + "\n" for row in rows))
            assert main(["score", str(file), "--task", QA, "--output", str(folder / "scored" / model)]) == 0
        runs = [folder / "scored" / model for model in RIGHT]
        assert bench("make", *runs, "--output", folder / "set", "--n", 54, *LICENCES) == 0
    return folder


def reply(doc: dict[str, Any], place: int, model: str) -> str:
    """What a model answers: now and then the gold answer, every second time at length."""
    answer = (doc["answer"] if place % RIGHT[model] == 0 else "Semmi") + f" {model}." + PADDING * (place % 2)
    return json.dumps({"answer": answer, "confidence_score": 80}, ensure_ascii=False)


@pytest.fixture
def runs(made, tmp_path, monkeypatch) -> list[Path]:
    """A copy of the scored runs; their documents are those of the packaged sample."""
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    shutil.copytree(made / "scored", tmp_path / "scored")
    return [tmp_path / "scored" / model for model in RIGHT]


@pytest.fixture
def frozen(made, tmp_path) -> Path:
    """A copy of the frozen set of all their answers."""
    return Path(shutil.copytree(made / "set", tmp_path / "set"))


@pytest.fixture
def judge(monkeypatch) -> Callable[[Any], FakeJudge]:
    """Starts a judge that the environment names."""

    def start(answer: Any) -> FakeJudge:
        server = FakeJudge(answer)
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", server.url)
        return server

    return start
