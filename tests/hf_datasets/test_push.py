from __future__ import annotations

import pytest

from hf_datasets.contamination import GUIDS
from hf_datasets.convert import convert
from hf_datasets.converted import read_converted
from hf_datasets.evaluation import evaluation_file
from hf_datasets.push import push
from hf_datasets.repo import dataset_repo
from hueval_metrics.cli import main
from hueval_metrics.errors import HuevalError
from tests.each import each
from tests.fakes.hub_repos import INITIAL, FakeRepo
from tests.fakes.hub_server import READ, STRANGER, Fault
from tests.helpers import shared
from tests.hf_datasets.load_back import as_converted, load
from tests.hf_datasets.published import refused_address
from tests.hf_datasets.toy import CARD, EVALUATED, ROWS, convert_toy, write_card

REPO = "org/toy"
PATHS = {"folyok/train.parquet", "folyok/test.parquet", "varosok/test.parquet", "README.md", "hueval.json", GUIDS}


@pytest.fixture
def hub(writable_hub):
    return writable_hub


@pytest.fixture
def out(install, tmp_path):
    install()
    return convert_toy(tmp_path / "out")


def refused(*arguments, **options) -> str:
    """The one line that says why nothing was published, without the token."""
    with pytest.raises(HuevalError) as error:
        push(*arguments, **options)
    assert "\n" not in str(error.value)
    assert "canary" not in str(error.value)
    return str(error.value)


def contents(out):
    return {path: (out / path).read_bytes() for path in PATHS}


def test_a_new_repository(hub, out):
    report = push(out, REPO)
    repo = hub.repos[REPO]
    assert repo.files() == INITIAL | contents(out)
    assert len(repo.commits) == 2  # the Hub's own, and one of ours
    assert (report.commit, repo.tags) == (repo.branches["main"], {"v1.0": report.commit})
    assert report.url == f"{hub.url}/datasets/{REPO}/tree/{report.commit}"
    assert report.sent == {path: len(content) for path, content in contents(out).items()}
    assert not repo.private
    assert str(report).endswith(f"6 files, {sum(report.sent.values()):,} bytes sent, 0 unchanged, 0 deleted, "
                                f"tag v1.0\n{report.url}")  # fmt: skip


def test_the_same_again_sends_nothing(hub, out):
    first = push(out, REPO)
    hub.calls.clear()
    again = push(out, REPO)
    assert (again.url, again.sent, set(again.unchanged)) == (first.url, {}, PATHS)
    assert not hub.asked("PUT|POST .*/(commit|tag|preupload|batch)")


def test_a_new_version_sends_what_changed_and_deletes_what_is_gone(hub, out, tmp_path):
    first = push(out, REPO)
    rows = {"folyok": ROWS["folyok"] | {"test": [{"id": "3", "text": "Körös"}]}}
    card = CARD.replace("  - config_name: varosok\n    data_files: [{split: test, path: varosok/test.parquet}]\n", "")
    later = convert_toy(tmp_path / "later", rows, card, "1.1")
    hub.calls.clear()
    report = push(later, REPO)
    assert set(report.sent) == {"folyok/test.parquet", "README.md", "hueval.json", GUIDS}
    assert (report.unchanged, report.deleted) == (("folyok/train.parquet",), ("varosok/test.parquet",))
    assert len(hub.asked("PUT")) == 1
    repo = hub.repos[REPO]
    assert repo.files("v1.0") == INITIAL | contents(out)
    assert "varosok/test.parquet" not in repo.files("v1.1")
    assert repo.tags == {"v1.0": first.commit, "v1.1": report.commit}


def test_a_taken_tag_is_not_moved(hub, out, tmp_path):
    first = push(out, REPO)
    write_card(out, CARD + "\nMore.\n")
    hub.calls.clear()
    assert refused(out, REPO) == (
        f"the tag v1.0 of {REPO} points to other content ({first.commit[:8]}). Name another version: --tag"
    )
    assert not hub.asked("PUT|POST .*/commit")
    assert push(out, REPO, tag="v1.0-card").tag == "v1.0-card"
    assert hub.repos[REPO].tags["v1.0"] == first.commit


def test_a_listed_task_is_pushed_with_its_file(hub, install, tmp_path):
    install("tests.hf_datasets.toy.EVALUATED")
    out = convert_toy(tmp_path / "evaluated", card=f"{CARD}\nThe scores of eval.yaml are not ours.\n")
    assert refused(out, REPO) == f"{out} has no eval.yaml. Convert again: hueval data convert"
    content = evaluation_file(EVALUATED, {"folyok": {"test": 2}})
    (out / "eval.yaml").write_text(content, encoding="utf-8")
    assert "eval.yaml" in push(out, REPO).sent
    assert hub.repos[REPO].files()["eval.yaml"] == content.encode()


def test_another_branch(hub, out):
    report = push(out, REPO, revision="next")
    repo = hub.repos[REPO]
    assert repo.branches["next"] == report.commit
    assert repo.files("main") == INITIAL


def test_a_private_repository(hub, out, monkeypatch):
    assert push(out, REPO, private=True).sent
    assert hub.repos[REPO].private
    monkeypatch.setenv("HF_TOKEN", STRANGER)
    assert refused(out, REPO) == (
        f"the Hub refuses write access to {REPO} (You don't have the rights to create a dataset under the namespace "
        '"org"). '
        "Use a token with write rights, or fix what it says"
    )


def test_a_public_repository_does_not_become_private_unasked(hub, out):
    hub.repos[REPO] = FakeRepo()
    assert refused(out, REPO, private=True) == (
        f"{REPO} is public. Make it private on the Hub first, or leave out --private"
    )
    assert hub.repos[REPO].files() == INITIAL


# What is refused before anybody is asked


@pytest.fixture
def nobody(hub):
    yield
    assert hub.calls == []


@pytest.mark.usefixtures("nobody")
def test_a_dry_run_asks_nobody_and_needs_no_token(out, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")
    report = push(out, REPO, dry_run=True)
    assert (report.url, report.commit, set(report.sent)) == (None, None, PATHS)
    assert str(report).startswith(f"{REPO} would get 6 files, ")
    assert f"  varosok/test.parquet  {report.sent['varosok/test.parquet']:,} bytes" in str(report)


@pytest.mark.usefixtures("nobody")
def test_no_token(out, monkeypatch, hub):
    monkeypatch.delenv("HF_TOKEN")
    assert refused(out, REPO) == (
        f"pushing to {REPO} needs a token, and there is none. Make one with write rights at "
        f"{hub.url}/settings/tokens and set HF_TOKEN to it, or run: hf auth login"
    )


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize("variable", ["HUEVAL_OFFLINE", "HF_HUB_OFFLINE"])
def test_offline(out, monkeypatch, variable):
    monkeypatch.setenv(variable, "1")
    assert refused(out, REPO) == (
        "pushing needs the network, and HUEVAL_OFFLINE or HF_HUB_OFFLINE is set. Unset it"
    )  # fmt: skip


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_licence_that_forbids_it(out, install, dry_run):
    install("tests.hf_datasets.toy.FORBIDDEN")
    assert refused(out, REPO, dry_run=dry_run) == (
        "Toy may not be published by others: nobody knows its licence. Ask its authors"
    )


@pytest.mark.usefixtures("nobody")
@each("name", ["openhueval", "hulu"])
def test_the_packaged_sample_is_nobodys_benchmark(name, tmp_path):
    repo = dataset_repo(name)
    convert(repo, repo.sample, tmp_path / "out")
    assert refused(tmp_path / "out", REPO, dry_run=True) == (
        f"{tmp_path / 'out'} was converted from the packaged sample, which is not {repo.title}. "
        "Convert the authors' files"
    )


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda out: (out / "hueval.json").unlink(), "has no hueval.json, so it is not a converted data set"),
        (lambda out: (out / "folyok/test.parquet").write_bytes(b"x"), "is damaged or was changed (SHA-256 2d71"),
        (lambda out: (out / "folyok/test.parquet").unlink(), "is missing, and hueval.json lists it"),
        (lambda out: (out / "README.md").unlink(), "cannot read"),
        (lambda out: (out / "README.md").write_bytes(b"\xff"), "cannot read"),
        (
            lambda out: (out / "README.md").write_text(CARD.replace("cc-by-4.0", "mit", 1).replace("[hu, en]", "hu")),
            'README.md: license is "mit", expected "cc-by-4.0" (and 1 more). Convert again; ',
        ),
        (lambda out: (out / "README.md").write_text(CARD), "README.md lacks the contamination GUID of folyok. Convert"),
        (lambda out: (out / GUIDS).unlink(), f"{GUIDS} lacks the contamination GUID of folyok. Convert again"),
    ],
)
def test_a_folder_that_is_not_sound(out, damage, said):
    damage(out)
    assert said in refused(out, REPO, dry_run=True)


@pytest.mark.usefixtures("nobody")
@pytest.mark.parametrize(
    ("repo", "options", "said"),
    [
        ("toy", {}, 'the repository is "toy", expected namespace/name'),
        ("a/b/c", {}, 'the repository is "a/b/c", expected namespace/name'),
        (REPO, {"tag": "v 1"}, '--tag is "v 1", expected a name of letters'),
        (REPO, {"tag": "../v1"}, '--tag is "../v1", expected'),
        (REPO, {"revision": ""}, '--revision is "", expected'),
    ],
)
def test_odd_names(out, repo, options, said):
    assert said in refused(out, repo, **options)


# What the Hub refuses


def test_a_token_that_the_hub_does_not_know(hub, out, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_canary_made_up")
    assert refused(out, REPO) == (
        "the Hub does not accept the token (Invalid credentials in Authorization header). Make one with write rights "
        f"at {hub.url}/settings/tokens and set HF_TOKEN to it, or run: hf auth login"
    )


def test_a_token_without_write_rights(hub, out, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", READ)
    assert "the Hub refuses write access to org/toy (You don't have the rights to create a dataset" in refused(
        out, REPO
    )
    assert hub.repos == {}
    hub.repos[REPO] = FakeRepo()  # one that the token may read
    assert "(Forbidden: you must use a write token to upload to a repository.)" in refused(out, REPO)
    assert hub.repos[REPO].files() == INITIAL


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"data.csv": b"mine"}, "org/toy contains files but no hueval.json. Name another repository"),
        (
            {"hueval.json": b'{"format": 1, "name": "hulu", "hueval": "1", "source": {}, "configs": {}}'},
            "org/toy contains hulu, not toy. Name another repository",
        ),
        ({"hueval.json": b"{"}, "hueval.json of org/toy is damaged"),
    ],
)
def test_a_repository_of_something_else_is_left_alone(hub, out, files, said):
    hub.repos[REPO] = FakeRepo()
    before = hub.repos[REPO].commit("main", files)
    assert said in refused(out, REPO)
    assert hub.repos[REPO].branches == {"main": before}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_hub_in_trouble(hub, out, status):
    hub.faults = [Fault("POST .*/preupload", status, "Busy", times=99)]
    assert refused(out, REPO) == (
        "the Hub broke off or cannot be reached (Busy). Run the same command again: what is up is not sent again"
    )
    hub.restore()
    push(out, REPO)
    assert hub.repos[REPO].files() == INITIAL | contents(out)


def test_a_short_trouble_is_not_told(hub, out):
    hub.faults = [Fault("PUT", 503), Fault("POST .*/preupload", 502)]
    assert push(out, REPO).commit == hub.repos[REPO].branches["main"]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (Fault("POST .*/commit", 412, "A commit."), f"{REPO} was changed in the meantime (A commit.). Run the same"),
        (Fault("POST .*/batch", 403, "Storage limit"), f"refuses write access to {REPO} (Storage limit). Use a token"),
        (Fault("POST .*/tag", 400, "Odd"), f"the Hub refuses {REPO} (Odd). Fix what it says"),
    ],
)
def test_what_the_hub_says_is_told(hub, out, fault, said):
    hub.faults = [fault]
    assert said in refused(out, REPO)


def test_nobody_listens(hub, out, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", refused_address())
    assert "Connection refused). Run the same command again" in refused(out, REPO)


# The network is lost


@pytest.mark.parametrize(
    ("where", "least", "most"),
    [
        (Fault("GET /api/datasets/org/toy", "lose"), 0, 0),
        (Fault("POST .*/repos/create", "lose"), 0, 0),
        (Fault("GET .*/tree", "lose"), 0, 0),
        (Fault("PUT", "lose"), 0, 2),
        (Fault("PUT", "lose", skip=1), 1, 2),
        (Fault("POST .*/commit", "lose"), 3, 3),
        (Fault("POST .*/tag", "lose"), 3, 3),
    ],
    ids=lambda value: f"{value.on} {value.skip}" if isinstance(value, Fault) else "",
)
def test_after_a_lost_network_the_same_command_goes_on(hub, out, where, least, most):
    hub.faults = [where]
    assert "the Hub broke off or cannot be reached (" in refused(out, REPO)
    up = len(hub.large)  # the client sends several large files at once
    assert least <= up <= most
    hub.restore()
    hub.calls.clear()
    report = push(out, REPO)
    assert len(hub.asked("PUT")) == 3 - up
    repo = hub.repos[REPO]
    assert repo.files() == INITIAL | contents(out)
    assert repo.tags == {"v1.0": report.commit} == {"v1.0": repo.branches["main"]}
    assert len(repo.commits) == 2


def test_an_answer_that_is_lost_after_the_commit(hub, out):
    """The commit is made, and nobody hears of it: the second push finds it and only tags."""
    hub.faults = [Fault("POST .*/commit", "cut")]
    refused(out, REPO)
    assert len(hub.repos[REPO].commits) == 2
    report = push(out, REPO)
    assert (report.sent, len(hub.repos[REPO].commits)) == ({}, 2)
    assert hub.repos[REPO].tags == {"v1.0": report.commit}


# And back


def test_listed_page_by_page(hub, out):
    from huggingface_hub import HfApi

    push(out, REPO)
    hub.page = 2
    files = HfApi(endpoint=hub.url, token=False).list_repo_files(REPO, repo_type="dataset", revision="v1.0")
    assert set(files) == PATHS | set(INITIAL)
    assert len(hub.asked("GET .*/tree")) > 2


@pytest.mark.process
@pytest.mark.parametrize("private", [False, True])
def test_load_dataset_at_a_pinned_revision_gives_the_same_rows(hub, out, tmp_path, private):
    commit = push(out, REPO, private=private).commit
    newer = ROWS | {"varosok": {"test": [{"id": "7", "text": "Pécs"}]}}
    push(convert_toy(tmp_path / "newer", newer, version="2.0"), REPO)
    manifest = read_converted(out).manifest
    done = load(hub, tmp_path, REPO, manifest, commit, READ if private else None)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == as_converted(manifest)


@pytest.mark.nightly
@pytest.mark.process
@pytest.mark.parametrize("name", ["openhueval", "hulu"])
def test_real_data_pushed_and_loaded_back_are_the_same_rows(hub, tmp_path, name):
    repo = dataset_repo(name)
    manifest = convert(repo, shared("data", name), tmp_path / "out")
    report = push(tmp_path / "out", REPO)
    done = load(hub, tmp_path, REPO, manifest, report.commit)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == as_converted(manifest)


@pytest.mark.process
def test_load_dataset_of_a_private_repository_without_a_token(hub, out, tmp_path):
    commit = push(out, REPO, private=True).commit
    done = load(hub, tmp_path, REPO, read_converted(out).manifest, commit)
    assert done.returncode != 0
    assert "DatasetNotFoundError" in done.stderr


def test_the_command(hub, out, capsys, caplog):
    assert main(["data", "push", str(out), REPO, "--private", "--tag", "v3", "--dry-run"]) == 0
    assert "would get 6 files" in capsys.readouterr().out
    assert main(["data", "push", str(out), REPO, "--private", "--tag", "v3", "--revision", "next"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[-1] == f"{hub.url}/datasets/{REPO}/tree/{hub.repos[REPO].tags['v3']}"
    assert hub.repos[REPO].private
    assert "canary" not in printed.out + printed.err + caplog.text
    assert main(["data", "push", str(out), "toy"]) == 1
    assert capsys.readouterr().err.startswith('hueval: the repository is "toy", expected namespace/name')
