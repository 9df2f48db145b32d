"""What a fake Hub keeps: dataset repositories with their commits, branches and tags, and who may do what with them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hf_datasets.cache import blob_id

INITIAL = {".gitattributes": b"*.parquet filter=lfs diff=lfs merge=lfs -text\n"}  # the Hub makes this first commit


@dataclass(frozen=True)
class Account:
    """Whose token it is.

    Attributes:
        user: the name, which is also a namespace.
        orgs: the organisations whose repositories the token may see.
        write: whether it may write there.
    """

    user: str
    orgs: tuple[str, ...] = ()
    write: bool = True

    def sees(self, repo_id: str) -> bool:
        return repo_id.partition("/")[0] in (self.user, *self.orgs)


def is_large(path: str) -> bool:
    """Whether a file goes to the large file storage."""
    return path.endswith(".parquet")


@dataclass
class FakeRepo:
    """A dataset repository.

    Attributes:
        private: whether only accounts of its namespace see it.
        commits: commit → path → content.
        branches, tags: name → commit.
    """

    private: bool = False
    commits: dict[str, dict[str, bytes]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.commit("main", INITIAL)

    def resolve(self, revision: str) -> str | None:
        """The commit that a branch, tag or commit id stands for; None when there is none."""
        known = {commit: commit for commit in self.commits} | self.tags | self.branches
        return known.get(revision)

    def files(self, revision: str = "main") -> dict[str, bytes]:
        commit = self.resolve(revision)
        assert commit is not None
        return self.commits[commit]

    def commit(self, branch: str, files: Mapping[str, bytes]) -> str:
        """Put a branch to a new commit with these files, and no others."""
        text = repr((len(self.commits), self.branches.get(branch), sorted((p, blob_id(b)) for p, b in files.items())))
        commit = hashlib.sha1(text.encode()).hexdigest()
        self.commits[commit] = dict(files)
        self.branches[branch] = commit
        return commit

    def tree(self, commit: str, folder: str, recursive: bool) -> list[dict[str, Any]] | None:
        """The entries of a folder, as the Hub lists them; None when there is no such folder."""
        prefix = f"{folder}/" if folder else ""
        entries: dict[str, dict[str, Any]] = {}
        for path, content in self.commits[commit].items():
            if not path.startswith(prefix):
                continue
            parents = path.removeprefix(prefix).split("/")[:-1]
            for depth in range(1, len(parents) + 1):
                name = prefix + "/".join(parents[:depth])
                entries[name] = {"type": "directory", "path": name, "oid": blob_id(name.encode()), "size": 0}
            entries[path] = file_entry(path, content)
        if not recursive:
            entries = {path: entry for path, entry in entries.items() if "/" not in path.removeprefix(prefix)}
        return [entries[path] for path in sorted(entries)] if entries else None

    def refs(self) -> dict[str, list[dict[str, str]]]:
        """Branches and tags, as the Hub lists them."""

        def listed(kind: str, named: Mapping[str, str]) -> list[dict[str, str]]:
            return [{"name": n, "ref": f"refs/{kind}/{n}", "targetCommit": c} for n, c in named.items()]

        return {"branches": listed("heads", self.branches), "tags": listed("tags", self.tags), "converts": []}


def file_entry(path: str, content: bytes) -> dict[str, Any]:
    """A file, as the Hub lists it."""
    entry = {"type": "file", "path": path, "size": len(content), "oid": blob_id(content)}
    if is_large(path):
        digest = hashlib.sha256(content).hexdigest()
        pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n".encode()
        lfs = {"oid": digest, "size": len(content), "pointerSize": len(pointer)}
        entry |= {"oid": blob_id(pointer), "lfs": lfs}
    return entry
