"""The reference of the command line: every command with its options, as their parsers have them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any

from docs.markdown import cell, table
from hueval_metrics.cli import _whole_parser
from hueval_metrics.commands.parser import Parser
from hueval_metrics.registry import families, resolve


def commands() -> str:
    """Every command with its options."""
    parts = []
    for name, parser in _parsers():
        parts.append(f"## hueval {name}" if " " not in name else f"### hueval {name}")
        described = parser.description or ""
        if described:
            parts.append(cell(described[:1].upper() + described[1:]))
        if rows := [row for action in parser._actions if (row := _option(parser, action))]:
            parts.append(table(["argument", "meaning"], rows))
    return "\n\n".join(parts)


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    _, found = _whole_parser()
    help_of = {action.dest: action.help for action in found._choices_actions}
    for name, parser in found.choices.items():
        parser.description = parser.description or help_of.get(name)
        yield from _with_sub_commands(name, parser)
    for family in families().values():
        for name, path in family.commands.items():
            yield f"{family.name} {name}", parser_of(resolve(path))


def _with_sub_commands(name: str, parser: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield name, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            help_of = {shown.dest: shown.help for shown in action._choices_actions}
            for sub, found in action.choices.items():
                found.description = found.description or help_of.get(sub)
                yield from _with_sub_commands(f"{name} {sub}", found)


def _option(parser: argparse.ArgumentParser, action: argparse.Action) -> list[str] | None:
    if action.help == argparse.SUPPRESS or isinstance(action, argparse._HelpAction | argparse._SubParsersAction):
        return None
    name = action.metavar or (action.dest.upper() if action.option_strings else action.dest)
    value = " ".join(name) if isinstance(name, tuple) else str(name)
    if action.choices is not None:
        value = "{" + ",".join(map(str, action.choices)) + "}"
    takes = value if action.nargs != 0 else ""
    shown = " ".join([", ".join(action.option_strings), takes]).strip()
    text = (action.help or "") % {**vars(action), "prog": parser.prog}
    return [f"`{shown}`".replace("|", r"\|"), cell(text)]


class _FoundParserError(Exception):
    """Ends a command as soon as it has made its parser."""


def parser_of(call: Callable[[list[str]], Any]) -> argparse.ArgumentParser:
    """The parser that a command of a family makes when it is called."""

    def stop(self: Parser, *_: Any, **__: Any) -> Any:
        raise _FoundParserError(self)

    parse, Parser.parse_args = Parser.parse_args, stop  # type: ignore[method-assign]
    try:
        call([])
    except _FoundParserError as found:
        parser: argparse.ArgumentParser = found.args[0]
        return parser
    finally:
        Parser.parse_args = parse  # type: ignore[method-assign]
    raise SystemExit(f"{call} has no parser")
