"""Runs on the packaged sample and hostile ones, as files; the pages made of them; a real browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from hueval_metrics.loader import documents
from hueval_metrics.registry import families, task_spec
from hueval_metrics.reports.page.build import write_report
from hueval_metrics.runs.load import load_runs
from hueval_metrics.scoring.judged import JudgePlan
from hueval_metrics.scoring.write import score_into

FIB, QA = "openhueval_humatchingfib", "openhueval_husimpleqa"
# Whatever runs sets window.hit; whatever loads asks for evil.example.
PAYLOADS = (
    "<script>window.hit=1</script>",
    '"><svg onload="window.hit=1"><script href="https://evil.example/a.js"/></svg>',
    "'\" autofocus onfocus=window.hit=1 x='",
    "<img src=https://evil.example/x.png onerror=window.hit=1>",
    "</script><script>window.hit=1</script><!--<script>",
    "</style><style>*{background:url(https://evil.example/)}</style>",
    '<a href="javascript:window.hit=1">x</a><iframe srcdoc="<script>parent.hit=1</script>"></iframe>',
    "{{ 7 * 7 }}{% raw %}${7*7}",
    "\u202edrow\u202c \u2066x\u2069 a\u200bb \x1b[31mred\x1b[0m \x00 \ud800 \ufffe",
)


def scored_sample(folder: Path, model: str, wrong_every: int, *, trace: str = "") -> Path:
    """A folder as `hueval score` leaves it: our sample, every so many answers wrong, judged."""
    samples = folder / "samples" / model
    samples.mkdir(parents=True)
    for task in families()["openhueval"].tasks:
        spec = task_spec(task)
        docs, _ = documents(spec.name)
        rows = []
        for number, doc in enumerate(docs):
            is_right = bool((number + 1) % wrong_every)
            response = spec.target(doc) if is_right else "nem tudom"
            verdict = _verdict(spec.rubric, is_right, number) if spec.rubric else None
            filtered = {"response": response, "truncated": False, "verdict": verdict}
            rows.append({"doc": doc, "resps": [[trace + response]], "filtered_resps": [json.dumps(filtered)]})
        name = f"samples_{task}_2026-01-01T00-00-00.000000.jsonl"
        (samples / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    score_into(folder / model, [samples], None, {}, JudgePlan(asks=False))
    return folder / model


def _verdict(rubric: str, is_right: bool, number: int) -> dict[str, Any]:
    usage = {"calls": 1, "prompt_tokens": 900, "completion_tokens": 100, "usd": 0.01, "seconds": 1.0}
    common = {"raw": f"A bíráló {number}. indoklása", "judge": "judge-1", "rubric": f"{rubric}/1", "error": None}
    common |= {"cached": False, "suspicious": [], "usage": usage, "votes": []}
    if rubric == "huwildbench":
        return common | {"label": None, "score": float(9 if is_right else 1 + number % 5)}
    labels = ("CORRECT", "INCORRECT") if rubric == "husimpleqa" else ("YES", "NO")
    return common | {"label": labels[not is_right], "score": None}


@pytest.fixture(scope="session")
def sample_runs(tmp_path_factory) -> list[Path]:
    """Two runs on the sample: one answers every fifth item wrong and reasons, the other every second."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        patch.setenv("HUEVAL_CACHE_DIR", str(folder / "cache"))
        thinking = scored_sample(folder, "gondolkodó-7B", 5, trace="<think>\nEzen gondolkodom.\n</think>\n\n")
        return [thinking, scored_sample(folder, "gyors-1B", 2)]


@pytest.fixture(scope="session")
def sample_page(sample_runs, tmp_path_factory) -> Path:
    """The page of these runs."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    write_report(load_runs(sample_runs), path)
    return path


@pytest.fixture
def write_run(tmp_path) -> Callable[..., Path]:
    """Writes a run as `hueval score` does: results.json, and items.jsonl where there are items."""

    def write(
        name: str, results: Mapping[str, Mapping[str, Any]], items: Sequence[Mapping[str, Any]] | None = None
    ) -> Path:
        folder = tmp_path / name
        folder.mkdir(parents=True)
        (folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
        if items is not None:
            (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in items), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def small_run(write_run) -> Path:
    """A run with one score and no items."""
    scores = {"blank_acc": 61.0, "blank_acc_ci95": [59.0, 63.1], "blank_acc_l": 61.0, "blank_acc_h": 61.0}
    return write_run("small", {FIB: {**scores, "n": 2}})


def hostile_run(payload: str, write: Callable[..., Path], number: int) -> Path:
    """A run with a payload wherever a text can stand."""
    row = {
        **{"task": QA, "qid": payload, "dimension": payload, "prompt": payload, "reference": payload},
        **{"prediction": f"{payload}</think>{payload}", "response": payload, "truncated": payload, "answer": payload},
        **{"metrics": {"correct": 100.0, payload: payload}, "values": {"correct": 1.0, "judge_coverage": 1.0}},
        "verdict": {"label": payload, "raw": payload, "judge": payload, "rubric": payload, "suspicious": [payload]},
    }
    signature = f"task:{payload}|judge:{payload}|"
    results = {
        QA: {
            **{"correct": 50.0, "correct_ci95": [40.0, 60.0], "ci_method": {"correct": payload}, payload: 1.0},
            **{
                "n": 2,
                "n_missing": 1,
                "model": payload,
                "signature": signature,
                "judge": {payload: {"calls": payload}},
            },
        },
        f"openhueval_{payload}": {"x": 1.0, "n": 1},
    }
    return write(f"hostile-{number}", results, [row, {**row, "qid": "2", "verdict": None}])


@pytest.fixture
def visit(chromium) -> Iterator[Callable[..., Any]]:
    """Opens a page; in the end nothing may have been logged, thrown, or asked of anybody."""
    contexts, heard = [], []

    def open_page(path: Path, anchor: str = "", **settings: Any) -> Any:
        context = chromium.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.on("console", lambda message: heard.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: heard.append(f"error: {error}"))
        page.on("request", lambda request: heard.append(request.url))
        page.goto(path.as_uri() + anchor)
        heard.remove(path.as_uri())  # the page itself
        return page

    yield open_page
    for context in contexts:
        context.close()
    own = ("data:image/svg+xml;base64,", "blob:")  # its pictures, and what it hands over to be saved
    assert [each for each in heard if not each.startswith(own)] == []
