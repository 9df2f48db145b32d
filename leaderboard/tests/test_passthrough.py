"""`hueval site manage`: Django's commands reach the site, and those that harm one with rows need `--yes`."""

from __future__ import annotations

import pytest

from hueval_metrics.errors import InputError
from hueval_site.accounts.models import User
from hueval_site.manage.passthrough import manage
from leaderboard.tests.people import member
from leaderboard.tests.running import hueval_site, initialised, site_env


@pytest.mark.process
def test_arguments_go_to_django_as_they_are(tmp_path):
    """On an empty site also what destroys; on one with rows not before `--yes`."""
    env = site_env(initialised(tmp_path))
    made = hueval_site("manage", "createsuperuser", "--no-input", "--email", "a@example.org", env=env)
    assert (made.returncode, made.stdout) == (0, "Superuser created successfully.\n"), made.stderr
    refused = hueval_site("manage", "flush", "--no-input", env=env)
    assert (refused.returncode, refused.stdout, refused.stderr) == (
        1,
        "",
        "hueval: manage flush: can destroy rows of this site or bypass its rules. Use hueval site init NEW_FOLDER; or "
        "make a backup (hueval site backup OUT.zip) and run: hueval site manage --yes flush\n",
    )
    shown = hueval_site("manage", "dumpdata", "accounts.user", "--indent", "1", env=env)
    assert '"email": "a@example.org"' in shown.stdout
    assert hueval_site("manage", "--yes", "flush", "--no-input", env=env).returncode == 0
    assert hueval_site("manage", "dumpdata", "accounts.user", env=env).stdout.strip() == "[]"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "words",
    [
        ("createsuperuser", "--no-input", "--email", "eve@example.org"),
        ("loaddata", "x.json"),
        ("migrate", "submissions", "0001"),
        ("migrate", "submissions", "zero", "--no-input"),
        ("changepassword", "anna@example.org"),
        ("auditlogflush", "--yes"),
        ("shell", "-c", "from hueval_site.accounts.models import User; User.objects.all().delete()"),
        ("dbshell",),
        ("remove_stale_contenttypes", "--no-input"),
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_what_harms_a_site_with_rows_is_refused(words):
    member()
    with pytest.raises(InputError, match=rf"^manage {words[0]}: can destroy .* manage --yes {words[0]}$"):
        manage(words[0], words[1:], is_sure=False)
    assert [user.email for user in User.objects.all()] == ["anna@example.org"]


@pytest.mark.django_db
def test_what_reads_is_not_refused(capsys):
    member()
    manage("showmigrations", ["accounts", "--plan"], is_sure=False)
    assert "accounts.0001_initial" in capsys.readouterr().out


@pytest.mark.django_db
def test_a_command_that_is_none_is_one_line():
    with pytest.raises(InputError, match=r"^manage flsh: no command of Django. Did you mean flush\?$"):
        manage("flsh", [], is_sure=True)
