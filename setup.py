"""What the wheel holds, computed from the folders: a new family, room or data file needs no line here.

The metadata stand in setup.cfg, whose `find:` would drop the mapped packages below (tried with setuptools 84).
"""

from pathlib import Path

from setuptools import find_packages, setup

ROOT = Path(__file__).parent
PACKAGES = find_packages(str(ROOT), include=["hf_datasets*", "hueval_metrics*", "lm_eval_tasks*"])
FOLDERS = {ROOT.joinpath(*package.split(".")): package for package in PACKAGES}


def is_data(path: Path) -> bool:
    """Whether a file is package data: neither code nor what an editor, a system or Python leaves behind."""
    left_behind = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(ROOT).parts)
    return path.is_file() and path.suffix != ".py" and not left_behind


def data(folder: Path) -> list[str]:
    """The data files of a package, by their paths below it; those of its sub-packages are theirs."""
    mine = (path for path in sorted(folder.rglob("*")) if is_data(path))
    return [
        path.relative_to(folder).as_posix()
        for path in mine
        if next(parent for parent in path.parents if parent in FOLDERS) == folder
    ]


# A family's folder goes into the wheel a second time, where plain `lm_eval` scans for tasks: of its data
# only the YAML files, since these import everything else from the first one.
FAMILIES = sorted(file.parent for file in ROOT.glob("lm_eval_tasks/*/family.py"))

setup(
    packages=[*PACKAGES, *(f"lm_eval.tasks.{family.name}" for family in FAMILIES)],
    package_dir={"": "."} | {f"lm_eval.tasks.{family.name}": f"lm_eval_tasks/{family.name}" for family in FAMILIES},
    package_data={package: data(folder) for folder, package in FOLDERS.items()}
    | {f"lm_eval.tasks.{family.name}": ["**/*.yaml"] for family in FAMILIES},
)
