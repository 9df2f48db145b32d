"""`make quick [ROOM=answers,judge]`: the tests of the rooms whose files changed, the architecture and the goldens.

Nothing that starts a program, and no coverage. Without a room, those of the files that differ from the last commit.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ALWAYS = ("tests/test_architecture.py", "tests/test_import_order.py", "tests/golden")


def changed() -> list[str]:
    """The files that differ from the last commit, new ones too, relative to the checkout."""
    status = subprocess.run(["git", "status", "--porcelain", "-uall"], cwd=ROOT, capture_output=True, text=True)
    return [line[3:].partition(" -> ")[2] or line[3:] for line in status.stdout.splitlines()]


def room(file: str) -> str:
    """The room of a file: a folder below the packages or tests/, or a file that is a room by itself.

    >>> room("hueval_metrics/answers/blanks/parse.py"), room("lm_eval_tasks/hulu/hooks.py"), room("tests/test_cli.py")
    ('answers', 'hulu', 'test_cli')
    """
    package, *rest = Path(file).with_suffix("").parts
    if package not in ("hueval_metrics", "lm_eval_tasks", "hf_datasets", "leaderboard", "tests") or not rest:
        return ""
    if package in ("hf_datasets", "leaderboard"):
        return package
    return rest[1] if rest[0] == "families" and len(rest) > 1 else rest[0]


def places(rooms: Iterable[str]) -> list[str]:
    """Where the tests of rooms are."""
    found = {
        path.relative_to(ROOT).as_posix()
        for name in rooms
        if name
        for pattern in (
            f"tests/{name}",
            f"tests/families/{name}",
            f"tests/features/{name}",
            f"tests/test_{name}.py",
            f"tests/{name}.py",
            f"{name}/tests",
        )
        for path in [ROOT / pattern, *(ROOT.glob(f"*/{name}") if pattern == f"tests/{name}" else ())]
        if path.exists()
    }
    return sorted(found | set(ALWAYS))


if __name__ == "__main__":
    rooms = [name for name in " ".join(sys.argv[1:]).replace(",", " ").split() if name] or map(room, changed())
    chosen = places(rooms)
    print("make quick:", *chosen)
    marks = " and ".join(f"not {name}" for name in ("process", "slow", "nightly", "real"))
    sys.exit(pytest.main([*chosen, "-q", "-x", "-p", "no:cov", "--numprocesses", "2", "-m", marks]))
