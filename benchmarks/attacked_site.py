"""A leaderboard as `hueval site up` runs it, with a small benchmark of hidden labels, asked through its API.

For `site_attack.py`, whose simulations it must agree with.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp

from leaderboard.tests.labelled import labels_of, write_labelled
from leaderboard.tests.running import answered, free_port, hueval_site, site_env, started

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hueval_site.disclosure import Told

TASK, CORPUS = "hulu_hucola", "hucola"  # a board whose files are an array of id and label


class AttackedSite:
    """A site that runs.

    Args:
        folder: of the site.
        url: where it answers.
        env: of its commands.
    """

    def __init__(self, folder: Path, url: str, env: Mapping[str, str]) -> None:
        self.folder, self.url, self.env = folder, url, env

    def team(self, name: str, *, is_admitted: bool = True) -> str:
        """Found a team with one member.

        Returns:
            A token of the API.
        """
        address = f"{name.lower()}@example.org"
        token = self._run("user", "add", address, "--team", name, "--token").split()[0]
        if not is_admitted:
            self._run("team", "unadmit", name, "--reason", "nobody knows it")
        return token

    def tell(self, token: str, guess: NDArray[Any]) -> Told | None:
        """What a team is told of a file; None where the file waits."""
        from hueval_site.disclosure import Told

        rows = [{"id": key, "label": str(one)} for key, one in zip(labels_of(CORPUS), guess, strict=True)]
        found = asyncio.run(_submitted(f"{self.url}/api/v1/submissions", token, rows))
        return None if found is None else Told(**found)

    def half_a_month_later(self) -> None:
        """Move what the limits count by 15 days into the past."""
        moved = ", ".join(f"{one} = strftime('%Y-%m-%d %H:%M:%f', {one}, '-15 days')" for one in ("created", "counted"))
        with closing(sqlite3.connect(self.folder / "site.sqlite3", timeout=20)) as connection, connection:
            connection.execute(f"UPDATE submissions_submission SET {moved}")

    def _run(self, *arguments: str) -> str:
        done = hueval_site(*arguments, env=self.env)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout


@contextmanager
def attacked_site(folder: Path, first_numbers: int) -> Iterator[AttackedSite]:
    """A site in an empty folder, until the block ends.

    Args:
        folder: of the site.
        first_numbers: how many teams are told a first number of a board in 30 days.
    """
    write_labelled(folder / "data", folder / "labels")
    port = free_port()
    env = site_env(folder, port=str(port), first_numbers=str(first_numbers))
    if (done := hueval_site("init", folder, env=env)).returncode:
        raise RuntimeError(done.stderr)
    site = AttackedSite(folder, f"http://127.0.0.1:{port}", env)
    with started("up", folder, "--port", port, env=env):
        answered(f"{site.url}/api/v1/tasks")
        yield site


async def _submitted(url: str, token: str, rows: list[dict[str, str]]) -> dict[str, Any] | None:
    """What a team is told of its submission.

    Raises:
        aiohttp.ClientResponseError: it was refused.
    """
    form = aiohttp.FormData({"task": TASK, "card": json.dumps({"model_name": "guess", "contamination": "none"})})
    form.add_field("file", json.dumps(rows).encode(), filename="submission.json")
    headers = {"Authorization": f"Bearer {token}"}
    async with aiohttp.ClientSession(headers=headers, raise_for_status=True) as session:
        async with session.post(url, data=form) as answer:
            (found,) = (await answer.json())["submissions"]
        while not found["is_final"]:
            await asyncio.sleep(0.2)
            async with session.get(f"{url}/{found['id']}") as answer:
                found = await answer.json()
    result: dict[str, Any] | None = found["told"]
    return result
