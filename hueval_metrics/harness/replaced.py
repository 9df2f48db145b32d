"""Put something of ours in the place of lm-eval's for the time of a call: lm-eval offers no other way."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    """While inside, an attribute of a module or a class is another.

    What the module makes only when it is asked for (`lm_eval.simple_evaluate`) is made anew afterwards.

    >>> import sys
    >>> with replaced(sys, "argv", ["hueval"]):
    ...     sys.argv
    ['hueval']
    """
    is_there, before = name in vars(owner), vars(owner).get(name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if is_there:
            setattr(owner, name, before)
        else:
            delattr(owner, name)
