"""Loading hidden labels: only complete ones of the public rows, into a folder that only the worker reads."""

from __future__ import annotations

import json

import pytest

from hueval_metrics.errors import InputError
from hueval_site.boards import boards
from hueval_site.manage.labels import load_labels
from hueval_site.scoring import work
from hueval_site.submissions.models import Season, State
from leaderboard.tests.people import member, submitted

pytestmark = pytest.mark.django_db(transaction=True)
BOARD = "hulu_hucola"
CANARY = "kanari-cimke-8f3a"


@pytest.fixture
def rows(settings):
    path = next(settings.CONFIG.labels_dir.glob("*/hucola/cola_test.json"))
    return json.loads(path.read_text())


@pytest.fixture
def load(tmp_path, rows):
    def run(changed=None):
        path = tmp_path / "with-labels.json"
        path.write_text(json.dumps(rows if changed is None else changed))
        load_labels(BOARD, path)

    return run


def test_labels_are_kept_for_the_worker_alone(load, settings, capsys):
    load()
    kept = next(settings.CONFIG.labels_dir.glob("*/hucola/cola_test.json"))
    assert kept.stat().st_mode & 0o777 == 0o600
    assert {one.stat().st_mode & 0o777 for one in (kept.parent, kept.parent.parent, settings.CONFIG.labels_dir)} == {
        0o700
    }
    season = Season.objects.get()
    assert season.labels_hash
    assert "labels of 200 rows loaded" in capsys.readouterr().out
    load()  # the same again changes nothing
    assert Season.objects.get().labels_hash == season.labels_hash


def test_other_labels_begin_a_season_and_what_waits_is_refused_with_the_reason(load, rows):
    load()
    user = member()
    waiting = submitted(user)
    rows[0]["label"] = {"0": "1", "1": "0"}[rows[0]["label"]]
    load()
    assert [one.closed is None for one in Season.objects.order_by("number")] == [False, True]
    assert work.score_waiting() == 1
    waiting.refresh_from_db()
    assert (waiting.state, waiting.reason) == (State.FAILED, work.SEASON)
    second = submitted(user)
    work.score_waiting()
    second.refresh_from_db()
    assert (second.state, second.season.number) == (State.PRIVATE, 2)


def _without(rows, field):
    return [{name: value for name, value in row.items() if name != field} for row in rows]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda rows: rows[:-1], "has 199 rows, the public file 200; the first that differs is row 200"),
        (lambda rows: rows[:6] + rows[7:], "has 199 rows, the public file 200; the first that differs is row 7"),
        (lambda rows: [*rows[:2], {**rows[2], "gold": CANARY}, *rows[3:]], ': row 3: "gold" is an unexpected field'),
        (lambda rows: [*rows[:2], _without(rows[2:3], "Sent")[0], *rows[3:]], ': row 3: "sentence" is missing'),
        (lambda rows: [*rows, rows[0]], r"as its data set has it \(row 201\)\. Load"),
        (lambda rows: rows[::-1], "row 1"),
        (lambda rows: _without(rows, "label"), '"label" is missing'),
        (lambda rows: [{**rows[0], "label": CANARY}, *rows[1:]], 'not the test file .*: row 1: "label" has another'),
        (lambda rows: [{**rows[0], "Sent": "Más."}, *rows[1:]], "differs from the public file"),
        (lambda rows: {"label": CANARY}, "not the test file"),
    ],
    ids=[
        "a row short",
        "a row left out",
        "another field",
        "a field short",
        "a row twice",
        "other order",
        "no labels",
        "a label out of range",
        "another text",
        "no array",
    ],
)
def test_a_file_with_faults_is_refused_in_a_line_without_labels(load, rows, settings, change, says):
    kept = next(settings.CONFIG.labels_dir.glob("*/hucola/cola_test.json"))
    before = kept.read_bytes()
    with pytest.raises(InputError, match=says) as caught:
        load(change(rows))
    assert CANARY not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert kept.read_bytes() == before


def test_boards_without_hidden_labels_take_none(tmp_path):
    public = next(board.task for board in boards().values() if not board.hidden)
    with pytest.raises(InputError, match="its answers are public"):
        load_labels(public, tmp_path / "any.json")
    with pytest.raises(InputError, match="no board"):
        load_labels("kviz", tmp_path / "any.json")
    with pytest.raises(InputError, match="cannot be read"):
        load_labels(BOARD, tmp_path / "none.json")
