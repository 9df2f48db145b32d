from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hf_datasets.openhueval.published import BLOB_IDS
from hueval_metrics.cli import main
from hueval_metrics.features import features
from hueval_metrics.loader import documents
from hueval_metrics.registry import task_spec
from tests.fakes.hub_server import HubServer
from tests.helpers import shared

TASK = "openhueval_humatchingfib"
OFFLINE = {"HUEVAL_OFFLINE": "1", "HUEVAL_SAMPLE": "1"}


@pytest.fixture(autouse=True)
def sample_only(clean_environment, monkeypatch):
    for variable, value in OFFLINE.items():
        monkeypatch.setenv(variable, value)


@pytest.fixture
def predictions(tmp_path):
    """Right replies to the whole packaged sample of one task."""
    spec = task_spec(TASK)
    docs, _ = documents(spec.name)
    path = tmp_path / "predictions.jsonl"
    rows = [{"qid": doc["qid"], "prediction": spec.target(doc)} for doc in docs]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_score_then_table_then_report(predictions, tmp_path, capsys):
    out = tmp_path / "scored"
    assert main(["score", str(predictions), "--task", TASK, "--output", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "blank_acc" in printed and "100.0 ±" in printed and str(out / "results.json") in printed
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert results[TASK]["blank_acc"] == 100.0
    assert results[TASK]["n_missing"] == 0
    assert "|sample:yes|" in results[TASK]["signature"]
    assert len((out / "items.jsonl").read_text(encoding="utf-8").splitlines()) == results[TASK]["n"]

    assert main(["table", str(out), "--format", "csv"]) == 0
    assert "scored" in capsys.readouterr().out
    assert main(["report", str(out), "--output", str(tmp_path / "page.html")]) == 0
    assert "scored" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["score", "nowhere.jsonl", "--task", TASK], "hueval: nowhere.jsonl: no such file or folder"),
        (["table", "nowhere"], "hueval: nowhere: no such file or folder"),
        (["report", "nowhere"], "hueval: nowhere: no such file or folder"),
    ],
)
def test_one_line_and_exit_status_1(arguments, line, capsys):
    assert main(arguments) == 1
    error = capsys.readouterr().err
    assert error.startswith(line)
    assert error.count("\n") == 1


def test_doctor_is_content_with_the_sample(capsys):
    assert main(["doctor"]) == 0
    printed = capsys.readouterr().out
    assert "HuMatchingFIB" in printed and "switched on" in printed
    assert "Not available" not in printed


def test_doctor_says_what_to_do_without_data(capsys, monkeypatch):
    monkeypatch.delenv("HUEVAL_SAMPLE")
    assert main(["doctor"]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert "Not available: HKMMLU, HuLU, KoLasSimpleQA, OpenHuEval. Set HUEVAL_DATA_DIR" in told


def test_data_pull_keeps_what_it_gets_and_tells_of_the_rest(capsys, monkeypatch, tmp_path):
    """Three of the five published files can be had here; the two others are missing on the server."""
    monkeypatch.delenv("HUEVAL_OFFLINE")
    files = sorted(shared("data", "openhueval").glob("*.jsonl"))
    with HubServer() as server:
        monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{server.url}/data")
        for file in files:
            server.files[f"/data/{file.name}"] = file.read_bytes()
        assert main(["data", "pull", "openhueval"]) == 1
    printed = capsys.readouterr()
    assert [line.split(":")[0] for line in printed.out.splitlines()] == [
        name for name in BLOB_IDS if name in {file.stem for file in files}
    ]
    assert printed.err.count("was not found") == len(BLOB_IDS) - len(files)
    assert {file.name for file in (tmp_path / "cache").rglob("*.jsonl")} == {file.name for file in files}


@pytest.mark.process
def test_score_imports_neither_torch_nor_the_task_index(predictions, tmp_path):
    """The reason that scoring starts in a second; `datasets` alone would double it."""
    program = (
        "import sys; from hueval_metrics.cli import main; status = main(sys.argv[1:]);"
        "heavy = {'torch', 'transformers', 'datasets', 'lm_eval.tasks', 'sklearn', 'matplotlib'} & set(sys.modules);"
        "sys.exit(f'imported: {heavy}' if heavy else status)"
    )
    arguments = ["score", str(predictions), "--task", TASK, "--output", str(tmp_path / "scored")]
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr


def test_version(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out.startswith("hueval ")


@pytest.mark.process
def test_table_into_a_closed_pipe(predictions, tmp_path):
    """`hueval table … | head -1` ends quietly."""
    out = tmp_path / "scored"
    main(["score", str(predictions), "--task", TASK, "--output", str(out)])
    hueval = f"{sys.executable} -m hueval_metrics table {out} --all"
    done = subprocess.run(
        ["bash", "-c", f"{hueval} | true"], capture_output=True, text=True, cwd=Path.cwd(), timeout=240
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("variables", "line"),
    [
        ({"HUEVAL_JUDGE": "lexical"}, "HUEVAL_JUDGE=lexical: makes no API calls"),
        ({"HUEVAL_JUDGE": "oracle"}, '"oracle" is not on offer'),
        ({"HUEVAL_JUDGE_BASE_URL": "http://127.0.0.1:9/v1"}, "http://127.0.0.1:9/v1: cannot be asked ("),
    ],
)
def test_doctor_on_the_judge(capsys, monkeypatch, variables, line):
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    main(["doctor"])
    assert line in capsys.readouterr().out


def test_doctor_asks_the_judge_and_shows_no_key(capsys, monkeypatch):
    with HubServer() as server:
        server.files["/v1/models"] = b'{"data": []}'
        monkeypatch.setenv("HUEVAL_JUDGE_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("HUEVAL_JUDGE_API_KEY", "sk-canary-0123456789")
        main(["doctor"])
        printed = capsys.readouterr()
        assert f"gpt-4o-2024-11-20 at {server.url}/v1: answers" in printed.out
    assert "canary" not in printed.out + printed.err


@pytest.fixture
def no_other_distribution(monkeypatch):
    """As in an environment that has no feature but ours."""
    monkeypatch.setattr("hueval_metrics.features.entry_points", lambda **_: [])
    features.cache_clear()
    yield
    features.cache_clear()


def test_a_command_whose_distribution_is_not_installed(no_other_distribution, capsys):
    assert main(["site", "init", "board"]) == 1
    line = "the leaderboard is not installed. Run in a clone of hueval: pip install . ./leaderboard"
    assert capsys.readouterr().err == f"hueval: {line}\n"
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "run a leaderboard" not in capsys.readouterr().out


def test_a_command_of_another_distribution(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "    site           run a leaderboard\n" in capsys.readouterr().out
    with pytest.raises(SystemExit) as done:
        main(["site", "init", "--bad"])
    assert done.value.code == 2
    assert capsys.readouterr().err == "hueval: unknown argument --bad. See: hueval site init --help\n"
