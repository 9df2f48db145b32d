"""The tree of errors at the top of `hueval_metrics/errors.py` has every public error, with its base and its file."""

from __future__ import annotations

import ast
import builtins

from hueval_metrics import errors
from tests.modules import MODULES, ROOT, SOURCES

BRANCH = 4  # columns that a branch is indented by


def is_exception(name: str) -> bool:
    """Whether a name is an exception of Python's."""
    return isinstance(found := getattr(builtins, name, None), type) and issubclass(found, BaseException)


def drawn(text: str) -> dict[str, tuple[str, str]]:
    """Name → base and file, of every error in a drawn tree."""
    found: dict[str, tuple[str, str]] = {}
    bases: list[str] = []
    for line in text.splitlines():
        branch = line.lstrip("│├└─ ")
        name, _, file = branch.partition(" ")
        depth = (len(line) - len(branch)) // BRANCH
        bases[depth:] = [name]
        if depth:
            found[name] = bases[depth - 1], file.strip()
    return found


def declared() -> dict[str, tuple[str, str]]:
    """Name → base and file, of every public class of ours that is an exception."""
    classes = [
        (node.name, ast.unparse(base).rpartition(".")[2], MODULES[module].relative_to(ROOT).as_posix())
        for module, source in SOURCES.items()
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
        for base in node.bases
    ]
    found: dict[str, tuple[str, str]] = {}
    while new := {
        name: (base, file)
        for name, base, file in classes
        if name not in found and (base in found or is_exception(base))
    }:
        found |= new
    return {name: where for name, where in found.items() if not name.startswith("_")}


def test_the_tree_has_every_error_with_its_base_and_file():
    tree = (errors.__doc__ or "").partition("::\n\n")[2].partition("\n\n")[0]
    lines = "\n".join(line.removeprefix("    ") for line in tree.splitlines())
    assert drawn(lines) == declared()


def test_a_tree_is_read_by_its_branches():
    tree = (
        "Exception\n├── AError      a.py\n│   └── BError  b.py\n└── CError      c.py\nValueError\n└── DError      d.py"
    )
    assert drawn(tree) == {
        "AError": ("Exception", "a.py"),
        "BError": ("AError", "b.py"),
        "CError": ("Exception", "c.py"),
        "DError": ("ValueError", "d.py"),
    }
