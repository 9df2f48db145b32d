"""How the leaderboard holds under load: readers beside bare Django, submissions, a full database, memory, backups.

Aims: 200 readers in a closed loop at 0.7 of bare Django's cached page or more, p95 at most 0.8 s on an idle machine;
50 submissions a minute of HuLU's files meanwhile, all scored, p95 from upload to result at most 10 s, readers' p95 at
most 1.5 s; 100,000 submissions in the database: board at most 0.3 s uncached, staff queue 0.5 s, a constant number of
queries; web and worker at most 600 MB; the first answer within 5 s; an upload of 100 MB at most 120 MB more memory;
backup and restore of 10,000 submissions at most 60 s each.

Needs HuLU's files in ../shared/data; their hidden labels are drawn by chance. The load comes from this machine.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, ROOT, options, report, shared

SITE = [sys.executable, "-m", "hueval_metrics", "site"]
READERS, MODELS, TASKS = 200, 20 if QUICK else 200, 8
MANY, OLD = (1_000, 200) if QUICK else (100_000, 10_000)  # submissions in a full database, in a backup
PER_MINUTE = 50
# A page of the same size as the board, kept by Django's own decorator, on the same server with the same settings.
BARE = """
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.cache import cache_page
settings.configure(
    SECRET_KEY="x" * 60, ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__,
    MIDDLEWARE=["django.middleware.security.SecurityMiddleware", "django.middleware.common.CommonMiddleware"],
    CACHES={"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}},
)
urlpatterns = [path("", cache_page(3600)(lambda request: HttpResponse(b"x" * SIZE)))]
application = get_wsgi_application()
"""
FILL = """
import json, sys, django
django.setup()
from hueval_site.accounts.models import Team, Token, User
from hueval_site.boards import boards
from leaderboard.tests.filled import fill
n_models, n_private, n_teams = map(int, sys.argv[1:])
tasks = list(boards())[:8]
fill(n_models, tasks, n_private)
tokens = []
for number in range(n_teams):
    team = Team.objects.create(name=f"Load {number}", is_admitted=True)
    user = User.objects.create_user(f"load{number}@example.org", team=team)
    tokens.append(Token.create(user, "load")[1])
print(json.dumps({"tasks": tasks, "tokens": tokens}))
"""
# Pages without what is kept of them: the version of the board changes before each.
FULL = """
import json, time, django
django.setup()
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from hueval_site.accounts.models import User
from hueval_site.boards import boards
from hueval_site.submissions.seasons import open_season
from hueval_site.submissions.states import changed
board = next(iter(boards().values()))
staff = User.objects.create_user("staff@load.invalid", is_staff=True)
host = {"host": "127.0.0.1"}
reader, member = Client(headers=host), Client(headers=host)
member.force_login(staff)
found = {}
for name, client, url in (("board", reader, reverse("board", args=[board.task])), ("staff", member, reverse("staff"))):
    times, queries = [], []
    for _ in range(20):
        changed(open_season(board).pk)
        with CaptureQueriesContext(connection) as captured:
            start = time.perf_counter()
            response = client.get(url)
            times.append(time.perf_counter() - start)
        assert response.status_code == 200, (url, response.status_code)
        queries.append(len(captured))
    most = max(queries[1:])  # a page that is kept for a second longer needs fewer
    times = [one for one, n in zip(times[1:], queries[1:]) if n == most]
    found[name] = {"times": times, "queries": [most]}
print(json.dumps(found))
"""
SCORED = """
import json, sys, django
django.setup()
from hueval_site.submissions.models import Submission
sent = json.load(sys.stdin)
rows = Submission.objects.filter(pk__in=sent).values_list("pk", "state", "scored")
print(json.dumps({str(key): [state, scored and scored.timestamp()] for key, state, scored in rows}))
"""
FILES = """
import sys, django
django.setup()
from django.conf import settings
from hueval_site.submissions.models import Submission
folder = settings.CONFIG.dir / "uploads"
for name in Submission.objects.values_list("file", flat=True):
    (folder / name).write_bytes(name.encode() * 3000)
"""


def main() -> None:
    """Measure and print."""
    parser = options(__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=0.25 if QUICK else 1.0, help="of submissions (default: 1)")
    parser.add_argument(
        "--seconds", type=float, default=1.0 if QUICK else 10.0, help="of each turn of readers (default: 10)"
    )
    args = parser.parse_args()
    shared("data/hulu")
    with tempfile.TemporaryDirectory(prefix="hueval-load-") as name:
        folder = Path(name)
        load(folder / "site", args.minutes, args.seconds)
        full(folder / "full")
        backups(folder / "old", folder)


def load(folder: Path, minutes: float, seconds: float) -> None:
    """Start, memory, readers, submissions and a large upload, against `hueval site up`."""
    port = _free_port()
    with _up(folder, port) as (process, log):
        first = _answered(f"http://127.0.0.1:{port}/en/")
        report("start, until the first answer", first, "s", at_most=5, also=f"PSS {_pss(process.pid):.0f} MB")
    files = _data(folder)
    n_teams = max(1, round(PER_MINUTE * minutes / 2 / len(files)))
    filled = json.loads(_django(folder, FILL, MODELS, 0, n_teams + 1))
    with _up(folder, port) as (process, log):
        report("restart, until the first answer", _answered(f"http://127.0.0.1:{port}/en/"), "s")
        board = f"http://127.0.0.1:{port}/en/boards/{filled['tasks'][0]}/"
        size = _clients({"read": {"url": board, "n": 1, "seconds": 1}})["read"]["bytes"]
        with _bare(folder, size) as bare:
            turns: dict[str, list[dict[str, Any]]] = {"board": [], "bare": []}
            for _ in range(3):
                for name, url in (("board", board), ("bare", bare)):
                    found = _clients({"read": {"url": url, "n": READERS, "seconds": seconds}})
                    turns[name].append(found["read"])
            for name, url in (("board", board), ("bare", bare)):
                one = _clients({"read": {"url": url, "n": 20, "seconds": 5, "pause_s": 0.5}})["read"]
                report(f"{name}, 20 readers who pause, p95", one["p95_s"], "s")
        ratio = float(np.median([a["per_s"] / b["per_s"] for a, b in zip(turns["board"], turns["bare"], strict=True)]))
        for name, some in turns.items():
            per_s, p95 = (np.median([one[key] for one in some]) for key in ("per_s", "p95_s"))
            also = f"p95 {p95:.2f} s, {sum(one['errors'] for one in some)} errors"
            report(f"{READERS} readers, {name}", per_s, "pages/s", also=also)
        report("speed to bare Django", ratio, "x", at_least=0.7, also=f"page of {size / 1000:.0f} kB")
        report("memory, web and worker", _pss(process.pid), "MB", at_most=600)
        _submissions(folder, port, board, files, filled["tokens"][1:], minutes)
        report("memory after submissions", _pss(process.pid), "MB", at_most=600)
        _large_upload(folder, port, filled["tokens"][0], files[0], process.pid)
    text = log.read_text(errors="replace")
    report('"database is locked" in the log', text.count("database is locked"), at_most=0)
    report("lines of errors in the log", sum(" ERROR " in line for line in text.splitlines()), at_most=0)


def _submissions(
    folder: Path, port: int, board: str, files: list[dict[str, str]], tokens: list[str], minutes: float
) -> None:
    readers = {"url": board, "n": READERS, "seconds": 60 * minutes}
    url = f"http://127.0.0.1:{port}/api/v1/submissions"
    asked = {"url": url, "files": files, "tokens": tokens, "per_minute": PER_MINUTE}
    found = _clients({"read": readers, "submit": asked})
    sent: dict[str, float] = found["submit"]["sent"]
    rows = _settled(folder, list(sent))
    spans = [scored - sent[key] for key, (state, scored) in rows.items() if state == "private"]
    lost = len(found["submit"]["errors"])
    report(f"{PER_MINUTE} submissions a minute, scored", len(spans), at_least=len(sent), also=f"{lost} refused or lost")
    for error in found["submit"]["errors"][:3]:
        print(f"  {error}")
    if spans:
        p50, p95 = np.quantile(spans, [0.5, 0.95])
        report("upload to result, p95", p95, "s", at_most=10, also=f"p50 {p50:.1f} s")
    read = found["read"]
    also = f"{read['per_s']:.0f} pages/s, {read['errors']} errors"
    report("readers meanwhile, p95", read["p95_s"], "s", at_most=1.5, also=also)


def _large_upload(folder: Path, port: int, token: str, file: dict[str, str], pid: int) -> None:
    """99 MB of replies, a long one for each item, until they are scored."""
    path = folder / "large.jsonl"
    ids = [row["id"] for row in _rows(Path(file["path"]))]
    reply = ("Lássuk lépésről lépésre. " * 20_000)[: 80_000_000 // len(ids)]  # letters of two bytes among them
    with path.open("w", encoding="utf-8") as rows:
        for number, one in enumerate(ids):
            rows.write(json.dumps({"qid": one, "prediction": f"{number} {reply}"}, ensure_ascii=False) + "\n")
    before, most = _pss(pid), [0.0]
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.05):
            most[0] = max(most[0], _pss(pid))

    thread = threading.Thread(target=watch)
    thread.start()
    card = json.dumps({"model_name": "large", "contamination": "none known"})
    command = ["curl", "--silent", "--write-out", "%{http_code}", "--output", str(folder / "answer.json")]
    command += ["--form", f"card={card}", "--form", f"task={file['task']}", "--form", f"file=@{path}"]
    command += ["--header", f"Authorization: Bearer {token}", f"http://127.0.0.1:{port}/api/v1/submissions"]
    start = time.monotonic()
    status = subprocess.run(command, capture_output=True, text=True).stdout
    took = time.monotonic() - start
    answered = most[0]
    sent = [one["id"] for one in json.loads((folder / "answer.json").read_text()).get("submissions", [])]
    rows = _settled(folder, sent)
    done.set()
    thread.join()
    size = path.stat().st_size / 1e6
    also = f"status {status}, {took:.1f} s"
    report(f"upload of {size:.0f} MB, more memory", answered - before, "MB", at_most=120, also=also)
    states = ", ".join(state for state, _ in rows.values())
    report("the same until it is scored", most[0] - before, "MB", also=states)


def _settled(folder: Path, sent: Sequence[str]) -> dict[str, tuple[str, float]]:
    """Submission → state and when it was scored, as soon as none waits; after a minute all the same."""
    deadline = time.monotonic() + 60
    while True:
        rows: dict[str, tuple[str, float]] = json.loads(_django(folder, SCORED, stdin=json.dumps(sent)))
        waiting = any(state in ("uploaded", "checked", "queued", "scoring") for state, _ in rows.values())
        if not waiting or time.monotonic() > deadline:
            return rows
        time.sleep(1)


def full(folder: Path) -> None:
    """Pages that are not kept, with few and with many submissions."""
    _hueval("init", folder)
    counts = []
    for n_models, n_private in ((10, 0), (MODELS, MANY)):
        _django(folder, FILL, n_models, n_private, 0)
        found = json.loads(_django(folder, FULL.replace("staff@load", f"staff{n_models}@load")))
        counts.append({name: sorted(set(one["queries"])) for name, one in found.items()})
        for name, aim in (("board", 0.3), ("staff", 0.5)):
            p95 = float(np.quantile(found[name]["times"], 0.95))
            n = n_models * TASKS + n_private
            report(f"{name}, {n:,} submissions, p95", p95, "s", at_most=aim, also=f"queries {counts[-1][name]}")
    report("pages whose queries grow", sum(counts[0][one] != counts[1][one] for one in counts[0]), at_most=0)


def backups(folder: Path, out: Path) -> None:
    """Backup and restore of 10,000 submissions with a file of 100 kB each."""
    _hueval("init", folder)
    _django(folder, FILL, 10, OLD - 10 * TASKS, 0)
    _django(folder, FILES)
    for name, call in (
        ("backup", lambda: _hueval("backup", folder, out / "one.zip")),
        ("restore", lambda: _hueval("restore", out / "new", out / "one.zip")),
    ):
        start = time.monotonic()
        call()
        report(f"{name} of {OLD:,} submissions", time.monotonic() - start, "s", at_most=60)


def _data(folder: Path) -> list[dict[str, str]]:
    """HuLU's public rows, labels drawn by chance, and a file of predictions for each hidden task."""
    source = shared("data/hulu")
    shutil.copytree(source, folder / "data" / "hulu", dirs_exist_ok=True)
    named = {"hucola": "cola", "hurte": "rte", "husst": "sst", "hucb": "hucb"}
    files = []
    draws = random.Random(0)
    for corpus in sorted(path.name for path in source.iterdir()):
        test, dev = (
            next(path for path in (source / corpus).iterdir() if path.stem in names)
            for names in (("test", f"{named.get(corpus)}_test"), ("dev", "val", f"{named.get(corpus)}_dev"))
        )
        labels = sorted({str(row.get("label", row.get("Label"))) for row in _rows(dev)})
        rows = _rows(test)
        task = f"hulu_{corpus}"
        if "label" not in rows[0] and "Label" not in rows[0]:
            known = folder / "known.json"
            known.write_text(json.dumps([row | {"label": draws.choice(labels)} for row in rows]))
            _hueval("load-labels", folder, task, known)
        path = folder / f"{task}.json"
        path.write_text(json.dumps([{"id": str(row["id"]), "label": draws.choice(labels)} for row in rows]))
        files.append({"task": task, "path": str(path)})
    return files


def _rows(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8-sig"))
    return found


def _env(folder: Path) -> dict[str, str]:
    return os.environ | {
        "HUEVAL_SITE_DIR": str(folder),
        "HUEVAL_OFFLINE": "1",
        "HUEVAL_SITE_FIRST_NUMBERS": "100000",  # each of its teams is told one
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'leaderboard'}",
    }


def _hueval(command: str, folder: Path, *arguments: object) -> None:
    call = [*SITE, command, *map(str, arguments or [folder])]
    subprocess.run(call, env=_env(folder), check=True, stdout=subprocess.DEVNULL)


def _django(folder: Path, code: str, *arguments: object, stdin: str = "") -> str:
    env = _env(folder) | {"DJANGO_SETTINGS_MODULE": "hueval_site.settings"}
    call = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(call, env=env, input=stdin, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def _clients(asked: Mapping[str, Any]) -> dict[str, Any]:
    call = [sys.executable, str(Path(__file__).with_name("site_clients.py"))]
    done = subprocess.run(call, input=json.dumps(asked), check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@contextmanager
def _up(folder: Path, port: int) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    log = folder.with_suffix(".log")
    with log.open("ab") as out:
        process = subprocess.Popen(
            [*SITE, "up", str(folder), "--port", str(port)], env=_env(folder), stdout=out, stderr=out
        )
    yield from _ended(process, (process, log))


@contextmanager
def _bare(folder: Path, size: int) -> Iterator[str]:
    (folder / "bare.py").write_text(BARE.replace("SIZE", str(size)))
    port = _free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "2", "--threads", "4", "--log-level", "warning"]
    call = [sys.executable, "-m", "gunicorn", *options, "--chdir", str(folder), "bare:application"]
    process = subprocess.Popen(call)
    _answered(f"http://127.0.0.1:{port}/")
    yield from _ended(process, f"http://127.0.0.1:{port}/")


def _ended(process: subprocess.Popen[bytes], value: Any) -> Iterator[Any]:
    try:
        yield value
    finally:
        process.terminate()
        process.wait(60)


def _answered(url: str) -> float:
    start = time.monotonic()
    while True:
        try:
            urllib.request.urlopen(url, timeout=5).close()
            return time.monotonic() - start
        except urllib.error.HTTPError:
            raise
        except OSError:
            time.sleep(0.02)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _pss(pid: int) -> float:
    """Memory of a process and all below it in MB; what they share is counted once."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            children.setdefault(int(stat.read_text().rpartition(")")[2].split()[1]), []).append(int(stat.parent.name))
        except OSError:  # ended meanwhile
            continue
    waiting, total = [pid], 0.0
    while waiting:
        one = waiting.pop()
        waiting += children.get(one, [])
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000
    return total


if __name__ == "__main__":
    main()
