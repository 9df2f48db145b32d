"""Two processes that fetch or convert the same data at once both end well, and leave one whole copy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hf_datasets.cache import blob_id, cache_dir
from tests.fakes.hub_server import HubServer
from tests.hf_datasets.toy import convert_toy
from tests.preloaded import popen

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
BIG = bytes(range(256)) * 2**16
PULL = """
import sys
from hf_datasets.pull import pull
from hf_datasets.repo import SourceFile
from tests.hf_datasets.toy import toy_repo
url, blob_id = sys.argv[1:]
repo = toy_repo(SourceFile("a/big.bin", url, blob_id))
print("ready", flush=True)
sys.stdin.readline()
for outcome in pull(repo):
    print(getattr(outcome, "fetched", outcome))
"""
LOAD = """
import sys
from hf_datasets.load import load
from tests.hf_datasets.toy import REPO
print("ready", flush=True)
sys.stdin.readline()
print(load(REPO, "varosok").source.origin)
"""
CONVERT = """
import sys
from pathlib import Path
from hf_datasets.convert import convert
from hf_datasets.repo import dataset_repo
repo = dataset_repo("openhueval")
print("ready", flush=True)
sys.stdin.readline()
for _ in range(5):
    convert(repo, repo.sample, Path(sys.argv[1]))
print("done")
"""


def at_once(code, *arguments):
    """What two processes print that begin together."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    both = [popen(command, cwd=ROOT, text=True, **pipes) for _ in range(2)]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    return [process.communicate(timeout=120)[0] for process in both]


@pytest.mark.parametrize("attempt", range(3))
def test_two_pulls(attempt):
    with HubServer() as hub:
        hub.files = {"/big.bin": BIG}
        outputs = at_once(PULL, f"{hub.url}/big.bin", blob_id(BIG))
        assert len(hub.calls) == 1
    lines = [line for output in outputs for line in output.splitlines() if "waiting for it" not in line]
    assert sorted(lines) == ["False", "True"]
    folder = cache_dir() / "data" / "toy" / "a"
    assert [file.name for file in folder.iterdir()] == ["big.bin"]
    assert (folder / "big.bin").read_bytes() == BIG


def test_two_tasks_load_a_conversion_on_the_hub(tmp_path, monkeypatch):
    out = convert_toy(tmp_path / "out", source="towns.json")
    with HubServer() as hub:
        files = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.*")}
        hub.put_dataset("org/toy", "v1", files)
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.setenv("HUEVAL_HUB_REPO", "org/toy@v1")
        outputs = at_once(LOAD)
        assert len(hub.asked("GET /datasets")) == 2  # the manifest and the file, for both processes
    assert [output.splitlines()[-1] for output in outputs] == ["hub", "hub"]
    (kept,) = cache_dir().glob("hub/*")
    assert {path.name for path in kept.rglob("*") if path.is_file()} == {"hueval.json", "test.parquet"}


def test_two_conversions(tmp_path):
    outputs = at_once(CONVERT, tmp_path / "out")
    assert ["done" in output for output in outputs] == [True, True], outputs
    assert [folder.name for folder in tmp_path.iterdir() if "out" in folder.name] == ["out"]
