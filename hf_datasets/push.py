"""Publishing a converted folder as a dataset repository on the Hugging Face Hub.

Everything is checked before the first request. Then files that the repository does not have go up, in one commit; large
ones reach the Hub's storage one by one before it, so after a lost network the same call goes on. A repository that
holds something else is left alone, and so is a tag that points to other content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hf_datasets.cache import file_blob_id
from hf_datasets.card import check_card
from hf_datasets.converted import MANIFEST, Converted, Manifest, parse_manifest, read_converted, sha256_of
from hf_datasets.network import hub_endpoint, offline, reason
from hf_datasets.opened import source_files
from hf_datasets.repo import dataset_repo
from hueval_metrics.records import DataError, HuevalError, InputError
from hueval_metrics.text.one_line import one_line

if TYPE_CHECKING:
    from huggingface_hub import HfApi

CARD = "README.md"
MAIN = "main"
_REPO_ID = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_REF = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*", re.ASCII)
_OF_THE_HUB = (".gitattributes", CARD)  # what a repository that was made by hand, and not yet filled, may have


@dataclass(frozen=True, slots=True)
class PushReport:
    """What was sent, or would be.

    Attributes:
        repo_id: such as `my-org/kviz`.
        url: of the repository at the commit; None for a dry run.
        commit: the commit; None for a dry run.
        tag: the version that points to the commit.
        sent: file → bytes; for a dry run of all files.
        unchanged: the files that the repository had.
        deleted: files of an earlier push that no longer exist.
    """

    repo_id: str
    url: str | None
    commit: str | None
    tag: str
    sent: Mapping[str, int]
    unchanged: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    def __str__(self) -> str:
        """A few lines: the files, the numbers, the address."""
        total = f"{len(self.sent)} files, {sum(self.sent.values()):,} bytes"
        if self.url is None:
            files = "\n".join(f"  {path}  {size:,} bytes" for path, size in self.sent.items())
            return f"{self.repo_id} would get {total}, tag {self.tag}; nothing was sent:\n{files}"
        return (
            f"{self.repo_id}: {total} sent, {len(self.unchanged)} unchanged, {len(self.deleted)} deleted, "
            f"tag {self.tag}\n{self.url}"
        )


@dataclass(frozen=True)
class _Plan:
    """A checked folder and where it goes.

    Attributes:
        converted: the folder.
        repo_id, branch, tag: where it goes.
        private: whether the repository must be a private one.
        files: path in the repository → file.
    """

    converted: Converted
    repo_id: str
    branch: str
    tag: str
    private: bool
    files: Mapping[str, Path]


def push(
    out: Path,
    repo_id: str,
    *,
    private: bool = False,
    dry_run: bool = False,
    tag: str | None = None,
    revision: str | None = None,
) -> PushReport:
    """Publish a converted folder; what the repository has already is not sent again.

    Args:
        out: the folder, as `convert` writes it.
        repo_id: `namespace/name`; made where there is none.
        private: make it a private one; a public one of this name is an error.
        dry_run: check everything and make no request.
        tag: the version to tag; None for `v` and the version of hueval that converted the folder.
        revision: the branch; None for `main`.

    Raises:
        DataError: the folder is not whole or its card not sound.
        InputError: the licence forbids it, it is the packaged sample, there is no token or it may not write, the
            repository holds something else, the tag is taken, the Hub refuses or cannot be reached.
    """
    plan = _checked(out, repo_id, private, tag, revision)
    if dry_run:
        sizes = {name: path.stat().st_size for name, path in plan.files.items()}
        return PushReport(repo_id, None, None, plan.tag, sizes)
    if offline():
        raise InputError("pushing needs the network, and HUEVAL_OFFLINE or HF_HUB_OFFLINE is set. Unset it")
    with _reported(repo_id):
        return _publish(plan, _client(repo_id))


def _checked(out: Path, repo_id: str, private: bool, tag: str | None, revision: str | None) -> _Plan:
    """Everything that can be checked without the network."""
    if not _REPO_ID.fullmatch(repo_id):
        raise InputError(f'the repository is "{repo_id}", expected namespace/name, such as my-org/kviz')
    for ref, option in ((tag, "--tag"), (revision, "--revision")):
        if ref is not None and not _REF.fullmatch(ref):
            raise InputError(f'{option} is "{ref}", expected a name of letters, digits and ._-')
    converted = read_converted(out)
    manifest = converted.manifest
    repo = dataset_repo(manifest.name)
    if repo.refuses_push:
        raise InputError(f"{repo.title} may not be published by others: {repo.refuses_push}. Ask its authors")
    if any(manifest.blob_id(path) == file_blob_id(file) for path, file in source_files(repo, repo.sample).items()):
        raise InputError(
            f"{out} was converted from the packaged sample, which is not {repo.title}. Convert the authors' files"
        )
    files = {file.file: converted.path(c, s) for c, splits in manifest.configs.items() for s, file in splits.items()}
    tables = {c: {s: file.rows for s, file in splits.items()} for c, splits in manifest.configs.items()}
    try:
        card = (out / CARD).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {out / CARD} ({one_line(error)}). Convert again: hueval data convert") from None
    if problems := check_card(card, repo, tables):
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        again = f"Convert again; if it says the same then, fix hf_datasets/{repo.name}/{CARD}"
        raise DataError(f"{out / CARD}: {problems[0]}{more}. {again}")
    files |= {CARD: out / CARD, MANIFEST: out / MANIFEST}
    return _Plan(converted, repo_id, revision or MAIN, tag or f"v{manifest.hueval}", private, files)


def _client(repo_id: str) -> HfApi:
    from huggingface_hub import HfApi, get_token

    token = get_token()
    if token is None:
        raise InputError(
            f"pushing to {repo_id} needs a token with write rights, and there is none. Make one at "
            f"{hub_endpoint()}/settings/tokens and set HF_TOKEN to it, or run: hf auth login"
        )
    return HfApi(endpoint=hub_endpoint(), token=token, library_name="hueval")


def _publish(plan: _Plan, api: HfApi) -> PushReport:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    repo_id = plan.repo_id
    _make(plan, api)
    if plan.branch != MAIN:
        api.create_branch(repo_id, repo_type="dataset", branch=plan.branch, exist_ok=True)
    refs = api.list_repo_refs(repo_id, repo_type="dataset")
    head = next(branch.target_commit for branch in refs.branches if branch.name == plan.branch)
    there = _remote_ids(api, repo_id, head)
    stale = _stale(api, plan, head, there)
    new = {name: path for name, path in plan.files.items() if not _same(path, there.get(name))}
    tagged = {tag.name: tag.target_commit for tag in refs.tags}
    if plan.tag in tagged and (new or stale or tagged[plan.tag] != head):
        raise InputError(
            f"the tag {plan.tag} of {repo_id} points to other content ({tagged[plan.tag][:8]}). "
            "Name another version: --tag"
        )
    commit = head
    if new or stale:
        commit = api.create_commit(
            repo_id,
            [
                *(CommitOperationAdd(name, path) for name, path in new.items()),
                *(CommitOperationDelete(name) for name in stale),
            ],
            commit_message=f"{plan.converted.manifest.name} {plan.tag}",
            repo_type="dataset",
            revision=plan.branch,
            parent_commit=head,  # what somebody else pushed in the meantime is not overwritten
        ).oid
    if plan.tag not in tagged:
        api.create_tag(repo_id, repo_type="dataset", tag=plan.tag, revision=commit)
    return PushReport(
        repo_id,
        f"{hub_endpoint()}/datasets/{repo_id}/tree/{commit}",
        commit,
        plan.tag,
        {name: path.stat().st_size for name, path in new.items()},
        tuple(name for name in plan.files if name not in new),
        tuple(stale),
    )


def _make(plan: _Plan, api: HfApi) -> None:
    """See that there is a repository, a private one if so wanted."""
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        there = api.dataset_info(plan.repo_id)
    except RepositoryNotFoundError:
        api.create_repo(plan.repo_id, repo_type="dataset", private=plan.private or None)
        return
    if plan.private and not there.private:
        raise InputError(f"{plan.repo_id} is public. Make it private on the Hub first, or leave out --private")


def _remote_ids(api: HfApi, repo_id: str, commit: str) -> dict[str, tuple[str | None, str]]:
    """Path → SHA-256 (None where git itself keeps the file) and git blob id of the files at a commit."""
    from huggingface_hub.hf_api import RepoFile

    entries = api.list_repo_tree(repo_id, repo_type="dataset", revision=commit, recursive=True)
    return {e.path: (e.lfs.sha256 if e.lfs else None, e.blob_id) for e in entries if isinstance(e, RepoFile)}


def _same(path: Path, there: tuple[str | None, str] | None) -> bool:
    if there is None:
        return False
    sha256, blob_id = there
    return sha256 == sha256_of(path) if sha256 else blob_id == file_blob_id(path)


def _stale(api: HfApi, plan: _Plan, head: str, there: Mapping[str, object]) -> list[str]:
    """The files of an earlier push that this one does not have.

    Raises:
        InputError: the repository holds something that we did not put there.
    """
    earlier = _remote_manifest(api, plan.repo_id, head) if MANIFEST in there else None
    name = plan.converted.manifest.name
    if earlier is None and set(there) - set(_OF_THE_HUB):
        raise InputError(f"{plan.repo_id} contains files but no {MANIFEST}. Name another repository")
    if earlier and earlier.name != name:
        raise InputError(f"{plan.repo_id} contains {earlier.name}, not {name}. Name another repository")
    ours = [file.file for splits in earlier.configs.values() for file in splits.values()] if earlier else []
    return [file for file in ours if file in there and file not in plan.files]


def _remote_manifest(api: HfApi, repo_id: str, commit: str) -> Manifest:
    with TemporaryDirectory() as folder:
        path = api.hf_hub_download(repo_id, MANIFEST, repo_type="dataset", revision=commit, cache_dir=folder)
        return parse_manifest(Path(path).read_bytes(), f"{MANIFEST} of {repo_id}")


@contextmanager
def _reported(repo_id: str) -> Iterator[None]:
    """Report errors of the Hub, its client and the network in one line."""
    try:
        yield
    except HuevalError:
        raise
    except Exception as error:  # the client's exceptions come from requests or httpx, depending on its version
        raise InputError(_fault(repo_id, error)) from error


def _fault(repo_id: str, error: BaseException) -> str:
    again = "Run the same command again: what is up is not sent again"
    while error.__cause__ is not None and getattr(error, "response", None) is None:  # of an upload in a thread
        error = error.__cause__
    status = getattr(getattr(error, "response", None), "status_code", 0)
    said = one_line(getattr(error, "server_message", None) or reason(Exception(str(error) or type(error).__name__)))
    if status == 401:
        return (
            f"the Hub does not accept the token ({said}). Make one with write rights at "
            f"{hub_endpoint()}/settings/tokens and set HF_TOKEN to it, or run: hf auth login"
        )
    if status == 403:
        return f"the Hub refuses write access to {repo_id} ({said}). Use a token with write rights, or fix what it says"
    if status == 404:
        return f"{repo_id} was not found with this token ({said}). Fix the name, or use another token"
    if status in (409, 412):
        return f"{repo_id} was changed in the meantime ({said}). Run the same command again"
    if 400 <= status < 500 and status != 429:
        return f"the Hub refuses {repo_id} ({said}). Fix what it says"
    return f"the Hub broke off or cannot be reached ({said}). {again}"
