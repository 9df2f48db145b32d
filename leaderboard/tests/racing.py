"""Several threads that check uploads of one team at the same time; run as a program, on a database of its own.

Usage: python -m leaderboard.tests.racing DIR (an empty folder; HUEVAL_SITE_DATABASE names the database, else SQLite)
"""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from uuid import UUID

from leaderboard.tests.labelled import predictions, write_labelled

THREADS = 4


def race() -> list[str]:
    """The states of uploads that were all checked and queued at once, with a board that allows two a day."""
    from django.core.files.base import ContentFile
    from django.db import connection

    from hueval_site.accounts.models import Team, User
    from hueval_site.boards import boards
    from hueval_site.submissions.models import Submission
    from hueval_site.submissions.receive import check, store

    user = User.objects.create_user("racer@example.org", team=Team.objects.create(name="Racers", is_admitted=True))
    stored = []
    for seed in range(THREADS):
        content = ContentFile(json.dumps(predictions("hucola", 0.8, seed)).encode(), name="HuCOLA.json")
        card = {"model_name": f"model {seed}", "contamination": "none known"}
        stored.append(store(user, boards()["hulu_hucola"], content, card).pk)
    barrier = Barrier(THREADS)

    def checked(key: UUID) -> str:
        found = Submission.objects.get(pk=key)
        barrier.wait()
        state = check(found).state
        connection.close()
        return str(state)

    with ThreadPoolExecutor(THREADS) as threads:
        return sorted(threads.map(checked, stored))


def main(folder: Path) -> None:
    """Make a site in a folder and race in it."""
    write_labelled(folder / "data", folder / "labels")
    os.environ |= {
        "HUEVAL_SITE_DIR": str(folder),
        "HUEVAL_SITE_SECRET_KEY": "only for tests " * 4,
        "DJANGO_SETTINGS_MODULE": "hueval_site.settings",
    }
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)
    call_command("createcachetable", verbosity=0)
    print(json.dumps(race()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
