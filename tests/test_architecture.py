"""The shape of the code: what a module may name, what is imported lazily, how long a file is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from hf_datasets.repo import dataset_repos
from hueval_metrics.declare import Task
from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.languages.load import words
from hueval_metrics.records import Verdict
from hueval_metrics.registry import families, rubrics
from tests.modules import MODULES, ROOT, SOURCES, imports, inside, top_level

SITE = "leaderboard/hueval_site"
# About a second each, or more: imported inside the function that needs them.
HEAVY = (
    *("torch", "transformers", "accelerate", "datasets", "evaluate", "vllm", "pyarrow"),
    *("scipy", "sklearn", "statsmodels", "pandas", "matplotlib"),
    *("lm_eval", "huggingface_hub", "jinja2", "rich", "json_repair", "openpyxl"),
)
LIGHT_AFTER_ALL = {"lm_eval.api.filter", "lm_eval.api.samplers"}  # base classes: 50 ms with lm_eval itself
# These rooms exist to import what others must not.
HOMES = {"hueval_metrics.harness": {"lm_eval"}, "hueval_metrics.evaluate_modules": {"evaluate", "datasets"}}
MAX_LINES = 400
BINARY = (".mo", ".woff2", ".png", ".ico")
# Rooms that spell labels and fields of families: answers reads what models write, and the metrics of SimpleQA are
# defined by its three labels.
SHAPED = ("hueval_metrics.answers", "hueval_metrics.metrics")
# Files of shared rooms that still spell a name of a family; to be emptied.
SPELLING: set[str] = set()


def family_names() -> set[str]:
    """What only families spell: names, titles and prefixes of theirs, of their tasks, rubrics and data sets."""
    found = {part for repo in dataset_repos() for part in (repo.name, repo.title)}
    for family in families().values():
        found |= {family.name, family.title, *(prefix.rstrip("_") for prefix in family.prefixes)}
        for name, task in family.tasks.items():
            short = next(name.removeprefix(prefix) for prefix in family.prefixes if name.startswith(prefix))
            found |= {short, task.title.partition(" (")[0], (task.rubric or "").rpartition(".")[2]}
            found |= {task.group} if task.title.startswith(task.group) else set()  # else a heading, such as a language
    return {name.casefold() for name in found if name}


def spelled(text: str, names: set[str]) -> set[str]:
    """The names that a text has, whatever the case and whatever is around them."""
    return {name for name in names if name in text.casefold()}


def spelling(root: Path) -> dict[str, set[str]]:
    """Shared files of a checkout, by their paths → the names of families that they have, where they have any."""
    names = family_names()
    shared = [path for pattern in ("*", "checks/*") for path in (root / "hf_datasets").glob(pattern)]
    ours = [path for package in ("hueval_metrics", SITE) for path in (root / package).rglob("*")]
    files = [path for path in [*shared, *ours] if path.is_file() and path.suffix not in BINARY]
    texts = {path: path.read_text(encoding="utf-8") for path in files if "__pycache__" not in path.parts}
    return {path.relative_to(root).as_posix(): found for path, text in texts.items() if (found := spelled(text, names))}


def shape_words() -> set[str]:
    """What only families declare of their items and verdicts: fields of keys and strata, labels, keys of replies."""
    found: set[str] = set()
    for family in families().values():
        found |= {family.strata.field} if family.strata else set()
        found |= {field for task in family.tasks.values() for field in (*task.key, task.cluster)}
    for rubric in map(load_rubric, rubrics()):
        found |= {*getattr(rubric, "LABELS", ()), *(rubric.SCHEMA or {}).get("properties", {})}
    verdicts = {word.rstrip("*") for word in words("verdict", ("hu",))}
    common = {*Task.__dataclass_fields__["key"].default, *Verdict.__dataclass_fields__, *verdicts}
    return found - common - {"split"}  # of the data: what Hugging Face data sets and lm-eval call it, too


def shaped(source: str, words: set[str]) -> set[str]:
    """The words that stand in the strings of a module, docstrings apart."""
    tree = ast.parse(source)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose
    ]
    return {word for word in words for text in texts if re.search(rf"\b{re.escape(word)}\b", text)}


def heavy_imports(module: str, source: str) -> list[str]:
    """The costly libraries that a module imports as it is itself imported."""
    at_home = (names for home, names in HOMES.items() if inside(module, home))
    allowed = LIGHT_AFTER_ALL.union(*at_home)
    return [
        name
        for name in imports(top_level(ast.parse(source)), module)
        if any(inside(name, heavy) for heavy in HEAVY) and not any(inside(name, light) for light in allowed)
    ]


def undocumented(source: str) -> list[str]:
    """The public functions and classes of a module that have no docstring, and the module itself."""
    tree = ast.parse(source)
    missing = [] if ast.get_docstring(tree) else ["the module"]
    scopes: list[tuple[str, ast.AST]] = [("", tree)]
    while scopes:
        prefix, scope = scopes.pop()
        for node in ast.iter_child_nodes(scope):
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or node.name.startswith("_"):
                continue
            if not ast.get_docstring(node):
                missing.append(f"{prefix}{node.name}")
            if isinstance(node, ast.ClassDef):
                scopes.append((f"{prefix}{node.name}.", node))
    return missing


def test_shared_rooms_spell_no_name_of_a_family():
    assert {"openhueval", "husimpleqa", "huproverbrea", "hulu", "kolassimpleqa"} <= family_names()
    still = {f"hueval_metrics/{name}" for name in SPELLING}
    assert {name: found for name, found in spelling(ROOT).items() if name not in still} == {}


def test_the_engine_knows_no_family_s_labels_and_fields():
    words = shape_words()
    assert {"YES", "NOT_ATTEMPTED", "weaknesses", "correct_option", "hu_specific_dim"} <= words
    engine = [name for name in MODULES if inside(name, "hueval_metrics") or inside(name, "hueval_site")]
    checked = [name for name in engine if not any(inside(name, room) for room in SHAPED)]
    found = {name: shaped(SOURCES[name], words) for name in checked}
    assert {name: some for name, some in found.items() if some} == {}
    assert shaped('"""NO."""\nX = {"a": "answer YES"}', words) == {"YES"}


@pytest.mark.parametrize(
    "name",
    [
        "hueval_metrics/words/hu/page.yaml",
        "hf_datasets/checks/labels.py",
        "leaderboard/hueval_site/pages/templates/pages/start.html",
    ],
)
def test_a_planted_name_is_found(tmp_path, name):
    (tmp_path / name).parent.mkdir(parents=True)
    (tmp_path / name).write_text("# titles as in HuWildBench\n", encoding="utf-8")
    assert spelling(tmp_path) == {name: {"huwildbench"}}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("TITLES = {'openhueval_humatchingfib': 1}", {"openhueval", "humatchingfib"}),
        ("# as HuWildBench's judge", {"huwildbench"}),
        ("title: OpenHuEval (Example 2025)", {"openhueval"}),
        ("The oe task of HuProverbRea.", {"huproverbrea"}),
        ("A family `kviz` with a task kviz_facts.", set()),
    ],
)
def test_the_check_of_names_sees_a_planted_one(text, found):
    assert spelled(text, family_names()) == found


def test_modules_are_light_to_import():
    found = {module: heavy_imports(module, source) for module, source in SOURCES.items()}
    assert {module: names for module, names in found.items() if names} == {}


def test_modules_are_short_and_documented():
    lengths = {module: source.count("\n") for module, source in SOURCES.items()}
    assert {module: n for module, n in lengths.items() if n > MAX_LINES} == {}
    found = {module: undocumented(source) for module, source in SOURCES.items() if source.strip()}
    assert {module: names for module, names in found.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("import torch", ["torch"]),
        ("try:\n    from scipy.stats import binomtest\nexcept ImportError:\n    pass", ["scipy.stats"]),
        ("class A:\n    import lm_eval.tasks", ["lm_eval.tasks"]),
        ("def f():\n    import torch", []),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import datasets", []),
        ("import torchless, hf_datasets.cache", []),
    ],
)
def test_the_weight_check_sees_a_heavy_import(source, found):
    assert heavy_imports("hueval_metrics.metrics.x", source) == found


def test_the_docstring_check_looks_into_classes():
    source = '"""M."""\nclass A:\n    """A."""\n    def f(self): ...\n    def _g(self): ...\ndef h(): ...'
    assert undocumented(source) == ["h", "A.f"]
