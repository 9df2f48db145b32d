"""The modules of the packages, and what each imports: for the tests of the code's shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGES = ("hf_datasets", "lm_eval_tasks", "hueval_metrics", "leaderboard/hueval_site")  # their folders


def modules() -> dict[str, Path]:
    """Dotted name → file, of every module of the packages but for migrations, which Django writes."""
    return {
        ".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__"): path
        for folder in map(ROOT.joinpath, PACKAGES)
        for path in sorted(folder.rglob("*.py"))
        if not {"__pycache__", "migrations"} & {*path.parts}
    }


MODULES = modules()
TOPS = {module for module in MODULES if "." not in module}  # the packages, by their names
SOURCES = {module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}


def inside(module: str, package: str) -> bool:
    """Whether a module is a package or lies in it."""
    return module == package or module.startswith(package + ".")


def imports(tree: ast.AST, module: str) -> Iterator[str]:
    """What a module imports, wherever the import stands: `from a import b` counts as a.b where that is a module."""
    package = module if MODULES.get(module, Path()).name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parents = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*parents, *filter(None, [base])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in MODULES else base


@cache
def imported(module: str, source: str) -> tuple[str, ...]:
    """What a module of this source imports; parsed once for all checks."""
    return tuple(imports(ast.parse(source), module))


def top_level(tree: ast.Module) -> ast.Module:
    """The tree without the bodies of functions and of `if TYPE_CHECKING:`."""

    class Pruned(ast.NodeTransformer):
        def visit_FunctionDef(self, node):
            return None

        visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  ast's name

        def visit_If(self, node):
            return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)

    return Pruned().visit(tree)
