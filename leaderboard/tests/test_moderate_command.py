"""`hueval site team|user|row`: lists, acts, and what is refused in one line."""

from __future__ import annotations

import argparse

import pytest
from auditlog.models import LogEntry
from django.db import OperationalError

from hueval_metrics.errors import InputError
from hueval_site.accounts.models import Team, Token, User
from hueval_site.manage import command
from hueval_site.scoring.work import score_waiting
from hueval_site.submissions.models import Mail, State, Submission
from leaderboard.tests.people import member, submitted
from leaderboard.tests.test_publish import published

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("fresh_cache")]


def site(*words: str) -> None:
    """Run a command of `hueval site` in this process."""
    parser = argparse.ArgumentParser()
    command.add(parser.add_subparsers())
    args = parser.parse_args(["site", *words])
    assert args.run(args) == 0


def test_lists(capsys):
    Token.create(member(), "laptop")
    member("staff@example.org", None, is_staff=True, is_superuser=True)
    Team.objects.create(name="Old", is_admitted=True, is_suspended=True)
    site("team", "list")
    site("user", "list")
    assert capsys.readouterr().out.splitlines() == [
        "Team\tadmitted\t0 submissions\tanna@example.org",
        "Old\tsuspended\t0 submissions\t",
        "anna@example.org\tactive\tmember\tTeam\ttokens: laptop",
        "staff@example.org\tactive\tadministrator\tno team\ttokens: none",
    ]


def test_nothing_that_a_terminal_acts_on_is_printed(user, capsys):
    """Of names that are in the database though no form takes them: as of a version before, or of a restored backup."""
    code = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\r\nroot\tdone"
    row = submitted(user)
    score_waiting()
    Token.create(user, code)
    Team.objects.update(name=code)
    Submission.objects.update(model_name=code)
    User.objects.update(email=f"a{code}@example.org")
    site("team", "list")
    site("user", "list")
    site("row", "card", str(row.pk), "model_name=Puli", "--reason", code)
    Submission.objects.update(model_name=code)
    site("row", "withdraw", str(row.pk), "--reason", code)
    with pytest.raises(InputError) as refused:
        site("row", "withdraw", str(row.pk), "--reason", code)
    printed = [*capsys.readouterr().out.splitlines(), str(refused.value)]
    assert len(printed) == 5
    assert [line for line in printed if not line.replace("\t", "").isprintable() or "2J" in line or "31m" in line] == []


def test_a_team_is_moderated(capsys):
    member()
    site("team", "rename", "TEAM", "Puli kutatók", "--reason", "Asked for.")
    site("team", "suspend", "puli KUTATÓK", "--reason", "Copies.")
    assert capsys.readouterr().out == "Team: done\nPuli kutatók: done\n"
    team = Team.objects.get()
    assert (team.name, team.is_suspended) == ("Puli kutatók", True)
    entry = LogEntry.objects.get_for_object(team).filter(additional_data__act="suspend").get()
    assert (entry.actor, entry.additional_data["reason"]) == (None, "Copies.")
    assert "Copies." in Mail.objects.latest("pk").body


def test_an_account_is_moderated():
    Token.create(member(), "laptop")
    site("user", "revoke-token", "ANNA@example.org", "laptop", "--reason", "It leaked.")
    site("user", "suspend", "anna@example.org", "--reason", "It leaked.")
    assert not Token.objects.exists()
    assert not User.objects.get().is_active


def test_a_row_is_moderated(user):
    staff = member("staff@example.org", None, is_staff=True)
    found = submitted(user)
    score_waiting()
    found.refresh_from_db()
    key = str(published(found, staff).pk)
    site("row", "withdraw", key, "--reason", "Wrong card.")
    assert Submission.objects.get().state == State.WITHDRAWN
    site("row", "card", key, "model_name=Kuvasz 7B", "size=7.6", "setting=baseline", "--reason", "Wrong card.")
    site("row", "put-back", key, "--reason", "Right card.")
    row = Submission.objects.get()
    assert (row.state, row.model_name, row.size, row.setting) == (State.PUBLIC, "Kuvasz 7B", 7.6, "baseline")
    for fields, line in (
        (["size=-1"], "size: Ensure this value is greater than or equal to 0.0001."),
        (["exact=1"], "exact: no field. Name what to correct, such as model_name=NAME, of: model_name, size"),
        ([], "Name what to correct, such as model_name=NAME, of: model_name, size"),
    ):
        with pytest.raises(InputError) as caught:
            site("row", "card", key, *fields, "--reason", "x")
        assert str(caught.value).startswith(line)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["team", "suspend"], "team suspend: name the team: hueval site team suspend NAME"),
        (["team", "suspend", "None"], "None: no team of this name. See: hueval site team list"),
        (
            ["team", "suspend", "Team"],
            "--reason: say why. It is mailed to those whom it is about, and kept in the audit log",
        ),
        (["team", "rename", "Team", "--reason", "x"], "rename takes one value: New name"),
        (["team", "suspend", "Team", "X", "--reason", "x"], "suspend takes no value"),
        (["user", "resume"], "user resume: name the account: hueval site user resume EMAIL"),
        (["user", "remove", "x@example.org"], "x@example.org: no account of this address. See: hueval site user list"),
        (["row", "withdraw", "0" * 32], "00000000-0000-0000-0000-000000000000: no submission. Its page's address has"),
    ],
)
def test_what_is_refused_is_one_line(user, words, line):
    with pytest.raises(InputError) as caught:
        site(*words)
    assert str(caught.value).startswith(line) and "\n" not in str(caught.value)


def test_a_locked_database_is_one_line(site_dir, monkeypatch):
    def locked(args):
        raise OperationalError("database is locked")

    (site_dir / "tmp").mkdir()
    monkeypatch.setenv("HUEVAL_SITE_DIR", str(site_dir))
    with pytest.raises(InputError) as caught:
        command.main(argparse.Namespace(run=locked))
    assert str(caught.value) == (
        "the database: database is locked. Another process writes to it: wait until that has ended, and run the same "
        "command again"
    )


def test_an_id_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit):
        site("row", "withdraw", "x")
    assert "x: no id of a submission" in capsys.readouterr().err
