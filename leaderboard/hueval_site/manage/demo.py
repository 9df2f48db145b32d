"""`hueval site demo`: a site with the packaged samples as its data, and three baselines that came in as others do."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hueval_metrics.api.boards import json_text
from hueval_metrics.errors import InputError
from hueval_site.config import config
from hueval_site.manage.labels import load_labels
from hueval_site.manage.setup import init

if TYPE_CHECKING:
    from hueval_metrics.api.boards import Table
    from hueval_site.accounts.models import User
    from hueval_site.boards import Board
    from hueval_site.submissions.models import Submission

SKILL = 0.75  # the share of items in which the best baseline looks at the answer
NAMES = {"mixed": "Baseline: three of four right", "random": "Baseline: chance", "first": "Baseline: always the same"}
PUBLIC = ("mixed", "random")


def demo() -> None:
    """Fill an empty site.

    The hidden labels are those of another split of the sample, as those of the test split are not known: its rows
    without their labels become the public data, and with them what the worker scores by.

    Raises:
        InputError: the site is not empty.
    """
    init()
    from hueval_site.accounts.models import Team, User
    from hueval_site.boards import boards

    if User.objects.exists():
        raise InputError(f"{config().dir}: is not empty. Name a new folder")
    staff = User.objects.create_user("staff@demo.invalid", is_staff=True)
    users = {}
    for policy, name in NAMES.items():  # a team each, or the limits of a day would stop the third
        team = Team.objects.create(name=name, is_admitted=True)
        users[policy] = User.objects.create_user(f"{policy}@demo.invalid", team=team)
    n_boards, n_public = 0, 0
    for board in boards().values():
        if _write_data(board):
            submitted = _submit(board, users)
            n_boards += bool(submitted)
            n_public += sum(
                _publish(submitted[policy], users[policy], staff) for policy in PUBLIC if policy in submitted
            )
    print(
        f"{n_boards} boards with three baselines each, {n_public} public rows. Now run: hueval site up {config().dir}"
    )


def _write_data(board: Board) -> bool:
    """Write the data of a board; False where the sample has none."""
    table, folder = board.table, config().data_dir
    if not board.hidden:
        source = table.repo.sample / str(table)
        if source.is_file():
            target = folder / table.repo.name / str(table)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return source.is_file()
    rows = _labelled(table, board.hidden)
    if not rows:
        return False
    hidden = {name.lower() for name in board.hidden}
    public = [{name: value for name, value in row.items() if name.lower() not in hidden} for row in rows]
    target = folder / table.repo.name / str(table)
    known = config().temp_dir / Path(str(table)).name
    for path, content in ((target, public), (known, rows)):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json_text(content), encoding="utf-8")
    load_labels(board.task, known)
    known.unlink()
    return True


def _labelled(table: Table, hidden: Sequence[str]) -> list[dict[str, Any]]:
    """The rows of the largest split of the sample that has the hidden fields."""
    found: list[dict[str, Any]] = []
    for split in table.config.splits:
        path = table.repo.sample / (split.file or "")
        if path.suffix == ".json" and path.is_file():
            rows = json.loads(path.read_text(encoding="utf-8-sig"))
            if len(rows) > len(found) and all(_has(row, hidden) for row in rows):
                found = rows
    return found


def _has(row: Mapping[str, Any], names: Sequence[str]) -> bool:
    known = {name.lower() for name in row}
    return all(name.lower() in known for name in names)


def _submit(board: Board, users: Mapping[str, User]) -> dict[str, Submission]:
    """Submit each baseline, by the way that an upload takes, and score it; nothing where baselines cannot answer."""
    from django.core.files.base import ContentFile

    from hueval_metrics.api.boards import documents, key_fields
    from hueval_site.scoring.work import score_waiting
    from hueval_site.submissions.receive import check, store

    if board.is_judged:
        return {}
    docs = documents(board.own_task, **board.hidden_target.settings)[0]
    answer = _answers(board, docs)
    if answer is None:
        return {}
    fields, found = key_fields(board.task), {}
    for policy, user in users.items():
        rows = [{name: doc[name] for name in fields} | {"prediction": answer(policy, doc)} for doc in docs]
        content = "".join(json_text(row) + "\n" for row in rows).encode()
        card = {
            "model_name": NAMES[policy].partition(": ")[2],
            "setting": "baseline",
            "contamination": "It looks at the answers." if policy == "mixed" else "It has seen no data.",
        }
        submission = check(store(user, board, ContentFile(content, "predictions.jsonl"), card))
        score_waiting()
        submission.refresh_from_db()
        found[policy] = submission
    return found


def _answers(board: Board, docs: Sequence[Mapping[str, Any]]) -> Callable[[str, Mapping[str, Any]], str] | None:
    """A function of policy and document; None where it is not known what an answer is."""
    from hueval_metrics.api.boards import resolve

    rng = random.Random(board.task)  # the same baselines each time  # nosec B311
    if board.spec.generates:
        declared = {name: resolve(path) for name, path in board.spec.declared.baselines.items()}
        if not {"first", "random"} <= declared.keys():
            return None

        def reply(policy: str, doc: Mapping[str, Any]) -> str:
            if policy == "mixed":
                return str(board.spec.target(doc)) if rng.random() < SKILL else str(declared["random"](doc, rng))
            return str(declared[policy](doc, rng))

        return reply
    if not board.hidden:
        return None
    name = board.hidden[0]
    counts = Counter(str(doc[name]) for doc in docs)
    labels = sorted(counts)

    def label(policy: str, doc: Mapping[str, Any]) -> str:
        if policy == "first":
            return labels[0]
        return str(doc[name]) if policy == "mixed" and rng.random() < SKILL else rng.choice(labels)

    return label


def _publish(submission: Submission, user: User, staff: User) -> bool:
    """Ask for publication and approve it; False where a rule forbids it, as with equal files on a small sample."""
    from hueval_site.submissions.publish import PublishError, decide, request_publication

    try:
        decide(request_publication(submission, user), staff, True)
    except PublishError:
        return False
    return True
