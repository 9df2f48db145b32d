"""Parse JSON and YAML; untrusted input that would exhaust memory, time or the stack raises ValueError.

Deep nesting exhausts the stack of code that walks the value later; YAML aliases and merge keys expand a few lines to
gigabytes ("billion laughs"); numbers in base 60 or with a million digits take hours to parse.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

MAX_DEPTH = 100  # nested lists and objects; the deepest record of ours has 8
MAX_YAML = 2**20  # characters; YAML is for settings that people write
_MAX_NUMBER = 100  # characters
_NUMBER = re.compile(r"[\d_:.+-]*")
_TOO_DEEP = f"nested more than {MAX_DEPTH} deep"


def parse_json(text: str, of_pairs: Callable[[list[tuple[str, Any]]], dict[str, Any]] = dict) -> Any:
    """Parse JSON.

    Args:
        text: any text.
        of_pairs: makes an object of its keys and values, of which `dict` keeps the last of a repeated key.

    Raises:
        ValueError: the text is not JSON, or is nested too deeply.
    """
    try:
        value = json.loads(text, object_pairs_hook=None if of_pairs is dict else of_pairs)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    if text.count("[") + text.count("{") > MAX_DEPTH and isinstance(value, (dict, list)) and _is_deep(value):
        raise ValueError(_TOO_DEEP)
    return value


def _is_deep(value: dict[str, Any] | list[Any]) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        parts = (part for one in level for part in (one.values() if isinstance(one, dict) else one))
        level = [part for part in parts if isinstance(part, (dict, list))]
    return bool(level)


def parse_yaml(text: str) -> Any:
    """Parse untrusted YAML, without aliases.

    Raises:
        ValueError: the text is not YAML, is too long or nested too deeply, or has an alias or a number of more than
            100 characters.
    """
    import yaml

    if len(text) > MAX_YAML:
        raise ValueError(f"longer than {MAX_YAML // 2**20} MiB")
    if text.lstrip().startswith(("{", "[")):
        with suppress(ValueError):
            return parse_json(text)  # libyaml refuses the surrogate pairs by which JSON escapes an emoji
    loader = _yaml_loader()
    try:
        depth = 0
        for event in yaml.parse(text, Loader=loader):
            if isinstance(event, yaml.AliasEvent):
                raise ValueError(f"the alias *{event.anchor} is not read: write the value out")
            if (
                isinstance(event, yaml.ScalarEvent)
                and len(event.value) > _MAX_NUMBER
                and _NUMBER.fullmatch(event.value)
            ):
                raise ValueError(f"a number of {len(event.value)} characters")
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise ValueError(_TOO_DEEP)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    try:
        return yaml.load(text, Loader=loader)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # as for !!bool x
        raise ValueError("a value is not of the type that its tag, such as !!int, says") from None


def own_yaml(path: Path, function: Callable[[str], Any] | None = None) -> Any:
    """The content of a YAML file of this project, or of a family, which is code too: aliases are read.

    Args:
        path: the file.
        function: what becomes of the name behind lm-eval's tag `!function`; None where there is no such tag.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not YAML; the message begins with the line, where that is known.
    """
    import yaml

    class Loader(_yaml_loader()):  # type: ignore[misc]
        """Safe YAML plus `!function`."""

    if function is not None:
        Loader.add_constructor("!function", lambda loader, node: function(loader.construct_scalar(node)))
    try:
        return yaml.load(path.read_text(encoding="utf-8"), Loader=Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ValueError(f"line {mark.line + 1}: {error.problem or error.context}" if mark else str(error)) from None
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None


def _yaml_loader() -> Any:
    """libyaml's safe loader, ten times as fast, where PyYAML has it."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)
