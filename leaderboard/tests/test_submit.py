"""`hueval submit` against a real site: web server, worker and database in processes of their own."""

from __future__ import annotations

import json
import os
import re
import socket
import uuid
from contextlib import contextmanager, suppress
from threading import Thread

import pytest

from leaderboard.tests.labelled import predictions, write_labelled
from leaderboard.tests.running import answered, free_port, hueval_site, initialised, site_env, started
from tests.commands.test_submit import CARD, said, submit, written


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A running site: its environment and its address."""
    folder = initialised(tmp_path_factory.mktemp("site"))
    write_labelled(folder / "data", folder / "labels")
    port = free_port()
    env = site_env(folder, port=str(port))
    with started("up", folder, "--port", port, env=env):
        answered(f"http://127.0.0.1:{port}/api/v1/tasks")
        yield env, f"http://127.0.0.1:{port}"


@pytest.fixture
def token(site, monkeypatch):
    """The token of a member of a new team, in the environment."""
    name = str(uuid.uuid4())
    done = hueval_site("user", "add", f"{name}@example.org", "--team", name, "--token", env=site[0])
    found = re.search(r"hueval_\S+", done.stdout)
    assert found, done.stderr
    monkeypatch.setenv("HUEVAL_SITE_TOKEN", found.group())
    return found.group()


@pytest.fixture
def file(tmp_path):
    return written(tmp_path / "HuCOLA.json", predictions("hucola", 0.8))


def own(site, token):
    """The submissions that the site has of a team."""
    import urllib.request

    asked = urllib.request.Request(f"{site[1]}/api/v1/submissions", headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked) as answer:
        return json.load(answer)["submissions"]


@pytest.mark.process
def test_from_a_file_to_what_is_told(site, token, file, capsys):
    assert submit(file, "--site", site[1], "--task", "hulu_hucola", "--wait", *CARD) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0] == (
        "hulu_hucola: 2 of 2 left today, 8 of 8 left in 30 days, 24 of 24 left in 365 days; 50 uploads left today"
    )
    assert lines[1].startswith(f"{file} → hulu_hucola: queued. http://127.0.0.1:")
    assert re.match(rf"{re.escape(str(file))} → hulu_hucola: scored, private\. MCC: about -?[\d.]+, in steps", lines[2])
    assert len(lines) == 3 and not said(err) and token not in out


@pytest.mark.process
def test_a_faulty_file_is_told_with_its_places(site, token, tmp_path, capsys):
    rows = [{**row, "label": "7"} if int(row["id"]) < 30 else row for row in predictions("hucola", 1.0)]
    file = written(tmp_path / "HuCOLA.json", rows)
    assert submit(file, "--site", site[1], *CARD) == 1
    out = capsys.readouterr().out.splitlines()
    assert "has faults" in out[1] and len(out) == 2 + 20 + 1
    assert all('"7"' in line for line in out[2:22]) and out[22].strip() == "10 more: see the page above"


@pytest.mark.process
def test_a_card_can_be_a_file_and_options_come_first(site, token, file, tmp_path):
    card = tmp_path / "card.yaml"
    card.write_text("model_name: of the file\ncontamination: none known\nsize: 7.5\nopenness: closed\n")
    assert submit(file, "--site", site[1], "--card", card, "--model-name", "of the option") == 0
    found = own(site, token)[0]["card"]
    assert (found["model_name"], found["size"], found["openness"]) == ("of the option", 7.5, "closed")


@pytest.mark.process
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((), "hueval: the model card lacks model_name and contamination. Name --model-name and --contamination, or"),
        (("--model-name", "m"), "hueval: the model card lacks contamination. Name --contamination, or write the card"),
        ((*CARD, "--size", "many"), "size"),
        ((*CARD, "--openness", "half"), "openness"),
        ((*CARD, "--task", "none"), "There is no board “none”. The list is at /api/v1/tasks."),
    ],
)
def test_what_the_site_refuses_is_one_line(site, token, file, capsys, arguments, named):
    assert submit(file, "--site", site[1], *arguments) == 1
    err = capsys.readouterr().err
    assert named in err and err.startswith("hueval: ") and err.count("\n") == 1
    assert own(site, token) == []


@pytest.mark.process
def test_a_wrong_token_is_told_before_anything_is_uploaded(site, file, monkeypatch, capsys):
    monkeypatch.setenv("HUEVAL_SITE_TOKEN", "hueval_wrong")
    assert submit(file, "--site", site[1], *CARD) == 1
    out, err = capsys.readouterr()
    assert "valid token" in err and err.count("\n") == 1 and "hueval_wrong" not in out + err


@contextmanager
def unreliable(port, *, lost):
    """A proxy before a server that loses the answers to the first uploads: it closes the connection instead."""
    listening = socket.create_server(("127.0.0.1", 0))
    uploads = []

    def pump(source, target, on_data=lambda data: True):
        try:
            while data := source.recv(2**16):
                if not on_data(data):
                    break
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def serve():
        while True:
            try:
                client, _ = listening.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", port))
            state = {"upload": False}

            def sees(data, state=state):
                if data.startswith(b"POST ") and not state["upload"]:
                    state["upload"] = True
                    uploads.append(data)
                return True

            def answers(data, state=state):
                return not (state["upload"] and len(uploads) <= lost)

            Thread(target=pump, args=(client, server, sees), daemon=True).start()
            Thread(target=pump, args=(server, client, answers), daemon=True).start()

    Thread(target=serve, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}", uploads
    finally:
        listening.close()


@pytest.mark.process
def test_an_upload_whose_answer_is_lost_is_sent_again_and_is_one_submission(site, token, file, monkeypatch, capsys):
    monkeypatch.setattr("hueval_metrics.submission.client.FIRST_WAIT_S", 0.01)
    with unreliable(int(site[1].rpartition(":")[2]), lost=2) as (address, uploads):
        assert submit(file, "--site", address, *CARD) == 0
    assert len(uploads) == 3 and len(own(site, token)) == 1
    keys = {re.search(rb"Idempotency-Key: (\S+)", upload).group(1) for upload in uploads}
    assert len(keys) == 1 and not said(capsys.readouterr().err)


@pytest.mark.process
def test_a_connection_that_stays_broken_is_one_line(site, token, file, monkeypatch, capsys):
    monkeypatch.setattr("hueval_metrics.submission.client.FIRST_WAIT_S", 0.01)
    with unreliable(int(site[1].rpartition(":")[2]), lost=99) as (address, uploads):
        assert submit(file, "--site", address, *CARD) == 1
    err = capsys.readouterr().err
    assert len(uploads) == 5 and "the connection broke" in err and len(said(err)) == 1
    assert len(own(site, token)) == 1
    assert submit(file, "--site", f"http://127.0.0.1:{free_port()}", *CARD) == 1
    assert "no connection" in capsys.readouterr().err


@pytest.mark.process
def test_the_same_key_at_the_same_time_is_one_submission(site, token):
    content = json.dumps(predictions("hucola", 0.7)).encode()
    parts = {"task": b"hulu_hucola", "card": b'{"model_name": "m", "contamination": "none"}'}
    body = b"".join(
        b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (name.encode(), value)
        for name, value in parts.items()
    )
    body += b'--x\r\nContent-Disposition: form-data; name="file"; filename="HuCOLA.json"\r\n\r\n' + content
    body += b"\r\n--x--\r\n"
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "multipart/form-data; boundary=x",
        "Idempotency-Key": "one",
    }
    import urllib.request

    found = []

    def post():
        asked = urllib.request.Request(f"{site[1]}/api/v1/submissions", body, headers)
        with urllib.request.urlopen(asked) as answer:
            found.append(json.load(answer)["submissions"][0]["id"])

    threads = [Thread(target=post) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6 and len(set(found)) == 1 and len(own(site, token)) == 1


@pytest.mark.process
@pytest.mark.parametrize(
    "name", ["Hu\nCOLA.json", "Hu\r\nX: y.json", os.fsdecode(b"Hu\xff.json")], ids=["LF", "CRLF", "ff"]
)
def test_any_file_name_is_sent_and_is_one_line(site, token, tmp_path, capsys, name):
    file = written(tmp_path / name, predictions("hucola", 1.0))
    assert submit(file, "--site", site[1], "--task", "hulu_hucola", *CARD) == 0
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2 and " → hulu_hucola: " in out and not said(err)
