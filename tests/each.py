"""One test over many drawn or derived cases, which lists all that fail: each test of its own costs a millisecond."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import pytest

Test = Callable[..., None]


def each(
    names: str | Iterable[str], values: Iterable[Any], ids: Callable[[Any], object] | Iterable[object] | None = None
) -> Callable[[Test], Test]:
    """Like `pytest.mark.parametrize`, within one test; a score that a person can check stays a test of its own.

    The cases share the fixtures of the test, but each has its own folder and patches, and sees only its own output.
    """
    arguments = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    cases = list(values)
    given_as = ids if callable(ids) and len(arguments) == 1 else str
    labels = list(map(given_as, cases)) if callable(ids) or ids is None else list(ids)

    def decorate(test: Test) -> Test:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            failed, skipped = [], []
            for place, (label, case) in enumerate(zip(labels, cases, strict=True)):
                given = dict(zip(arguments, case if len(arguments) > 1 else (case,), strict=True))
                try:
                    with _own(fixtures, place) as own:
                        test(**own, **given)
                except pytest.skip.Exception as skip:
                    skipped.append(skip)
                except (Exception, pytest.fail.Exception) as error:
                    failed.append((f"{label!s:.200}: {_said(error)}", error))
            if failed:
                lines = [line for line, _ in failed]
                raise AssertionError("\n".join([f"{len(failed)} of {len(cases)}:", *lines])) from failed[0][1]
            if skipped and len(skipped) == len(cases):
                raise skipped[0]

        fixtures = [one for one in inspect.signature(test).parameters.values() if one.name not in arguments]
        run.__signature__ = inspect.Signature(fixtures)  # type: ignore[attr-defined]  # what pytest gives as fixtures
        return run

    return decorate


@contextmanager
def _own(fixtures: Mapping[str, Any], place: int) -> Iterator[dict[str, Any]]:
    own = dict(fixtures)
    with ExitStack() as stack:
        if "monkeypatch" in own:
            own["monkeypatch"] = stack.enter_context(own["monkeypatch"].context())
        if "tmp_path" in own:
            own["tmp_path"] = own["tmp_path"] / str(place)
            own["tmp_path"].mkdir()
        if "capsys" in own:
            own["capsys"].readouterr()
        if "caplog" in own:
            own["caplog"].clear()
        yield own


def _said(error: BaseException) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
