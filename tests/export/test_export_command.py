import argparse
import re

import pytest

from hueval_metrics.commands import export
from hueval_metrics.errors import InputError
from hueval_metrics.export.plan import TARGETS
from tests.export.conftest import FIB, QA


@pytest.fixture
def hueval():
    """Calls the command with its arguments."""

    def call(*argv: object) -> int:
        parser = argparse.ArgumentParser(prog="hueval")
        export.add(parser.add_subparsers())
        args = parser.parse_args(["export", *map(str, argv)])
        return args.call(args)

    return call


def files(folder) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_each_written_file_is_named(hueval, scored, tmp_path, capsys):
    out = tmp_path / "out"
    assert hueval(scored(), "--to", "hub", "--output", out, "--dataset", "my-org/openhueval@v1.0") == 0
    names = [f".eval_results/{FIB}.yaml", f".eval_results/{QA}.yaml"]
    assert files(out) == sorted(names)
    assert capsys.readouterr().out.splitlines() == [f"Wrote {out / name}" for name in names]


def test_a_dry_run_shows_what_the_real_one_writes(hueval, scored, tmp_path, capsys):
    out, run = tmp_path / "out", scored()
    arguments = (run, "--to", "all", "--output", out, "--dataset", "my-org/openhueval")
    assert hueval(*arguments, "--dry-run") == 0
    assert not out.exists()
    shown = capsys.readouterr().out
    hueval(*arguments)
    sizes = dict(re.findall(rf"{out}/(\S+) \(([\d,]+) bytes\)", shown))
    assert {name: int(size.replace(",", "")) for name, size in sizes.items()} == {
        name: (out / name).stat().st_size for name in files(out)
    }
    assert "value: 75.0" in shown


def test_every_option_reaches_the_export(hueval, scored, tmp_path):
    run = scored(tasks=(FIB,), signature="data:ffffffffffff|sample:yes|limit:2", model=None)
    arguments = (run, "--to", "every-eval-ever", "--output", tmp_path / "out", "--model", "org/name", "--no-items")
    marks = ("--evaluator", "My Lab", "--relationship", "third_party", "--source-url", "https://example.org/run")
    with pytest.raises(InputError, match="--even-sample --even-partial"):
        hueval(*arguments)
    hueval(*arguments, *marks, "--even-sample", "--even-partial")
    (name,) = files(tmp_path / "out")
    assert name.startswith("data/openhueval/org/name/")
    text = (tmp_path / "out" / name).read_text(encoding="utf-8")
    assert all(mark in text for mark in marks[1::2])
    (tmp_path / "out" / name).write_text("another's", encoding="utf-8")
    with pytest.raises(InputError, match="add --overwrite"):
        hueval(*arguments, "--even-sample", "--even-partial")
    hueval(*arguments, "--even-sample", "--even-partial", "--overwrite")
    assert "another's" not in (tmp_path / "out" / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("target", [*TARGETS, "all"])
def test_every_target_is_offered(hueval, scored, tmp_path, target):
    assert hueval(scored(), "--to", target, "--output", tmp_path / "out", "--dataset", "a/b", "--dry-run") == 0
