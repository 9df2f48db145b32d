"""The wheel: what is in it, that plain lm_eval finds the tasks after it is installed, and that it leaves no trace."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib import metadata
from pathlib import Path, PurePosixPath

import pytest
from packaging.metadata import Metadata

from hf_datasets.repo import names
from hueval_metrics.version import __version__

ROOT = Path(__file__).parents[1]
PACKAGES = ("hueval_metrics", "lm_eval_tasks", "hf_datasets")
NOT_COPIED = (".*", "build", "dist", "*.egg-info", "__pycache__", "results")
LEAVES = (
    *("openhueval_huproverbrea_2cq", "openhueval_humatchingfib", "openhueval_hustandardfib"),
    *("openhueval_huproverbrea_oe", "openhueval_husimpleqa", "openhueval_huwildbench"),
)
MAPPED = "lm_eval/tasks/openhueval/"  # where plain lm_eval looks
BUILT_IN = ("arc", "hellaswag", "mmlu")  # lm-eval's own tasks that stand beside ours
TIMEOUT_S = 300
BUILD = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index")
VARIABLE = "PACKAGES_OF_THE_TEST_RUN"
# Puts the packages of the running environment behind those of the new one, but out of sight of pip.
BEHIND = f"import os, sys; sys.path.extend(filter(None, os.environ.get('{VARIABLE}', '').split(os.pathsep)))\n"

pytestmark = [pytest.mark.slow, pytest.mark.process]


def call(*command: object, cwd: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command, and show what it said if it fails."""
    ours = {key: value for key, value in os.environ.items() if not key.startswith(("HUEVAL_", "HF_", "PYTHON"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=ours | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"} | environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=TIMEOUT_S,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done


@pytest.fixture(scope="module")
def wheels(tmp_path_factory) -> dict[str, Path]:
    """Name of a distribution → its wheel, built from a copy of the checkout so that nothing is written into it."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*NOT_COPIED))
    call(*BUILD, "--wheel-dir", folder, source, source / "leaderboard")
    return {path.name.partition("-")[0]: path for path in folder.glob("*.whl")}


@pytest.fixture(scope="module")
def wheel(wheels) -> Path:
    """That of the engine and its families."""
    return wheels["hueval"]


@pytest.fixture(scope="module")
def board(wheels) -> Path:
    """That of the leaderboard."""
    return wheels["hueval_leaderboard"]


@pytest.fixture(scope="module")
def lm_eval_wheel(tmp_path_factory) -> Path:
    """The installed lm-eval as a wheel again: the very version under test, without a network, with few built-in tasks.

    Its 15,000 task files take minutes to install and to scan; that none of them has a name of ours, another test says.
    """
    installed = metadata.distribution("lm_eval")
    target = tmp_path_factory.mktemp("lm_eval") / f"lm_eval-{installed.version}-py3-none-any.whl"
    with zipfile.ZipFile(target, "w") as archive:
        for file in installed.files or []:
            if file.parts[:2] == ("lm_eval", "tasks") and len(file.parts) > 3 and file.parts[2] not in BUILT_IN:
                continue
            if file.parts[0] == "lm_eval" or (
                file.parts[0].endswith(".dist-info") and file.name in ("METADATA", "WHEEL")
            ):
                if "__pycache__" not in file.parts:
                    archive.write(file.locate(), file.as_posix())
            elif file.name == "entry_points.txt":
                archive.write(file.locate(), file.as_posix())
        archive.writestr(f"lm_eval-{installed.version}.dist-info/RECORD", "")
    return target


class Environment:
    """A virtual environment with a lm-eval of its own; the rest of the packages come from the running one."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self.scripts = folder / "bin"
        self.python = self.scripts / "python"
        paths = sysconfig.get_paths(vars={"base": str(folder), "platbase": str(folder)})
        self.packages = Path(paths["purelib"])
        (self.packages / "behind.pth").write_text(BEHIND, encoding="utf-8")

    def pip(self, *arguments: object) -> None:
        """Run pip on this environment alone."""
        call(sys.executable, "-m", "pip", "--python", self.python, *arguments)

    def install(self, wheel: Path, *options: str) -> None:
        """Install a wheel, without its dependencies."""
        self.pip("install", "--no-deps", "--no-index", "--no-compile", *options, wheel)

    def run(self, command: str, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
        """Run one of the installed commands on the packaged sample."""
        behind = os.pathsep.join(path for path in sys.path if Path(path).name in ("site-packages", "dist-packages"))
        settings = {
            VARIABLE: behind,
            "HUEVAL_SAMPLE": "1",
            "HUEVAL_JUDGE": "lexical",
            "HF_HUB_OFFLINE": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        settings["HUEVAL_CACHE_DIR"] = str(cwd / "cache")
        return call(self.scripts / command, *arguments, cwd=cwd, **settings)

    def files(self) -> set[str]:
        """All files of the installed packages, and the commands."""
        below = [path for folder in (self.packages, self.scripts) for path in folder.rglob("*") if path.is_file()]
        return {path.as_posix() for path in below if "__pycache__" not in path.parts}


def names_in(wheel: Path) -> list[PurePosixPath]:
    with zipfile.ZipFile(wheel) as archive:
        return [PurePosixPath(name) for name in archive.namelist() if not name.endswith("/")]


def test_the_wheel_holds_the_tree_and_nothing_else(wheel):
    names = {str(name) for name in names_in(wheel) if not name.parts[0].endswith(".dist-info")}
    files = {path for package in PACKAGES for path in (ROOT / package).rglob("*") if path.is_file()}
    tree = {path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts}
    families = [path.parent for path in ROOT.glob("lm_eval_tasks/*/family.py")]
    scanned = [path for family in families for pattern in ("*.py", "**/*.yaml") for path in family.glob(pattern)]
    assert names == tree | {f"lm_eval/tasks/{path.relative_to(ROOT / 'lm_eval_tasks').as_posix()}" for path in scanned}
    assert {MAPPED + f"{leaf}.yaml" for leaf in LEAVES} | {f"{MAPPED}openhueval.yaml"} <= names


def test_the_wheel_holds_no_data_of_others(wheel):
    data = [name for name in names_in(wheel) if name.suffix in (".jsonl", ".json", ".csv", ".parquet")]
    figures = [name for name in data if "published" in name.parts]  # facts out of the papers
    attempts = PurePosixPath("hueval_metrics/judges/bench/attempts.json")  # we wrote it, too
    assert attempts in data
    looked_up = PurePosixPath("hf_datasets/kolassimpleqa/sources")  # addresses only
    samples = [name for name in data if name not in (*figures, attempts) and name.parent != looked_up]
    tables = ("1", "10", "11", "12", "1_sc", "2", "2_rest", "3", "4", "8", "9")
    printed = {
        "hkmmlu": ["averages", "beyond_rounding", *(f"table{name}" for name in tables)],
        "hulu": ["table2"],
        "kolassimpleqa": ["table3", "table4", "table5", *(f"table{number}" for number in range(15, 24))],
        "openhueval": ["ranks", "table11", "table5", "traces"],
    }
    listed = [(name.parts[1], name.stem) for name in figures]
    assert sorted(listed) == sorted((family, one) for family, some in printed.items() for one in some)
    assert {name.parts[1] for name in samples} == set(names())
    assert all((name.parts[0], name.parts[2]) == ("hf_datasets", "sample") for name in samples)  # we wrote them


def test_a_new_family_is_packaged_by_its_two_folders(tmp_path):
    content = ("hf_datasets/kviz/convert.py", "hf_datasets/kviz/sample/deep/kviz.csv")
    tasks = ("family.py", "kviz.yaml", "more/hard.yaml", "prompts/kviz.txt", "rubrics/own.py", "rubrics/own.txt")
    packages = ("hf_datasets", "hf_datasets/kviz", "lm_eval_tasks", "lm_eval_tasks/kviz", "lm_eval_tasks/kviz/rubrics")
    ours = {*content, *(f"lm_eval_tasks/kviz/{name}" for name in tasks), *(f"{name}/__init__.py" for name in packages)}
    left_behind = ("lm_eval_tasks/kviz/.kviz.yaml.swp", "hf_datasets/kviz/.cache/x.json", "tests/__init__.py")
    for name in (*ours, *left_behind):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    shutil.copy(ROOT / "setup.py", tmp_path)
    call(sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", "built", cwd=tmp_path)
    built = {path.relative_to(tmp_path / "built").as_posix() for path in tmp_path.glob("built/**/*") if path.is_file()}
    assert built == ours | {
        f"lm_eval/tasks/kviz/{name}" for name in ("__init__.py", "family.py", "kviz.yaml", "more/hard.yaml")
    }


def test_the_wheel_says_what_it_is(wheel):
    with zipfile.ZipFile(wheel) as archive:
        (info,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        about = Metadata.from_email(archive.read(info), validate=True)
        licenses = [name for name in archive.namelist() if name.endswith(".dist-info/licenses/LICENSE")]
        typed = {name for name in archive.namelist() if name.endswith("py.typed")}
        (points,) = [name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt")]
        entry_points = archive.read(points).decode()
    assert about.name == "hueval"
    assert "lm_eval<0.5,>=0.4.13" in map(str, about.requires_dist or [])
    assert str(about.license_expression) == "Apache-2.0"
    assert about.description_content_type == "text/markdown"
    assert about.description.startswith("# hueval")
    assert len(about.summary) < 130
    assert licenses
    assert typed == {f"{package}/py.typed" for package in PACKAGES}
    assert "[lm_eval.models]\nhueval-baseline = hueval_metrics.harness.baseline:Baseline\n" in entry_points
    assert "lm_eval.tasks" not in entry_points  # beside the mapping, lm-eval would find and report every task twice


def test_the_sdist_builds_the_same_wheel(wheel, tmp_path):
    source = tmp_path / "source"
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(*NOT_COPIED))
    call(sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", tmp_path, cwd=source)
    with tarfile.open(next(tmp_path.glob("hueval-*.tar.gz"))) as archive:
        names = {PurePosixPath(*PurePosixPath(name).parts[1:]) for name in archive.getnames()}
        archive.extractall(tmp_path / "sdist", filter="data")
    assert not [name for name in names if name.parts[:1] == ("tests",)]
    assert {PurePosixPath(name) for name in ("LICENSE", "constraints.txt", "constraints-vllm.txt")} <= names
    (folder,) = (tmp_path / "sdist").iterdir()
    call(*BUILD, "--wheel-dir", tmp_path, folder)
    assert names_in(next(tmp_path.glob("hueval-*.whl"))) == names_in(wheel)


def test_the_wheel_of_the_leaderboard_holds_its_tree_and_nothing_else(board):
    names = {str(name) for name in names_in(board) if not name.parts[0].endswith(".dist-info")}
    files = {path for path in (ROOT / "leaderboard" / "hueval_site").rglob("*") if path.is_file()}
    tree = {path.relative_to(ROOT / "leaderboard").as_posix() for path in files if "__pycache__" not in path.parts}
    assert names == tree
    needed = ("pages/templates/base.html", "pages/static/pages/site.css", "locale/hu/LC_MESSAGES/django.mo", "py.typed")
    assert {f"hueval_site/{name}" for name in needed} <= names


def test_the_leaderboard_requires_the_engine_of_its_version(board):
    with zipfile.ZipFile(board) as archive:
        (folder,) = {name.partition("/")[0] for name in archive.namelist() if ".dist-info/" in name}
        about = Metadata.from_email(archive.read(f"{folder}/METADATA"), validate=True)
        points = archive.read(f"{folder}/entry_points.txt").decode()
        assert archive.read(f"{folder}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
    assert (about.name, str(about.version)) == ("hueval-leaderboard", __version__)
    assert f"hueval=={__version__}" in map(str, about.requires_dist or [])
    assert points == "[hueval.features]\nleaderboard = hueval_site.feature:FEATURE\n"
    assert not re.search(r"(?m)^leaderboard =", (ROOT / "setup.cfg").read_text(encoding="utf-8"))


def test_the_sdist_of_the_leaderboard_builds_the_same_wheel_elsewhere(board, tmp_path):
    source = tmp_path / "source"
    shutil.copytree(ROOT / "leaderboard", source / "leaderboard", ignore=shutil.ignore_patterns(*NOT_COPIED))
    (source / "hueval_metrics").mkdir()
    shutil.copy(ROOT / "hueval_metrics" / "version.py", source / "hueval_metrics")
    call(sys.executable, "setup.py", "--quiet", "sdist", "--dist-dir", tmp_path, cwd=source / "leaderboard")
    with tarfile.open(next(tmp_path.glob("hueval_leaderboard-*.tar.gz"))) as archive:
        archive.extractall(tmp_path / "sdist", filter="data")
    (folder,) = (tmp_path / "sdist").iterdir()
    assert not (folder / "tests").exists()
    call(*BUILD, "--wheel-dir", tmp_path, folder)
    assert names_in(next(tmp_path.glob("hueval_leaderboard-*.whl"))) == names_in(board)


@pytest.mark.nightly
def test_installed_beside_lm_eval(wheel, board, lm_eval_wheel, tmp_path):
    """One long test, since a virtual environment is slow to make."""
    environment = Environment(tmp_path / "venv")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environment.install(lm_eval_wheel)
    before = environment.files()
    environment.install(wheel)
    assert {path for path in environment.files() - before if "openhueval" in path}

    where = "import hueval_metrics as m, lm_eval as e, lm_eval_tasks as t; print(m.__file__, e.__file__, t.__file__)"
    for path in environment.run("python", "-c", where, cwd=elsewhere).stdout.split():
        assert Path(path).is_relative_to(environment.packages)  # and not the checkout

    listed = environment.run("lm_eval", "ls", "tasks", cwd=elsewhere)
    check_quiet(listed.stderr)
    for name in ("openhueval", "hueval-rule", "arc_easy", *LEAVES):
        assert f"|{name} " in listed.stdout or f"|{name}|" in listed.stdout
    assert MAPPED in listed.stdout

    environment.install(board)
    assert "    site " in environment.run("hueval", "--help", cwd=elsewhere).stdout
    assert "load-labels" in environment.run("hueval", "site", "--help", cwd=elsewhere).stdout
    environment.pip("uninstall", "--yes", "hueval-leaderboard")

    dummy = ("run", "--model", "dummy", "--limit", "2", "--tasks")
    for command, tasks in (("lm_eval", "openhueval_*"), ("lm_eval", "openhueval"), ("hueval", "openhueval_*")):
        done = environment.run(command, *dummy, tasks, cwd=elsewhere)
        assert all(leaf in done.stdout for leaf in LEAVES)
        check_quiet(done.stderr)
    # A built-in task makes hueval scan lm-eval's folder, which holds ours too.
    done = environment.run("hueval", "validate", "--tasks", f"{','.join(LEAVES)},arc_easy", cwd=elsewhere)
    assert "All tasks found and valid" in done.stdout
    check_quiet(done.stderr)

    installed = environment.files()
    environment.install(lm_eval_wheel, "--force-reinstall")  # as when lm-eval moves to another patch version
    assert environment.files() == installed
    environment.pip("uninstall", "--yes", "hueval")
    assert environment.files() == before
    assert not (environment.packages / MAPPED).exists()


def check_quiet(err: str) -> None:
    """No task is found twice."""
    assert not [line for line in err.splitlines() if "overrides existing task" in line or "Duplicate" in line]
