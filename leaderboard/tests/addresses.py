"""Every address of the site, for tests of what must hold at all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.urls import URLResolver, get_resolver, reverse
from django.utils import translation

API = "api-1:"


def patterns(
    resolver: URLResolver | None = None, namespace: str = "", before: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Name and arguments of every view, with the namespace of the API's before it."""
    for one in (resolver or get_resolver()).url_patterns:
        arguments = before + (tuple(one.pattern.converters) or tuple(one.pattern.regex.groupindex))
        if isinstance(one, URLResolver):
            yield from patterns(one, f"{one.namespace}:" if one.namespace else namespace, arguments)
        else:
            yield f"{namespace}{one.name}", arguments


def addresses(values: Mapping[str, Any]) -> dict[str, str]:
    """Name of a view → its address in English.

    Args:
        values: what stands for an argument, by `name of the view.argument` or by the argument alone.
    """
    found = {}
    with translation.override("en"):
        for name, arguments in patterns():
            given = {one: values[f"{name}.{one}" if f"{name}.{one}" in values else one] for one in arguments}
            found[name] = reverse(name, kwargs=given)
    return found
