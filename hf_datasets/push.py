"""Publishing a converted folder as a dataset repository on the Hugging Face Hub.

Everything is checked before the first request. Then the files that the repository does not have are uploaded in one
commit. Large files are stored one by one before it, so the same call continues after a lost connection. A repository
with other content is not changed, and a tag that points to other content is not moved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hf_datasets.cache import file_blob_id, file_sha256
from hf_datasets.card import CARD, check_card
from hf_datasets.contamination import GUIDS, without_guid
from hf_datasets.converted import MANIFEST, Manifest, parse_manifest, read_converted
from hf_datasets.evaluation import EVALUATION, evaluation_file
from hf_datasets.network import hub_endpoint, offline, reason
from hf_datasets.opened import source_files
from hf_datasets.repo import dataset_repo
from hueval_metrics.errors import DataError, HuevalError, InputError
from hueval_metrics.one_line import one_line
from hueval_metrics.text.files import read_text

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

MAIN = "main"
_REPO_ID = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_REF = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)*", re.ASCII)
_OF_THE_HUB = (".gitattributes", CARD)  # files of a repository that was created by hand and is still empty


@dataclass(frozen=True, slots=True)
class PushReport:
    """The files that were sent, or would be in a dry run.

    Attributes:
        repo_id: such as `my-org/kviz`.
        url: of the repository at the commit; None for a dry run.
        commit: the commit; None for a dry run.
        tag: the version that points to the commit.
        sent: file → bytes; for a dry run of all files.
        unchanged: the files that the repository has already.
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


def push(
    out: Path,
    repo_id: str,
    *,
    private: bool = False,
    dry_run: bool = False,
    tag: str | None = None,
    revision: str | None = None,
) -> PushReport:
    """Publish a converted folder; files that the repository has already are not sent again.

    Args:
        out: the folder, as `convert` writes it.
        repo_id: `namespace/name`; created where there is none.
        private: create it as a private one; a public one of this name is an error.
        dry_run: check everything and make no request.
        tag: the version to tag; None for `v` and the version of hueval that converted the folder.
        revision: the branch; None for `main`.

    Raises:
        DataError: the folder is damaged or its card incomplete.
        InputError: the licence forbids it, it is the packaged sample, there is no token or it has no write access, the
            repository has other content, the tag is taken, the Hub refuses or cannot be reached.
    """
    manifest, files = _checked(out, repo_id, tag, revision)
    tag = tag or f"v{manifest.hueval}"
    if dry_run:
        return PushReport(repo_id, None, None, tag, {name: path.stat().st_size for name, path in files.items()})
    if offline():
        raise InputError("pushing needs the network, and HUEVAL_OFFLINE or HF_HUB_OFFLINE is set. Unset it")
    with _reported(repo_id):
        return _publish(_client(repo_id), manifest, files, repo_id, revision or MAIN, tag, private)


def _checked(out: Path, repo_id: str, tag: str | None, revision: str | None) -> tuple[Manifest, dict[str, Path]]:
    """The folder's manifest and its files by their path there, after all checks that need no network."""
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
    try:
        card = (out / CARD).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot read {out / CARD} ({one_line(error)}). Convert again: hueval data convert") from None
    if problems := check_card(card, repo, manifest.tables):
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        again = f"Convert again; if it says the same then, fix hf_datasets/{repo.name}/{CARD}"
        raise DataError(f"{out / CARD}: {problems[0]}{more}. {again}")
    guids = read_text(out / GUIDS) if (out / GUIDS).is_file() else ""
    for name, text in ((CARD, card), (GUIDS, guids)):
        if lacking := without_guid(text, repo, manifest.tables):
            raise DataError(
                f"{out / name} lacks the contamination GUID of {lacking[0]}. Convert again: hueval data convert"
            )
    files |= {name: out / name for name in (CARD, GUIDS, MANIFEST)}
    if evaluation_file(repo, manifest.tables):
        if not (out / EVALUATION).is_file():
            raise DataError(f"{out} has no {EVALUATION}. Convert again: hueval data convert")
        files[EVALUATION] = out / EVALUATION
    return manifest, files


def _client(repo_id: str) -> HfApi:
    from huggingface_hub import HfApi, get_token

    token = get_token()
    if token is None:
        raise InputError(f"pushing to {repo_id} needs a token, and there is none. {_token()}")
    return HfApi(endpoint=hub_endpoint(), token=token, library_name="hueval")


def _publish(
    api: HfApi, manifest: Manifest, files: Mapping[str, Path], repo_id: str, branch: str, tag: str, private: bool
) -> PushReport:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete
    from huggingface_hub.errors import RepositoryNotFoundError
    from huggingface_hub.hf_api import RepoFile

    try:
        is_private = api.dataset_info(repo_id).private
    except RepositoryNotFoundError:
        is_private = private
        api.create_repo(repo_id, repo_type="dataset", private=private or None)
    if private and not is_private:
        raise InputError(f"{repo_id} is public. Make it private on the Hub first, or leave out --private")
    if branch != MAIN:
        api.create_branch(repo_id, repo_type="dataset", branch=branch, exist_ok=True)
    refs = api.list_repo_refs(repo_id, repo_type="dataset")
    head = next(ref.target_commit for ref in refs.branches if ref.name == branch)
    entries = api.list_repo_tree(repo_id, repo_type="dataset", revision=head, recursive=True)
    there = {entry.path: entry for entry in entries if isinstance(entry, RepoFile)}
    earlier = _earlier(api, repo_id, head, set(there), manifest.name)
    stale = [name for name in earlier if name in there and name not in files]
    new = {name: path for name, path in files.items() if name not in there or not _same(path, there[name])}
    tagged = {ref.name: ref.target_commit for ref in refs.tags}
    if tag in tagged and (new or stale or tagged[tag] != head):
        raise InputError(
            f"the tag {tag} of {repo_id} points to other content ({tagged[tag][:8]}). Name another version: --tag"
        )
    commit = head
    if new or stale:
        added = [CommitOperationAdd(name, path) for name, path in new.items()]
        commit = api.create_commit(
            repo_id,
            [*added, *map(CommitOperationDelete, stale)],
            commit_message=f"{manifest.name} {tag}",
            repo_type="dataset",
            revision=branch,
            parent_commit=head,  # do not overwrite what somebody else pushed in the meantime
        ).oid
    if tag not in tagged:
        api.create_tag(repo_id, repo_type="dataset", tag=tag, revision=commit)
    url = f"{hub_endpoint()}/datasets/{repo_id}/tree/{commit}"
    sent = {name: path.stat().st_size for name, path in new.items()}
    return PushReport(repo_id, url, commit, tag, sent, tuple(name for name in files if name not in new), tuple(stale))


def _same(path: Path, there: RepoFile) -> bool:
    """Whether the Hub has this content. Small files are in git itself, which has no SHA-256 of them."""
    return there.lfs.sha256 == file_sha256(path) if there.lfs else there.blob_id == file_blob_id(path)


def _earlier(api: HfApi, repo_id: str, commit: str, there: set[str], name: str) -> list[str]:
    """The data files of an earlier push.

    Raises:
        InputError: the repository has files that hueval did not push.
    """
    if MANIFEST not in there:
        if there - set(_OF_THE_HUB):
            raise InputError(f"{repo_id} contains files but no {MANIFEST}. Name another repository")
        return []
    with TemporaryDirectory() as folder:
        path = api.hf_hub_download(repo_id, MANIFEST, repo_type="dataset", revision=commit, cache_dir=folder)
        earlier = parse_manifest(Path(path).read_bytes(), f"{MANIFEST} of {repo_id}")
    if earlier.name != name:
        raise InputError(f"{repo_id} contains {earlier.name}, not {name}. Name another repository")
    return sorted(earlier.files)


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
    while (
        error.__cause__ is not None and getattr(error, "response", None) is None
    ):  # uploads run in a thread, which wraps the error
        error = error.__cause__
    status = getattr(getattr(error, "response", None), "status_code", 0)
    said = one_line(getattr(error, "server_message", None) or reason(Exception(str(error) or type(error).__name__)))
    faults = {
        401: f"the Hub does not accept the token ({said}). {_token()}",
        403: f"the Hub refuses write access to {repo_id} ({said}). Use a token with write rights, or fix what it says",
        404: f"{repo_id} was not found with this token ({said}). Fix the name, or use another token",
        409: f"{repo_id} was changed in the meantime ({said}). Run the same command again",
        429: f"the Hub broke off or cannot be reached ({said}). {again}",
    }
    kind = 409 if status == 412 else status
    if kind not in faults and 400 <= status < 500:
        return f"the Hub refuses {repo_id} ({said}). Fix what it says"
    return faults.get(kind, faults[429])


def _token() -> str:
    page = f"{hub_endpoint()}/settings/tokens"
    return f"Make one with write rights at {page} and set HF_TOKEN to it, or run: hf auth login"
