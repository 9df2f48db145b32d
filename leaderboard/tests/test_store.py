"""Uploads in an S3 store, which moto plays; and stores that fail."""

from __future__ import annotations

import errno
from urllib.parse import urlsplit
from uuid import uuid4

import boto3
import pytest
from django.core.files.storage import FileSystemStorage, default_storage
from moto.server import ThreadedMotoServer

import hueval_site.settings as declared
from hueval_site.boards import boards
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Submission
from hueval_site.submissions.receive import RefusedError, check, remove_orphans, store
from leaderboard.tests.labelled import predictions
from leaderboard.tests.people import CARD, upload

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def s3(settings, monkeypatch):
    """A store with one bucket, in which the site keeps its uploads."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL_S3": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    bucket = f"uploads-{uuid4()}"  # moto keeps what earlier tests have made
    place = {"LocationConstraint": "eu-central-1"}
    boto3.client("s3").create_bucket(Bucket=bucket, CreateBucketConfiguration=place)
    config = settings.CONFIG.model_copy(update={"uploads": f"s3://{bucket}/site"})
    monkeypatch.setattr(declared, "CONFIG", config)
    settings.CONFIG = config
    settings.STORAGES = {**settings.STORAGES, "default": declared._uploads()}
    yield server
    server.stop()


def keys(settings) -> list[str]:
    """What is in the store."""
    bucket = urlsplit(settings.CONFIG.uploads).netloc
    return [one["Key"] for one in boto3.client("s3").list_objects_v2(Bucket=bucket).get("Contents", [])]


def test_an_upload_goes_to_the_store_and_is_scored_from_there(s3, settings, user):
    found = check(store(user, boards()["hulu_hucola"], upload(predictions("hucola", 0.8)), CARD))
    assert found.state == "queued"
    assert keys(settings) == [f"site/{found.file.name}"]
    assert score_waiting() == 1
    found.refresh_from_db()
    assert found.state == "private"
    assert remove_orphans() == 0
    assert default_storage.exists(found.file.name)


def test_a_store_that_is_down_refuses_the_upload_and_keeps_nothing(s3, user, caplog):
    s3.stop()
    with pytest.raises(RefusedError, match="could not be stored"):
        store(user, boards()["hulu_hucola"], upload(predictions("hucola", 0.8)), CARD)
    assert not Submission.objects.exists()
    assert len(caplog.records) == 1 and "\n" not in caplog.text.strip()


def test_a_check_while_the_store_is_down_leaves_the_upload_as_it_was(s3, user):
    stored = store(user, boards()["hulu_hucola"], upload(predictions("hucola", 0.8)), CARD)
    port = urlsplit(boto3.client("s3").meta.endpoint_url).port
    s3.stop()
    assert check(stored).state == "uploaded"
    again = ThreadedMotoServer(ip_address="127.0.0.1", port=port, verbose=False)  # it has moto's state, as it is here
    again.start()
    assert check(stored).state == "queued"
    again.stop()


def test_a_full_disk_refuses_the_upload_and_keeps_nothing(monkeypatch, user, site_dir):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(FileSystemStorage, "_save", full)
    with pytest.raises(RefusedError, match="could not be stored"):
        store(user, boards()["hulu_hucola"], upload(predictions("hucola", 0.8)), CARD)
    assert not Submission.objects.exists()
    assert not [path for path in (site_dir / "uploads").rglob("*") if path.is_file()]
