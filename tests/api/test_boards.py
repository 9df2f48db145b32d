"""What the engine offers to a leaderboard: no more than it uses, and to type checkers what it is when it runs."""

from __future__ import annotations

import ast

from hueval_metrics.api import boards
from tests.modules import SOURCES, inside

MODULE = boards.__name__


def asked() -> set[str]:
    """The names that the leaderboard imports of it."""
    trees = [ast.parse(source) for module, source in SOURCES.items() if inside(module, "hueval_site")]
    found = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {alias.name for node in found if node.module == MODULE for alias in node.names}


def test_it_offers_what_the_leaderboard_uses():
    assert asked() == {*boards.__all__}
    assert all(f"`{name}`" in (boards.__doc__ or "") for name in boards.__all__)


def test_type_checkers_see_the_same_names():
    seen = {
        alias.asname or alias.name: (node.module, alias.name)
        for node in ast.walk(ast.parse(SOURCES[MODULE]))
        if isinstance(node, ast.ImportFrom) and node.module != "importlib"
        for alias in node.names
    }
    assert seen == boards._OFFERED


def test_every_name_is_there():
    assert all(hasattr(boards, name) for name in boards.__all__)
    assert not hasattr(boards, "cli")
