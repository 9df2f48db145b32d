"""Django for the tests of the leaderboard: SQLite in memory, or PostgreSQL where HUEVAL_TEST_DATABASE names one."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

DIR = Path(tempfile.mkdtemp(prefix="hueval-site-"))
atexit.register(shutil.rmtree, DIR, ignore_errors=True)
# Read when Django's settings are imported; other tests do not see them (tests/conftest.py).
os.environ |= {
    "HUEVAL_SITE_DIR": str(DIR),
    "HUEVAL_SITE_SECRET_KEY": "only for tests " * 4,
    "HUEVAL_SITE_DATABASE": os.environ.get("HUEVAL_TEST_DATABASE", "sqlite"),
    "HUEVAL_SITE_LANGUAGE": "en",
    "DJANGO_SETTINGS_MODULE": "hueval_site.settings",
    "DJANGO_ALLOW_ASYNC_UNSAFE": "1",  # Playwright's event loop runs in the thread of a test with a browser
}

import django  # noqa: E402
from django.conf import settings as site_settings  # noqa: E402

(DIR / "tmp").mkdir()

site_settings.LOGGING_CONFIG = None  # what other tests in this process see does not depend on the site
django.setup()
# A worker of pytest-xdist inherits the environment: with this variable, Django would be set up before the line above.
del os.environ["DJANGO_SETTINGS_MODULE"]

import pytest  # noqa: E402
from django.core.cache import cache  # noqa: E402
from django.utils import translation  # noqa: E402

from leaderboard.tests.emptied import empty_quickly  # noqa: E402
from leaderboard.tests.labelled import write_labelled  # noqa: E402
from tests.conftest import (  # noqa: E402, F401  what every test gets
    chromium,
    clean_environment,
    pytest_collection_finish,
    pytest_configure,
    pytest_runtest_protocol,
    virtual_clock,
)

empty_quickly()


@pytest.fixture(autouse=True)
def site_dir(settings, tmp_path, monkeypatch):
    """Each test has its own uploads, public data and hidden labels; static files need no manifest.

    Pages of boards show a change at once, not within half a second.
    """
    translation.activate("en")  # the pages of an earlier test may have left another language
    monkeypatch.setattr("hueval_site.pages.cache.FRESH_S", 0.0)
    settings.CONFIG = site_settings.CONFIG.model_copy(
        update={
            "dir": tmp_path,
            "data": tmp_path / "data",
            "labels": tmp_path / "labels",
            "admits_all": True,
            "first_numbers": 1000,
        }
    )
    settings.STORAGES = {
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": tmp_path / "uploads"},
        },
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.TASKS = {"default": {"BACKEND": "django_tasks.backends.dummy.DummyBackend"}}
    write_labelled(tmp_path / "data", tmp_path / "labels")
    return tmp_path


@pytest.fixture
def user(db):
    """The only member of an admitted team."""
    from leaderboard.tests.people import member  # models need Django's set-up

    return member()


@pytest.fixture
def fresh_cache(db):
    """No limit of rates is left over from another test."""
    cache.clear()
