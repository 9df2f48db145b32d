"""Files of `hueval calibrate`: whole or not at all, one command at a time, no answers in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hueval_metrics.cli import main
from hueval_metrics.errors import InputError
from hueval_metrics.judges.calibrate import write
from hueval_metrics.judges.calibrate.file import FORMAT, digest, read_calibration
from hueval_metrics.text.checksum import checksum
from hueval_metrics.text.files import locked
from tests.features.judges.calibrate.runs import OE, run_of


@pytest.fixture
def fitted(tmp_path):
    run_of(tmp_path / "alpha.cheap", ["YES", "NO"] * 40, "cheap")
    run_of(tmp_path / "alpha.gold", ["YES", "NO"] * 40, "gold")
    paths = (tmp_path / "alpha.cheap", tmp_path / "alpha.gold", tmp_path / "cal.json")
    assert (
        main(["calibrate", "fit", "--judge", str(paths[0]), "--reference", str(paths[1]), "--output", str(paths[2])])
        == 0
    )
    return tmp_path


def apply(folder: Path) -> int:
    return main(["calibrate", "apply", f"{folder}/cal.json", f"{folder}/alpha.cheap", "--output", f"{folder}/out"])


def test_a_stop_leaves_no_part_of_the_output(fitted, monkeypatch):
    def stopped(*_: object) -> None:
        yield b"{}\n"
        raise KeyboardInterrupt

    monkeypatch.setattr(write, "_rows", stopped)
    assert apply(fitted) == 130
    assert not (fitted / "out").exists()
    monkeypatch.undo()
    assert apply(fitted) == 0
    assert sorted(path.name for path in (fitted / "out").iterdir()) == [
        "calibration.json",
        "items.jsonl",
        "results.json",
    ]


def test_a_stop_leaves_the_calibration_of_before(fitted, monkeypatch):
    before = (fitted / "cal.json").read_bytes()

    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("hueval_metrics.judges.calibrate.references._Listed.of", stopped)
    run, gold = fitted / "alpha.cheap", fitted / "alpha.gold"
    arguments = ["--judge", run, "--reference", gold, "--output", fitted / "cal.json"]
    assert main(["calibrate", "fit", *map(str, arguments)]) == 130
    assert (fitted / "cal.json").read_bytes() == before


def test_two_commands_into_one_folder(fitted, capsys):
    with locked(fitted / "out"):
        assert apply(fitted) == 1
    assert "another `hueval calibrate` is writing there" in capsys.readouterr().err
    assert apply(fitted) == 0


def test_the_file_has_hashes_and_no_answers(fitted):
    text = (fitted / "cal.json").read_text()
    task = json.loads(text)["tasks"][OE]
    assert "alpha 7" not in text and '"q7"' not in text
    assert task["items"][7][:3] == [digest(OE, "q7"), digest("alpha 7"), digest("qid", "q7")]
    assert task["items"][7][3:] == ["alpha.cheap", "h", 1.0, "NO", "NO"]
    assert task["runs"] == {"alpha.cheap": 80}


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_different_parts_have_different_digests(first, second):
    assert (digest(*first) == digest(*second)) == (first == second)


def test_half_a_surrogate_pair_can_be_hashed():
    assert len(digest("\ud800")) == 16


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=20,
)
TASK = st.fixed_dictionaries(
    {
        "rubric": st.just("huproverbrea_oe/1") | JSON,
        "judge": st.just("cheap") | JSON,
        "reference": st.just("gold") | JSON,
        "reference_kind": st.sampled_from(["judge", "people", "cat"]) | JSON,
        "signature": st.just({}) | JSON,
        "runs": st.just({"alpha": 40}) | JSON,
        "items": st.just([["0" * 16, "1" * 16, "2" * 16, "alpha", None, 1.0, "YES", "NO"]] * 30) | JSON,
        "left_out": st.just({}) | JSON,
    }
)


@given(tasks=st.dictionaries(st.just(OE) | st.text(max_size=9), TASK | JSON, max_size=2) | JSON)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_read_or_refused_in_one_line(tmp_path, tasks):
    data = {"format": FORMAT, "hueval": "1", "tasks": tasks}
    file = tmp_path / "forged.json"
    file.write_text(json.dumps(data | {"sha256": checksum(data)}))
    try:
        found = read_calibration(file)
    except InputError as error:
        assert str(error).startswith(f"{file}: ") and "\n" not in str(error)
    else:
        assert set(found.tasks) <= {OE} and all(len(task.items) >= 30 for task in found.tasks.values())
