"""Labels never leave: after the whole life of a site, its marked labels are in the folder of the labels alone.

The labels are the masked names of HuRC, each with a marker of its own. Web server and worker run as processes; a person
signs up by mail, submits good and bad files, asks for publication; staff look at all pages and approve; scoring breaks
on damaged labels whose faults quote the markers. Then every byte that the site has written or answered is searched.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterator
from http.cookiejar import CookieJar
from pathlib import Path
from threading import Thread
from urllib.parse import urlencode, urlsplit

import pytest

from leaderboard.tests.running import answered, free_port, hueval_site, site_env, started
from tests.preloaded import popen

pytestmark = pytest.mark.process

TASK = "hulugen_hurc"
N = 120
MARKED = range(0, N, 2)  # the others have plain labels, which the submissions may hit
FILE = Path("hulu", "hurc", "hurc_test.json")
# Names of models whose scoring breaks, with an error that quotes all labels; the worker is as that of the command else,
# but looks often for what waits.
BREAKING = {"Broken data": "DataError", "Broken code": "RuntimeError", "Broken row": "IntegrityError"}
WORK = f"""
import builtins
from hueval_site.manage.django_setup import set_up
set_up()
from django import db
from hueval_metrics import loader, records
from hueval_site.manage import run
from hueval_site.scoring import loop, work
loop.LOOK_S = 0.2
result_of = work.result_of
def breaking(submission, board):
    for kind in filter(None, [{BREAKING}.get(submission.model_name)]):
        error = next(getattr(room, kind) for room in (records, db, builtins) if hasattr(room, kind))
        raise error(str(loader.documents(board.task, **board.hidden_target.settings)))
    return result_of(submission, board)
work.result_of = breaking
run.work()
"""
PASSWORD = "kilenc-zold-alma"


def label_of(number: int) -> str:
    return f"Kanári{number:03}Q7vX" if number in MARKED else ("Budapest", "Szeged", "Pécs")[number % 3]


def rows(*, with_labels: bool) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    for number in range(N):
        text = "Budapest, Szeged és Pécs városa mellett más nevek is állnak a cikkben."
        row = {"id": str(number), "lead": ["Egy hír."], "passage": [text], "query": "A hír szerint [MASK] szép."}
        found.append(row | ({"label": label_of(number)} if with_labels else {}))
    return found


def write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")


class Browser:
    """Cookies, forms and a list of all that was answered.

    Attributes:
        site: the address.
        seen: every answer with its headers, of all browsers.
    """

    def __init__(self, site: str, seen: list[bytes]) -> None:
        self.site, self.seen, self._at = site, seen, ""
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))

    def ask(self, path: str, data: bytes | None = None, **headers: str) -> tuple[int, str]:
        request = urllib.request.Request(self.site + path, data, {"Referer": self.site, **headers})
        try:
            with self._opener.open(request, timeout=60) as answer:
                self._at = urlsplit(answer.url).path
                status, head, body = answer.status, str(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            status, head, body = error.code, str(error.headers), error.read()
        self.seen.append(head.encode() + body)
        return status, body.decode()

    def post(self, path: str, page: str = "", **given: str) -> tuple[int, str]:
        """Send a form of a page, by default of that to which the page leads."""
        text = self.ask(page or path)[1]
        hidden = dict(re.findall(r'name="(csrfmiddlewaretoken|version)" value="(\w+)"', text))
        assert "csrfmiddlewaretoken" in hidden, text[:500]
        return self.ask(path if page else self._at, urlencode(hidden | given).encode())

    def submit(self, token: str, content: bytes, model: str = "Puli") -> dict[str, object]:
        card = json.dumps({"model_name": model, "contamination": "none known"}).encode()
        parts = [("task", "", TASK.encode()), ("card", "", card), ("file", '; filename="mine.jsonl"', content)]
        body = b"".join(
            f'--x\r\nContent-Disposition: form-data; name="{key}"{more}\r\n\r\n'.encode() + value + b"\r\n"
            for key, more, value in parts
        )
        kind = {"Authorization": f"Bearer {token}", "Content-Type": "multipart/form-data; boundary=x"}
        status, text = self.ask("/api/v1/submissions", body + b"--x--\r\n", **kind)
        assert status == 201, text
        found: dict[str, object] = json.loads(text)["submissions"][0]
        return found


def predictions(share: float) -> bytes:
    """Names for all items; of the plain ones that share is right."""
    lines = []
    for number in range(N):
        right = number not in MARKED and number % 20 < 20 * share
        lines.append(json.dumps({"qid": str(number), "prediction": label_of(number) if right else "Eger"}))
    return "\n".join(lines).encode()


def until(condition, what: str, within_s: float = 240) -> object:
    deadline = time.monotonic() + within_s
    while not (found := condition()):
        assert time.monotonic() < deadline, what
        time.sleep(0.2)
    return found


def query(folder: Path, sql: str, *given: object) -> list[tuple]:
    with sqlite3.connect(folder / "site.sqlite3", timeout=30) as connection:
        found = connection.execute(sql, given).fetchall()
    connection.close()
    return found


def drained(process, lines: list[str]) -> None:
    Thread(target=lambda: lines.extend(process.stdout), daemon=True).start()


@pytest.fixture(scope="module")
def lived(tmp_path_factory) -> Iterator[tuple[Path, list[bytes], list[str], set[bytes]]]:
    """Folder, answers, logs and printed texts, and the exact scores, of a site that has lived."""
    folder = tmp_path_factory.mktemp("canary") / "site"
    labels, source = folder.with_name("labels"), folder.with_name("source.json")
    write(folder / "data" / FILE, rows(with_labels=False))
    write(source, rows(with_labels=True))
    port = free_port()
    site = f"http://127.0.0.1:{port}"
    env = site_env(
        folder, labels=str(labels), port=str(port), boards=TASK, workers="1", lease_s="1", language="en", admits_all="1"
    )
    home = folder.with_name("home")  # what libraries keep for themselves is searched too
    (home / "tmp").mkdir(parents=True)
    env |= {"HOME": str(home), "TMPDIR": str(home / "tmp"), "HUEVAL_CACHE_DIR": str(home / "cache")}
    env |= {"HF_HOME": str(home / "hf"), "XDG_CACHE_HOME": str(home / "xdg")}
    printed: list[str] = []
    seen: list[bytes] = []

    def run(*arguments: object) -> str:
        done = hueval_site(*arguments, env=env)
        printed.append(done.stdout + done.stderr)
        return done.stdout

    run("init")
    run("load-labels", TASK, source)
    kept = (labels / FILE).read_bytes()
    staff_token = run("user", "add", "staff@example.org", "--staff", "--team", "Staff", "--token").split()[0]
    log = folder.with_name("worker.log")
    with started("serve", env=env) as web, log.open("wb") as out:
        drained(web, printed)
        worker = popen([sys.executable, "-c", WORK], env=env, stdout=out, stderr=out)
        try:
            answered(f"{site}/health")
            _live(folder, labels, kept, Browser(site, seen), staff_token)
            staff = Browser(site, seen)
            _sign_in_as(folder, staff, "staff@example.org")
            for page in _pages(folder):
                assert staff.ask(page)[0] in (200, 302, 404, 405), page
            run("check")
            run("backup", folder.with_name("backup.zip"))
        finally:
            worker.terminate()
            worker.wait(240)
    printed.append(log.read_text())
    exact = query(folder, "SELECT exact FROM submissions_submission WHERE exact IS NOT NULL")
    numbers = {str(number) for (text,) in exact for number in _numbers(json.loads(text)) if len(str(number)) > 9}
    assert numbers
    yield folder, seen, printed, {number[:9].encode() for number in numbers}


def _numbers(value: object) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _numbers(one)


def _live(folder: Path, labels: Path, kept: bytes, browser: Browser, staff_token: str) -> None:
    address = "anna@example.org"
    browser.post("/en/accounts/signup/", email=address, password1=PASSWORD, password2=PASSWORD)
    browser.post(_link(folder, address, "confirm-email"))
    browser.post("/en/accounts/login/", login=address, password=PASSWORD)
    browser.post("/en/my/team/", name="Team")
    text = browser.post("/en/my/tokens/", name="laptop")[1]
    token = re.search(r"hueval_[\w-]{40,}", text)[0]

    states: dict[object, str] = {}

    def state(key: object) -> str:
        """What the API says; each new state is read on the pages too."""
        text = browser.ask(f"/api/v1/submissions/{key}", Authorization=f"Bearer {token}")[1]
        found: str = json.loads(text)["state"]
        if found != states.get(key):
            browser.ask(f"/en/my/{key}/")
            browser.ask(f"/en/my/{key}/state/")
        states[key] = found
        return found

    # Bad files: rows that are missing, unknown, twice, of other types; no predictions at all.
    good = predictions(0.5)
    for bad in (b"", b"[]", good[: len(good) // 2], good + b"\n" + good, b'{"qid": "999", "prediction": "x"}', b"\xff"):
        found = browser.submit(token, bad)
        assert found["state"] == "faulty"
        browser.ask(f"/api/v1/submissions/{found['id']}/faults", Authorization=f"Bearer {token}")
        browser.ask(f"/en/my/{found['id']}/faults/")
    first = browser.submit(token, good)
    until(lambda: state(first["id"]) == "private", "the first file is scored")
    # Labels that cannot be read: each fault names a row, some quote it. The worker tries, gives up, and tells staff.
    damaged = json.loads(kept)
    damaged[2]["label"] = [damaged[4]["label"]]
    damaged[6]["id"] = damaged[8]["label"]
    failed: list[object] = []
    cases = [
        ("Puli", kept[: len(kept) // 2]),
        ("Puli", json.dumps(damaged).encode()),
        *((name, kept) for name in BREAKING),
    ]
    for model, content in cases:
        (labels / FILE).write_bytes(content)
        second = browser.submit(token, predictions(0.9), model)
        until(lambda key=second["id"]: state(key) == "failed", "scoring gives up")
        failed.append(second["id"])
        query(
            folder, "UPDATE submissions_submission SET created = '2020-01-01', counted = '2020-01-01' WHERE state != ''"
        )
    third = browser.submit(token, predictions(0.9))
    until(lambda: state(third["id"]) == "private", "what comes later is scored")
    browser.post(f"/en/my/{third['id']}/publication/", page=f"/en/my/{third['id']}/")
    assert state(third["id"]) == "pending"
    staff = Browser(browser.site, browser.seen)
    _sign_in_as(folder, staff, "staff@example.org")
    place = f"/en/staff/{third['id']}/"
    status, text = staff.post(f"{place}decision/", page=place, decision="approve", number="1", reason="")
    assert status == 200, text
    until(lambda: state(third["id"]) == "public", "it is approved")
    staff.post(f"/en/staff/{failed[1]}/queue/", page=f"/en/staff/{failed[1]}/")
    until(lambda: state(failed[1]) == "private", "what failed is scored after all")
    for path in (
        "tasks",
        f"boards/{TASK}",
        f"boards/{TASK}.csv",
        f"boards/{TASK}/seasons",
        "openapi.json",
        "submissions",
    ):
        for bearer in (token, staff_token):
            assert browser.ask(f"/api/v1/{path}", Authorization=f"Bearer {bearer}")[0] in (200, 403)
    browser.ask(f"/en/my/{first['id']}/card/")
    browser.post(f"/en/my/{first['id']}/withdrawal/", page=f"/en/my/{first['id']}/")
    for page in (
        "/en/my/",
        "/en/my/account/data/",
        "/hu/",
        "/en/new.atom",
        f"/hu/boards/{TASK}/",
        f"/hu/tasks/{TASK}/",
    ):
        assert browser.ask(page)[0] == 200, page
    for name in (FILE.as_posix(), f"../labels/{FILE.as_posix()}", f"hulu/hurc/{labels}"):
        assert browser.ask(f"/en/tasks/{TASK}/data/{name}")[0] == 404
    until(lambda: not query(folder, "SELECT 1 FROM submissions_mail WHERE sent IS NULL"), "all mails are sent")


def _pages(folder: Path) -> list[str]:
    """The pages of all submissions, for staff and for everybody, and those of the boards."""
    keys = [str(key) for (key,) in query(folder, "SELECT id FROM submissions_submission")]
    keys = [f"{key[:8]}-{key[8:12]}-{key[12:16]}-{key[16:20]}-{key[20:]}" for key in keys]
    found = [f"/en/{kind}/{key}/" for kind in ("staff", "models", "rows", "my") for key in keys]
    states = ("failed", "private", "public", "faulty", "pending", "withdrawn")
    found += [f"/en/staff/?state={state}" for state in states]
    found += ["/en/", "/en/tasks/", f"/en/tasks/{TASK}/", f"/en/boards/{TASK}/", "/en/families/hulu/", "/en/compare/"]
    return [*found, f"/en/boards/{TASK}/graph-light-wide.svg", "/en/new.atom", "/en/api/", "/en/my/account/data/"]


def _sign_in_as(folder: Path, browser: Browser, address: str) -> None:
    """By a new password, as the command makes accounts without one."""
    browser.post("/en/accounts/password/reset/", email=address)
    browser.post(_link(folder, address, "password/reset/key"), password1=PASSWORD, password2=PASSWORD)
    browser.post("/en/accounts/login/", login=address, password=PASSWORD)
    assert browser.ask("/en/staff/")[0] == 200


def _link(folder: Path, address: str, part: str) -> str:
    sql = 'SELECT body FROM submissions_mail WHERE "to" = ? ORDER BY id DESC'
    body = until(lambda: [text for (text,) in query(folder, sql, address) if part in text], f"a mail about {part}")[0]
    link: str = re.search(rf"http://[^/\s]+(/\S*{part}\S*)", body)[1]
    return link


def is_marked(content: bytes) -> bool:
    """Whether one of the labels is in it, in any of the ways in which JSON and pages write such a letter."""
    text = content.decode("utf-8", "replace")
    return (
        re.search(r"Kan(á|\\u00e1|&aacute;|&#225;|a\u0301|%C3%A1)ri\d|ri\d{3}Q7vX|q7vx", text, re.IGNORECASE)
        is not None
    )


def everything(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Each file of a folder; the files of an archive, and the rows of a database as text, too."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        yield str(path), path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                for name in archive.namelist():
                    yield f"{path}:{name}", archive.read(name)
        if path.name == "site.sqlite3":
            with sqlite3.connect(path) as connection:
                yield f"{path} as text", "\n".join(connection.iterdump()).encode()
            connection.close()


def test_the_site_has_lived(lived):
    """All kinds of things are there to be searched: else the next test would find nothing in nothing."""
    folder, seen, printed, _ = lived
    states = {state for (state,) in query(folder, "SELECT DISTINCT state FROM submissions_submission")}
    assert states >= {"faulty", "failed", "withdrawn", "public", "private"}
    names = [name for name, _ in everything(folder.parent)]
    for part in ("site.sqlite3", "uploads/", "mail/", "backup.zip:rows/auditlog", "backup.zip:uploads/", "secret-key"):
        assert any(part in name for name in names), part
    assert len(seen) > 100 and any(b"Staff" in answer for answer in seen)
    text = "".join(printed)
    assert text.count("FileFaultError") == 2 and all(kind in text for kind in BREAKING.values())
    assert "rows, 13 uploads" in text
    assert is_marked((folder.parent / "labels" / FILE).read_bytes())
    assert is_marked(json.dumps(label_of(2)).encode()) and not is_marked(predictions(1.0))


def test_no_label_is_anywhere_but_in_the_folder_of_the_labels(lived):
    folder, seen, printed, _ = lived
    private = {str(folder.parent / "labels" / FILE), str(folder.parent / "source.json")}
    found = {name for name, content in everything(folder.parent) if is_marked(content)}
    assert found == private
    assert [answer for answer in seen if is_marked(answer)] == []
    assert [text for text in printed if is_marked(text.encode())] == []


def test_an_exact_score_is_in_no_answer_log_or_mail(lived):
    """Of the team, of others and of the API; staff see it on their pages."""
    folder, seen, printed, numbers = lived
    others = [answer for answer in seen if b'href="/en/staff/"' not in answer]
    assert len(others) > 50
    texts = [*others, *(text.encode() for text in printed)]
    texts += [path.read_bytes() for path in (folder / "mail").iterdir()]
    assert [text for text in texts if any(number in text for number in numbers)] == []
