"""Uploads: stored before their rows, all files of an archive or none, checked and queued however often it is tried."""

from __future__ import annotations

import errno
import io
import json
import tempfile
import zipfile
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import FileSystemStorage, InMemoryStorage, Storage
from django.db.models.fields.files import FieldFile
from django.test import Client
from django.utils import timezone, translation

from hueval_site.accounts.models import User
from hueval_site.boards import boards
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions import receive
from hueval_site.submissions.models import State, Submission
from hueval_site.submissions.receive import RefusedError, answers_of, check, faults_text, local_file, remove_orphans
from hueval_site.submissions.states import move
from leaderboard.tests.labelled import N, labels_of, predictions
from leaderboard.tests.people import CARD, upload

pytestmark = pytest.mark.django_db(transaction=True)


def labels(corpus: str = "hucola", name: str = "") -> ContentFile:
    return upload(predictions(corpus, 0.8), name or f"{corpus}.json")


def archive(**files: bytes) -> ContentFile:
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files.items():
            opened.writestr(name.replace("__", "/").replace("_json", ".json"), content)
    return ContentFile(whole.getvalue(), name="all.zip")


def store(user: User, file: ContentFile | None = None) -> Submission:
    return receive.store(user, boards()["hulu_hucola"], file or labels(), CARD)


def stored(site_dir: Path) -> list[str]:
    folder = site_dir / "uploads"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_a_file_lies_in_the_store_under_its_id(user, site_dir):
    found = store(user, labels(name="../../HuCOLA.json"))
    assert stored(site_dir) == [f"{found.pk}.json"]
    assert found.name == "HuCOLA.json" and len(found.digest) == 64


@pytest.mark.parametrize(
    ("given", "shown"),
    [("a\u202egpj.json", "agpj.json"), ("C:\\x\\y.json", "y.json"), ("a\n\x1b[2Jb", "a b"), ("\u202e", "upload")],
)
def test_a_name_is_readable_and_no_path(user, given, shown):
    file = labels()
    file.name = given
    assert store(user, file).name == shown


def test_a_crash_before_the_row_leaves_an_orphan_and_no_row(user, site_dir, monkeypatch):
    def killed(*args: object, **kwargs: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(Submission, "save", killed)
        with pytest.raises(SystemExit):
            store(user)
    assert (len(stored(site_dir)), Submission.objects.count()) == (1, 0)
    kept = store(user)
    assert remove_orphans() == 0  # it might still be on its way into the database
    assert remove_orphans(timezone.now() + timedelta(hours=1)) == 1
    assert stored(site_dir) == [f"{kept.pk}.json"]


def test_what_is_refused_is_not_kept(user, site_dir, settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"upload_mb": 1})
    with pytest.raises(RefusedError, match="larger than 1 MB"):
        store(user, ContentFile(b" " * (2**20 + 1), name="HuCOLA.json"))
    user.team = None
    with pytest.raises(RefusedError, match="no team yet"):
        store(user)
    assert (stored(site_dir), Submission.objects.count()) == ([], 0)


def test_a_full_disk_takes_nothing(user, site_dir, monkeypatch, caplog):
    """The second file of an archive does not fit any more."""
    save = FileSystemStorage._save

    def full(storage: FileSystemStorage, name: str, content: ContentFile) -> str:
        if stored(site_dir):
            raise OSError(errno.ENOSPC, "No space left on device")
        return save(storage, name, content)

    monkeypatch.setattr(FileSystemStorage, "_save", full)
    content = labels().read()
    with pytest.raises(RefusedError, match="could not be stored, and nothing of it was taken"):
        receive.store_many(user, archive(HuCOLA_json=content, HuRTE_json=content), CARD)
    assert (stored(site_dir), Submission.objects.count()) == ([], 0)
    assert "No space left on device" in caplog.text


def test_a_store_that_does_not_answer_is_asked_again_later(user, monkeypatch, caplog):
    class StoreError(Exception):
        """Those of S3 are no OSError."""

    def down(file: FieldFile, mode: str) -> None:
        raise StoreError("no route to host")

    submission = store(user)
    with monkeypatch.context() as patch:
        patch.setattr(FieldFile, "path", property(lambda file: Storage().path(file.name)))
        patch.setattr(FieldFile, "open", down)
        assert check(submission).state == State.UPLOADED
    assert "StoreError: no route to host" in caplog.text
    assert check(submission).state == State.QUEUED


def test_a_limit_that_is_reached_meanwhile_removes_the_file(user, site_dir, monkeypatch):
    """The first look passes, the second, under the lock, does not: another upload came between them."""
    answers = iter([{}, {"hucola.json": "Too many uploads."}])
    monkeypatch.setattr(receive, "_refusals", lambda team, given: next(answers))
    with pytest.raises(RefusedError, match="Too many uploads"):
        store(user)
    assert (stored(site_dir), Submission.objects.count()) == ([], 0)


def test_the_files_of_an_archive_are_submissions_of_their_tasks(user):
    lines = "".join(json.dumps({"qid": one, "prediction": label}) + "\n" for one, label in labels_of("hurte").items())
    whole = archive(out__HuCOLA_json=labels().read(), **{"hulu_hurte.jsonl": lines.encode()})
    found = [check(one) for one in receive.store_many(user, whole, CARD)]
    assert [(one.board, one.name, one.state, one.n_rows) for one in found] == [
        ("hulu_hucola", "HuCOLA.json", State.QUEUED, N),
        ("hulu_hurte", "hulu_hurte.jsonl", State.QUEUED, N),
    ]


def test_scoring_writes_below_the_folder_of_the_site_alone(user, site_dir, monkeypatch):
    """The system's folder may lie in memory, and replies may be 100 MB."""
    rows = [{"qid": key, "prediction": "Igen."} for key in labels_of("hucola")]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    submission = check(store(user, ContentFile(content, name="hulugen_hucola.jsonl")))
    monkeypatch.setattr(tempfile, "tempdir", str(site_dir / "nowhere"))
    assert score_waiting() == 1
    submission.refresh_from_db()
    assert (submission.state, submission.exact["n"]) == (State.PRIVATE, N)
    assert list((site_dir / "tmp").iterdir()) == []


def test_a_file_by_itself_tells_its_task_by_name_or_by_its_first_row(user):
    (one,) = receive.store_many(user, labels(name="rte_predicted_labels.json"), CARD)
    rows = [{"task": "hulu_hucola", "qid": key, "prediction": label} for key, label in labels_of("hucola").items()]
    content = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (other,) = receive.store_many(user, ContentFile(content, name="predictions.jsonl"), CARD)
    assert (one.board, other.board) == ("hulu_hurte", "hulu_hucola")


def test_of_an_archive_all_is_taken_or_nothing(user, site_dir):
    content = labels().read()
    with pytest.raises(RefusedError) as caught:
        receive.store_many(user, archive(HuCOLA_json=content, a__cola_json=content, mine_json=content), CARD)
    assert caught.value.files == {
        "a/cola.json": "It is for the same task as HuCOLA.json. Leave one of them out.",
        "mine.json": f"Which task is it for? Name the file after its task, such as {next(iter(boards()))}.jsonl.",
    }
    for _ in range(2):
        assert check(store(user)).state == State.QUEUED
    before = stored(site_dir)
    with pytest.raises(RefusedError) as caught:
        receive.store_many(user, archive(HuCOLA_json=content, HuRTE_json=content), CARD)
    assert list(caught.value.files) == ["HuCOLA.json"] and "used its submissions" in str(caught.value)
    assert (stored(site_dir), Submission.objects.count()) == (before, 2)


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "all.zip: ../HuCOLA.json: its name leads out of the archive. Zip the files without folders"),
        ("hu", "all.zip: ../HuCOLA.json: a neve kivezet az archívumból. Mappák nélkül tömörítse a fájlokat"),
    ],
)
def test_an_archive_is_refused_in_the_reader_s_language(user, language, line):
    with translation.override(language), pytest.raises(RefusedError) as caught:
        receive.store_many(user, archive(**{"..__HuCOLA_json": b""}), CARD)
    assert str(caught.value) == line


def test_a_bomb_is_refused_by_the_limit_of_uploads(user, settings, site_dir):
    settings.CONFIG = settings.CONFIG.model_copy(update={"upload_mb": 1})
    with pytest.raises(RefusedError, match="unpacks to more than 1 MiB"):
        receive.store_many(user, archive(HuCOLA_json=bytes(2**20 + 1)), CARD)
    assert list((site_dir / "tmp").iterdir()) == []


def test_a_second_check_changes_nothing(user):
    first = check(store(user))
    again = check(Submission.objects.get(pk=first.pk))
    assert (again.state, again.queued, again.counted) == (State.QUEUED, first.queued, first.counted)
    move(first, State.WITHDRAWN)
    assert check(first).state == State.WITHDRAWN


@pytest.mark.parametrize("between", [State.CHECKED, State.QUEUED])
def test_two_checks_at_the_same_time_queue_it_once(user, monkeypatch, between):
    """The second runs from beginning to end just before the first one writes a state."""
    submission = store(user)
    found: list[Submission] = []

    def interrupted(moved: Submission, to: State, **fields: object) -> Submission:
        if to == between and not found:
            monkeypatch.setattr(receive, "move", move)
            found.append(check(Submission.objects.get(pk=submission.pk)))
        return move(moved, to, **fields)

    monkeypatch.setattr(receive, "move", interrupted)
    found.append(check(submission))
    assert [one.state for one in found] == [State.QUEUED, State.QUEUED]
    assert found[0].counted == found[1].counted


def test_what_was_checked_and_not_queued_is_queued(user):
    submission = move(store(user), State.CHECKED, n_rows=N)
    assert check(submission).state == State.QUEUED


def test_what_may_not_be_queued_yet_waits_with_the_reason(user):
    submissions = [store(user) for _ in range(3)]
    assert [check(one).state for one in submissions] == [State.QUEUED, State.QUEUED, State.CHECKED]
    waiting = Submission.objects.get(state=State.CHECKED)
    assert waiting.reason == receive.WAITS
    move(submissions[0], State.WITHDRAWN)
    assert check(waiting).state == State.QUEUED


def test_without_the_data_it_is_tried_again_later(user, site_dir, caplog):
    (site_dir / "data").rename(site_dir / "elsewhere")
    submission = check(store(user))
    assert submission.state == State.UPLOADED and "could not be checked" in caplog.text
    (site_dir / "elsewhere").rename(site_dir / "data")
    assert check(submission).state == State.QUEUED


def test_faults_as_a_file_in_both_languages(user):
    rows = predictions("hucola", 0.8)
    rows[4]["label"], rows[1]["label"] = "x", 1
    submission = check(store(user, ContentFile(json.dumps(rows).encode(), name="HuCOLA.json")))
    assert (submission.state, submission.n_faults) == (State.FAULTY, 2)
    assert list(faults_text(submission, "en")) == [
        "HuCOLA.json: 2 faults\n",
        'row 2 (id "1"): label 1 is a number, expected the string "1". Quote it\n',
        'row 5 (id "4"): label "x": HuCOLA has "1" or "0". Write one of them\n',
    ]
    assert list(faults_text(submission, "hu"))[2] == (
        '5. sor (id: "4"): a(z) "x" nem címke; a HuCOLA címkéi: "1" és "0". Ezek egyikét írja\n'
    )
    submission.n_faults = 1500
    assert list(faults_text(submission, "en"))[-1] == "… and 1498 more, which are not listed.\n"


def test_answers_are_read_from_the_stored_file(user):
    given = predictions("hucola", 0.8)
    assert dict(answers_of(check(store(user)))) == {row["id"]: row["label"] for row in given}


def test_a_store_without_paths_is_read_through_a_copy(user, monkeypatch, site_dir):
    monkeypatch.setattr(Submission._meta.get_field("file"), "storage", InMemoryStorage())
    monkeypatch.setattr(FieldFile, "path", property(lambda file: Storage().path(file.name)))
    submission = store(user)
    assert check(submission).state == State.QUEUED
    with local_file(submission) as path:
        assert json.loads(path.read_bytes()) == predictions("hucola", 0.8)
    assert list((site_dir / "tmp").iterdir()) == []
    assert remove_orphans(timezone.now() + timedelta(hours=1)) == 0


@pytest.mark.parametrize(("path", "kind"), [("/en/", "text/html"), ("/api/v1/submissions", "application/json")])
def test_a_request_that_announces_too_much_is_not_read(path, kind, settings):
    settings.CONFIG = settings.CONFIG.model_copy(update={"upload_mb": 1})

    class Unread(io.BytesIO):
        def read(self, *args: object) -> bytes:
            raise AssertionError

    body = {"wsgi.input": Unread(), "CONTENT_LENGTH": str(2**30), "CONTENT_TYPE": "multipart/form-data; boundary=x"}
    answer = Client().generic("POST", path, **body)
    assert (answer.status_code, answer["Content-Type"].partition(";")[0]) == (413, kind)
    assert "larger than 1 MB" in answer.content.decode() or "1 MB" in answer.content.decode()
