"""Plain terms in what a user reads (messages, help, texts of the page), and in docstrings and comments."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
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
# The same in docstrings and comments, where "told apart" and "stands for" are not the only fair uses of these verbs.
IN_DOCS = {
    r"\bat hand\b": "available",
    r"\bwhom(ever)?\b": "who, or name the thing",
    r"\b(nobody|lest)\b": "no one, or name the actor; so that … not",
    r"\bwholly right\b": "gold",
    r"\bstands? (in|there|before|behind)\b(?! for)": "is in, is, precedes, follows",
    r"\b(is|are) told\b(?! apart)": "is reported, shown",
    r"\bunder way\b": "in flight, running",
}
_DOCS = re.compile("|".join(IN_DOCS))
_COMMENT = re.compile(r"(?:^|\s)# .*", re.MULTILINE)
# What is read from replies or explained to those who edit these lists, not printed.
NOT_PRINTED = ("hueval_metrics.languages", "hueval_metrics.answers", "hueval_metrics.judge.words")
PACKAGES = ("hueval_metrics", "hf_datasets", "lm_eval_tasks")
TEXTS = ("words/en/*.yaml",)


@cache
def strings(source: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """The literal texts of a module with their lines, and its docstrings likewise; parsed once for all tests."""
    texts, docstrings, documenting = [], [], set()
    for node in ast.walk(ast.parse(source)):  # a node comes before those in it
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and _is_text(node):
            documenting.add(id(node.body[0].value))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            (docstrings if id(node) in documenting else texts).append((node.lineno, node.value))
    return texts, docstrings


def _is_text(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return bool(node.body) and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)


def faults(place: str, text: str, instead_of: Mapping[str, str] = INSTEAD) -> list[str]:
    """The places of a text that use a word of a list, in any letter case."""
    text = text.lower()  # much faster than re.IGNORECASE
    return [
        f"{place}: “{found[0]}” in “{text[max(0, found.start() - 30) : found.end() + 30]}”: {instead}"
        for pattern, instead in instead_of.items()
        for found in re.finditer(pattern, text)
    ]


def test_the_list_finds_what_it_is_for():
    assert len(faults("", "nobody is asked, as the file tells; it stands at hand")) == 5
    assert faults("", "A and B are not told apart; a row stands for ten; stand-alone") == []
    assert len(faults("", "Nobody is told what stands in it, or whom it is at hand for", IN_DOCS)) == 5
    assert faults("", "A and B are told apart by what they stand for", IN_DOCS) == []


def test_messages_use_plain_terms():
    found = [
        fault
        for module, source in SOURCES.items()
        if module.split(".")[0] in PACKAGES and not module.startswith(NOT_PRINTED)
        for line, text in strings(source)[0]
        if " " in text
        for fault in faults(f"{MODULES[module].relative_to(ROOT)}:{line}", text)
    ]
    assert found == []


def test_docstrings_and_comments_use_plain_terms():
    found = [
        fault
        for module, source in SOURCES.items()
        if module.split(".")[0] in PACKAGES and _DOCS.search(source.lower())  # few have any, in strings that are data
        for line, text in [*strings(source)[1], *_comments(source)]
        for fault in faults(f"{MODULES[module].relative_to(ROOT)}:{line}", text, IN_DOCS)
    ]
    assert found == []


def _comments(source: str) -> Iterator[tuple[int, str]]:
    for found in _COMMENT.finditer(source):
        yield source.count("\n", 0, found.start() + 1) + 1, found[0]


def test_texts_of_the_page_use_plain_terms():
    files = {file for package in PACKAGES for form in TEXTS for file in (ROOT / package).rglob(form)}
    assert len(files) > 10
    found = [fault for file in sorted(files) for fault in faults(str(file.relative_to(ROOT)), _english(file))]
    assert found == []


def _english(file: Path) -> str:
    """The lines of a file of texts that are not comments."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))
