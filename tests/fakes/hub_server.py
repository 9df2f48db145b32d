"""A Hugging Face Hub on the loopback, for the real `huggingface_hub` client, and plain files beside it.

It knows what that client and `datasets` ask for when a data set is made, filled, tagged, listed and loaded: the calls
were read off the client 2.4. Large files go over git-lfs; xet is to be switched off in the client
(`HF_HUB_DISABLE_XET`). They come back from another host name, as from the Hub's CDN, which must not see the token.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, RLock, Thread
from typing import Any, Literal
from urllib.parse import parse_qs, unquote, urlsplit

import yaml

from hf_datasets.cache import blob_id
from tests.fakes.hub_repos import Account, FakeRepo, file_entry, is_large

WRITE, READ, STRANGER = "hf_canary_write", "hf_canary_read", "hf_canary_stranger"
ACCOUNTS = {WRITE: Account("tester", ("org",)), READ: Account("tester", ("org",), False), STRANGER: Account("other")}


@dataclass
class Fault:
    """What goes wrong with a call.

    Attributes:
        on: a regular expression for the start of "METHOD /path".
        what: "lose" closes this connection half-way and every later one at once, until `restore`; "cut" sends half of
            the answer's body; "hang" does not answer; "huge" announces 3 GiB; a number is a status of refusal.
        message: the Hub's words for a status.
        skip: how many such calls go well before.
        times: how many go wrong.
    """

    on: str
    what: Literal["lose", "cut", "hang", "huge"] | int
    message: str = "the fake Hub's fault"
    skip: int = 0
    times: int = 1


@dataclass
class Reply:
    """One HTTP answer."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class HubServer:
    """Answers while its `with` block lasts.

    Attributes:
        url: the address, for `HF_ENDPOINT`.
        repos: dataset repositories by `namespace/name`.
        large: what the large file storage has, by SHA-256.
        accounts: by token.
        files, redirects: plain files, and addresses, by path.
        calls: what was asked, as "METHOD /path".
        ranges: the `Range` headers of plain files asked for.
        logins: the `Authorization` headers of redirected addresses asked for.
        leaks: calls to the CDN that carried a token.
        knows_ranges: whether parts of a file can be had.
        page: entries in one page of a listing.
        faults: what goes wrong.
    """

    def __init__(self) -> None:
        self.repos: dict[str, FakeRepo] = {}
        self.large: dict[str, bytes] = {}
        self.accounts = dict(ACCOUNTS)
        self.files: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.calls: list[str] = []
        self.ranges: list[str | None] = []
        self.logins: list[str] = []
        self.leaks: list[str] = []
        self.knows_ranges = True
        self.page = 1000
        self.faults: list[Fault] = []
        self._lost = False
        self.over = Event()
        self._lock = RLock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.cdn = f"http://localhost:{self._server.server_port}/cdn"

    def __enter__(self) -> HubServer:
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def restore(self) -> None:
        """The network is back, and all is well."""
        self._lost = False
        self.faults.clear()

    def put_dataset(self, repo_id: str, tag: str, files: Mapping[str, bytes]) -> str:
        """Add files to a repository, which is made where there is none, and tag the commit; the commit."""
        repo = self.repos.setdefault(repo_id, FakeRepo())
        repo.tags[tag] = repo.commit("main", repo.files() | files)
        return repo.tags[tag]

    def asked(self, call: str) -> list[str]:
        """The calls so far that start so."""
        return [done for done in self.calls if re.match(call, done)]

    def fault(self, call: str) -> Fault | None:
        """Note a call, and say what goes wrong with it."""
        with self._lock:
            self.calls.append(call)
            if self._lost:
                return Fault(call, "lose")
            for fault in self.faults:
                if re.match(fault.on, call) and fault.times > 0:
                    if fault.skip:
                        fault.skip -= 1
                        continue
                    fault.times -= 1
                    self._lost = self._lost or fault.what == "lose"
                    return fault
        return None

    def answer(self, method: str, target: str, headers: Mapping[str, str], body: bytes) -> Reply:
        """The answer to a request, when nothing goes wrong."""
        url = urlsplit(target)
        token = (headers.get("Authorization") or "").removeprefix("Bearer ") or None
        with self._lock:
            if url.path in self.redirects:
                self.logins.append(headers.get("Authorization") or "")
                return Reply(status=302, headers={"Location": self.redirects[url.path]})
            if url.path in self.files:
                self.ranges.append(headers.get("Range"))
                return self._part(self.files[url.path], headers)
            if url.path.startswith("/cdn/"):
                self.leaks += [target] if token else []
                return self._part(self.large[url.path.removeprefix("/cdn/")], headers)
            if method == "PUT":  # of the large file storage: the address itself is the permission
                self.large[hashlib.sha256(body).hexdigest()] = body
                return Reply()
            if token and token not in self.accounts:
                return _refuse(401, "Invalid credentials in Authorization header")
            return self._api(method, url.path, parse_qs(url.query), headers, body, self.accounts.get(token or ""))

    def _api(
        self,
        method: str,
        path: str,
        query: Mapping[str, list[str]],
        headers: Mapping[str, str],
        body: bytes,
        account: Account | None,
    ) -> Reply:
        """The calls of the Hub itself, by path."""
        if path == "/api/whoami-v2":
            return _json({"type": "user", "name": account.user}) if account else _refuse(401, "Invalid user token")
        if path == "/api/validate-yaml":
            return _validated(json.loads(body)["content"])
        if path == "/api/repos/create":
            return self._create(json.loads(body), account)
        found = re.fullmatch(r"(?:/api)?/datasets/([^/]+/[^/.]+)(?:/([a-z-]+)(?:/([^/]+)(?:/(.+))?)?)?", path)
        if lfs := re.fullmatch(r"/datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", path):
            repo_id, action, revision, rest = lfs[1], "lfs", "", ""
        elif found:
            repo_id, action, revision, rest = (unquote(part or "") for part in found.groups())
        else:
            return _refuse(404, "Not found")
        repo = self.repos.get(repo_id)
        if repo is None or (repo.private and not (account and account.sees(repo_id))):
            # Over https the client takes any 401 of a repository for this; the code makes it do so over http, too.
            return _refuse(404 if account else 401, "Repository not found", "RepoNotFound")
        if action in ("preupload", "lfs", "commit", "branch", "tag"):
            if not (account and account.write and account.sees(repo_id)):
                return _refuse(403, "Forbidden: you must use a write token to upload to a repository.")
            return self._write(repo, repo_id, action, revision, body)
        if action == "refs":
            return _json(repo.refs())
        commit = repo.resolve(revision or "main")
        if commit is None:
            return _refuse(404, "Invalid rev id", "RevisionNotFound")
        if action in ("", "revision"):
            siblings = [{"rfilename": name} for name in sorted(repo.files(commit))]
            return _json({"id": repo_id, "sha": commit, "private": repo.private, "siblings": siblings})
        if action == "tree":
            return self._tree(repo, commit, rest, path, query)
        if action == "paths-info":
            files, wanted = repo.files(commit), parse_qs(body.decode())["paths"]
            return _json([file_entry(name, files[name]) for name in wanted if name in files])
        return self._resolved(repo, commit, rest, headers) if action == "resolve" else _refuse(404, "Not found")

    def _create(self, wanted: Mapping[str, Any], account: Account | None) -> Reply:
        owner = wanted.get("organization") or (account.user if account else "")
        repo_id = f"{owner}/{wanted['name']}"
        if account is None:
            return _refuse(401, "Invalid username or password.")
        if not (account.write and account.sees(repo_id)):
            return _refuse(403, f'You don\'t have the rights to create a dataset under the namespace "{owner}"')
        known = {"url": f"{self.url}/datasets/{repo_id}"}
        if repo_id in self.repos:
            return _json(known | {"error": "You already created this dataset repo"}, 409)
        self.repos[repo_id] = FakeRepo(wanted.get("private") is True or wanted.get("visibility") == "private")
        return _json(known)

    def _write(self, repo: FakeRepo, repo_id: str, action: str, revision: str, body: bytes) -> Reply:
        if action == "commit":
            return self._commit(repo, repo_id, revision, [json.loads(line) for line in body.splitlines()])
        wanted = json.loads(body)
        if action == "lfs":
            return _json({"transfer": "basic", "objects": [self._upload_of(known) for known in wanted["objects"]]})
        if action == "preupload":
            if revision not in repo.branches:
                return _refuse(404, "Invalid rev id", "RevisionNotFound")
            files = repo.files(revision)
            return _json({"files": [_preuploaded(file["path"], files) for file in wanted["files"]]})
        named, name = (repo.tags, wanted["tag"]) if action == "tag" else (repo.branches, revision)
        start = repo.resolve(revision if action == "tag" else wanted.get("startingPoint", "main"))
        if name in named:
            return _refuse(409, "Reference already exists")
        if start is None:
            return _refuse(404, "Invalid rev id", "RevisionNotFound")
        named[name] = start
        return _json({})

    def _upload_of(self, known: Mapping[str, Any]) -> dict[str, Any]:
        actions = {"upload": {"href": f"{self.url}/lfs/{known['oid']}"}}
        return {**known} if known["oid"] in self.large else {**known, "actions": actions}

    def _commit(self, repo: FakeRepo, repo_id: str, branch: str, lines: list[dict[str, Any]]) -> Reply:
        files = dict(repo.files(branch))
        for line in lines:
            value = line["value"]
            if line["key"] == "header" and value.get("parentCommit", repo.branches[branch]) != repo.branches[branch]:
                return _refuse(412, "A commit has happened since. Please refresh and try again.")
            if line["key"] == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "lfsFile":
                if value["oid"] not in self.large:
                    return _refuse(400, f"LFS pointer pointed to a file that does not exist: {value['path']}")
                files[value["path"]] = self.large[value["oid"]]
            elif line["key"] == "deletedFile":
                del files[value["path"]]
        commit = repo.commit(branch, files)
        return _json({"commitOid": commit, "commitUrl": f"{self.url}/datasets/{repo_id}/commit/{commit}"})

    def _tree(self, repo: FakeRepo, commit: str, folder: str, path: str, query: Mapping[str, list[str]]) -> Reply:
        entries = repo.tree(commit, folder, query.get("recursive", ["false"])[0].lower() in ("true", "1"))
        if entries is None:
            return _refuse(404, f"{folder} does not exist", "EntryNotFound")
        start = int(query.get("cursor", ["0"])[0])
        end = start + self.page
        more = "&".join(f"{key}={value[0]}" for key, value in query.items() if key != "cursor")
        link = {"Link": f'<{self.url}{path}?{more}&cursor={end}>; rel="next"'} if end < len(entries) else {}
        return _json(entries[start:end], headers=link)

    def _resolved(self, repo: FakeRepo, commit: str, name: str, headers: Mapping[str, str]) -> Reply:
        content = repo.files(commit).get(name)
        at = {"X-Repo-Commit": commit}
        if content is None:
            return _refuse(404, "Entry not found", "EntryNotFound", at)
        if not is_large(name):
            reply = self._part(content, headers)
            return Reply(reply.body, reply.status, {**reply.headers, **at, "ETag": f'"{blob_id(content)}"'})
        digest = hashlib.sha256(content).hexdigest()
        self.large[digest] = content
        linked = {
            "X-Linked-Etag": f'"{digest}"',
            "X-Linked-Size": str(len(content)),
            "Location": f"{self.cdn}/{digest}",
        }
        return Reply(status=302, headers=at | linked)

    def _part(self, content: bytes, headers: Mapping[str, str]) -> Reply:
        """The content, or the part of it that is asked for."""
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", headers.get("Range") or "")
        if not (wanted and self.knows_ranges):
            return Reply(content, headers={"Accept-Ranges": "bytes"} if self.knows_ranges else {})
        start, end = int(wanted[1]), min(int(wanted[2] or len(content)), len(content) - 1)
        if start >= len(content):
            return Reply(status=416, headers={"Content-Range": f"bytes */{len(content)}"})
        span = {"Content-Range": f"bytes {start}-{end}/{len(content)}"}
        return Reply(content[start : end + 1], 206, span)


def _validated(card: str) -> Reply:
    try:
        yaml.safe_load(card.split("---")[1])
    except (yaml.YAMLError, IndexError) as error:
        return _json({"errors": [{"message": str(error)}], "warnings": []}, 400)
    return _json({"errors": [], "warnings": []})


def _preuploaded(path: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    info = {"path": path, "uploadMode": "lfs" if is_large(path) else "regular", "shouldIgnore": False}
    if path in files:
        entry = file_entry(path, files[path])
        info["oid"] = entry["lfs"]["oid"] if is_large(path) else entry["oid"]
    return info


def _json(data: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(json.dumps(data).encode(), status, {"Content-Type": "application/json", **(headers or {})})


def _refuse(status: int, message: str, code: str = "", headers: Mapping[str, str] | None = None) -> Reply:
    told = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {})
    return _json({"error": message}, status, told | dict(headers or {}))


def _handler(hub: HubServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            fault = hub.fault(f"{self.command} {self.path.partition('?')[0]}")
            what = fault.what if fault else None
            if what == "lose":
                self.rfile.read(int(self.headers.get("Content-Length") or 0) // 2)
                self.close_connection = True
                return
            if what == "hang":
                hub.over.wait()
                self.close_connection = True
                return
            body = self._body()
            if fault and isinstance(what, int):
                reply = _refuse(what, fault.message)
            else:
                reply = hub.answer(self.command, self.path, self.headers, body)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(3 * 2**30 if what == "huge" else len(reply.body)))
            self.end_headers()
            if what in ("cut", "huge"):
                self.close_connection = True
            if self.command != "HEAD":
                self.wfile.write(reply.body[: len(reply.body) // 2] if what == "cut" else reply.body)

        do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815  http.server's names

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding", "") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def log_message(self, *_: object) -> None:
            """Keep the test output clean."""

    return Handler
