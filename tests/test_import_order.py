"""Which room may import which: from left to right, no circle of files, and an order of the parts of each folder."""

from __future__ import annotations

import ast
from collections.abc import Mapping

import pytest

from hueval_metrics.features import features
from tests.modules import MODULES, ROOT, SOURCES, TOPS, imported, imports, inside, top_level

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
    "hueval_metrics.words",
    "hueval_metrics.records",
    "hueval_metrics.metric",
    "hueval_metrics.summary",
    "hueval_metrics.traced",
    "hueval_metrics.declare",
    "hueval_metrics.beside",
    "hueval_metrics.registry",
    "hueval_metrics.features",
    "hueval_metrics.progress",
    "hf_datasets",
    "hueval_metrics.answers",
    "hueval_metrics.metrics",
    "hueval_metrics.judge",
    "hueval_metrics.tokens",
    "hueval_metrics.launched",
    "hueval_metrics.loader",
    "hueval_metrics.stats",
    "hueval_metrics.scoring",
    "hueval_metrics.submission",
    "hueval_metrics.runs",
    "hueval_metrics.comparison",
    "hueval_metrics.reports",
    "hueval_metrics.export",
    "hueval_metrics.harness",
    "hueval_metrics.evaluate_modules",
    "hueval_metrics.doctor",
    "hueval_metrics.api",
    "hueval_metrics.view",
    "hueval_metrics.commands",
    "hueval_metrics.judges",  # features: no other room imports them
    "hueval_metrics.traces",
    "hueval_metrics.cli",
    "hueval_metrics.__main__",
    "lm_eval_tasks",  # a family may import every room of the engine; none imports a family
    "hueval_site.feature",
    "hueval_site.config",
    "hueval_site.settings",
    "hueval_site.localized",
    "hueval_site.middleware",
    "hueval_site.outages",
    "hueval_site.accounts",
    "hueval_site.board_parts",
    "hueval_site.phases",
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
FRONT = "hueval_metrics"
# What may be imported of the engine: by that, and by the leaderboard, which is a distribution of its own.
OFFERED = {
    FRONT: tuple(f"hueval_metrics.{name}" for name in ("api", "errors", "features", "version")),
    SITE: (SITE, *(f"hueval_metrics.{name}" for name in ("api.boards", "errors", "features", "version"))),
}
# Features, which no other room imports: `features.py` finds them. The front names what they offer for type checkers.
FEATURES = ("hueval_metrics.judges", "hueval_metrics.traces")
# Arrows that run back up between the parts of one folder, with the reason; to be emptied.
UPWARD = {
    # What `family.py` declares of letters decides whether two blanks are the same; README.md names fib's own path.
    ("lm_eval_tasks.openhueval.metrics.fib", "lm_eval_tasks.openhueval.family"),
}


def room(module: str) -> int | None:
    """The place of a module's room; None when it has no room."""
    if module in FACES:
        return ROOMS.index(FACES[module])
    return next((place for place, name in enumerate(ROOMS) if inside(module, name)), None)


def backward_imports(module: str, source: str) -> list[str]:
    """The imports of a module that go to a room on its right, to another's family, or around what it is offered."""
    place = room(module)
    ours = [name for name in imported(module, source) if name.split(".")[0] in TOPS]
    if offered := OFFERED.get(SITE if inside(module, SITE) else module):
        of_features = [path for feature in features() for path in feature.api.values()] if module == FRONT else []
        around = [name for name in ours if not any(inside(name, one) for one in (*offered, *of_features))]
        if around or module == FRONT:
            return around
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
            if inside(source, folder) and inside(target, folder) and part(source) != part(target)
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
    places = [next((one for one in SIBLINGS if inside(name, one)), None) for name in (module, imported)]
    return None not in places and places[0] != places[1]


def owner(module: str) -> str | None:
    """The family that a module belongs to: the name of its folder, in either package; None for shared modules."""
    package, _, rest = module.partition(".")
    name = rest.partition(".")[0]
    is_family = package in ("hf_datasets", "lm_eval_tasks") and name not in ("", "checks")
    return name if is_family and (ROOT / package / name).is_dir() else None


def test_every_module_has_a_room():
    assert [module for module in MODULES if room(module) is None] == []  # give it a place in ROOMS (and in DESIGN)


def test_modules_keep_the_import_order():
    found = {module: backward_imports(module, source) for module, source in SOURCES.items()}
    assert {module: names for module, names in found.items() if names} == {}


def test_nothing_imports_a_feature():
    foreign = {
        module: [name for name in names for one in FEATURES if inside(name, one) and not inside(module, one)]
        for module, names in arrows().items()
    }
    assert {module: names for module, names in foreign.items() if names} == {}


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
    assert [name for name in imports(tree, FRONT) if name.split(".")[0] in TOPS] == []


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
        ("hueval_site.pages.x", "from hueval_site.submissions.models import x\nimport hueval_metrics.api.boards", []),
        ("hueval_site.pages.x", "import hueval_metrics.errors, hueval_metrics.registry", ["hueval_metrics.registry"]),
        ("hueval_site.pages.x", "def f():\n    import hf_datasets.load", ["hf_datasets.load"]),
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
