"""Take the hidden labels of a task into the folder that only the worker reads."""

from __future__ import annotations

from pathlib import Path

from hueval_metrics.records import InputError
from hueval_metrics.text.files import read_bytes, write_whole
from hueval_site.manage.django_setup import set_up


def load_labels(task: str, path: Path) -> None:
    """Check a file with the labels of a task against the public rows, and keep it.

    Raises:
        InputError: there is no such board, its answers are public, or the file's rows are not the public ones.
        DataError: the file is not one of the task.
    """
    set_up()
    from hf_datasets.repo import dataset_repo
    from hueval_site.boards import boards
    from hueval_site.scoring.score import labels_hash
    from hueval_site.submissions.seasons import new_season, open_season

    if task not in boards():
        raise InputError(f"{task}: no board. There are {', '.join(boards())}")
    board = boards()[task]
    if not board.hidden:
        raise InputError(f"{task}: its answers are public, so nothing is hidden. Put the data into the public folder")
    repo = dataset_repo(board.family.data_set)
    name = board.spec.declared.config or board.spec.short_name
    table = repo.table(name, str(board.variants.get("split", "test")))
    target = board.hidden_target
    assert target.data_dir is not None
    write_whole(target.data_dir / repo.name / str(table), read_bytes(path), private=True)
    found = labels_hash(board)
    season = open_season(board)
    if not season.labels_hash:
        season.labels_hash = found
        season.save(update_fields=["labels_hash"])
    elif season.labels_hash != found:
        new_season(board, found)
    print(f"{task}: labels loaded, SHA-256 {found[:12]}")
