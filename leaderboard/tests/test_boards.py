"""The boards that families declare: what is read, what is refused, what everybody may have of their data."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from django.conf import settings as site_settings
from django.utils import translation

from hf_datasets.repo import dataset_repo
from hueval_metrics.errors import InputError
from hueval_metrics.registry import families
from hueval_site import boards as declarations
from hueval_site.accounts.models import Team, User
from hueval_site.boards import boards, boards_of
from hueval_site.public_data import example_row, fault, files, has_hidden_answers
from hueval_site.submissions.models import Season, State, Submission
from hueval_site.submissions.seasons import new_season, open_season, renew
from leaderboard.tests.labelled import write_labelled
from tests.families.checkout import ROOT, other_distribution

HULU = ("hulu_hucola", "hulu_hucopa", "hulu_hurte", "hulu_husst", "hulu_huwnli", "hulu_hucb", "hulugen_hurc")
JUDGED = "openhueval_husimpleqa"


def a_board(**changes: object) -> dict[str, object]:
    """The declaration of a board that is right, but for the changes; None leaves a key out."""
    texts = {"en": "Text.", "hu": "Szöveg."}
    declared = {"task": "hulu_hucola", "metrics": ["mcc"], "download": {"licence": "CC0", "url": "https://example.org"}}
    declared |= {"variants": {"split": "test"}, "format": "lm_eval_tasks.hulu.submission.site.FORMAT"}
    declared |= {"description": texts, "why": texts, **changes}
    return {key: value for key, value in declared.items() if value is not None}


def read(path: Path, *declared: object) -> tuple[declarations.Board, ...]:
    path.write_text(yaml.safe_dump({"boards": list(declared)}, allow_unicode=True), encoding="utf-8")
    return declarations._read(families()["hulu"], path)


def test_every_family_has_boards():
    assert [board.task for board in boards_of("hulu")] == list(HULU)
    assert {board.family.name for board in boards().values()} == {name for name, one in families().items() if one.site}
    assert len(boards_of("openhueval")) == 6


def test_labels_are_hidden_where_they_are_not_published():
    """HuLU §2: the test labels are kept back; those of HuWNLI are in its public file."""
    assert {name for name, board in boards().items() if board.hidden} == set(HULU) - {"hulu_huwnli"}


def test_a_hidden_board_has_one_column():
    """MCC, accuracy and F1 of one submission together give its confusion matrix, and so the labels' numbers."""
    assert all(len(board.metrics) == 1 for board in boards().values() if board.hidden)


def test_the_first_column_is_the_paper_s():
    """HuLU's figures are in its §3; those of the others are the headings of their tables."""
    first = {name: boards()[name].metrics[0] for name in HULU}
    assert first == dict(zip(HULU, ("mcc", "mcc", "mcc", "acc", "acc", "f1_weighted", "em"), strict=True))
    assert all(next(iter(board.spec.declared.headline)) == board.metrics[0] for board in boards().values())


@pytest.mark.parametrize("name", boards())
def test_a_board_can_be_shown_from_the_packaged_sample(settings, name):
    board = boards()[name]
    repo = dataset_repo(board.family.data_set)
    settings.CONFIG = site_settings.CONFIG.model_copy(update={"data": repo.sample})
    row = example_row(board)
    assert row and not set(row) & set(board.hidden)
    assert all(isinstance(value, str) and value for value in row.values())
    assert all(field in board.table.config.row.model_fields for field in board.example.fields)
    for texts in (board.description, board.why, board.submission_format.help):
        assert texts["en"] != texts["hu"]


@pytest.mark.parametrize("language", ["en", "hu"])
def test_columns_have_headings_that_a_reader_knows(language):
    with translation.override(language):
        headings = {heading for board in boards().values() for heading in board.headings.values()}
    assert not {heading for heading in headings if "_" in heading}
    assert ("parsed" in headings) == (language == "en")


def test_downloads_have_their_hash(settings):
    board = boards()["hulu_hucola"]
    (found,) = files(board)  # of the three that the board names, the site has one
    content = (site_settings.CONFIG.data_dir / "hulu/hucola/cola_test.json").read_bytes()
    assert (found.name, found.size) == ("hulu/hucola/cola_test.json", len(content))
    assert found.sha256 == hashlib.sha256(content).hexdigest()
    assert fault(board) is None


def test_a_public_file_with_labels_is_not_handed_out(settings):
    """Somebody put the file with the labels into the folder of public data."""
    folder = site_settings.CONFIG.data_dir
    write_labelled(site_settings.CONFIG.labels_dir, folder)  # the other way round
    board = boards()["hulu_hucola"]
    assert has_hidden_answers(board) and files(board) == ()
    assert "label" not in example_row(board)
    assert "hidden answers" in str(fault(board))


def test_one_row_with_its_label_is_enough(settings):
    path = site_settings.CONFIG.data_dir / "hulu/hucola/cola_test.json"
    rows = json.loads(path.read_text(encoding="utf-8"))
    rows[7]["label"] = "1"
    path.write_text(json.dumps(rows), encoding="utf-8")
    board = boards()["hulu_hucola"]
    assert has_hidden_answers(board) and files(board) == ()


def test_a_link_out_of_the_folder_is_not_followed(settings, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("x", encoding="utf-8")
    path = site_settings.CONFIG.data_dir / "hulu/hucola/cola_train.json"
    path.symlink_to(secret)
    assert [found.name for found in files(boards()["hulu_hucola"])] == ["hulu/hucola/cola_test.json"]


def test_without_data_there_is_no_example(settings):
    board = boards()["hulu_husst"]
    assert (example_row(board), files(board)) == ({}, ())
    assert "sst_test.json" in str(fault(board))


def test_a_site_can_be_for_some_boards_only(settings):
    settings.CONFIG = site_settings.CONFIG.model_copy(update={"boards": ("hulu_hu[cr]*", JUDGED)})
    assert list(boards()) == ["hulu_hucola", "hulu_hucopa", "hulu_hurte", "hulu_hucb", JUDGED]
    settings.CONFIG = site_settings.CONFIG.model_copy(update={"boards": ("hulu_*", "no_*")})
    with pytest.raises(InputError, match=r"HUEVAL_SITE_BOARDS: no board is called no_\*"):
        boards()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"task": "openhueval_husimpleqa"}, "openhueval_husimpleqa: is no task of HuLU. Name one of its tasks"),
        ({"metrics": ["mcc", "bleu"]}, "hulu_hucola: has no metric bleu. Name some of mcc, acc"),
        ({"metrics": []}, "hulu_hucola: metrics: Tuple should have at least 1 item"),
        ({"columns": {"acc": {"en": "a", "hu": "a"}}}, "hulu_hucola: columns: acc is not among its metrics"),
        ({"columns": {"mcc": {"en": "MCC"}}}, "hulu_hucola: columns.mcc has no text in hu"),
        ({"why": {"en": "Why."}}, "hulu_hucola: why has no text in hu"),
        ({"description": {"en": "Text.", "hu": " "}}, "hulu_hucola: description has no text in hu"),
        ({"variants": {"splitt": "test"}}, "hulu_hucola: has no variant splitt. Name some of split, prompt"),
        ({"variants": {"split": "dev"}}, 'hulu_hucola: --metadata split: "dev" is not on offer'),
        ({"hidden": ["Label"]}, "hulu_hucola: hidden: its data have no field Label. Name some of id, sentence, label"),
        ({"example": {"fields": ["text"]}}, "hulu_hucola: example.fields: its data have no field text"),
        (
            {"hidden": ["label"], "example": {"fields": ["label"]}},
            "hulu_hucola: example.fields: label is hidden. Leave it out",
        ),
        ({"example": {"row": 0}}, "hulu_hucola: example.row: Input should be greater than or equal to 1"),
        (
            {"format": "lm_eval_tasks.hulu.nothing.FORMAT"},
            "hulu_hucola: format: lm_eval_tasks.hulu.nothing.FORMAT cannot",
        ),
        ({"format": "lm_eval_tasks.hulu.corpora.CORPORA"}, "has no task_of, example, check, score"),
        (
            {"download": {"licence": "CC0", "url": "javascript:alert(1)"}},
            "hulu_hucola: download.url: String should match",
        ),
        (
            {"download": {"licence": "CC0", "url": "https://example.org", "files": ["../labels/x.json"]}},
            "hulu_hucola: download.files.0: String should match",
        ),
        ({"limits": {"day": 0}}, "hulu_hucola: limits.day: Input should be greater than 0"),
        ({"colour": "red"}, "hulu_hucola: colour: Extra inputs are not permitted"),
        ({"task": None}, "boards.0: task: Field required"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_fault_of_a_declaration_is_one_clear_line(tmp_path, changes, message):
    path = tmp_path / "site.yaml"
    with pytest.raises(InputError) as caught:
        read(path, a_board(**changes))
    assert str(caught.value).startswith(f"{path}: ") and message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("boards: [", "Fix the YAML there"),
        ("{}", "boards: Field required"),
        ("- 1", "Fix it there"),
        ("", "Fix it there"),
    ],
)
def test_a_file_that_is_none_is_one_clear_line(tmp_path, text, message):
    path = tmp_path / "site.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        declarations._read(families()["hulu"], path)
    assert "\n" not in str(caught.value)


def test_a_task_has_one_board(tmp_path):
    with pytest.raises(InputError, match="hulu_hucola has several boards, expected one"):
        read(tmp_path / "site.yaml", a_board(), a_board())
    with pytest.raises(InputError, match="cannot be read"):
        declarations._read(families()["hulu"], tmp_path / "nowhere.yaml")


@pytest.mark.django_db
def test_another_judge_begins_a_season(monkeypatch):
    """Rows by one judge are not comparable with those by another (issue: a board fixes judge and rubric)."""
    board = boards()[JUDGED]
    monkeypatch.setenv("HUEVAL_JUDGE_API_KEY", "key")
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "judge-1")
    assert open_season(board).fixed == {}  # by the web process, which does not know the judge
    first = renew(board)
    assert (first.number, first.fixed["judge"], first.fixed["rubric"]) == (1, "judge-1", "husimpleqa/3")
    assert renew(board) == first
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "judge-2")
    second = renew(board)
    assert (second.number, second.fixed["judge"]) == (2, "judge-2")
    first.refresh_from_db()
    assert first.closed is not None and open_season(board) == second
    monkeypatch.delenv("HUEVAL_JUDGE_API_KEY")  # nobody judges: nothing is scored, so nothing changes
    assert renew(board) == second and Season.objects.count() == 2


@pytest.mark.django_db
def test_what_nobody_has_begun_to_score_comes_into_the_new_season(monkeypatch):
    monkeypatch.setenv("HUEVAL_JUDGE_API_KEY", "key")
    board = boards()[JUDGED]
    first = renew(board)
    team = Team.objects.create(name="Team")
    whose = {"team": team, "user": User.objects.create_user("a@example.org", team=team), "board": board.task}
    queued, scored = (
        Submission.objects.create(**whose, season=first, state=state) for state in (State.QUEUED, State.PRIVATE)
    )
    monkeypatch.setenv("HUEVAL_JUDGE_MODEL", "another")
    second = renew(board)
    queued.refresh_from_db()
    scored.refresh_from_db()
    assert (queued.season, scored.season) == (second, first)


@pytest.mark.django_db
def test_other_labels_begin_a_season_that_fixes_the_rest():
    board = boards()["hulu_hucola"]
    first = renew(board)
    second = new_season(board, "0" * 64)
    assert (second.number, second.fixed) == (2, first.fixed)


@pytest.mark.process
def test_a_family_of_another_distribution_has_a_board(tmp_path):
    """By its folder, its entry point and its `site.yaml` alone: no file of the project is touched."""
    other_distribution(tmp_path, citation='site=Path(__file__).parent / "site.yaml",\n    citation=')
    text = {"en": "Reviews.", "hu": "Kritikák."}
    declared = {"task": "faraway_reviews", "metrics": ["mcc", "exact_match"], "description": text, "why": text}
    declared |= {"download": {"licence": "CC0-1.0", "url": "https://example.org"}}
    (tmp_path / "faraway" / "site.yaml").write_text(yaml.safe_dump({"boards": [declared]}), encoding="utf-8")
    program = """
import json, shutil
from pathlib import Path
from hueval_metrics.cli import main
main(["site", "init"])
from django.test import Client
from hueval_site.boards import boards
from hueval_site.public_data import example_row
board = boards()["faraway_reviews"]
data = Path("site", "data", board.table.repo.name, str(board.table))
data.parent.mkdir(parents=True)
shutil.copyfile(board.table.repo.sample / str(board.table), data)
page = Client().get("/en/boards/faraway_reviews/", HTTP_HOST="127.0.0.1")
print(json.dumps([board.family.title, page.status_code, sorted(example_row(board))]))
"""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("HUEVAL_", "DJANGO_"))}
    ours |= {
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "leaderboard", tmp_path))),
        "HUEVAL_SITE_DIR": str(tmp_path / "site"),
    }
    ours["HUEVAL_SITE_URL"] = "http://127.0.0.1"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=ours,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    title, status, fields = json.loads(done.stdout.splitlines()[-1])
    assert (title, status) == ("Faraway", 200)
    assert "text" in fields
