"""The examples of README.md and of the pages in docs/: found, run one page at a time, and compared with what is shown.

A fenced block says by its language what it is: `bash` commands; `console` commands behind `$ ` and what they print on
standard output; `python` a script; `pycon` a Python prompt. A first line `# needs …` or `# asks a paid judge …` says
why a block is not run; `# needs the data …` is run where the data are. A line `…` in an output stands for any lines.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RUN_LANGUAGES = ("bash", "console", "python", "pycon")
OTHER_LANGUAGES = ("text", "json", "yaml", "bibtex", "csv")
_NEEDS_DATA = re.compile(r"(\$ )?# needs the data: ")
_NOT_RUN = re.compile(r"(\$ )?# (needs|asks a paid judge)\b")
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TIMEOUT_S = 900  # against a hang


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    text: str

    @property
    def needs_data(self) -> bool:
        """Whether it is run only where the benchmark's data are."""
        return _NEEDS_DATA.match(self.text) is not None

    @property
    def is_run(self) -> bool:
        """Whether it is run at all."""
        return self.language in RUN_LANGUAGES and (self.needs_data or not _NOT_RUN.match(self.text))

    @property
    def parts(self) -> list[tuple[str, str]]:
        """(command, output) of a console or a Python prompt; the whole block as one command of other languages."""
        if self.language == "console":
            found = re.split(r"^\$ ", self.text, flags=re.MULTILINE)[1:]
            return [_command(part) for part in found]
        if self.language == "pycon":
            found = re.findall(r"(^>>> .*\n(?:\.\.\.(?: .*)?\n)*)((?:(?!>>>).*\n)*)", self.text, re.MULTILINE)
            return [(re.sub(r"^(>>>|\.\.\.) ?", "", source, flags=re.MULTILINE), shown) for source, shown in found]
        return [(self.text, "")]


def _command(part: str) -> tuple[str, str]:
    """A command, which goes on where a line ends in a backslash, and what follows it."""
    end = re.match(r"(?:.*\\\n)*.*\n", part)
    assert end is not None
    return part[: end.end()], part[end.end() :]


def pages() -> list[Path]:
    """README.md and the pages in docs/."""
    return [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    return [Block(page, text[: match.start()].count("\n") + 1, match[1], match[2]) for match in _BLOCK.finditer(text)]


def commands(block: Block) -> Iterator[list[str]]:
    """The words of each shell command of a block, without variables before it, redirections and here-documents."""
    if block.language not in ("bash", "console"):
        return
    for command, _ in block.parts:
        text = re.sub(r"<<'(\w+)'.*?^\1$", "", command.replace("\\\n", " "), flags=re.DOTALL | re.MULTILINE)
        for line in text.splitlines():
            found = shlex.shlex(line, posix=True, punctuation_chars=True)
            found.whitespace_split = True
            words: list[str] = []
            redirected = False
            for word in found:
                if word[0] in "<>":
                    redirected = True
                    words = words[:-1] if words and words[-1] in ("1", "2") else words
                elif redirected:
                    redirected = False
                elif word[0] in ";|&" or word == "do":
                    yield _bare(words)
                    words = []
                else:
                    words.append(word)
            yield _bare(words)


def _bare(words: list[str]) -> list[str]:
    return list(dropwhile(re.compile(r"[A-Z_]+=").match, words))


def run(
    page: Path, folder: Path, data: Path | None, python: str = shlex.quote(sys.executable)
) -> dict[tuple[int, int], str]:
    """Run the blocks of a page in one shell, offline, without a key, in an empty folder.

    Args:
        page: the page.
        folder: an empty folder for what the commands write.
        data: a folder with the benchmarks' data; None where there is none.
        python: shell words that start Python.

    Returns:
        (line of the block, index of the command in it) → what the command printed on standard output.

    Raises:
        RuntimeError: a command failed; the text names its place and ends with what it wrote to standard error.
    """
    outputs = folder / "outputs"
    work = folder / "work"
    for made in (outputs, work, folder / "bin"):
        made.mkdir(parents=True)
    script = ["set -e"]
    places = {}
    for block in blocks(page):
        if not block.is_run or (block.needs_data and data is None):
            continue
        for index, command in enumerate(_runnable(block, outputs)):
            place = places[block.line, index] = outputs / f"{block.line:05}-{index:02}"
            begin, end = ("(", ")") if block.needs_data else ("{", "}")
            real = f"export HUEVAL_DATA_DIR='{data}'; unset HUEVAL_SAMPLE\n" if block.needs_data else ""
            script.append(f"echo {block.line} >{outputs}/now\n{begin} {real}{command}\n{end} >{place}")
    done = subprocess.run(
        ["bash", "-c", "\n".join(script)],
        cwd=work,
        env=_environment(folder, python),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
    )
    if done.returncode:
        at = (outputs / "now").read_text().strip()
        raise RuntimeError(f"{page}: the block at line {at} failed:\n{done.stderr[-3000:]}")
    return {place: text for key, path in places.items() for place, text in _printed(*key, path)}


def _runnable(block: Block, outputs: Path) -> list[str]:
    if block.language in ("bash", "console"):
        return [command for command, _ in block.parts]
    file = outputs / f"{block.line:05}.py"
    file.write_text(block.text if block.language == "python" else _prompts(block.parts), encoding="utf-8")
    return [f"python {file}"]


def _prompts(parts: Sequence[tuple[str, str]]) -> str:
    """A script that runs commands as a Python prompt does, with a form feed after the output of each."""
    lines = [f"exec(compile({source!r}, '<prompt>', 'single'), globals()); print('\\f', end='')" for source, _ in parts]
    return "\n".join(lines) + "\n"


def _printed(line: int, index: int, path: Path) -> Iterator[tuple[tuple[int, int], str]]:
    parts = path.read_text(encoding="utf-8").split("\f")
    yield from (((line, index + place), part) for place, part in enumerate(parts[:-1] or parts))


def _environment(folder: Path, python: str) -> Mapping[str, str]:
    for name, words in (("hueval", f"{python} -m hueval_metrics"), ("python", python)):
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        program.chmod(0o755)
    ours = ("HF_", "HUEVAL_", "OPENAI_", "XDG_", "COLUMNS")  # not of the one who runs this
    nowhere = "http://127.0.0.1:9"  # port 9 is closed: what asks the network fails at once
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(ours) and not name.lower().endswith("_proxy")
    } | {
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "HOME": str(folder),
        "HUEVAL_CACHE_DIR": str(folder / "cache"),
        "HUEVAL_OFFLINE": "1",
        "HF_HUB_OFFLINE": "1",
        "HTTP_PROXY": nowhere,
        "HTTPS_PROXY": nowhere,
    }


def as_shown(shown: str, printed: str) -> bool:
    """Whether an output is what a page shows; a line `…` stands for any lines."""
    pattern = r"(?:.*\n)*?".join(map(re.escape, re.split(r"^…\n", shown.rstrip() + "\n", flags=re.MULTILINE)))
    return re.fullmatch(pattern, re.sub(r"[ \t]+\n", "\n", printed.rstrip() + "\n")) is not None
