"""`make release-check`: wheels and sdists are built, checked, and installed and run where there is no checkout.

It needs the network, for the dependencies. What can be held without one, tests/test_packaging.py holds.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEAVES = ("openhueval_humatchingfib", "openhueval_huproverbrea_2cq", "hulu_hucola")
RUN = ("run", "--model", "hueval-baseline", "--tasks", "openhueval", "--output_path", "results")
SAMPLE = {"HUEVAL_SAMPLE": "1", "HUEVAL_OFFLINE": "1", "HUEVAL_JUDGE": "lexical"}


def call(*command: object, cwd: Path, **settings: str) -> str:
    """Run a command, say how long it took, and return what it printed; end with its output if it fails."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("HUEVAL_", "HF_", "PYTHON"))}
    start = time.monotonic()
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | settings,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    shown = " ".join([Path(str(command[0])).name, *map(str, command[1:])])
    print(f"{time.monotonic() - start:6.1f} s  {shown[:100]}", flush=True)
    if done.returncode:
        raise SystemExit(f"{done.stdout[-5000:]}\nrelease-check: failed with status {done.returncode}: {shown}")
    return done.stdout


def build(folder: Path) -> tuple[Path, Path]:
    """Build each sdist and, from it, the wheel; check all, and return the wheels of the engine and the leaderboard."""
    for source in (ROOT, ROOT / "leaderboard"):
        call(sys.executable, "-m", "build", "--outdir", folder, source, cwd=ROOT)
    call(sys.executable, "-m", "twine", "check", "--strict", *sorted(folder.iterdir()), cwd=ROOT)
    (engine,), (board,) = folder.glob("hueval-*.whl"), folder.glob("hueval_leaderboard-*.whl")
    return engine, board


def install(wheel: Path, folder: Path) -> Path:
    """Install the wheel into an empty environment, and return the folder of its commands."""
    venv.create(folder / "venv", with_pip=True)
    commands = folder / "venv" / "bin"
    add(wheel, commands, folder)
    return commands


def add(wheel: Path, commands: Path, folder: Path) -> None:
    """Install a wheel and what it asks for."""
    call(commands / "pip", "install", "-qq", "--constraint", ROOT / "constraints.txt", wheel, cwd=folder)
    call(commands / "pip", "check", cwd=folder)


def run_board(commands: Path, folder: Path) -> None:
    """Fill a leaderboard with its demo."""
    settings = SAMPLE | {"HUEVAL_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}
    printed = call(commands / "hueval", "site", "demo", "demo-board", cwd=folder, **settings)
    if "Now run: hueval site up demo-board" not in printed:
        raise SystemExit(f"release-check: the leaderboard is not filled: {printed[-1000:]}")


def run(commands: Path, folder: Path) -> None:
    """Run the demo, and see the tasks by every way that the documentation names."""
    settings = SAMPLE | {"HUEVAL_CACHE_DIR": str(folder / "cache"), "HOME": str(folder)}
    listings = (
        (commands / "hueval", "ls", "tasks"),
        (commands / "python", "-m", "hueval_metrics", "ls", "tasks"),
        (commands / "lm_eval", "ls", "tasks"),
    )
    for listing in listings:
        printed = call(*listing, cwd=folder, **settings)
        if missing := [leaf for leaf in LEAVES if leaf not in printed]:
            raise SystemExit(f"release-check: {listing[0].name} does not list {', '.join(missing)}")
    plain = ("run", "--model", "dummy", "--limit", "2", "--tasks", "openhueval_humatchingfib")
    if "blank_acc" not in call(commands / "lm_eval", *plain, cwd=folder, **settings):
        raise SystemExit("release-check: plain lm_eval does not score openhueval_humatchingfib")
    for policy in ("oracle", "random"):
        call(commands / "hueval", *RUN, "--model_args", f"policy={policy}", cwd=folder, **settings)
    call(commands / "hueval", "report", "results", "--output", "report.html", cwd=folder, **settings)
    print(call(commands / "hueval", "table", "results", cwd=folder, COLUMNS="100", **settings))


def main() -> None:
    """Everything, in a folder outside the checkout; the built files are left in dist/."""
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix="hueval-release-") as name:
        engine, board = build(ROOT / "dist")
        commands = install(engine, Path(name))
        run(commands, Path(name))
        add(board, commands, Path(name))
        run_board(commands, Path(name))
    print(f"release-check: {engine.name}, {board.name} and their sdists are ready in dist/")


if __name__ == "__main__":
    main()
