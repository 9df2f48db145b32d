"""Features are found, a broken one costs a line and its own parts, and the product runs without any of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hueval_metrics.cli import main
from hueval_metrics.features import features
from tests.modules import ROOT

TASK = "openhueval_humatchingfib"
COMMANDS = {name for feature in features() for name in feature.commands}
FAULTY = {
    "broken": "1 / 0",
    "no_feature": "FEATURE = 1",
    "twice": 'from hueval_metrics.features import Feature\nFEATURE = Feature("twice", commands={"traces": "os"})',
    "as_table": 'from hueval_metrics.features import Feature\nFEATURE = Feature("as_table", commands={"table": "os"})',
    "joining": "from hueval_metrics.features import Feature\n"
    'FEATURE = Feature("joining", comparison="hueval_metrics.joining.feature.Scores")\n'
    "class Scores:\n"
    "    def __init__(self, metrics, despite): pass\n"
    "    def join(self, task, runs): raise ValueError('no scores')",
    "raising": "from hueval_metrics.features import Feature\n"
    'FEATURE = Feature("raising", analyses="hueval_metrics.raising.feature", comparison="os.no_such_class")\n'
    'TITLE = "an analysis"\n'
    "def without_analyses(paths): return paths, paths\n"
    "def tables(*args, **kwargs): raise ValueError('no tables')\n"
    "def section(runs, files, on_fault): raise ValueError('no section')",
}
LINES = {
    "broken": "ZeroDivisionError: division by zero",
    "no_feature": "expected a features.Feature, found int",
    "twice": "the command traces is declared in",
    "as_table": 'there is another command "table"',
    "raising": "ValueError: no tables",
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> list[Path]:
    """Two scored runs; beside the first an analysis of its traces."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUEVAL_SAMPLE", "1")
        patch.setenv("HUEVAL_CACHE_DIR", str(folder / "cache"))
        for name, every in (("a", 2), ("b", 3)):
            sample = ROOT / "hf_datasets" / "openhueval" / "sample" / "HuMatchingFIB.jsonl"
            docs = [json.loads(line) for line in sample.read_text(encoding="utf-8").splitlines()]
            answers = [{"answer": doc["answer"] if place % every else []} for place, doc in enumerate(docs)]
            rows = [
                {"qid": doc["qid"], "prediction": f"<think>\nLehet, hogy {place}.\n</think>\n{json.dumps(answer)}"}
                for place, (doc, answer) in enumerate(zip(docs, answers, strict=True))
            ]
            (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
            assert main(["score", str(folder / f"{name}.jsonl"), "--task", TASK, "--output", str(folder / name)]) == 0
        assert main(["traces", str(folder / "a"), "--output", str(folder / "a" / "traces")]) == 0
    return [folder / "a", folder / "b"]


def checkout(folder: Path, *, without: str = "", also: dict[str, str] | None = None) -> Path:
    """The packages as links to ours, without one folder of the engine, and with folders that declare a feature."""
    for package in ("hf_datasets", "lm_eval_tasks"):
        (folder / package).symlink_to(ROOT / package)
    engine = folder / "hueval_metrics"
    engine.mkdir()
    for path in (ROOT / "hueval_metrics").iterdir():
        if path.name not in (without, "__pycache__"):
            (engine / path.name).symlink_to(path)
    for name, text in (also or {}).items():
        (engine / name).mkdir()
        (engine / name / "__init__.py").touch()
        (engine / name / "feature.py").write_text(text, encoding="utf-8")
    return folder


def hueval(where: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command line of a checkout."""
    return subprocess.run(
        [sys.executable, "-m", "hueval_metrics", *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": str(where), "HUEVAL_SAMPLE": "1"},
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
    )


def test_our_features_are_declared_beside_their_code():
    assert [feature.name for feature in features()][:2] == ["judges", "traces"]
    assert {"traces", "calibrate", "judge-agreement", "judge-bench", "validate-judge"} <= COMMANDS


@pytest.mark.process
@pytest.mark.parametrize("name", ["judges", "traces"])
def test_the_product_runs_without_a_feature(name, runs, tmp_path):
    (feature,) = [one for one in features() if one.name == name]
    where = checkout(tmp_path, without=name)
    a, b = runs
    scored = hueval(where, "score", a.with_suffix(".jsonl"), "--task", TASK, "--output", tmp_path / "again")
    assert (scored.returncode, (tmp_path / "again" / "results.json").is_file()) == (0, True), scored.stderr
    table = hueval(where, "table", a, b)
    assert table.returncode == 0, table.stderr
    assert ("traces by verdict" in table.stdout) == (name != "traces")
    compared = hueval(where, "compare", a, b)
    assert (compared.returncode, compared.stderr) == (0, "")
    page = hueval(where, "report", a, b, "--output", tmp_path / "page.html")
    assert page.returncode == 0, page.stderr
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert ('id="reasoning"' in html) == (name != "traces")
    helped = hueval(where, "--help").stdout
    listed = {word for word in COMMANDS if f"\n    {word}" in helped}
    assert listed == COMMANDS - feature.commands.keys()
    (gone, *_) = feature.commands
    unknown = hueval(where, gone)
    assert (unknown.returncode, f'no command "{gone}"' in unknown.stderr) == (2, True)


@pytest.mark.process
def test_a_broken_feature_costs_one_line_and_its_own_parts(runs, tmp_path):
    where = checkout(tmp_path, also=FAULTY)
    helped = hueval(where, "--help")
    assert all(f"\n    {word}" in helped.stdout for word in COMMANDS)
    table = hueval(where, "table", *runs)
    assert "traces by verdict" in table.stdout
    told = (helped.stderr + table.stderr).splitlines()
    for name, line in LINES.items():
        about = [one for one in told if f"hueval_metrics/{name}/feature.py: left out ({line}" in one]
        assert about, (name, told)
    page = hueval(where, "report", *runs, "--output", tmp_path / "page.html")
    assert page.returncode == 0
    assert "raising/feature.py: left out (ValueError: no section)" in page.stderr
    assert 'id="reasoning"' in (tmp_path / "page.html").read_text(encoding="utf-8")
    compared = hueval(where, "compare", *runs)
    assert compared.returncode == 0
    assert "raising/feature.py: left out (AttributeError" in compared.stderr
    assert "joining/feature.py: left out (ValueError: no scores)" in compared.stderr
