"""The examples in the docstrings of what users call: they run, with a task of the sample for the toy's name."""

import doctest
import json

import pytest

import hueval_metrics as hueval
from tests.api.conftest import FIB, rows_of

TOY = "toybench_keywords"
FUNCTIONS = ["analyse_traces", "compare", "documents", "load", "repeats", "report", "run", "score"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_run(on_the_sample, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    rows = [row | {"prediction": f"<think>Lássuk.</think>{row['prediction']}"} for row in rows_of(FIB)]
    (tmp_path / "predictions.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    for model in ("my-model", "other-model"):
        hueval.score(rows, FIB, output=f"results/{model}")
    examples = doctest.DocTestParser().get_examples(getattr(hueval, name).__doc__)
    assert len(examples) > 1
    names = {"my_model": lambda prompt: "Nem tudom.", "print": str}
    for example in examples:
        exec(example.source.replace(TOY, FIB), names)


def test_everything_documents_what_it_takes_returns_and_raises():
    for name in FUNCTIONS:
        text = getattr(hueval, name).__doc__
        assert all(part in text for part in ("Args:", "Raises:", ">>> import hueval_metrics as hueval")), name
