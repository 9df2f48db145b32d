"""Frozen sets, benches and calibrations that were forged, or of which a part was deleted: one line where they are read.

Their hashes are their maker's, so a forged file has the right ones.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from hueval_metrics.judges.bench.frozen import MAX_JUDGES
from hueval_metrics.text.checksum import checksum
from tests.each import each
from tests.features.judges.bench.conftest import QA, made  # noqa: F401  a fixture
from tests.features.judges.calibrate.runs import HALF, run_of
from tests.harness.runs import hueval_here
from tests.helpers import json_lines

OE = "openhueval_huproverbrea_oe"
OFFLINE = {"HUEVAL_OFFLINE": "1", "HUEVAL_SAMPLE": "1", "HUEVAL_JUDGE": "defer"}


def refused(*command: object, cwd: Path | None = None) -> str:
    outcome = hueval_here(*command, cwd=cwd, **OFFLINE)
    assert outcome.status == 1, outcome
    (line,) = outcome.complaints
    return line


def rewritten(folder: Path, rows: list[dict], **parts: object) -> None:
    """A set with other rows and other parts of its manifest, and hashes that fit."""
    content = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "data" / f"{QA}.jsonl").write_text(content, encoding="utf-8")
    manifest = json.loads((folder / "set.json").read_text(encoding="utf-8")) | parts
    manifest["files"] = {f"data/{QA}.jsonl": hashlib.sha256(content.encode()).hexdigest()}
    manifest["sha256"] = checksum(manifest)
    (folder / "set.json").write_text(json.dumps(manifest), encoding="utf-8")


@pytest.fixture
def frozen(made, tmp_path):  # noqa: F811
    return Path(shutil.copytree(made / "set", tmp_path / "set"))


@pytest.fixture(scope="module")
def whole_bench(made, tmp_path_factory):  # noqa: F811
    folder = tmp_path_factory.mktemp("whole") / "bench"
    assert hueval_here("judge-bench", "run", made / "set", "--output", folder, **OFFLINE).status == 0
    return folder


@pytest.fixture
def benched(whole_bench, tmp_path):
    return Path(shutil.copytree(whole_bench, tmp_path / "bench"))


def test_six_rows_ask_for_two_thousand_folders(frozen, tmp_path):
    rows = json_lines(frozen / "data" / f"{QA}.jsonl")
    for row in rows[:6]:
        record = json.loads(row["record"])
        said = record["verdict"]
        record["earlier_verdicts"] = [said | {"judge": f"{row['id']}-{number}"} for number in range(334)]
        row["record"] = json.dumps(record)
    rewritten(frozen, rows)
    line = refused("judge-bench", "run", frozen, "--output", tmp_path / "out")
    assert f"has verdicts of 2,005 judges, and {MAX_JUDGES} are read" in line
    assert not (tmp_path / "out").exists()


def test_models_without_answers_and_answers_that_are_there_twice(frozen, tmp_path):
    rows = json_lines(frozen / "data" / f"{QA}.jsonl")
    models = json.loads((frozen / "set.json").read_text(encoding="utf-8"))["models"]
    more = {f"m{number}": {"folder": f"m{number}", "licence": None, "signatures": {}} for number in range(2000)}
    rewritten(frozen, rows, models=models | more)
    assert "has no answer of m0, which it lists" in refused("judge-bench", "run", frozen, "--output", tmp_path / "out")
    rewritten(frozen, [*rows, rows[0]], models=models)
    assert "has an answer twice" in refused("judge-bench", "run", frozen, "--output", tmp_path / "out")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda info: info["answers"].append(info["answers"][0]), "has an answer, or the folder of a model, twice"),
        (
            lambda info: info["models"].update({"m": next(iter(info["models"].values()))}),
            "the folder of a model, twice",
        ),
        (lambda info: info["models"].clear(), "does not list the model other-9b"),
        (lambda info: info["answers"][0].update(weight=-1), "answers.0.weight: Input should be greater than 0"),
        (lambda info: info["answers"][0].update(weight=float("nan")), "answers.0.weight: Input should be "),
        (lambda info: info["answers"][0].update(length=-1), "answers.0.length: Input should be greater than or equal"),
    ],
)
def test_a_forged_bench(benched, change, told):
    info = json.loads((benched / "bench.json").read_text(encoding="utf-8"))
    change(info)
    (benched / "bench.json").write_text(json.dumps(info), encoding="utf-8")
    assert told in refused("judge-bench", "show", benched)


def test_a_verdict_that_the_rubric_does_not_have(benched):
    (file, *_) = sorted(benched.glob("lexical/*/items.jsonl"))
    rows = json_lines(file)
    rows[0]["verdict"]["label"] = "SUPERB"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert "that its rubric does not have" in refused("judge-bench", "show", benched)


def test_more_judges_than_are_read(benched):
    for number in range(2 * MAX_JUDGES):
        (benched / f"j{number}").mkdir()
        (benched / f"j{number}" / "judge.json").write_text(json.dumps({"judge": f"j{number}"}), encoding="utf-8")
    assert "has 201 judges, and 200 are read" in refused("judge-bench", "show", benched)


@pytest.mark.parametrize("command", ["show", "run"])
@pytest.mark.parametrize("lost", ["lexical/toy-7b", "lexical/toy-7b/items.jsonl"])
def test_a_bench_that_lost_verdicts(made, benched, lost, command):  # noqa: F811
    (shutil.rmtree if (benched / lost).is_dir() else Path.unlink)(benched / lost)
    options = [benched] if command == "show" else [made / "set", "--output", benched]
    assert "verdicts are missing that judge.json counts" in refused("judge-bench", command, *options)


def test_a_bench_that_lost_its_judges(made, benched):  # noqa: F811
    shutil.rmtree(benched / "lexical")
    assert "has the verdicts of no judge" in refused("judge-bench", "show", benched)
    assert hueval_here("judge-bench", "run", made / "set", "--output", benched, **OFFLINE).status == 0
    assert len(list(benched.glob("lexical/*/items.jsonl"))) == 3


@each(
    "change",
    [
        lambda task: task["items"].extend(task["items"]),  # the same answers again: intervals as of twice as many
        lambda task: task["runs"].update(dict.fromkeys(task["runs"], 1)),
        lambda task: task["runs"].clear(),
    ],
)
def test_a_forged_calibration(tmp_path, change):
    run_of(tmp_path / "m.cheap", HALF, "cheap")
    run_of(tmp_path / "m.gold", HALF, "gold")
    fit = ("calibrate", "fit", "--judge", "m.cheap", "--reference", "m.gold", "--output", "cal.json")
    assert hueval_here(*fit, cwd=tmp_path, **OFFLINE).status == 0
    data = json.loads((tmp_path / "cal.json").read_text(encoding="utf-8"))
    change(data["tasks"][OE])
    data["sha256"] = checksum(data)
    (tmp_path / "cal.json").write_text(json.dumps(data), encoding="utf-8")
    line = refused("calibrate", "apply", "cal.json", "m.cheap", "--output", "out", cwd=tmp_path)
    assert f"cal.json: more rated answers of {OE} than the judge rated of the run" in line
