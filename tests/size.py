"""`make size`: lines of code by room, of formatted source without blanks, comments and docstrings.

Templates, prompts, YAML and data are counted apart, in kB, so that code moved into them gains nothing.
"""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = (
    "hueval_metrics",
    "lm_eval_tasks",
    "hf_datasets",
    "setup.py",
    "leaderboard/hueval_site",
    "leaderboard/setup.py",
)
TESTS = ("tests", "leaderboard/tests", "benchmarks")
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def code_lines(source: str) -> int:
    """The lines on which a module's code stands, as the formatter sets it.

    >>> code_lines('"Doc."\\n\\nX = 1  # why\\n\\n\\ndef f():\\n    "Doc."\\n    # why\\n    return (\\n        X)\\n')
    4
    """
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str):
                lines.difference_update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return len(lines)


def top(path: str, tops: Sequence[str] = (*SOURCE, *TESTS)) -> str | None:
    """Which of the packages, folders and files a path is or lies in."""
    return next((one for one in tops if path == one or path.startswith(f"{one}/")), None)


def room(path: str) -> str:
    """The room of a file: the package or folder that it lies in, with the next folder where it lies deeper.

    >>> room("hueval_metrics/answers/blanks/parse.py"), room("leaderboard/hueval_site/urls.py"), room("setup.py")
    ('hueval_metrics/answers', 'leaderboard/hueval_site', 'setup.py')
    """
    found = str(top(path))
    folder, is_deeper, _ = path.removeprefix(found).removeprefix("/").partition("/")
    return f"{found}/{folder}" if is_deeper and found != "benchmarks" else found


def main() -> None:
    """Print the table."""
    listed = subprocess.run(["git", "ls-files", *SOURCE, *TESTS], cwd=ROOT, check=True, capture_output=True, text=True)
    files, code, other = Counter[str](), Counter[str](), Counter[str]()
    for name in filter(lambda name: (ROOT / name).is_file(), listed.stdout.splitlines()):
        if name.endswith(".py"):
            files[room(name)] += 1
            code[room(name)] += code_lines((ROOT / name).read_text(encoding="utf-8"))
        elif not name.endswith(".md"):
            other[room(name)] += (ROOT / name).stat().st_size
    print(f"{'room':<36}{'files':>7}{'code lines':>12}{'other kB':>10}")
    for title, tops in (("source", SOURCE), ("tests", TESTS)):
        rooms = sorted(place for place in files | other if top(place, tops))
        for place in rooms:
            print(f"{place:<36}{files[place]:>7}{code[place]:>12,}{other[place] / 1000:>10,.0f}")
        total = (sum(counts[place] for place in rooms) for counts in (files, code, other))
        n_files, n_lines, n_bytes = total
        print(f"{title.upper():<36}{n_files:>7}{n_lines:>12,}{n_bytes / 1000:>10,.0f}\n")


if __name__ == "__main__":
    sys.exit(main())
