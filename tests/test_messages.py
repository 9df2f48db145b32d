"""The words that a user reads: messages, help and texts of the page keep to plain terms."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.modules import MODULES, ROOT, SOURCES

# Pattern → what to write instead. "told apart" is English of statistics.
INSTEAD = {
    r"\btold\b(?! apart)|\btells?\b": "reported, shown, printed; says, names",
    r"\b(asks?|asked) nobody\b|\bnobody (is|are) asked\b": "makes no API calls",
    r"\bnobody\b": "name the thing",
    r"\b(stands|stood|stand in)\b(?! for)": "is, appears, occurs",
    r"\bat hand\b": "available",
    r"\bwholly\b": "completely, or the gold answer",
    r"\bwhom(ever)?\b": "who, or name the thing",
    r"\bunder way\b": "in flight, running",
    r"\b(mend(s|ed)?|whence|anyhow|lest)\b": "fix, from where, in any case, so that … not",
}
# What is read from replies or explained to those who edit these lists, not printed.
NOT_PRINTED = ("hueval_metrics.languages", "hueval_metrics.answers", "hueval_metrics.judge.words")
PACKAGES = ("hueval_metrics", "hf_datasets", "lm_eval_tasks")
TEXTS = ("words/en/*.yaml",)


def strings(source: str) -> Iterator[tuple[int, str]]:
    """The literal texts of a module with their lines, without docstrings."""
    tree = ast.parse(source)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, documented) and _is_text(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def _is_text(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return bool(node.body) and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)


def faults(place: str, text: str) -> list[str]:
    """The places of a text that use a word of the list."""
    return [
        f"{place}: “{found[0]}” in “{text[max(0, found.start() - 30) : found.end() + 30]}”: {instead}"
        for pattern, instead in INSTEAD.items()
        for found in re.finditer(pattern, text)
    ]


def test_the_list_finds_what_it_is_for():
    assert len(faults("", "nobody is asked, as the file tells; it stands at hand")) == 5
    assert faults("", "A and B are not told apart; a row stands for ten; stand-alone") == []


def test_messages_use_plain_terms():
    found = [
        fault
        for module, source in SOURCES.items()
        if module.split(".")[0] in PACKAGES and not module.startswith(NOT_PRINTED)
        for line, text in strings(source)
        if " " in text
        for fault in faults(f"{MODULES[module].relative_to(ROOT)}:{line}", text)
    ]
    assert found == []


def test_texts_of_the_page_use_plain_terms():
    files = {file for package in PACKAGES for form in TEXTS for file in (ROOT / package).rglob(form)}
    assert len(files) > 10
    found = [fault for file in sorted(files) for fault in faults(str(file.relative_to(ROOT)), _english(file))]
    assert found == []


def _english(file: Path) -> str:
    """The lines of a file of texts that are not comments."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))
