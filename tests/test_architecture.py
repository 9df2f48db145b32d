"""The shape of the code: which room may import which, what it may name, what is imported lazily, how long a file is."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from hf_datasets.repo import dataset_repos
from hueval_metrics.declare import Task
from hueval_metrics.judge.rubric import load_rubric
from hueval_metrics.languages.load import words
from hueval_metrics.records import Verdict
from hueval_metrics.registry import families, rubrics

ROOT = Path(__file__).parents[1]
PACKAGES = ("hf_datasets", "lm_eval_tasks", "hueval_metrics", "hueval_site")
# From left to right, as the data flows: a module imports its own room and the rooms before it.
ROOMS = (
    "hueval_metrics.version",
    "hueval_metrics.one_line",
    "hueval_metrics.errors",
    "hueval_metrics.environment",
    "hueval_metrics.exit_status",
    "hueval_metrics.signals",
    "hueval_metrics.terminal",
    "hueval_metrics.text",
    "hueval_metrics.languages",
    "hueval_metrics.records",
    "hueval_metrics.metric",
    "hueval_metrics.summary",
    "hueval_metrics.traced",
    "hueval_metrics.declare",
    "hueval_metrics.beside",
    "hueval_metrics.registry",
    "hueval_metrics.progress",
    "hf_datasets",
    "hueval_metrics.answers",
    "hueval_metrics.metrics",
    "hueval_metrics.judge",
    "hueval_metrics.launched",
    "hueval_metrics.loader",
    "hueval_metrics.stats",
    "hueval_metrics.scoring",
    "hueval_metrics.submission",
    "hueval_metrics.runs",
    "hueval_metrics.validation",
    "hueval_metrics.calibrate",
    "hueval_metrics.judge_bench",
    "hueval_metrics.comparison",
    "hueval_metrics.traces",
    "hueval_metrics.reports",
    "hueval_metrics.export",
    "hueval_metrics.harness",
    "hueval_metrics.evaluate_modules",
    "hueval_metrics.doctor",
    "hueval_metrics.api",
    "hueval_metrics.view",
    "hueval_metrics.commands",
    "hueval_metrics.cli",
    "hueval_metrics.__main__",
    "lm_eval_tasks",  # a family may import every room of the engine; none imports a family
    "hueval_site.config",
    "hueval_site.settings",
    "hueval_site.localized",
    "hueval_site.middleware",
    "hueval_site.accounts",
    "hueval_site.boards",
    "hueval_site.public_data",
    "hueval_site.disclosure",
    "hueval_site.submissions",
    "hueval_site.scoring",
    "hueval_site.pages",
    "hueval_site.api",
    "hueval_site.urls",
    "hueval_site.wsgi",
    "hueval_site.manage",
)
SITE = "hueval_site"
FACES = {"hueval_metrics": "hueval_metrics.api", SITE: "hueval_site.config"}  # package → the room that it counts to
SIBLINGS = ("hueval_site.pages", "hueval_site.api")  # two ways to the same rooms: neither imports the other
# The package itself names what users call, for type checkers, and imports it when it is asked for.
FRONT, OFFERED = "hueval_metrics", ("hueval_metrics.api", "hueval_metrics.errors", "hueval_metrics.version")
# Arrows that run back up between the parts of one folder, with the reason; to be emptied.
UPWARD = {
    # What `family.py` declares of letters decides whether two blanks are the same; README.md names fib's own path.
    ("lm_eval_tasks.openhueval.metrics.fib", "lm_eval_tasks.openhueval.family"),
}
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


def modules() -> dict[str, Path]:
    """Dotted name → file, of every module of the packages but for migrations, which Django writes."""
    files = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in files
        if not {"__pycache__", "migrations"} & {*path.parts}
    }


MODULES = modules()
SOURCES = {module: path.read_text(encoding="utf-8") for module, path in MODULES.items()}


def room(module: str) -> int | None:
    """The place of a module's room; None when it has no room."""
    if module in FACES:
        return ROOMS.index(FACES[module])
    return next((place for place, name in enumerate(ROOMS) if _inside(module, name)), None)


def _inside(module: str, package: str) -> bool:
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


def backward_imports(module: str, source: str) -> list[str]:
    """The imports of a module that go to a room on its right, or to a family that is not its own."""
    place = room(module)
    ours = [name for name in imported(module, source) if name.split(".")[0] in PACKAGES]
    if module == FRONT:
        return [name for name in ours if not any(_inside(name, offered) for offered in OFFERED)]
    return [
        name
        for name in ours
        if ((target := room(name)) is None or target > place or _beside(module, name) or _of_a_stranger(module, name))
    ]


def arrows() -> dict[str, set[str]]:
    """Module → the modules that it imports, wherever the import stands; without the front, which offers all of them."""
    found = {module: set(imported(module, source)) for module, source in SOURCES.items() if module != FRONT}
    return {module: (names & MODULES.keys()) - {module} for module, names in found.items()}


def circular(graph: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """What is left of a graph without the nodes that are in no circle, nor between two."""
    left = {node: set(targets) for node, targets in graph.items()}
    while True:
        kept = {node for node, targets in left.items() if targets} & set[str]().union(*left.values())
        if len(kept) == len(left):
            return left
        left = {node: left[node] & kept for node in kept}


def upward(graph: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """The arrows between the parts (files and folders) of one folder that are in circles of these parts."""
    found = []
    for folder in sorted({module.rpartition(".")[0] for module in graph} - {""}):

        def part(module: str, folder: str = folder) -> str:
            return ".".join(module.split(".")[: folder.count(".") + 2])

        inner = [
            (source, target)
            for source, targets in graph.items()
            for target in targets
            if _inside(source, folder) and _inside(target, folder) and part(source) != part(target)
        ]
        parts: dict[str, set[str]] = {}
        for source, target in inner:
            parts.setdefault(part(source), set()).add(part(target))
        left = circular(parts)
        found += [pair for pair in inner if part(pair[1]) in left.get(part(pair[0]), ())]
    return found


def drawn_rooms(page: str) -> list[str]:
    """The rooms of the engine as the drawing on a page has them, from top to bottom."""
    drawing = page.partition("```text\n")[2].partition("```")[0].splitlines()
    column = drawing[0].index("the engine")
    names = (line[column:].partition("  ")[0].split() for line in drawing[2 : drawing.index("")])
    return [name.removesuffix("/*.py").removesuffix(".py").removesuffix("/") for line in names for name in line]


def _of_a_stranger(module: str, imported: str) -> bool:
    """Whether a module imports from a family that is not its own."""
    return owner(imported) not in (None, owner(module))


def _beside(module: str, imported: str) -> bool:
    """Whether a module of one sibling imports the other."""
    places = [next((one for one in SIBLINGS if _inside(name, one)), None) for name in (module, imported)]
    return None not in places and places[0] != places[1]


def owner(module: str) -> str | None:
    """The family that a module belongs to: the name of its folder, in either package; None for shared modules."""
    package, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    is_family = package in ("hf_datasets", "lm_eval_tasks") and name not in ("", "checks")
    return name if is_family and (ROOT / package / name).is_dir() else None


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
    at_home = (names for home, names in HOMES.items() if _inside(module, home))
    allowed = LIGHT_AFTER_ALL.union(*at_home)
    return [
        name
        for name in imports(top_level(ast.parse(source)), module)
        if any(_inside(name, heavy) for heavy in HEAVY) and not any(_inside(name, light) for light in allowed)
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


def test_every_module_has_a_room():
    assert [module for module in MODULES if room(module) is None] == []  # give it a place in ROOMS (and in DESIGN)


def test_modules_keep_the_import_order():
    found = {module: backward_imports(module, source) for module, source in SOURCES.items()}
    assert {module: names for module, names in found.items() if names} == {}


def test_no_files_import_one_another_in_a_circle():
    assert circular(arrows()) == {}


def test_the_parts_of_each_folder_have_an_order():
    kept = {module: {name for name in names if (module, name) not in UPWARD} for module, names in arrows().items()}
    assert upward(kept) == []
    assert {pair for pair in UPWARD if pair[1] not in arrows()[pair[0]]} == set()  # an exception that is none any more


def test_the_page_draws_the_rooms_in_their_order():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    packages = (name.rpartition(".") for name in ROOMS if name.partition(".")[0] in ("hf_datasets", "hueval_metrics"))
    assert drawn_rooms(page) == [name for _, _, name in packages if name != "__main__"]


def test_the_package_itself_imports_nothing_of_ours():
    tree = top_level(ast.parse(SOURCES[FRONT]))
    assert [name for name in imports(tree, FRONT) if name.split(".")[0] in PACKAGES] == []


def test_shared_rooms_spell_no_name_of_a_family():
    assert {"openhueval", "husimpleqa", "huproverbrea", "hulu", "kolassimpleqa"} <= family_names()
    still = {f"hueval_metrics/{name}" for name in SPELLING}
    assert {name: found for name, found in spelling(ROOT).items() if name not in still} == {}


def test_the_engine_knows_no_family_s_labels_and_fields():
    words = shape_words()
    assert {"YES", "NOT_ATTEMPTED", "weaknesses", "correct_option", "hu_specific_dim"} <= words
    engine = [name for name in MODULES if _inside(name, "hueval_metrics") or _inside(name, SITE)]
    checked = [name for name in engine if not any(_inside(name, room) for room in SHAPED)]
    found = {name: shaped(SOURCES[name], words) for name in checked}
    assert {name: some for name, some in found.items() if some} == {}
    assert shaped('"""NO."""\nX = {"a": "answer YES"}', words) == {"YES"}


@pytest.mark.parametrize(
    "name",
    [
        "hueval_metrics/reports/page/words/hu/page.yaml",
        "hf_datasets/checks/labels.py",
        "hueval_site/pages/templates/pages/start.html",
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
    ("module", "source", "found"),
    [
        ("hueval_metrics.answers.x", "from hueval_metrics.metrics import basic", ["hueval_metrics.metrics.basic"]),
        ("hueval_metrics.answers.x", "def f():\n    import hueval_metrics.cli", ["hueval_metrics.cli"]),
        (
            "hueval_metrics.stats.x",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import hueval_metrics.harness.evaluate",
            ["hueval_metrics.harness.evaluate"],
        ),
        ("hueval_metrics.answers.x", "from ..metrics.basic import PERCENT", ["hueval_metrics.metrics.basic"]),
        ("hueval_metrics", "from hueval_metrics.runs.load import load_runs", ["hueval_metrics.runs.load"]),
        ("hueval_metrics.records", "from hf_datasets.cache import blob_id", ["hf_datasets.cache"]),
        ("hueval_metrics.errors", "def f():\n    import hueval_metrics.records", ["hueval_metrics.records"]),
        ("hueval_metrics.metrics.x", "from hueval_metrics import InputError", ["hueval_metrics"]),
        ("hueval_metrics.commands.x", "import hueval_metrics", []),
        ("hf_datasets.openhueval.x", "import lm_eval_tasks.openhueval.hooks", ["lm_eval_tasks.openhueval.hooks"]),
        ("hf_datasets.hulu.x", "import hf_datasets.openhueval.schema", ["hf_datasets.openhueval.schema"]),
        ("hf_datasets.x", "from hf_datasets.hulu.convert import REPO", ["hf_datasets.hulu.convert"]),
        ("hueval_metrics.cli", "import lm_eval_tasks.openhueval.hooks", ["lm_eval_tasks.openhueval.hooks"]),
        ("lm_eval_tasks.kviz.x", "import lm_eval_tasks.openhueval.hooks", ["lm_eval_tasks.openhueval.hooks"]),
        ("hueval_metrics.cli", "import hueval_site.boards", ["hueval_site.boards"]),
        ("lm_eval_tasks.openhueval.x", "from hueval_site import boards", ["hueval_site.boards"]),
        ("hueval_site.boards", "import lm_eval_tasks.openhueval.hooks", ["lm_eval_tasks.openhueval.hooks"]),
        ("hueval_site.submissions.x", "from hueval_site.scoring.work import x", ["hueval_site.scoring.work"]),
        ("hueval_site.api.x", "from hueval_site.pages.public import x", ["hueval_site.pages.public"]),
        ("hueval_site.pages.x", "from hueval_site.submissions.models import x\nimport hueval_metrics.cli", []),
        ("lm_eval_tasks.openhueval.x", "import hf_datasets.hulu.schema", ["hf_datasets.hulu.schema"]),
        ("lm_eval_tasks.openhueval.x", "import hf_datasets.openhueval.schema, hf_datasets.repo", []),
        ("hueval_metrics.metrics.x", "from hueval_metrics.answers.blanks.parse import align\nimport json", []),
        ("hueval_metrics.metrics.x", "from . import basic\nfrom hueval_metrics.version import __version__", []),
    ],
)
def test_the_order_check_sees_a_step_back(module, source, found):
    assert backward_imports(module, source) == found


def test_the_check_of_circles_sees_those_of_files_and_of_folders():
    files = {"p.a": {"p.b", "p.c"}, "p.b": {"p.a"}, "p.c": {"p.d"}, "p.d": set()}
    assert circular(files) == {"p.a": {"p.b"}, "p.b": {"p.a"}}
    folders = {"p.q.a": {"p.r"}, "p.r": {"p.q.b"}, "p.q.b": set()}
    assert circular(folders) == {}
    assert sorted(upward(folders)) == [("p.q.a", "p.r"), ("p.r", "p.q.b")]


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
