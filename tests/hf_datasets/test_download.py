from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from huggingface_hub import constants

from hf_datasets import fetch
from hf_datasets.cache import blob_id
from hf_datasets.fetch import address
from hf_datasets.load import load
from hueval_metrics.errors import DataError
from tests.fakes.hub_repos import Account
from tests.fakes.hub_server import READ, Fault
from tests.hf_datasets.published import BODY, ID, NAME, TABLE, cached_path, error_of, found, mirror, refused_address
from tests.hf_datasets.toy import ROWS as TOY_ROWS
from tests.hf_datasets.toy import convert_toy, toy_repo

pytestmark = pytest.mark.usefixtures("published")


# The Hub


def test_from_the_hub_then_from_the_cache(hub_repo):
    source, content = found()
    assert (source.path, source.origin, source.blob_id, content) == (cached_path(), "hub", ID, BODY)
    assert found()[0].origin == "cache"
    assert hub_repo.calls == [f"GET /datasets/hueval/openhueval/resolve/v1/{NAME}.jsonl"]


def test_the_hub_outranks_upstream(hub_repo, monkeypatch):
    mirror(hub_repo, monkeypatch)
    found()
    assert not hub_repo.asked("GET /data/")


def test_the_revision_is_the_one_that_was_pinned(hub_repo, monkeypatch):
    commit = hub_repo.repos["hueval/openhueval"].tags["v1"]
    hub_repo.put_dataset("hueval/openhueval", "v2", {f"{NAME}.jsonl": b"new"})
    monkeypatch.setenv("HUEVAL_HUB_REPO", f"hueval/openhueval@{commit}")
    assert found()[1] == BODY
    assert hub_repo.calls == [f"GET /datasets/hueval/openhueval/resolve/{commit}/{NAME}.jsonl"]


def test_a_private_repository(hub_repo, monkeypatch):
    hub_repo.accounts[READ] = Account("hueval", write=False)
    hub_repo.repos["hueval/openhueval"].private = True
    assert "the Hub repository hueval/openhueval@v1 (HTTP 401 Repository not found)" in error_of()
    monkeypatch.setenv("HF_TOKEN", READ)
    assert found()[0].origin == "hub"


def test_no_token_is_sent_where_the_user_forbids_it(hub_repo, monkeypatch):
    hub_repo.accounts[READ] = Account("hueval", write=False)
    hub_repo.repos["hueval/openhueval"].private = True
    monkeypatch.setenv("HF_TOKEN", READ)
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_IMPLICIT_TOKEN", True)  # read from the environment at its import
    assert "the Hub repository hueval/openhueval@v1 (HTTP 401 Repository not found)" in error_of()


def test_a_token_follows_a_redirect_of_the_hub_itself(hub_repo, monkeypatch):
    """To the new name of a repository, or to the Hub's own cache."""
    monkeypatch.setenv("HF_TOKEN", READ)
    hub_repo.accounts[READ] = Account("hueval", write=False)
    hub_repo.repos["hueval/openhueval"].private = True
    path = f"/resolve/v1/{NAME}.jsonl"
    hub_repo.redirects[f"/datasets/hueval/old{path}"] = f"{hub_repo.url}/datasets/hueval/openhueval{path}"
    monkeypatch.setenv("HUEVAL_HUB_REPO", "hueval/old@v1")
    assert found()[0].origin == "hub"


@pytest.mark.parametrize("value", ["hueval/openhueval", "hueval/openhueval@", "openhueval@v1", "@v1", "a/b/c@v1"])
def test_a_repository_without_a_pin_is_an_error(hub, monkeypatch, value):
    mirror(hub, monkeypatch)
    monkeypatch.setenv("HUEVAL_HUB_REPO", value)
    assert error_of() == (
        f'HUEVAL_HUB_REPO is "{value}", expected org/name@revision. Pin the revision: add @ and a commit'
    )


def test_a_wrong_file_on_the_hub_is_an_error_and_not_kept(hub_repo, monkeypatch, tmp_path):
    mirror(hub_repo, monkeypatch)
    hub_repo.put_dataset("hueval/openhueval", "v1", {f"{NAME}.jsonl": b"old"})
    assert error_of().startswith(
        f"{NAME}.jsonl from the Hub repository hueval/openhueval@v1 is not the published file "
        f"(git blob id {blob_id(b'old')}, expected {ID}); nothing was kept. "
    )
    assert not list(tmp_path.rglob("*.jsonl*"))


def test_a_hub_without_the_file_is_passed_over(hub_repo, monkeypatch):
    repo = hub_repo.repos["hueval/openhueval"]
    repo.tags["v1"] = repo.commit("main", {})
    mirror(hub_repo, monkeypatch)
    assert found()[0].origin == "upstream"


def test_an_unreachable_hub_is_passed_over(hub_repo, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", refused_address())
    mirror(hub_repo, monkeypatch)
    assert found()[0].origin == "upstream"


@pytest.mark.process
def test_the_hub_in_a_process_of_its_own(hub_repo):
    """As `lm_eval` starts it; there the true hash is expected, so our file comes through the client and is refused."""
    code = f"from hf_datasets.load import load; from hf_datasets.openhueval.convert import REPO; load(REPO, {NAME!r})"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert f"{NAME}.jsonl from the Hub repository hueval/openhueval@v1 is not the published file" in done.stderr
    assert hub_repo.calls[-1] == f"GET /datasets/hueval/openhueval/resolve/v1/{NAME}.jsonl"


# Upstream


def test_from_upstream_then_from_the_cache(hub, monkeypatch):
    mirror(hub, monkeypatch)
    source, content = found()
    assert (source.path, source.origin, source.blob_id, content) == (cached_path(), "upstream", ID, BODY)
    assert found()[0].origin == "cache"
    assert hub.calls == [f"GET /data/{NAME}.jsonl"]
    assert [path.name for path in cached_path().parent.iterdir()] == [f"{NAME}.jsonl"]


def test_the_upstream_address(monkeypatch):
    monkeypatch.delenv("HUEVAL_UPSTREAM_URL")
    assert address(TABLE.official) == (
        "https://raw.githubusercontent.com/opendatalab/OpenHuEval/38c22bdfdcbf95d139e6001ea1b98934ebd2e7ca"
        "/data/HuSimpleQA.jsonl"
    )


def test_too_large(hub_repo, monkeypatch):
    url = mirror(hub_repo, monkeypatch)
    hub_repo.faults = [Fault("GET", "huge", times=2)]
    line = error_of()
    assert "the Hub repository hueval/openhueval@v1 (larger than 2048 MiB, which no official file is)" in line
    assert f"{url} (larger than 2048 MiB, which no official file is)" in line
    assert len(hub_repo.calls) == 2


def test_too_large_unannounced(hub, monkeypatch):
    mirror(hub, monkeypatch)
    monkeypatch.setattr(fetch, "SIZE_CAP", 10)
    assert "(larger than 0 MiB" in error_of()


def test_a_write_that_breaks_off_leaves_nothing(hub, monkeypatch):
    mirror(hub, monkeypatch)

    def denied(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "replace", denied)
    assert error_of().startswith(f"cannot write {cached_path()} (Permission denied). ")
    assert list(cached_path().parent.iterdir()) == []


# Nothing there


def test_the_last_error_names_every_way_out(hub, monkeypatch):
    monkeypatch.setenv("HUEVAL_UPSTREAM_URL", f"{hub.url}/data")
    tried = [
        "data_dir and HUEVAL_DATA_DIR (not set)",
        f"the cache (no {cached_path()})",
        "the Hub (HUEVAL_HUB_REPO is not set)",
        f"{hub.url}/data/{NAME}.jsonl (HTTP 404 Not found)",
    ]
    assert error_of() == (
        f"{NAME}.jsonl was not found. Tried: {'; '.join(tried)}. "
        f"Set HUEVAL_DATA_DIR to a folder that has openhueval/{NAME}.jsonl, connect to the network or bring the cache "
        "from a machine that ran hueval data pull openhueval, or try the small packaged sample: HUEVAL_SAMPLE=1"
    )


@pytest.mark.parametrize("variable", ["HUEVAL_OFFLINE", "HF_HUB_OFFLINE"])
def test_offline_asks_nobody(hub_repo, monkeypatch, variable):
    url = mirror(hub_repo, monkeypatch)
    monkeypatch.setenv(variable, "1")
    line = error_of()
    assert "the Hub (HUEVAL_OFFLINE or HF_HUB_OFFLINE is set)" in line
    assert f"{url} (HUEVAL_OFFLINE or HF_HUB_OFFLINE is set)" in line
    assert hub_repo.calls == []


def test_nobody_listens(hub_repo, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", refused_address())
    line = error_of()
    assert "the Hub repository hueval/openhueval@v1 (" in line
    assert "Connection refused" in line


def test_a_server_that_never_answers(hub_repo, monkeypatch):
    monkeypatch.setattr(fetch, "ANSWER_S", 0.2)
    url = mirror(hub_repo, monkeypatch)
    hub_repo.faults = [Fault("GET", "hang", times=2)]
    line = error_of()
    assert "the Hub repository hueval/openhueval@v1 (" in line
    assert f"{url} (no answer within 0.2 s)" in line
    assert len(hub_repo.calls) == 2


# Every data set


@pytest.fixture
def rivers(hub, monkeypatch, tmp_path):
    """A data set of another name, converted, on a Hub; neither it nor its files are pinned."""
    monkeypatch.setenv("HF_ENDPOINT", hub.url)
    out = convert_toy(tmp_path / "out", source="test.json")
    files = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.*")}
    hub.put_dataset("org/toy", "v2", files)
    return toy_repo()


@pytest.mark.parametrize(
    "named", ["org/toy@v2", "toy=org/toy@v2", "hueval/openhueval@v1, toy=org/toy@v2", "toy=org/toy@v2,other=x/y@z"]
)
def test_a_repository_for_one_data_set_or_for_all(rivers, monkeypatch, named):
    monkeypatch.setenv("HUEVAL_HUB_REPO", named)
    loaded = load(rivers, "varosok")
    assert loaded.rows == TOY_ROWS["varosok"]["test"]
    source = loaded.source
    assert (source.origin, source.repo, source.revision, source.blob_id) == ("hub", "org/toy", "v2", "1" * 40)


def test_the_repository_of_another_data_set_is_passed_over(rivers, monkeypatch):
    monkeypatch.setenv("HUEVAL_HUB_REPO", "org/toy@v2")
    assert "the Hub repository org/toy@v2 (its hueval.json is of toy)" in error_of()
    monkeypatch.setenv("HUEVAL_HUB_REPO", "toy=org/toy@v2")
    assert "the Hub (HUEVAL_HUB_REPO is not set)" in error_of()


def test_a_data_set_without_pinned_files_is_not_looked_for_upstream():
    with pytest.raises(DataError, match=r"upstream \(no revision of Toy is pinned\)\. Set HUEVAL_DATA_DIR to a folder"):
        load(toy_repo(), "varosok")
