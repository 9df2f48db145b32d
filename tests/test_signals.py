"""SIGTERM as Ctrl-C, and steps between which neither falls."""

from __future__ import annotations

import signal
import threading
from pathlib import Path, PurePosixPath

import pytest

from hf_datasets.convert import convert
from hf_datasets.repo import dataset_repo
from hueval_metrics.cli import main
from hueval_metrics.export.artifacts import Artifact, write
from hueval_metrics.scoring import write as scoring_write
from hueval_metrics.signals import Terminated, signals_held, sigterm_as_ctrl_c, status_of
from tests.scoring.conftest import plain, write_lines


@pytest.mark.parametrize(
    ("number", "kind", "status"), [(signal.SIGINT, KeyboardInterrupt, 130), (signal.SIGTERM, Terminated, 143)]
)
def test_held_signals_take_effect_at_the_end(number, kind, status):
    steps = []
    with pytest.raises(KeyboardInterrupt) as stop, sigterm_as_ctrl_c(), signals_held():
        signal.raise_signal(number)
        signal.raise_signal(number)
        steps.append("not stopped here")
    assert steps
    assert (stop.type, status_of(stop.value)) == (kind, status)


def test_a_second_sigterm_does_not_stop_the_cleaning_up():
    steps = []
    with pytest.raises(Terminated), sigterm_as_ctrl_c():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGTERM)
            steps.append("cleaned up")
    assert steps
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_handler_of_somebody_else_stays():
    told = []
    before = signal.signal(signal.SIGTERM, lambda *_: told.append(1))
    try:
        with sigterm_as_ctrl_c():
            signal.raise_signal(signal.SIGTERM)
        assert told == [1]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_in_a_thread_nothing_is_done():
    """Python sets handlers in the main thread alone; a notebook's server may call from another."""
    errors = []

    def work():
        try:
            with sigterm_as_ctrl_c(), signals_held():
                pass
        except ValueError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert errors == []


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("replaced", [0, 1, 2])
def test_stopped_as_score_replaces_its_files_both_are_old_or_both_new(
    clean_environment, monkeypatch, tmp_path, number, status, replaced
):
    """The signal comes as the first file, the second or none has got its name."""
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    folder, rows = tmp_path / "scored", plain("hustandardfib", "openhueval_hustandardfib")
    arguments = ["score", str(tmp_path / "p.jsonl"), "--output", str(folder)]
    write_lines(tmp_path / "p.jsonl", rows[:3])
    assert main(arguments) == 0
    old = {file.name: file.read_bytes() for file in folder.iterdir()}

    count, replace = 0, Path.replace

    def stopped(path, target):
        nonlocal count
        count += 1
        if count > replaced:
            signal.raise_signal(number)
        return replace(path, target)

    write_lines(tmp_path / "p.jsonl", rows[:5])
    monkeypatch.setattr(Path, "replace", stopped)
    ended = main(arguments)
    new = {file.name: file.read_bytes() for file in folder.iterdir()}
    assert ended == (status if replaced < 2 else 0)
    assert set(new) == set(old)
    assert all(new[name] != old[name] for name in old)


def test_a_stopped_judging_says_what_became_of_its_file(clean_environment, monkeypatch, tmp_path, capsys):
    """“… is as it was” said nothing true of a file that never was."""
    monkeypatch.setenv("HUEVAL_SAMPLE", "1")
    monkeypatch.setenv("HUEVAL_JUDGE", "lexical")
    rows = write_lines(tmp_path / "p.jsonl", plain("husimpleqa", "openhueval_husimpleqa"))
    items = tmp_path / "scored" / "items.jsonl"
    arguments = ["score", str(rows), "--output", str(items.parent)]

    def stopped(_):
        raise KeyboardInterrupt

    for is_there, told in ((False, f"broken off; {items} was not written."), (True, f"{items} is as it was.")):
        with monkeypatch.context() as patch:
            patch.setattr(scoring_write, "json_line", stopped)
            assert main(arguments) == 130
        assert (told in capsys.readouterr().err, items.exists()) == (True, is_there)
        assert main(arguments) == 0


def stopping_at(monkeypatch, method):
    """Let SIGTERM come before every call of a method of paths."""
    original = getattr(Path, method)

    def stopped(path, target):
        signal.raise_signal(signal.SIGTERM)
        return original(path, target)

    monkeypatch.setattr(Path, method, stopped)


def test_stopped_as_a_conversion_takes_its_place_it_is_there(monkeypatch, tmp_path):
    repo, out = dataset_repo("hulu"), tmp_path / "out"
    convert(repo, repo.sample, out)
    stopping_at(monkeypatch, "rename")
    with pytest.raises(Terminated), sigterm_as_ctrl_c():
        convert(repo, repo.sample, out)
    assert (out / "hueval.json").is_file()
    assert [path.name for path in tmp_path.iterdir() if path.name != "cache"] == ["out"]


def test_stopped_as_an_export_takes_its_place_all_of_it_is_there(monkeypatch, tmp_path):
    files = [Artifact(PurePosixPath(name), lambda: [b"new"]) for name in ("scores", "items")]
    stopping_at(monkeypatch, "replace")
    with pytest.raises(Terminated), sigterm_as_ctrl_c():
        write(files, tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == {
        "scores": b"new",
        "items": b"new",
    }


def test_stopped_as_an_export_is_written_none_of_it_is_there(tmp_path):
    def chunks():
        yield b"new"
        signal.raise_signal(signal.SIGTERM)

    files = [Artifact(PurePosixPath("scores"), lambda: [b"new"]), Artifact(PurePosixPath("items"), chunks)]
    with pytest.raises(Terminated), sigterm_as_ctrl_c():
        write(files, tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
