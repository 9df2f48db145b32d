"""Conditions, operands and statements of the readers' code whose removal changes no reading of a labelled reply.

python -m tests.readers.rules FILE …

Each function is changed in place, one part at a time, and the cases that ran the part are read again. What is listed is
no verdict: a rule against hostile input or for linear time is held by other tests.
"""

from __future__ import annotations
import __future__

import argparse
import ast
import copy
import functools
import importlib
import inspect
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

from hueval_metrics.languages import load
from tests.readers.patterns import caches, empty
from tests.readers.sets import Case, all_cases

ROOT = Path(__file__).parents[2]
SLOW_S = 2  # a reply that is read for longer is taken for an endless loop, which a change can make
COLD = -1  # a line that ran while caches were empty, for which cases cannot be told
EDGES = {"strip", "lstrip", "rstrip", "casefold", "lower", "removeprefix", "removesuffix"}

Lines = dict[tuple[str, int], set[int]]  # file and line → places of the cases that ran it


class Mutant(NamedTuple):
    """A change of a function: its line, what it is, what it takes away, and the functions that make and undo it."""

    line: int
    kind: str
    text: str
    make: Callable[[], None]
    undo: Callable[[], None]


def mutants(function: ast.FunctionDef) -> Iterator[Mutant]:
    """All changes of a function, each made in its own node."""
    for parent in ast.walk(function):
        for field, value in ast.iter_fields(parent):
            if field in ("decorator_list", "args", "returns"):
                continue
            for place, node in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(node, ast.AST):
                    put = functools.partial(_put, parent, field, place)
                    for kind, part, new in _changes(node):
                        line = getattr(part, "lineno", function.lineno)
                        make = functools.partial(put, ast.copy_location(new, node))
                        yield Mutant(line, kind, ast.unparse(part), make, functools.partial(put, node))


def _put(parent: ast.AST, field: str, place: int, node: ast.AST) -> None:
    if isinstance(held := getattr(parent, field), list):
        held[place] = node
    else:
        setattr(parent, field, node)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.AST, ast.AST]]:
    """What is taken away of a node: its kind, the part, the node without it."""
    if isinstance(node, (ast.If, ast.IfExp)):
        for constant in (True, False):
            yield (
                f"test is {constant}",
                node.test,
                _with(node, test=ast.copy_location(ast.Constant(constant), node.test)),
            )
    elif isinstance(node, ast.BoolOp):
        for operand, rest in _one_less(node.values):
            yield "without operand", operand, rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)
    elif isinstance(node, ast.comprehension):
        for test, rest in _one_less(node.ifs):
            yield "without if", test, _with(node, ifs=rest)
    elif isinstance(node, (ast.Tuple, ast.List, ast.Set)) and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        for element, rest in _one_less(node.elts):
            if rest and isinstance(element, (ast.Constant, ast.Starred)):
                yield "without element", element, _with(node, elts=rest)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in EDGES:
        yield f"without .{node.func.attr}()", node, node.func.value
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitOr, ast.BitAnd, ast.Sub)):
        yield "left only", node, node.left
    elif isinstance(node, (ast.Assign, ast.AugAssign)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield "without statement", node, ast.Pass()


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def _one_less(nodes: Sequence[ast.expr]) -> Iterator[tuple[ast.expr, list[ast.expr]]]:
    for place, node in enumerate(nodes):
        yield node, [*nodes[:place], *nodes[place + 1 :]]


def functions(module: ModuleType, tree: ast.Module) -> Iterator[tuple[FunctionType, ast.FunctionDef]]:
    """The functions and methods of a module, each with its node."""
    for node in tree.body:
        holder = vars(module)[node.name] if isinstance(node, ast.ClassDef) else module
        for inner in node.body if isinstance(node, ast.ClassDef) else [node]:
            if isinstance(inner, ast.FunctionDef):
                found = vars(holder)[inner.name]
                found = next(
                    (getattr(found, name) for name in ("fget", "func", "__func__") if hasattr(found, name)), found
                )
                if inspect.isfunction(found := inspect.unwrap(found)):
                    yield found, inner


def compiled(node: ast.FunctionDef) -> CodeType:
    """The code of a function's node."""
    tree = ast.fix_missing_locations(ast.Module([_with(node, decorator_list=[])], []))  # type: ignore[list-item]
    code = compile(tree, "mutant", "exec", flags=__future__.annotations.compiler_flag, dont_inherit=True)
    return next(each for each in code.co_consts if inspect.iscode(each) and each.co_name == node.name)


def read(case: Case) -> str:
    """What we read in a reply, or the name of the error."""
    signal.setitimer(signal.ITIMER_REAL, SLOW_S)
    try:
        return repr(case.read())
    except Exception as error:
        return type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def forget(words: bool = True) -> None:
    """Empty the caches of the readers; those of words on request, since they take long to fill."""
    empty([*caches("hueval_metrics.answers"), *([load.read_again] if words else [])])


def lines_run(files: set[str], cases: Sequence[Case]) -> Lines:
    """Which cases run which lines, with warm caches; and which lines run only while these are filled."""
    found: Lines = {}
    current = COLD

    def trace(frame: Any, event: str, _: Any) -> Any:
        if frame.f_code.co_filename not in files:
            return None
        found.setdefault((frame.f_code.co_filename, frame.f_lineno), set()).add(current)
        return trace

    forget()
    sys.settrace(trace)
    try:
        for current in (COLD, *range(len(cases))):
            for case in cases if current == COLD else cases[current : current + 1]:
                read(case)
    finally:
        sys.settrace(None)
    return found


def needless(path: str, cases: Sequence[Case], before: Sequence[str], lines: Lines) -> Iterator[str]:
    """A line for each part of a file that changes no reading."""
    name = ".".join(Path(path).relative_to(ROOT).with_suffix("").parts)
    for function, node in functions(importlib.import_module(name), ast.parse(Path(path).read_text())):
        original = function.__code__
        for mutant in mutants(node):
            above = (line for line in range(mutant.line, node.lineno - 1, -1) if (path, line) in lines)
            ran = lines.get((path, next(above, 0)), set())
            places = sorted(ran - {COLD})
            is_cold = bool(ran) and not places
            mutant.make()
            try:
                function.__code__ = compiled(node)
                forget(words=is_cold)
                is_same = all(read(cases[at]) == before[at] for at in (range(len(cases)) if is_cold else places))
            except (SyntaxError, ValueError):  # no function without this part
                is_same = False
            finally:
                mutant.undo()
                function.__code__ = original
                forget(words=is_cold)
            if is_same:
                shown = " ".join(mutant.text.split())[:110]
                yield f"{Path(path).relative_to(ROOT)}:{mutant.line} {node.name}, {mutant.kind}: {shown}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path)
    files = [str(path.resolve()) for path in parser.parse_args().files]

    def too_slow(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_slow)
    cases = all_cases()
    before = [read(case) for case in cases]
    lines = lines_run(set(files), cases)
    for path in files:
        for line in needless(path, cases, before, lines):
            print(line, flush=True)


if __name__ == "__main__":
    main()
