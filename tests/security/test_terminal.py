"""Names and values out of files reach a terminal as text: no error, log line or table moves its cursor."""

from __future__ import annotations

import json
import unicodedata

import pytest

from tests.harness.runs import hueval

pytestmark = pytest.mark.process

EVIL = "\x1b]0;owned\x07\x1b[31mred\x1b[2J\r\u202eevil\u200b\x9b2J\u2028x"
FIB, TWO = "openhueval_humatchingfib", "openhueval_huproverbrea_2cq"
OFFLINE = {"HUEVAL_OFFLINE": "1", "HUEVAL_SAMPLE": "1"}


def is_clean(outcome):
    """Whether nothing in the output is for a terminal to act on."""
    shown = (outcome.out + outcome.err).replace("\n", "").replace("\t", "")
    return not [c for c in shown if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]


def prediction(tmp_path, **row):
    path = tmp_path / "predictions.jsonl"
    path.write_text(json.dumps({"task": FIB, "qid": "q", "prediction": "x"} | row) + "\n", encoding="utf-8")
    return path


def results(tmp_path):
    """A results file of lm-eval with such names in all places."""
    row = {"blank_acc,answer": 12.5, f"{EVIL},answer": 3.0}
    data = {
        "results": {FIB: row, f"openhueval_{EVIL}": row},
        "config": {"model": "hf", "model_args": {"pretrained": EVIL}},
        "configs": {FIB: {"metadata": {"provenance": {"signature": f"task:{FIB}|v:{EVIL}"}}}},
    }
    path = tmp_path / EVIL.replace("/", "") / "results.json"
    path.parent.mkdir()
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    "row",
    [{"qid": EVIL}, {"task": EVIL}, {"task": TWO, "qid": EVIL, "correct_option": EVIL}],
    ids=["qid", "task", "option"],
)
def test_errors_on_a_row(tmp_path, row):
    outcome = hueval("score", prediction(tmp_path, **row), "--output", tmp_path / "o", **OFFLINE)
    assert outcome.status == 1
    assert outcome.err.startswith("hueval: ") and outcome.err.count("\n") == 1
    assert is_clean(outcome)


@pytest.mark.parametrize(
    "arguments",
    [("table", EVIL), ("table", "x", f"--{EVIL}"), ("data", "pull", "openhueval", "--revision", EVIL), (EVIL,)],
    ids=["path", "option", "value", "command"],
)
def test_errors_on_an_argument(tmp_path, arguments):
    outcome = hueval(*arguments, cwd=tmp_path, **OFFLINE)
    assert outcome.status in (1, 2)
    assert "evil" in outcome.err
    assert is_clean(outcome)


@pytest.mark.parametrize(
    "arguments",
    [
        *(("table", "--format", fmt) for fmt in ("terminal", "markdown", "csv", "latex")),
        ("report", "--output", "page.html"),
        ("compare", "--against", "maps-en"),
        ("export", "--to", "all", "--model", EVIL, "--output", "out"),
        ("validate-judge", "export", "--output", "sheet.csv"),
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[-1:]),
)
def test_tables_warnings_and_errors_on_results(tmp_path, arguments):
    """The page's warnings come through the log."""
    outcome = hueval(*arguments, results(tmp_path), cwd=tmp_path, **OFFLINE)
    assert outcome.out or outcome.err
    assert is_clean(outcome)
    assert "Traceback" not in outcome.err


def test_findings_on_data(tmp_path):
    row = {"qid": EVIL, "question": EVIL, "answer": EVIL, "hu_specific_dim": EVIL, EVIL: 1}
    (tmp_path / "HuSimpleQA.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    for command in (("check", tmp_path), ("convert", tmp_path, tmp_path / "out")):
        outcome = hueval("data", *command, **OFFLINE)
        assert "evil" in outcome.out + outcome.err
        assert is_clean(outcome)


def test_the_state_of_the_installation(tmp_path):
    judge = {"HUEVAL_JUDGE_MODEL": EVIL, "HUEVAL_JUDGE_BASE_URL": "http://127.0.0.1:9/"}
    outcome = hueval("doctor", cwd=tmp_path, HUEVAL_DATA_DIR=f"{tmp_path}/{EVIL}", **judge)
    assert "evil" in outcome.out
    assert is_clean(outcome)
