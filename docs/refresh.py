"""Runs the examples of pages and writes what they print into the pages: `python docs/refresh.py [PAGE…]`.

Outputs with a line `…` are left as they are where they still fit, and named where they do not. HUEVAL_DATA_DIR names
the data for the blocks that need them; without it these stay as they are.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from examples import Block, as_shown, blocks, pages, run


def refresh(page: Path, data: Path | None) -> list[str]:
    """Rewrite the outputs on a page; the places that a person has to look at."""
    with tempfile.TemporaryDirectory() as folder:
        printed = run(page, Path(folder), data)
    lines = page.read_text(encoding="utf-8").split("\n")
    left = []
    for block in reversed(blocks(page)):
        if block.language not in ("console", "pycon") or (block.line, 0) not in printed:
            continue
        found = [printed.get((block.line, index), "") for index in range(len(block.parts))]
        shown = [output for _, output in block.parts]
        if all(map(as_shown, shown, found)):
            continue
        if any("…\n" in output for output in shown):
            left.append(f"{page}:{block.line}")
            continue
        height = block.text.count("\n")
        lines[block.line : block.line + height] = _text(block, found).rstrip("\n").split("\n")
    page.write_text("\n".join(lines), encoding="utf-8")
    return left


def _text(block: Block, found: list[str]) -> str:
    prefix = "$ " if block.language == "console" else ""
    before = block.text[: block.text.index("$ ")] if block.language == "console" else ""
    sources = [_source(block, command) for command, _ in block.parts]
    outputs = ("\n".join(line.rstrip() for line in output.rstrip("\n").split("\n")) for output in found)
    parts = (
        f"{prefix}{source}{output}\n" if output else f"{prefix}{source}"
        for source, output in zip(sources, outputs, strict=True)
    )
    return before + "".join(parts)


def _source(block: Block, command: str) -> str:
    if block.language == "console":
        return command
    first, *others = command.rstrip("\n").split("\n")
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in others)]) + "\n"


if __name__ == "__main__":
    folder = os.environ.get("HUEVAL_DATA_DIR")
    for page in [Path(name).resolve() for name in sys.argv[1:]] or pages():
        if any(block.is_run for block in blocks(page)):
            print(page, flush=True)
            for place in refresh(page, Path(folder).resolve() if folder else None):
                print(f"  look at {place}: the output with … no longer fits")
