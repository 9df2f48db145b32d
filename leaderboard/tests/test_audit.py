"""The audit log as a file: who did what and why, and nothing that a spreadsheet or a terminal acts on."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest

from hueval_metrics.errors import InputError
from hueval_site.manage.audit import export_audit, since
from hueval_site.submissions import moderation
from leaderboard.tests.people import member, submitted

pytestmark = pytest.mark.django_db(transaction=True)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
WHY = '=HYPERLINK("http://evil.example")\n\x1b[2J\u202eit is a copy'


@pytest.fixture
def acted():
    """A member of staff has suspended a team, for a reason that is code."""
    anna, staff = member(team="+1+1 csapat"), member("staff@example.org", team=None, is_staff=True)
    submitted(anna, model="@SUM(A1)")
    moderation.suspend_team(anna.team, staff, WHY)


def test_a_table_of_who_did_what_and_why(acted, capsys):
    export_audit(LONG_AGO, None)
    text = capsys.readouterr().out
    assert "\x1b" not in text and "\u202e" not in text
    rows = list(csv.DictReader(io.StringIO(text)))
    (act,) = [row for row in rows if row["act"] == "suspend"]
    assert (act["actor"], act["action"], act["kind"]) == ("staff@example.org", "update", "team")
    assert (act["name"], act["reason"]) == ("'+1+1 csapat", '\'=HYPERLINK("http://evil.example") it is a copy')
    (change,) = [row for row in rows if "is_suspended" in row["changes"] and row["action"] == "update"]
    assert json.loads(change["changes"]) == {"is_suspended": ["False", "True"]}
    assert any(row["name"] == "'@SUM(A1) (hulu_hucola)" for row in rows)
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "-", "@", "\t"))]


def test_lines_of_json_in_a_file_of_the_owner_alone(acted, tmp_path, capsys):
    out = tmp_path / "log.jsonl"
    export_audit(LONG_AGO, out)
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").split("\n")[:-1]]
    assert [row["reason"] for row in rows if row["act"] == "suspend"] == [WHY]
    assert out.stat().st_mode & 0o777 == 0o600
    assert capsys.readouterr().out == f"{out}: {len(rows)} entries since 2020-01-01 00:00 UTC\n"
    with pytest.raises(InputError, match="exists"):
        export_audit(LONG_AGO, out)


def test_what_came_before_is_left_out(acted, capsys):
    export_audit(datetime.now(UTC) + timedelta(hours=1), None)
    assert capsys.readouterr().out == "time,actor,action,kind,id,name,act,reason,changes\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("2026-11-01", datetime(2026, 11, 1, tzinfo=UTC)),
        ("2026-11-01T12:00", datetime(2026, 11, 1, 12, tzinfo=UTC)),
        ("2026-11-01T12:00+01:00", datetime(2026, 11, 1, 11, tzinfo=UTC)),
    ],
)
def test_a_day_is_one_of_utc(text, found):
    assert since(text) == found


def test_a_table_has_one_of_two_forms(tmp_path):
    with pytest.raises(InputError, match=r"ends in \.csv or \.jsonl"):
        export_audit(LONG_AGO, tmp_path / "log.xlsx")
