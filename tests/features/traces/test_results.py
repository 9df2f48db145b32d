"""traces.json: what is written is read again, and anything else is one line."""

import json

import pytest

from hueval_metrics.errors import InputError
from hueval_metrics.traces.measures import Cell, Number
from hueval_metrics.traces.measures import Test as Difference
from hueval_metrics.traces.results import FILE, AnalysedRun, TraceResults, find_analyses, read

CELL = Cell("m", "toybench_letters")
RESULTS = TraceResults(
    hueval="1.0",
    steps=["free"],
    tokenizer="bytes",
    signature="tokenizer:bytes",
    runs=[AnalysedRun("m", "org/m", {"toybench_letters": "v"}, {"toybench_letters": {"replies": 3}}, {"free": {}})],
    numbers=[Number(CELL, "tokens", 2.0, (1.0, 3.0), 3, 3, 3.0), Number(CELL, "hedges", None, None, 0)],
    tests=[Difference("tokens", "models", CELL, CELL, 1.0, None, 0.1, 0.2, 3)],
)


def test_what_was_written_is_read(tmp_path):
    RESULTS.write(tmp_path / "run")
    file = tmp_path / "run" / FILE
    assert find_analyses(tmp_path) == [file] == find_analyses(file)
    assert read(file) == RESULTS


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda data: data.update(format="hueval-traces/9"), "not an analysis that this version reads"),
        (lambda data: data.pop("numbers"), "numbers is not as this version writes it"),
        (lambda data: data["numbers"][0].update(ci95=[1]), "numbers.0.ci95.1 is not as this version writes it"),
        (lambda data: data["numbers"][1].update(value=float("nan")), "a number that is not finite"),
        (lambda data: data["tests"][0].update(between="\x1b[31m"), "tests.0.between is not as"),
    ],
    ids=["other version", "part missing", "half an interval", "NaN", "unknown kind"],
)
def test_another_file_is_one_line(tmp_path, change, told):
    RESULTS.write(tmp_path)
    data = json.loads((tmp_path / FILE).read_text(encoding="utf-8"))
    change(data)
    (tmp_path / FILE).write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(InputError, match=told) as error:
        read(tmp_path / FILE)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 10_000])
def test_no_analysis_is_one_line(tmp_path, text):
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="Analyse the runs again"):
        read(tmp_path / FILE)
