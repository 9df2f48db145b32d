"""Secrets go to the judge and nowhere else: no output, file or process list has them, though the judge echoes them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fakes.judge_server import Answer, FakeJudge, refuse

CANARIES = ("4b1f7a90c2", "e83d56aa17", "90ab3c77fd")  # what is looked for, however the rest is escaped
KEY, HEADER, QUERY = (f"canary/{name}" for name in CANARIES)
ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "hf_datasets" / "openhueval" / "sample" / "HuSimpleQA.jsonl"
TASK = "openhueval_husimpleqa"
LIMIT_S = 120  # of one command; it takes some ten seconds
# Commands, each with a judge's model, with everything logged that anybody logs; their statuses go into a file.
LOUD = """
import json, logging, os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from tests.fakes.clock import virtual_time
logging.basicConfig(level=logging.DEBUG)
logging.getLogger("aiohttp").setLevel(logging.DEBUG)
from hueval_metrics.cli import main
for name in ("hf_datasets", "hueval_metrics", "lm_eval_tasks"):
    logging.getLogger(name).setLevel(logging.DEBUG)
statuses = []
with virtual_time():  # most judges are asked again until the deadline
    for os.environ["HUEVAL_JUDGE_MODEL"], *arguments in json.loads(sys.argv[1]):
        statuses.append(main(arguments))
Path(sys.argv[2]).write_text(json.dumps(statuses))
"""


def escaped(content):
    """A completion with its slashes escaped, as PHP writes JSON."""
    body = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]})
    return Answer(body=body.replace("/", r"\/").encode())


ANSWERS = {
    "verdict": lambda echo: Answer(f'I was sent {echo}. Final: {{"evaluation": "CORRECT"}}'),
    "verdict, escaped": lambda echo: escaped(f'I was sent {echo}. Final: {{"evaluation": "CORRECT"}}'),
    "error, escaped": lambda echo: replace(
        refuse(500, "…"), body=json.dumps({"error": echo}).replace("/", r"\/").encode()
    ),
    "unreadable": lambda echo: Answer(f"I was sent {echo}, and what now?"),
    "refusal": lambda echo: Answer(None, refusal=f"Not with {echo}", finish_reason=f"stop {echo}"),
    "error with status 200": lambda echo: refuse(200, f"I was sent {echo}"),
    "web page": lambda echo: Answer(body=f"<html>{echo}</html>".encode(), kind="text/html"),
    "wrong request": lambda echo: refuse(400, f"I was sent {echo}", code=echo, param=echo),
    "wrong key": lambda echo: refuse(401, f"Incorrect API key provided: {echo}"),
    "unknown model": lambda echo: refuse(404, f"no model for {echo}"),
    "too many": lambda echo: refuse(429, f"slow down, {echo}", headers={"Retry-After": "0.2"}),
    "quota": lambda echo: refuse(429, f"insufficient_quota for {echo}", code="insufficient_quota"),
    "broken": lambda echo: refuse(500, f"I was sent {echo}"),
    "redirect": lambda echo: Answer(status=302, body=echo.encode(), headers={"Location": f"/else?{echo}"}),
    "bad header": lambda echo: Answer(body=b"{}", headers={"Content-Encoding": echo}),
    "no HTTP": lambda echo: Answer(body=b"{}", headers={"Transfer-Encoding": echo}),
}

KINDS = {f"model-{n}": kind for n, kind in enumerate(ANSWERS)}  # the judges' names
ANSWERED = ("verdict", "verdict, escaped")  # else verdicts are missing: status 3


@pytest.fixture
def environment(monkeypatch, tmp_path):
    """The packaged sample, no network, and everything that is written below the test's own folder."""
    for name, value in {
        "HUEVAL_SAMPLE": "1",
        "HUEVAL_OFFLINE": "1",
        "HUEVAL_JUDGE_API_KEY": KEY,
        "HUEVAL_JUDGE_HEADERS": json.dumps({"api-key": HEADER}),
        "HUEVAL_JUDGE_DEADLINE_S": "4",  # 2 s is too short on a busy machine: an answer that comes counts as none
        "HF_HOME": str(tmp_path / "huggingface"),
        "HF_HUB_OFFLINE": "1",
        "LMEVAL_LOG_LEVEL": "DEBUG",
        "PYTHONASYNCIODEBUG": "1",
    }.items():
        monkeypatch.setenv(name, value)


def echoing():
    """A judge that sends back all that it was sent but the messages, in the way that its model is named for."""

    def answer(request, number):
        return ANSWERS[KINDS[request["model"]]](f"{' '.join(judge.headers[number].values())} {judge.paths[number]}")

    judge = FakeJudge(answer)
    return judge


def run(folder, judge, *command):
    """Run a command below a folder; its exit status, and everything that could be read of it meanwhile."""
    url = f"{judge.url}?api-version=1&key={QUERY}"
    with (folder / "out.txt").open("wb") as out, (folder / "err.txt").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, *map(str, command)],
            cwd=folder,
            env=os.environ | {"HUEVAL_JUDGE_BASE_URL": url},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            start_new_session=True,
        )
        seen = set()
        try:
            until = time.monotonic() + LIMIT_S
            while process.poll() is None:
                assert time.monotonic() < until
                seen |= command_lines(process.pid) | leaks(folder)
                time.sleep(0.2)
        finally:
            process.kill()
            process.wait()
    return process.returncode, seen


def command_lines(session):
    """The canaries in the command lines of a session's processes."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if int((folder / "stat").read_text().rpartition(")")[2].split()[3]) == session:
                found |= {name for name in CANARIES if name.encode() in (folder / "cmdline").read_bytes()}
        except OSError:  # it has just ended
            continue
    return found


def leaks(folder):
    """The canaries in the files below a folder, and where they are."""
    found = set()
    # `os.walk` passes over a folder that the program renames meanwhile; `rglob` of Python 3.11 raises.
    for path in (Path(parent, name) for parent, _, names in os.walk(folder) for name in names):
        try:
            content = path.read_bytes() if path.is_file() else b""
        except OSError:  # a temporary file
            continue
        found |= {f"{name} in {path.relative_to(folder)}" for name in CANARIES if name.encode() in content}
    return found


def predictions(folder):
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").split("\n") if line][:2]
    file = folder / "predictions.jsonl"
    file.write_text("".join(json.dumps({"qid": row["qid"], "prediction": "Tisza"}) + "\n" for row in rows))
    return file


def check(judge, folder, seen):
    assert judge.requests, (folder / "err.txt").read_text(encoding="utf-8")
    assert judge.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert judge.headers[0]["api-key"] == HEADER
    assert QUERY in judge.paths[0]
    assert seen | leaks(folder) == set()


@pytest.mark.process
def test_scoring_shows_no_secret(environment, tmp_path):
    """Sixteen judges that echo in one way each, one after the other in one process."""
    task = ("score", predictions(tmp_path), "--task", TASK, "--output")
    commands = json.dumps([[model, *map(str, task), str(tmp_path / model)] for model in KINDS])
    with echoing() as judge:
        status, seen = run(tmp_path, judge, "-c", LOUD, commands, tmp_path / "statuses", ROOT)
    assert status == 0, (tmp_path / "err.txt").read_text(encoding="utf-8")
    check(judge, tmp_path, seen)
    assert {request["model"] for request in judge.requests} == set(KINDS)
    found = {}
    statuses = json.loads((tmp_path / "statuses").read_text(encoding="utf-8"))
    for (model, kind), status in zip(KINDS.items(), statuses, strict=True):
        items = (tmp_path / model / "items.jsonl").read_text(encoding="utf-8").splitlines()
        found[kind] = (status, [json.loads(item)["verdict"]["label"] for item in items])
    assert found == {
        kind: (0 if kind in ANSWERED else 3, ["CORRECT" if kind.startswith("verdict") else None] * 2)
        for kind in ANSWERS
    }
    assert list((tmp_path / "cache").rglob("*.sqlite*")), "nothing was cached, so nothing was looked at"


@pytest.mark.process
def test_a_run_shows_no_secret(environment, tmp_path):
    runs = {kind: (model, tmp_path / model) for model, kind in KINDS.items() if kind in ("verdict", "broken")}
    options = ("run", "--model", "hueval-baseline", "--tasks", TASK, "--limit", "2", "--log_samples", "--output_path")
    commands = json.dumps([[model, *options, str(folder)] for model, folder in runs.values()])
    with echoing() as judge:
        status, seen = run(tmp_path, judge, "-c", LOUD, commands, tmp_path / "statuses", ROOT)
    assert status == 0, (tmp_path / "err.txt").read_text(encoding="utf-8")
    check(judge, tmp_path, seen)
    assert json.loads((tmp_path / "statuses").read_text(encoding="utf-8")) == [0, 3]
    for _, folder in runs.values():
        assert list(folder.rglob("samples_*.jsonl")) and list(folder.rglob("results_*.json"))


@pytest.mark.process
def test_a_leak_would_be_found(tmp_path):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "replies.sqlite-wal").write_bytes(b"\x00\x01" + KEY.encode() + b"\xff")
    assert leaks(tmp_path) == {f"{CANARIES[0]} in deep/replies.sqlite-wal"}
    program = [sys.executable, "-c", "print(flush=True); input()", KEY]
    process = subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        process.stdout.readline()  # its command line is set once it runs
        assert command_lines(process.pid) == {CANARIES[0]}
    finally:
        process.communicate()
