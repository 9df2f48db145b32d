"""No name in a file, or on the command line, leads out of the folder that is written or read."""

from __future__ import annotations

import json

from tests.each import each
from tests.harness.runs import hueval_here

FIB = "openhueval_humatchingfib"
ESCAPES = ["../../out", "/tmp/hueval-out", "a/../../out", "..", "a/..", "a\\..\\..\\out", "a/b\x00c"]
OFFLINE = {"HUEVAL_OFFLINE": "1", "HUEVAL_SAMPLE": "1"}


def results(tmp_path, model, task=FIB):
    row = {"blank_acc": 12.5, "question_acc": 3.0, "n": 5, "n_missing": 0, "model": model, "signature": f"task:{task}"}
    folder = tmp_path / "deep" / "run"
    folder.mkdir(parents=True)
    (folder / "results.json").write_text(json.dumps({task: row}), encoding="utf-8")
    return folder


def files(tmp_path):
    return {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}


@each("model", ESCAPES)
def test_an_export_of_such_a_model(tmp_path, model):
    run = results(tmp_path, model)
    before = files(tmp_path)
    for target in ("every-eval-ever", "hub"):
        outcome = hueval_here(
            "export", run, "--to", target, "--even-partial", "--output", tmp_path / "deep" / "x", **OFFLINE
        )
        assert outcome.status == 1
        assert "which is no model id" in outcome.err
    assert files(tmp_path) == before


def test_a_report_with_figures_of_such_a_task_and_model(tmp_path):
    """The figures' names are ours alone."""
    run = results(tmp_path, "../../out", "openhueval_../../../out")
    out = tmp_path / "deep" / "x"
    hueval_here("report", run, "--output", out / "page.html", "--figures", out / "figures", **OFFLINE)
    assert files(tmp_path) - {"deep/run/results.json"} == {
        str(p.relative_to(tmp_path)) for p in out.rglob("*.*") if p.is_file()
    }


@each("name", ["../x/test.parquet", "/etc/passwd", "husimpleqa/../../x.parquet"])
def test_a_manifest_that_names_another_file(tmp_path, name):
    copy = tmp_path / "copy"
    assert hueval_here("data", "convert", "hf_datasets/openhueval/sample", copy, "--name", "openhueval").status == 0
    manifest = json.loads((copy / "hueval.json").read_text(encoding="utf-8"))
    manifest["configs"]["husimpleqa"]["test"]["file"] = name
    (copy / "hueval.json").write_text(json.dumps(manifest), encoding="utf-8")
    outcome = hueval_here("data", "check", copy)
    assert outcome.status == 1
    assert "expected <config>/<split>.parquet" in outcome.err
