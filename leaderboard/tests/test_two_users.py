"""Web server and worker as two users of one group: the web server cannot read the labels, and the worker scores."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from site import getsitepackages

import pytest

from leaderboard.tests.labelled import predictions, write_labelled
from leaderboard.tests.running import answered, free_port, site_env

ROOT = Path(__file__).parents[2]
PATHS = {
    "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "leaderboard"), *getsitepackages()]),
    "PYTHONDONTWRITEBYTECODE": "1",
}
WEB, WORKER, GROUP = 64_101, 64_102, 64_100

pytestmark = [
    pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() != 0 or not sys.platform.startswith("linux"),
        reason="only root can run processes as other users",
    ),
    pytest.mark.process,
]

SUBMIT = """
import django, sys
django.setup()
from django.core.files.base import ContentFile
from hueval_site.accounts.models import Team, User
from hueval_site.boards import boards
from hueval_site.submissions.receive import check, store
team = Team.objects.create(name="Team", is_admitted=True)
user = User.objects.create_user("a@example.org", team=team)
card = {"model_name": "model", "contamination": "none known"}
found = check(store(user, boards()["hulu_hucola"], ContentFile(sys.stdin.buffer.read(), "HuCOLA.json"), card))
print(found.pk, found.state)
"""
STATE = """
import django, sys
django.setup()
from hueval_site.submissions.models import Submission
found = Submission.objects.get(pk=sys.argv[1])
print(found.state, bool(found.told))
"""


@pytest.fixture
def folder():
    """A folder that any user can reach, which pytest's own are not."""
    path = Path(tempfile.mkdtemp(prefix="hueval-two-users-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def as_user(uid: int) -> dict[str, object]:
    return {"user": uid, "group": GROUP, "extra_groups": [], "umask": 0o007}


@pytest.fixture(scope="module")
def interpreter():
    """A Python of this version that another user can run with the packages of this one."""
    for found in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        command = [found, "-c", "import django, numpy, hueval_site"]
        try:
            if subprocess.run(command, env=os.environ | PATHS, capture_output=True, **as_user(WEB)).returncode == 0:
                return found
        except OSError:  # in the home of root
            continue
    pytest.skip("another user can run no Python with these packages")


def test_the_web_server_cannot_read_the_labels_and_submissions_are_scored(folder, interpreter):
    site, labels, source = folder / "site", folder / "labels", folder / "source"
    site.mkdir()
    labels.mkdir()
    write_labelled(site / "data", source)
    shutil.chown(site, WEB, GROUP)
    site.chmod(0o2770)
    for path in site.rglob("*"):
        shutil.chown(path, WEB, GROUP)
    shutil.chown(labels, WORKER, GROUP)
    labels.chmod(0o700)
    port = free_port()
    home = {"HOME": str(site), "HUEVAL_CACHE_DIR": str(site / "cache"), "MPLCONFIGDIR": str(site / "cache")}
    env = site_env(site, labels=str(labels), secret_key="x" * 60, port=str(port), boards="hulu_hucola") | home | PATHS
    env["DJANGO_SETTINGS_MODULE"] = "hueval_site.settings"

    def python(uid: int, *arguments: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [interpreter, *map(str, arguments)]
        return subprocess.run(command, env=env, input=stdin, capture_output=True, timeout=120, **as_user(uid))

    done = python(WEB, "-m", "hueval_metrics", "site", "init")
    assert done.returncode == 0, done.stderr
    taken = source / "hulu" / "hucola" / "cola_test.json"
    done = python(WORKER, "-m", "hueval_metrics", "site", "load-labels", "hulu_hucola", taken)
    assert done.returncode == 0, done.stderr
    kept = labels / "hulu" / "hucola" / "cola_test.json"
    assert kept.is_file()
    refused = python(WEB, "-c", f"open({str(kept)!r})")
    assert b"PermissionError" in refused.stderr

    command = [interpreter, "-m", "hueval_metrics", "site"]
    web = subprocess.Popen([*command, "serve"], env=env, **as_user(WEB))
    worker = subprocess.Popen([*command, "work"], env=env, **as_user(WORKER))
    try:
        answered(f"http://127.0.0.1:{port}/health")
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/") as page:
            assert page.status == 200
        content = json.dumps(predictions("hucola", 0.8)).encode()
        done = python(WEB, "-c", SUBMIT, stdin=content)
        key, state = done.stdout.decode().split()
        assert state == "queued", done.stderr
        deadline = time.monotonic() + 60
        while (found := python(WEB, "-c", STATE, key).stdout.split()) != [b"private", b"True"]:
            assert time.monotonic() < deadline, found
            time.sleep(0.5)
    finally:
        for process in (web, worker):
            process.terminate()
        for process in (web, worker):
            process.wait(240)
