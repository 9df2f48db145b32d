"""What stands beside the code and must agree with setup.cfg: versions for vLLM, the conda recipe, the Dockerfile."""

from __future__ import annotations

import ast
import configparser
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from hueval_metrics import __version__

ROOT = Path(__file__).parents[1]
OF_VLLM = {"torch", "transformers"}  # pinned otherwise than in constraints.txt
CONDA_NAMES = {"matplotlib": "matplotlib-base"}  # the library alone, without the window toolkits


@pytest.fixture(scope="module")
def setup() -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


def requirements(text: str) -> dict[str, Requirement]:
    """The requirements of some lines by their canonical names; comments are left out."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return {canonicalize_name(one.name): one for one in map(Requirement, lines)}


def pins(file: str) -> dict[str, str]:
    found = requirements((ROOT / file).read_text(encoding="utf-8"))
    return {name: str(one.specifier).removeprefix("==") for name, one in found.items()}


def of_the_leaderboard() -> str:
    """The libraries that the leaderboard asks for, a line each."""
    tree = ast.parse((ROOT / "leaderboard" / "setup.py").read_text(encoding="utf-8"))
    (found,) = [node.value for node in tree.body if isinstance(node, ast.Assign) and "LIBRARIES" in ast.unparse(node)]
    return "\n".join(ast.literal_eval(found))


@pytest.mark.parametrize("file", ["constraints.txt", "constraints-vllm.txt"])
def test_pinned_versions_are_within_the_ranges(setup, file):
    asked = [setup["options"]["install_requires"], *dict(setup["options.extras_require"]).values()]
    asked.append(of_the_leaderboard())
    pinned = pins(file)
    for text in asked:
        for name, requirement in requirements(text).items():
            assert name not in pinned or requirement.specifier.contains(pinned[name]), requirement


def test_the_versions_for_vllm_differ_in_what_vllm_asks_for():
    ours, vllm = pins("constraints.txt"), pins("constraints-vllm.txt")
    assert {name for name in ours.keys() & vllm.keys() if ours[name] != vllm[name]} == OF_VLLM
    assert vllm["torch"].startswith("2.14.")
    assert Requirement("transformers<5.21").specifier.contains(vllm["transformers"])


def test_the_conda_recipe_asks_for_what_the_wheel_asks_for(setup):
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    wanted = requirements(setup["options"]["install_requires"])
    expected = {CONDA_NAMES.get(name, name): str(one.specifier) for name, one in wanted.items()}
    python, *others = recipe["requirements"]["run"]
    assert python == f"python {setup['options']['python_requires']}"
    assert {canonicalize_name(n): str(one.specifier) for n, one in requirements("\n".join(others)).items()} == expected
    (command,) = recipe["build"]["python"]["entry_points"]
    assert command in setup["options.entry_points"]["console_scripts"]
    assert recipe["context"]["version"] == __version__
    assert recipe["about"]["summary"] == setup["metadata"]["description"]


def instructions() -> list[tuple[str, list[str]]]:
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(word, shlex.split(rest)) for word, _, rest in (line.partition(" ") for line in lines)]


def is_built_from(path: Path) -> bool:
    """Whether the distribution of the leaderboard is built from a file or folder beside its setup.cfg."""
    return path.suffix in (".py", ".cfg", ".toml", ".in", ".md") or path.name in ("LICENSE", "hueval_site")


def test_the_image_is_built_from_files_that_exist_and_are_sent():
    sent = {line.lstrip("!") for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()}
    copied = [source for word, (*sources, _) in instructions() if word == "COPY" for source in sources]
    assert {path.name for path in ROOT.glob("*.py")} | {"setup.cfg", "pyproject.toml", "MANIFEST.in"} <= set(copied)
    assert all((ROOT / source).exists() for source in copied)
    assert {re.sub(r"constraints.*", "constraints*.txt", source) for source in copied} <= sent
    of_board = {path.relative_to(ROOT).as_posix() for path in (ROOT / "leaderboard").iterdir() if is_built_from(path)}
    assert of_board <= set(copied)


def test_the_image_runs_hueval_as_nobody_in_particular():
    found = dict(instructions())
    assert found["USER"] == ["hueval"]
    assert found["ENTRYPOINT"] == ["[hueval]"]
    assert found["VOLUME"] == ["/cache"]
    assert "HUEVAL_CACHE_DIR=/cache" in found["ENV"]


@pytest.mark.process
def test_without_docker_the_check_says_so(tmp_path):
    (tmp_path / "docker").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (tmp_path / "docker").chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    command = ["make", "--no-print-directory", "docker-check"]  # `make test` tells its folders to a make inside it
    environment = os.environ | {"PATH": path}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (
        0,
        "docker-check: no Docker daemon answers here, so the image was NOT built",
    )
